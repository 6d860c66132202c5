"""Compile regular expressions when the archive is made, instead of at every start in a browser.

`re.compile` of constants becomes `_sre.compile` with the code that it would have made, which holds for the very Python
that made it: this runs inside the Pyodide that loads the archive.
"""

import ast
import re
from re import _compiler, _parser

from expand import add_import


def write_out(tree: ast.Module) -> ast.Module:
    """Replace every `re.compile(…)` of a module whose arguments are constants."""
    writer = _Writer()
    tree = writer.visit(tree)
    if writer.wrote:
        add_import(tree, "import _sre")
    return ast.fix_missing_locations(tree)


class _Writer(ast.NodeTransformer):
    def __init__(self) -> None:
        self.wrote = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        of = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "compile" else None
        named = isinstance(of, ast.Name) and of.id == "re"
        if not named or node.keywords or not 1 <= len(node.args) <= 2:
            return node
        pattern, flags = node.args[0], node.args[1] if len(node.args) == 2 else ast.Constant(0)
        names = {inner.id for inner in ast.walk(flags) if isinstance(inner, ast.Name)}
        if not isinstance(pattern, ast.Constant) or names - {"re"}:
            return node
        self.wrote = True
        value = int(eval(ast.unparse(flags), {"re": re}))  # noqa: S307 - of a module of ours or of Python
        return ast.copy_location(ast.parse(_call(pattern.value, value), mode="eval").body, node)


def _call(pattern: str | bytes, flags: int) -> str:
    """Source of what `re._compiler.compile` does at its end, with what it has made until then."""
    parsed = _parser.parse(pattern, flags)
    code = [int(word) for word in _compiler._code(parsed, flags)]
    groups = [None] * parsed.state.groups
    for name, place in parsed.state.groupdict.items():
        groups[place] = name
    told = (pattern, int(flags | parsed.state.flags), code, len(groups) - 1, parsed.state.groupdict, tuple(groups))
    return f"_sre.compile({', '.join(map(repr, told))})"
