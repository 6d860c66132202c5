"""Names for annotations, which nobody reads in the browser; named tuples are written out by `expand.py`."""

TYPE_CHECKING = False


class _Form:
    """Takes part in any annotation and stays what it is."""

    def __init__(self, *args, **options):
        pass

    def __getitem__(self, item):
        return self

    def __or__(self, other):
        return self

    __ror__ = __or__


class TypeVar(_Form):
    """A type variable."""


class ParamSpec(_Form):
    """Parameters of a callable; `collections.abc.Callable` knows them by this name and module."""

    args = kwargs = None


class Generic:
    """A base that can be subscripted."""

    def __class_getitem__(cls, item):
        return cls


class Protocol(Generic):
    """A base that can be subscripted."""


Any = BinaryIO = IO = Literal = NoReturn = Self = _Form()


class _AnnotatedAlias:
    """No annotation is of this kind."""


class _GenericAlias:
    """No annotation is of this kind."""


class _UnionGenericAlias:
    """No annotation is of this kind."""


class NamedTuple:
    """A class that still has this base was not ours."""

    def __init_subclass__(cls, **options):
        raise TypeError("a named tuple that was not written out when it was packed")


def overload(function):
    """A function that the last of its kind replaces."""
    return function


def cast(kind, value):
    """The value as it is."""
    return value


def get_type_hints(thing, **options):
    """Annotations are not read."""
    return {}
