"""One field of the input at a time: numbers, choices and lists as people write them.

Nothing here raises: a value that cannot be read becomes a problem that names its field.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from . import vocabulary as v
from .problems import Problem, problem

Plain = dict[str, Any]

MAX_COUNT = 512  # devices of one kind in one machine: more than any machine that is built


@dataclass(frozen=True)
class Field:
    """What a field of the Situation may hold."""

    kind: str  # int | number | enum | bool | list
    low: float = 0
    high: float = 0
    values: tuple[str, ...] = ()
    nullable: bool = False


FIELDS: dict[str, Field] = {
    "host.os": Field("enum", values=v.OSES),
    "host.arch": Field("enum", values=("x86_64", "aarch64")),
    "host.ram_gib": Field("number", 0.25, 100_000),
    "host.free_vram_gib": Field("number", 0, 10_000, nullable=True),
    "links.within": Field("enum", values=v.LINKS_WITHIN),
    "links.between": Field("enum", values=v.LINKS_BETWEEN),
    "nodes": Field("int", 1, 4096),
    "context.tokens": Field("int", 1, 100_000_000),
    "context.input": Field("int", 1, 100_000_000),
    "context.output": Field("int", 1, 100_000_000),
    "traffic.concurrency": Field("int", 1, 1_000_000),
    "traffic.shared_prefix": Field("number", 0, 1),
    "traffic.mode": Field("enum", values=("online", "offline")),
    "needs": Field("list", values=v.NEEDS),
    "serving": Field("enum", values=v.SERVING),
    "priority": Field("enum", values=v.PRIORITIES),
    "optional.exposure": Field("enum", values=("loopback", "lan", "internet")),
    "optional.air_gapped": Field("bool"),
}

# "32,768" is one number in every language; "32.768" is thousands only where no fraction can be meant.
_GROUPED = re.compile(r"[1-9]\d{0,2}(,\d{3})+\Z")
_POINTED = re.compile(r"\s*[1-9]\d{0,2}(\.\d{3})+\s*\Z")
_SCALED = re.compile(r"\s*(\d{1,9}(?:[.,]\d{1,3})?)\s*([kкmм%])\s*\Z", re.I)
_DIGITS = re.compile(r"\s*-?\d[\d\s.,_]*\Z")


def get(data: Plain, path: str) -> Any:
    """The value at a dotted path, or None."""
    here: Any = data
    for key in path.split("."):
        if not isinstance(here, dict):
            return None
        here = here.get(key)
    return here


def put(data: Plain, path: str, value: Any) -> None:
    """Set the value at a dotted path, making the maps on the way."""
    *way, last = path.split(".")
    for key in way:
        data = data.setdefault(key, {})
    data[last] = value


def raw(data: Plain, path: str, problems: list[Problem]) -> Any:
    """What was written at a path of one or two steps; a group that is no map is told once."""
    group, _, key = path.partition(".")
    if not key:
        return data.get(path)
    inner = data.get(group)
    if inner is None:
        return None
    if not isinstance(inner, dict):
        if not any(p.path == group for p in problems):
            problems.append(problem(group, inner, "not-a-map"))
        return None
    return inner.get(key)


def number(written: Any) -> float | None:
    """A number of ordinary size, also as text with the marks of a language; None when it is none."""
    if isinstance(written, bool):
        return None
    if isinstance(written, str):
        text = "".join(written.split()).replace("_", "")
        if not 0 < len(text) <= 20:
            return None
        if _GROUPED.match(text):
            text = text.replace(",", "")
        text = text.replace(",", ".")
        try:
            written = float(text)
        except ValueError:
            return None
    if isinstance(written, int | float) and abs(written) <= 10**15:  # false for what is no number
        return float(written)
    return None


def tidy(value: float) -> float | int:
    """A whole number without its fraction."""
    return int(value) if value == int(value) else value


def value(path: str, written: Any, spec: Field, problems: list[Problem]) -> Any:
    """The value of a field, or None with a problem; an empty text says nothing."""
    if isinstance(written, str) and written == "":
        return None
    if spec.kind in ("int", "number"):
        return _numeric(path, written, spec, problems)
    if spec.kind == "bool":
        if isinstance(written, bool):
            return written
        text = str(written).lower()
        if text in ("true", "1", "yes"):
            return True
        if text in ("false", "0", "no"):
            return False
        problems.append(problem(path, written, "not-one-of", known=["true", "false"]))
        return None
    if spec.kind == "list":
        return _list(path, written, spec, problems)
    if isinstance(written, str) and written in spec.values:
        return written
    problems.append(problem(path, written, "not-one-of", known=list(spec.values)))
    return None


def _numeric(path: str, written: Any, spec: Field, problems: list[Problem]) -> float | int | None:
    if spec.kind == "int" and isinstance(written, str) and _POINTED.match(written):
        written = written.replace(".", "")
    scaled = _SCALED.match(written) if isinstance(written, str) else None
    found = _scaled(path, spec, *scaled.groups()) if scaled else number(written)
    if found is None:
        kind = "out-of-range" if _DIGITS.match(str(written)[:80]) else "not-a-number"
        problems.append(problem(path, written, kind, low=spec.low, high=spec.high))
        return None
    if not spec.low <= found <= spec.high:
        problems.append(problem(path, written, "out-of-range", low=spec.low, high=spec.high))
        return None
    if spec.kind == "int" and found != int(found):
        problems.append(problem(path, written, "not-whole", low=spec.low, high=spec.high))
        return None
    return tidy(found)


def _scaled(path: str, spec: Field, digits: str, unit: str) -> float | None:
    """ "32k", "1M", "30%": of tokens a k is 1,024, as in the names of contexts; a per cent is part of a share only."""
    value = float(digits.replace(",", "."))
    if unit == "%":
        return value / 100 if spec.high == 1 else None
    step = 1024 if path.startswith("context.") else 1000
    return value * (step if unit in "kKкК" else step * step)


def _list(path: str, written: Any, spec: Field, problems: list[Problem]) -> list[str] | None:
    items = written.split(",") if isinstance(written, str) else written
    if not isinstance(items, list | tuple):
        problems.append(problem(path, written, "not-a-list", known=list(spec.values)))
        return None
    kept: list[str] = []
    for item in items[:64]:
        if isinstance(item, str):
            item = item.strip()
            if item == "":
                continue
        if isinstance(item, str) and item in spec.values:
            if item not in kept:
                kept.append(item)
        else:
            problems.append(problem(path, item, "not-one-of", known=list(spec.values)))
    return sorted(kept, key=spec.values.index) or None
