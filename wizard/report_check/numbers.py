"""Numbers as reports write them: marks of three languages, units, statistics; everything in base units."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

# What a unit multiplies by: seconds, bytes, counts, shares. Tokens per second have no factor.
UNITS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0, "second": 1.0,
    "min": 60.0, "%": 0.01, "k": 1e3, "b": 1e9, "bn": 1e9, "m": 1e6, "kib": 1024.0, "mib": 1024.0**2,
    "gib": 1024.0**3, "tib": 1024.0**4, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
}  # fmt: skip
TIME = ("ns", "us", "µs", "ms", "s", "sec", "secs", "second", "seconds", "min", "мс", "с", "сек", "giây")
RATE = r"tok(?:en)?s?\s*/\s*s(?:ec(?:ond)?)?|tok(?:en)?s? per sec(?:ond)?|t/s|tps|tok/sec|ток(?:ен\w*)?/с|token/giây"
NUMBER = r"\d(?:[\d.,_\u202f\u00a0']*\d)?"
_FOREIGN = {"мс": "ms", "с": "s", "сек": "s", "giây": "s", "гиб": "gib", "гб": "gb"}
_MEASURE = re.compile(
    rf"(?P<stat>\b(?:p ?\d{{2}}(?:\.\d+)?|mean|avg|average|median|max|min|std)\b)?[\s:=(]*"
    rf"(?<![\w.])(?P<number>{NUMBER})\s*(?P<unit>{RATE}|[km]?i?b/s|gb/s|req/s|rps|%|[a-zµмсекгибiây]+)?",
    re.I,
)
_STATS = {
    "mean": "mean", "avg": "mean", "average": "mean", "median": "p50", "p50": "p50", "p90": "p90", "p95": "p95",
    "p99": "p99", "max": "max", "min": "min", "std": "std", "std_dev": "std", "stddev": "std",
}  # fmt: skip


class Measure(NamedTuple):
    """One number of a text. stat: mean, p50, p95 … or None; unit: as written, lower case; value: base units."""

    stat: str | None
    value: float
    unit: str


def number(text: object) -> float | None:
    """A finite number from a value of JSON or a cell, with its unit applied ("3.56 GiB"); None when it is none."""
    if isinstance(text, bool) or text is None:
        return None
    if isinstance(text, int | float):
        return _finite(text)
    found = re.match(rf"\s*[~≈+]?\s*({NUMBER}(?:e[+-]?\d+)?)\s*([a-z%µ]*)", str(text), re.I)
    if not found:
        return None
    value = parsed(found[1])
    return None if value is None else _finite(value * UNITS.get(found[2].lower(), 1.0))


def parsed(text: str) -> float | None:
    """Digits with the marks of any of our languages: 1,234.5 and 1.234,5 and 1 234,5 are the same."""
    plain = re.sub(r"[\s_'\u202f\u00a0]", "", text)
    comma, point = plain.rfind(","), plain.rfind(".")
    if comma >= 0 and point >= 0:
        plain = plain.replace(",", "") if point > comma else plain.replace(".", "").replace(",", ".")
    elif comma >= 0:
        groups = plain.split(",")
        thousands = len(groups) > 2 or (len(groups[-1]) == 3 and groups[0] not in ("", "0") and len(groups[0]) <= 3)
        plain = plain.replace(",", "" if thousands else ".")
    elif plain.count(".") > 1:
        plain = plain.replace(".", "")
    try:
        return _finite(float(plain))
    except ValueError:
        return None


def measures(text: str) -> list[Measure]:
    """Every number of a text with the statistic before it and the unit behind it."""
    found = []
    for match in _MEASURE.finditer(text):
        value = parsed(match["number"])
        if value is None:
            continue
        unit = (match["unit"] or "").lower()
        unit = _FOREIGN.get(unit, unit)
        rate = bool(re.fullmatch(RATE, unit, re.I))
        found.append(
            Measure(stat(match["stat"]), value if rate else value * UNITS.get(unit, 1.0), "tok/s" if rate else unit)
        )
    return found


def stat(word: str | None) -> str | None:
    """The statistic a word names, or None."""
    return _STATS.get(re.sub(r"\s", "", word.lower())) if word else None


def _finite(value: float) -> float | None:
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) and abs(result) < 1e18 else None
