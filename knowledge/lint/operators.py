"""How a needed value may be written, by the kind of its path."""

from __future__ import annotations

import re
from typing import Any

from wizard.conditions import COMPARISON, RANGE

_SIGNS = re.compile(r"\s*[<>=!~^]|.*\.\.")


def is_comparison(value: Any) -> bool:
    """Whether a needed value is a comparison or a range as the language writes them."""
    return isinstance(value, str) and bool(COMPARISON.match(value) or RANGE.match(value))


def fault(kind: str, value: Any) -> tuple[str, str | None] | None:
    """What is wrong with a needed value on a path of this kind, and how it would be right; None if nothing.

    kind: as in `wizard.vocabulary.Word`.
    """
    if isinstance(value, (dict, list)) or value is None:
        return "a needed value is a word, a number, a comparison or a list of them", None
    if kind == "bool":
        return None if isinstance(value, bool) else ("this path is true or false", None)
    if isinstance(value, bool):
        return "this path is not true or false", None
    if kind == "version" and not isinstance(value, str):
        return "a version is quoted: YAML would read 8.10 as 8.1", f'"{value}"'
    if is_comparison(value):
        if kind in ("number", "version"):
            return None
        return "a comparison needs a number or a version; this path holds words", None
    if isinstance(value, str) and _SIGNS.match(value):
        return "not a comparison", _repair(value)
    if kind == "number" and isinstance(value, str):
        return "this path holds a number", _number(value)
    if kind == "version" and not re.match(r"v?[0-9]", str(value)):
        return "this path holds a version", None
    return None


def _repair(value: str) -> str | None:
    """The comparison that was probably meant: "=> 8" is ">=8", "1...4" is "1..4"."""
    text = value.replace(" ", "").replace("=>", ">=").replace("=<", "<=").replace("...", "..").replace("v", "")
    text = text.removeprefix("==").removeprefix("~=")
    if is_comparison(text):
        return f'"{text}"'
    return text if re.match(r"[0-9.]+\Z", text) and ".." not in text else None


def _number(value: str) -> str | None:
    return value if re.match(r"-?[0-9]+(\.[0-9]+)?\Z", value) else None
