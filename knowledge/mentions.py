"""What an entry says about others: its texts, sources, names, conditions, dates and situations.

Found by walking the data beside its schema, so a new field is covered the moment it is defined.
The walk tolerates data that breaks the schema; what has the wrong type is simply not a mention.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from knowledge.kinds import resolve, schema
from knowledge.yaml12 import Path

_COMMON = "common.schema.json#/$defs/"


@dataclass(slots=True)
class Mentions:
    """Everything in one entry that a rule about several entries needs; paths lead to the very value."""

    texts: list[tuple[Path, dict[str, str]]] = field(default_factory=list)
    sources: list[tuple[Path, str]] = field(default_factory=list)
    names: list[tuple[Path, str, str, str | None]] = field(default_factory=list)  # path, kind, id, in
    conditions: list[tuple[Path, dict[str, Any]]] = field(default_factory=list)
    dates: list[tuple[Path, str]] = field(default_factory=list)
    versions: list[tuple[Path, str]] = field(default_factory=list)
    situations: list[tuple[Path, dict[str, Any]]] = field(default_factory=list)


def gather(kind: str, data: Any) -> Mentions:
    """Mentions of one entry, in the order of the file."""
    found = Mentions()
    _walk(schema(kind), data, (), found, None)
    return found


def _walk(field_: dict[str, Any], value: Any, path: Path, found: Mentions, parent: Any) -> None:
    if "x-names" in field_ and isinstance(value, str) and value not in field_.get("x-or", ()):
        owner = parent.get(field_["x-of"]) if "x-of" in field_ and isinstance(parent, dict) else None
        found.names.append((path, field_["x-names"], value, owner if isinstance(owner, str) else None))
    reference = field_.get("$ref")
    if reference:
        if _leaf(reference, value, path, found):
            return
        _walk(resolve(reference), value, path, found, parent)
    if isinstance(value, dict):
        properties = field_.get("properties", {})
        extra = field_.get("additionalProperties")
        for key, item in value.items():
            inner = properties.get(key, extra)
            if isinstance(inner, dict):
                _walk(inner, item, (*path, key), found, value)
    elif isinstance(value, list) and isinstance(field_.get("items"), dict):
        for index, item in enumerate(value):
            # the siblings of a list item are those of its list: `types: [...]` stands beside `format:`
            _walk(field_["items"], item, (*path, index), found, parent)
    for option in field_.get("oneOf", ()):
        if _fits(option, value):
            _walk(option, value, path, found, parent)
            break


def _leaf(reference: str, value: Any, path: Path, found: Mentions) -> bool:
    """Record a mention whose meaning is its definition; False when the definition has to be walked."""
    name = reference.removeprefix(_COMMON)
    if name == "text":
        if isinstance(value, dict):
            found.texts.append((path, {k: v for k, v in value.items() if isinstance(v, str)}))
    elif name == "source":
        if isinstance(value, str):
            found.sources.append((path, value))
        elif isinstance(value, list):
            found.sources.extend(((*path, i), v) for i, v in enumerate(value) if isinstance(v, str))
    elif name == "condition":
        if isinstance(value, dict):
            found.conditions.append((path, value))
    elif name in ("date", "versions"):
        if isinstance(value, str):
            (found.dates if name == "date" else found.versions).append((path, value))
    elif name == "situation":
        if isinstance(value, dict):
            found.situations.append((path, value))
    else:
        return False
    return True


def _fits(option: dict[str, Any], value: Any) -> bool:
    wanted = option.get("type")
    if isinstance(value, dict):
        return wanted == "object"
    if isinstance(value, list):
        return wanted == "array"
    return wanted not in ("object", "array")
