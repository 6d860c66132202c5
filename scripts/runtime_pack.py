"""Runs inside Pyodide (see runtime.mjs): import the package as the browser will, pack what that took as .pyc.

Writes /python.zip, stored, with fixed dates and sorted names, so that the same inputs give the same bytes.
What is packed follows from the code alone: the modules that Pyodide and the package import at any place,
also inside a function, and what those import.
"""

import ast
import importlib
import importlib._bootstrap_external as bootstrap
import os
import sys
import zipfile

SOURCES = "/src"
STDLIB = f"/lib/python{sys.version_info.major}{sys.version_info.minor}.zip"

# Asked for by an error path or an encoding, never by an import statement of ours.
ALSO = """
traceback linecache tokenize token textwrap reprlib warnings locale calendar fractions
encodings.ascii encodings.latin_1 encodings.utf_8 encodings.idna encodings.punycode encodings.aliases encodings.cp437
""".split()


def compiled(source: bytes, name: str) -> bytes:
    """Byte code without docstrings and asserts, with a zero time stamp."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=2)
    return bytes(bootstrap._code_to_timestamp_pyc(code, 0, 0))


def module_of(path: str) -> str:
    """Dotted name of a .py path inside a zip or folder."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imported(source: bytes) -> set[str]:
    """Modules that a source names in absolute imports, wherever they stand."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module)
    return found


def main() -> None:
    """Pack; the modules of this script itself must not count as used by the package."""
    sources = {}
    for folder, _, names in os.walk(SOURCES):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                sources[os.path.relpath(path, SOURCES)] = file.read()
    wanted = set(before) | set(ALSO)
    for source in sources.values():
        wanted |= imported(source)
    mine = set(sys.modules)
    sys.path.insert(0, SOURCES)
    for name in sorted(wanted - mine) + sorted(map(module_of, sources)):
        importlib.import_module(name)
    wanted |= set(sys.modules) - mine

    files = {}
    with zipfile.ZipFile(STDLIB) as stdlib:
        names = {module_of(entry): entry for entry in stdlib.namelist() if entry.endswith(".py")}
        parents = {name.rpartition(".")[0] for name in wanted}
        for name in (wanted | parents) & set(names):
            files[names[name] + "c"] = compiled(stdlib.read(names[name]), names[name])
    for path, source in sources.items():
        files[path + "c"] = compiled(source, path)
    with zipfile.ZipFile("/python.zip", "w", zipfile.ZIP_STORED) as packed:
        for name in sorted(files):
            packed.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), files[name])


before: list[str]  # set by runtime.mjs: the modules of a started Pyodide
main()
