"""What Pyodide needs while it starts: the signature of one function that takes anything.

Nothing here binds JavaScript to signatures of its own, which is what Pyodide has the rest for.
"""

_VARARGS, _VARKEYWORDS, _COROUTINE = 4, 8, 128  # bits of a code object's flags


class Parameter:
    """A parameter by name and kind."""

    empty = type("_empty", (), {})
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = range(5)

    def __init__(self, name, kind):
        self.name, self.kind, self.default = name, kind, self.empty


class Signature:
    """The parameters of a function, {name: parameter}."""

    def __init__(self, parameters):
        self.parameters = {one.name: one for one in parameters}


def signature(function):
    """The signature of a function that names no parameter."""
    code = function.__code__
    if code.co_argcount or code.co_kwonlyargcount:
        raise NotImplementedError("the browser's Python reads no signatures")
    kinds = [k for k, bit in ((2, _VARARGS), (4, _VARKEYWORDS)) if code.co_flags & bit]
    return Signature(map(Parameter, code.co_varnames, kinds))


def isclass(thing):
    """Whether it is a class."""
    return isinstance(thing, type)


def ismethod(thing):
    """Whether it is a method bound to something."""
    return hasattr(thing, "__func__")


def iscoroutinefunction(thing):
    """Whether calling it makes a coroutine."""
    return bool(getattr(getattr(thing, "__code__", None), "co_flags", 0) & _COROUTINE)


def getattr_static(thing, name, *default):
    """An attribute; nothing here makes them when they are asked for."""
    return getattr(thing, name, *default)
