"""No event loop is set up."""


def _initialize_event_loop():
    """Called when `pyodide` is imported."""
