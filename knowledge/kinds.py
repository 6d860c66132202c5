"""The kinds of entry: which folder holds them and which schema defines them.

A field is defined in exactly one place, the JSON Schema of its kind in `knowledge/schema/`. Beside the
standard keywords three annotations say what a value names:

- `x-names: engine` the value is the id of an engine entry (any kind, or `type` and `mode`, see below);
- `x-names: rule|mistake` the id of an entry of either kind;
- `x-names: type, x-of: format` the value is a type of the format named by the sibling key `format`;
- `x-names: mode, x-of: engine` a mode of the engine in the sibling key; without `x-of` of the entry itself;
- `x-or: [...]` values that are allowed beside ids.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
SCHEMAS = ROOT / "schema"

# folder under knowledge/ -> kind, which is also the name of its schema
KINDS: dict[str, str] = {
    "engines": "engine",
    "families": "family",
    "devices": "device",
    "models": "model",
    "formats": "format",
    "recipes": "recipe",
    "scenarios": "scenario",
    "workloads": "workload",
    "bottlenecks": "bottleneck",
    "benchmarking": "benchmarking",
    "mistakes": "mistake",
    "guides": "guide",
    "rules": "rule",
    "questions": "question",
    "glossary": "term",
    "sources": "source",
    "text": "text",
    "claims": "claim",
    "measurements": "measurement",
}
# rules/order.yml is no rule: it declares the ties between rules and is the only entry of its kind
SINGLE_FILES = {"rules/order.yml": "order"}
FOLDERS = {kind: folder for folder, kind in KINDS.items()} | {"order": "rules"}
# an id is the name of its file
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
# folders of this package that hold no entries
OTHER_FOLDERS = frozenset({"schema", "lint", "translations", "constants", "__pycache__"})


def kind_of(relative: str) -> str | None:
    """Kind of the file at this path below knowledge/, or None when no kind lives there."""
    if relative in SINGLE_FILES:
        return SINGLE_FILES[relative]
    folder, _, name = relative.partition("/")
    return KINDS.get(folder) if name and "/" not in name else None


@cache
def schema(name: str) -> dict[str, Any]:
    """The JSON Schema called `<name>.schema.json`."""
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))


def resolve(reference: str) -> dict[str, Any]:
    """The schema that a `$ref` such as `common.schema.json#/$defs/text` points to."""
    file, _, pointer = reference.partition("#")
    node: Any = schema(file.removesuffix(".schema.json"))
    for step in pointer.split("/")[1:]:
        node = node[step]
    return node
