"""Help texts of Pyodide's own functions are not made; byte code without docstrings has none to make them from."""


def dedent_docstring(docstring):
    """The text as it is."""
    return docstring


def get_cmeth_docstring(func):
    """A signature that C accepts."""
    return func.__name__ + "()\n--\n\n"
