"""What is left of data classes when `pack.py` has written their methods out; see `expand.py`."""

import copy


def dataclass(*args, **options):
    """Decorators are gone from packed code; a class that still has one was not ours."""
    raise TypeError("a data class that was not written out when it was packed")


field = dataclass


def asdict(instance):
    """Fields by name, deeply copied."""
    return {name: _copied(getattr(instance, name)) for name in instance.__fields__}


def replace(instance, /, **changes):
    """A copy with other values for some fields."""
    return instance.__class__(**{name: getattr(instance, name) for name in instance.__fields__} | changes)


def _copied(value):
    if hasattr(value, "__fields__"):
        return asdict(value)
    if isinstance(value, list | tuple):
        return type(value)(map(_copied, value))
    if isinstance(value, dict):
        return type(value)((_copied(key), _copied(inner)) for key, inner in value.items())
    return copy.deepcopy(value)
