"""`python -m knowledge new <kind> <id>`: a file with every field, each explained by its schema."""

from __future__ import annotations

import textwrap
from datetime import date
from typing import Any

from knowledge import kinds
from knowledge.lint.k007_schema_line import schema_line
from knowledge.load import Knowledge

_WIDTH = 110


def template(kind: str, today: str | None = None) -> str:
    """The text of a new entry: required fields to fill in, the others as comments.

    Raises KeyError for a kind that does not exist.
    """
    if kind not in kinds.FOLDERS:
        raise KeyError(kind)
    rows = [schema_line(kind)]
    rows += _map(kinds.schema(kind), "", today or date.today().isoformat())
    return "\n".join(rows) + "\n"


def reading(knowledge: Knowledge, old: str, today: str | None = None) -> tuple[str, str]:
    """A re-reading of the page behind `old`: (file of its publisher, its map without id).

    A reading is never re-dated; the new one has the day of today, and no version or commit, since those
    are what has to be looked up. Raises KeyError when there is no such reading.
    """
    publisher, about = knowledge.readings[old]
    kept = {key: value for key, value in about.items() if key in ("url", "title", "kind")}
    rows = [f"{key}: {_scalar(value)}" for key, value in kept.items()]
    rows.append(f"read: {today or date.today().isoformat()}")
    return knowledge.by_entry["source", publisher].name, "\n".join(rows)


def _map(field: dict[str, Any], indent: str, today: str) -> list[str]:
    rows: list[str] = []
    required = field.get("required", ())
    for key, inner in field.get("properties", {}).items():
        rows += _field(key, inner, key in required, indent, today)
    return rows


def _field(key: str, field: dict[str, Any], required: bool, indent: str, today: str) -> list[str]:
    plain = _resolved(field)
    about = field.get("description") or plain.get("description", "")
    rows = _comment(("" if required else "optional. ") + about + _values(plain), indent)
    prefix = indent if required else f"{indent}# "
    if field.get("$ref", "").endswith("/text"):
        rows += [f"{prefix}{key}:", *(f"{prefix}  {lang}: " for lang in ("en", "vi", "ru"))]
    elif plain.get("type") == "object" and "properties" in plain and required:
        rows += [f"{prefix}{key}:", *_map(plain, f"{indent}  ", today)]
    elif plain.get("type") == "array" and _resolved(plain.get("items", {})).get("properties"):
        item = _resolved(plain["items"])
        names = item.get("required") or list(item["properties"])[:1]
        rows += [f"{prefix}{key}:", *(f"{prefix}  {'  ' if index else '- '}{n}:" for index, n in enumerate(names))]
    elif key == "checked":
        rows.append(f"{prefix}{key}: {today}")
    elif plain.get("type") == "array":
        rows.append(f"{prefix}{key}: []")
    elif plain.get("type") == "object":
        rows.append(f"{prefix}{key}: {{}}")
    else:
        rows.append(f"{prefix}{key}: ")
    return [row.rstrip() for row in rows]


def _resolved(field: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in field:
        return {**kinds.resolve(field["$ref"]), **{k: v for k, v in field.items() if k != "$ref"}}
    if "oneOf" in field and "type" not in field:
        return {**_resolved(field["oneOf"][0]), **{k: v for k, v in field.items() if k == "description"}}
    return field


def _values(field: dict[str, Any]) -> str:
    values = field.get("enum") or _resolved(field.get("items", {})).get("enum")
    return f" One of: {', '.join(map(str, values))}." if values else ""


def _comment(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ", break_on_hyphens=False
    )


def _scalar(value: str) -> str:
    return f'"{value}"' if ": " in value or " #" in value or value[:1] in "\"'[]{}>|*&!%#`@,-?:" else value
