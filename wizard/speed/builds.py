"""How old a build of an engine is, from the dates of measurements that name their builds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from wizard.kb import KB, fold
from wizard.memory.cache import Memo

Dated = dict[str, dict[str, float]]
NOW = 2026.5  # years; the date to which overheads are fitted: what an estimate for today uses
_BUILD = re.compile(r"^b?(\d{3,6})\b")
_VERSION = re.compile(r"^\d+(?:\.\d+){1,3}")

_memo = Memo()


def years_old(engine: str, version: str, kb: KB) -> float:
    """Years before NOW of a build ("b6918") or a version ("0.19.0"); 0.0 where no dated measurement tells.

    Older than the first known one counts as that.
    """
    known = _memo.get(kb.measurements, "builds", lambda: dated(kb.measurements))
    years = years_of(known, engine, version)
    if years is None and number(version):
        years = max(known.get(fold(engine), {"": 0.0}).values())
    return years or 0.0


def years_of(known: Dated, engine: str, version: str) -> float | None:
    """The same from `dated()`: interpolated between the nearest known ones, of today when newer than the newest,
    None when older than the first or when nothing tells."""
    table = known.get(fold(engine), {})
    asked = number(version)
    if version in table or not asked:
        return table.get(version)
    line = sorted((counted, years) for name, years in table.items() if (counted := number(name)))
    line = [point for point in line if (len(point[0]) == 1) == (len(asked) == 1)]
    if not line or asked < line[0][0]:
        return None
    if asked > line[-1][0]:
        return 0.0
    (low, before), (high, after) = next((a, b) for a, b in pairwise(line) if a[0] <= asked <= b[0])
    # builds count upwards, so a share of the way; versions only have an order
    share = (asked[0] - low[0]) / max(1, high[0] - low[0]) if len(asked) == 1 else 0.5
    return before + (after - before) * share


def years_since(date: str) -> float:
    """Years from a day, a month or a year ("2025-08-30") to NOW; 0.0 for what is newer."""
    month = int(date[5:7]) if len(date) > 4 else 6
    return max(0.0, NOW - int(date[:4]) - (month - 0.5) / 12)


def known(engine: str, kb: KB) -> dict[str, float]:
    """Years of each dated build and version of an engine, by its name."""
    return _memo.get(kb.measurements, "builds", lambda: dated(kb.measurements)).get(fold(engine), {})


def number(version: str) -> tuple[int, ...]:
    """(6918,) of a build, (0, 19, 0) of a version, () of a name or a commit."""
    build, parts = _BUILD.match(version), _VERSION.match(version)
    if parts:
        return tuple(int(part) for part in parts[0].split("."))
    return (int(build[1]),) if build else ()


def dated(rows: Iterable[dict[str, Any]]) -> Dated:
    """Folded engine name -> version -> years, the newest date of each."""
    found: Dated = {}
    for row in rows:
        version, date = row.get("engine_version"), str(row["date"])
        if version and date[:4].isdigit():
            years = years_since(date)
            table = found.setdefault(fold(row["engine"]), {})
            table[version] = min(years, table.get(version, years))
    return found
