"""Write out the methods of data classes and named tuples, so that the browser need not make them at every start.

`@dataclass` and `NamedTuple` generate and compile the text of `__init__`, `__eq__`, `__new__` … for each class when
it is imported: half the time of importing the package in a browser. Here the same is done once, on the syntax tree.
Instances behave as before, except that frozen ones are not protected, and that all have the plain `repr`.
"""

import ast

OPTIONS = {"frozen", "eq", "repr"}
FIELD_OPTIONS = {"default", "default_factory", "hash", "compare", "repr"}


def expand(tree: ast.Module, name: str) -> ast.Module:
    """Replace every data class of a module. Raises ValueError for what this does not know how to write."""
    named = False
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            _class(node, name)
            named |= _named(node, name)
    if named:
        add_import(tree, "from _collections import _tuplegetter")
    return ast.fix_missing_locations(tree)


def add_import(tree: ast.Module, text: str) -> None:
    """Put an import at the head of a module, behind those from `__future__`."""
    future = [i for i, n in enumerate(tree.body) if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    place = max(future, default=-1) + 1
    tree.body[place:place] = ast.parse(text).body


def _named(node: ast.ClassDef, name: str) -> bool:
    """Write out a named tuple; whether it is one."""
    if [ast.unparse(base) for base in node.bases] != ["NamedTuple"]:
        return False
    if node.decorator_list or node.keywords:
        raise ValueError(f"{name}: class {node.name} is a named tuple of a kind that cannot be written out")
    fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
    names = [item.target.id for item in fields]
    takes = ", ".join(
        ["_cls", *(n if item.value is None else f"{n}={n}" for n, item in zip(names, fields, strict=True))]
    )
    given = "".join(f"{n}, " for n in names)
    text = f"""
__slots__ = ()
_fields = __match_args__ = {tuple(names)!r}
def __new__({takes}): return tuple.__new__(_cls, ({given}))
@classmethod
def _make(cls, iterable): return cls(*iterable)
def _replace(self, /, **fields):
    made = self._make(map(fields.pop, self._fields, self))
    if fields: raise TypeError(f"Got unexpected field names: {{list(fields)!r}}")
    return made
def _asdict(self): return dict(zip(self._fields, self))
def __getnewargs__(self): return tuple(self)
"""
    getters = "\n".join(f"{n} = _tuplegetter({place}, None)" for place, n in enumerate(names))
    node.bases = [ast.Name("tuple", ast.Load())]
    last = node.body.index(fields[-1]) + 1
    # defaults are attributes of the class until the signature has taken them
    node.body[last:last] = [*ast.parse(text).body, *ast.parse(getters).body]
    return True


def _class(node: ast.ClassDef, name: str) -> None:
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        if ast.unparse(call.func if call else decorator) == "dataclass":
            break
    else:
        return
    options = {key.arg: ast.literal_eval(key.value) for key in call.keywords} if call else {}
    if set(options) - OPTIONS or node.bases or (call and call.args):
        raise ValueError(f"{name}: class {node.name} is a data class of a kind that cannot be written out")
    node.decorator_list.remove(decorator)
    fields = [_Field(item, name) for item in node.body if isinstance(item, ast.AnnAssign)]
    written = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    text = "\n".join(part for made, part in _methods(fields, options) if made not in written)
    node.body += ast.parse(text).body


class _Field:
    """A field: its name, default, whether it counts for equality and for the hash."""

    def __init__(self, item: ast.AnnAssign, module: str) -> None:
        self.name = item.target.id
        self.default = None  # source of the default in the signature
        self.made = ""  # source of the value where the caller gave none
        self.compare = self.hash = True
        if "ClassVar" in ast.unparse(item.annotation) or "InitVar" in ast.unparse(item.annotation):
            raise ValueError(f"{module}: {self.name} is a field of a kind that cannot be written out")
        value = item.value
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
            options = {key.arg: key.value for key in value.keywords}
            if set(options) - FIELD_OPTIONS:
                raise ValueError(f"{module}: field {self.name} has options that cannot be written out")
            self.compare = ast.literal_eval(options.get("compare", ast.Constant(True)))
            self.hash = ast.literal_eval(options.get("hash", ast.Constant(self.compare)))
            item.value = options.get("default")
            if "default_factory" in options:
                self.default, self.made = "...", f"{ast.unparse(options['default_factory'])}()"
        if item.value is not None:
            self.default = self.name  # the class attribute, which stands above the method


def _methods(fields: list[_Field], options: dict[str, bool]) -> list[tuple[str, str]]:
    """(name, source) of what a data class gets."""
    names = [f.name for f in fields]
    takes = ", ".join(["self", *(f.name if f.default is None else f"{f.name}={f.default}" for f in fields)])
    sets = [f"    self.{f.name} = {f'{f.made} if {f.name} is ... else ' if f.made else ''}{f.name}" for f in fields]
    found = [
        ("__fields__", f"__fields__ = __match_args__ = {tuple(names)!r}"),
        ("__init__", "\n".join([f"def __init__({takes}):", *(sets or ["    pass"])])),
    ]
    if options.get("eq", True):
        mine, theirs = (_tuple(side, [f.name for f in fields if f.compare]) for side in ("self", "other"))
        found.append(
            (
                "__eq__",
                "def __eq__(self, other):\n"
                "    if other.__class__ is not self.__class__: return NotImplemented\n"
                f"    return {mine} == {theirs}",
            )
        )
        hashed = f"def __hash__(self): return hash({_tuple('self', [f.name for f in fields if f.hash])})"
        found.append(("__hash__", hashed if options.get("frozen") else "__hash__ = None"))
    return found


def _tuple(owner: str, names: list[str]) -> str:
    return "(" + "".join(f"{owner}.{name}, " for name in names) + ")"
