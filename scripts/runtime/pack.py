"""Runs inside Pyodide (see ../runtime.mjs), twice.

`pack` runs in Pyodide as it comes and writes /python.zip: the whole standard library, with the stand-ins in place
of what they replace, and the package with its data classes written out and the regular expressions of a start
compiled, all as byte code. `trim` runs in a Pyodide
that was started with that zip: it imports all that the package may import, also inside a function, and keeps in
/python.zip what was imported, all in one member (see finder.py). Names are sorted, dates fixed and entries stored:
the same code gives the same bytes.
"""

import ast
import importlib
import marshal
import os
import sys

from expand import expand
from patterns import write_out

PACKED = "/python.zip"
# The archive that Python looks for its standard library in.
STDLIB = f"/lib/python{sys.version_info.major}{sys.version_info.minor}.zip"

# Asked for by an error path or an encoding, never by an import statement of ours.
ALSO = ["traceback", "linecache", "textwrap", "warnings", "encodings.ascii", "encodings.latin_1", "encodings.utf_8"]


# The first module that Python takes from the archive; what stands before it decides where the others come from.
FIRST = "encodings/__init__.py"
HEADER = 16  # bytes of a .pyc before its code
START = "wizard/browser.py"  # the module that the worker imports


def pack(sources: str, stand_ins: str, finder: str) -> None:
    """Compile everything. sources, stand_ins: folders; finder: the file that goes before the first module."""
    import zipfile

    with zipfile.ZipFile(STDLIB) as stdlib:
        modules = {name: stdlib.read(name) for name in stdlib.namelist() if name.endswith(".py")}
    replaced = _read(stand_ins)
    unknown = sorted(set(replaced) - set(modules))
    if unknown:
        raise ValueError(f"stand-ins for what Pyodide does not have: {', '.join(unknown)}")
    modules |= replaced
    files = {f"{name}c": _compiled(ast.parse(source), name) for name, source in modules.items()}
    with open(finder, "rb") as file:
        files[f"{FIRST}c"] = _compiled(ast.parse(file.read() + b"\n" + modules[FIRST]), FIRST)
    package = _read(sources)
    early = _at_start(package)
    for name, source in package.items():
        tree = ast.parse(source)
        # compiled expressions take more room than their text: only where a start would wait for them
        files[f"{name}c"] = _compiled(expand(write_out(tree) if name in early else tree, name), name)
    _write(files)


def trim(sources: str) -> None:
    """Keep what is used. sources: the folder of the package, whose sources name what it imports."""
    package = _read(sources)
    wanted = set(ALSO)
    for source in package.values():
        wanted |= _imported(source)
    for name in sorted(wanted | set(map(_module_of, package))):
        importlib.import_module(name)
    # what is frozen into the interpreter is never looked for in an archive
    used = {name for name, module in sys.modules.items() if not _frozen(module)}

    import zipfile

    first = f"{FIRST}c"
    with zipfile.ZipFile(STDLIB) as whole:
        kept = sorted(name for name in whole.namelist() if _module_of(name) in used and name != first)
        modules = {_module_of(name): (name.endswith("/__init__.pyc"), whole.read(name)[HEADER:]) for name in kept}
        _write({first: whole.read(first), "modules.bin": marshal.dumps(modules, 2)})  # 2: without references


def _frozen(module: object) -> bool:
    return getattr(getattr(module, "__spec__", None), "origin", None) == "frozen"


def _read(folder: str) -> dict[str, bytes]:
    """{path below the folder: source} of every module."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def _write(files: dict[str, bytes]) -> None:
    import zipfile

    with zipfile.ZipFile(PACKED, "w", zipfile.ZIP_STORED) as packed:
        for name in sorted(files):
            packed.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), files[name])


def _at_start(package: dict[str, bytes]) -> set[str]:
    """Paths of the modules that the first one imports before it does anything, and that those import."""
    found, waiting = set(), [START]
    while waiting:
        path = waiting.pop()
        if path in found or path not in package:
            continue
        found.add(path)
        here = path.split("/")[:-1]
        for node in ast.parse(package[path]).body:
            if not isinstance(node, ast.ImportFrom):
                continue
            above = here[: len(here) + 1 - node.level] if node.level else []
            parts = above + (node.module.split(".") if node.module else [])
            for names in (parts, *([*parts, alias.name] for alias in node.names)):
                waiting += ["/".join(names) + ".py", "/".join([*names, "__init__.py"])]
    return found


def _compiled(tree: ast.Module, name: str) -> bytes:
    """Byte code without docstrings and asserts, with a zero time stamp."""
    import importlib._bootstrap_external as bootstrap

    code = compile(tree, name, "exec", dont_inherit=True, optimize=2)
    return bytes(bootstrap._code_to_timestamp_pyc(code, 0, 0))


def _module_of(path: str) -> str:
    """Dotted name of a module's path inside a zip or folder."""
    return path.removesuffix("c").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(source: bytes) -> set[str]:
    """Modules that a source names in absolute imports, wherever they stand."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module)
    return found
