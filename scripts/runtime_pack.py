"""Runs inside Pyodide (see runtime.mjs): use the package once, then pack what was imported as .pyc.

Reads `core_json`, `text_json` and `stdlib_path` from the globals; writes /python.zip, stored, with
fixed dates and sorted names, so that the same inputs give the same bytes.
"""

# ruff: noqa: F821 (the three globals are set by runtime.mjs)

import importlib._bootstrap_external as bootstrap
import json
import sys
import zipfile

sys.path.insert(0, "/src")

# Modules that an error path, an encoding or a later import may ask for although no sample here did.
ALWAYS = """
_weakrefset abc ast base64 bisect calendar codecs collections contextlib copy copyreg dataclasses datetime dis
enum fractions functools genericpath heapq html inspect io ipaddress json keyword linecache locale math numbers
opcode operator os posixpath re reprlib shutil stat string struct tempfile textwrap token tokenize traceback types
typing unicodedata urllib urllib.parse warnings weakref zipfile zipimport
""".split()
ENCODINGS = ["ascii", "latin_1", "utf_8", "idna", "punycode", "aliases", "cp437"]


def samples() -> None:
    """Decide, render in the browser's way, explore, export; include answers that cannot be read."""
    from wizard.browser import Session, decide_json

    session = Session(core_json, "2026-11-30")
    session.add_texts("en", text_json)
    asked = [
        {"fields": {"devices": "2*rtx-3090", "model": "qwen3-32b", "serving": "team", "traffic.concurrency": "4"}},
        {"fields": {"devices": "1*rtx-3060", "model": "qwen3-235b-a22b", "priority": "throughput"}},
        {"address": "#v=1&devices=1*m4-max&model=qwen3-32b"},
        {"address": "#v=9&devices=nonsense&context.tokens=x%FF&model={"},
        {"fields": {}},
    ]
    for request in asked:
        session.answer(json.dumps({"lang": "en", "base": "../", **request}))
        for _ in range(3):
            session.explore(json.dumps({"lang": "en", "base": "../"}))
        session.export("json", "en")
        session.export("markdown", "en")
    decide_json("{}", session.kb, "2026-11-30")
    try:
        session.answer("not json")
    except ValueError:
        import traceback

        traceback.format_exc()


def compiled(source: bytes, name: str) -> bytes:
    """Byte code without docstrings and asserts, with a zero time stamp."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=2)
    return bytes(bootstrap._code_to_timestamp_pyc(code, 0, 0))


def module_of(path: str) -> str:
    """Dotted name of a .py path inside a zip or folder."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


samples()
wanted = set(sys.modules) | set(ALWAYS) | {f"encodings.{e}" for e in ENCODINGS}
files: dict[str, bytes] = {}
with zipfile.ZipFile(stdlib_path) as stdlib:
    for entry in stdlib.namelist():
        if entry.endswith(".py") and module_of(entry) in wanted:
            files[entry + "c"] = compiled(stdlib.read(entry), entry)

import pathlib  # noqa: E402 (only the packing needs it, it must not count as used by the samples)

for path in sorted(pathlib.Path("/src").rglob("*.py")):
    name = path.relative_to("/src").as_posix()
    files[name + "c"] = compiled(path.read_bytes(), name)
with zipfile.ZipFile("/python.zip", "w", zipfile.ZIP_STORED) as packed:
    for name in sorted(files):
        packed.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), files[name])
print(f"{len(files)} modules")
