"""What is written out when the archive of the browser is made behaves as what it replaces."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''"""Words."""

from __future__ import annotations

from typing import NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 2
    marks: tuple[str, ...] = ()

    @property
    def sum(self) -> int:
        return self.x + self.y

    def moved(self) -> Point:
        return self._replace(x=self.x + 1)
'''


def tool(name: str) -> ModuleType:
    folder = ROOT / "scripts" / "runtime"
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)  # they import one another, as they lie side by side in Pyodide
        spec.loader.exec_module(module)
    return module


def run(tree: ast.Module) -> dict:
    space: dict = {"__name__": "sample"}
    sys.modules.setdefault("sample", ModuleType("sample"))
    exec(compile(tree, "sample", "exec"), space)
    return space


def test_a_named_tuple_that_is_written_out_behaves_as_one():
    plain, written = run(ast.parse(SOURCE))["Point"], run(tool("expand").expand(ast.parse(SOURCE), "sample"))["Point"]
    assert issubclass(plain, tuple) and issubclass(written, tuple) and NamedTuple.__name__ not in str(written.__mro__)
    for one in (plain, written):
        point = one(1, marks=("a",))
        assert (point.x, point.y, point.marks, point.sum) == (1, 2, ("a",), 3)
        assert point == (1, 2, ("a",)) and hash(point) == hash((1, 2, ("a",)))
        assert point.moved() == one(2, 2, ("a",)) and type(point.moved()) is one
        assert point._asdict() == {"x": 1, "y": 2, "marks": ("a",)} and one._fields == ("x", "y", "marks")
        x, *rest = point
        assert (x, rest) == (1, [2, ("a",)])
        with pytest.raises((TypeError, ValueError)):
            point._replace(z=1)
        with pytest.raises(TypeError):
            one()
        with pytest.raises(AttributeError):
            point.x = 5


def test_a_named_tuple_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="Point"):
        tool("expand").expand(ast.parse(SOURCE.replace("class Point", "@final\nclass Point")), "sample")


def test_compiled_expressions_are_those_that_python_compiles():
    write_out, found = tool("patterns").write_out, 0
    for path in sorted((ROOT / "wizard").rglob("*.py")):
        calls = [
            node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
        ]  # fmt: skip
        for call in calls:
            source = f"import re\nfound = {ast.unparse(call)}\n"
            try:
                wanted = run(ast.parse(source))["found"]
            except NameError:  # made of other constants of the module, and left as it is
                continue
            got = run(write_out(ast.parse(source)))["found"]
            assert got == wanted and got.groupindex == wanted.groupindex and got.groups == wanted.groups
            found += 1
    assert found > 100
    left = "import re\nA = 'x'\nfound = re.compile(A)\n"
    assert run(write_out(ast.parse(left)))["found"] == re.compile("x")
