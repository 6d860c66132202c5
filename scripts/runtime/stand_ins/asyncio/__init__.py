"""Only what Pyodide looks up when it starts; nothing here waits for anything."""


def get_event_loop():
    """There is no event loop."""
    raise RuntimeError("the wizard's Python has no event loop")
