"""How old a build of an engine is, from the dates of measurements that name their builds."""

from __future__ import annotations

import re

from wizard.kb import KB, fold
from wizard.memory.cache import Memo

NOW = 2026.5  # years; the date to which overheads are fitted (see `knowledge/calibrate/rows.py`)
_BUILD = re.compile(r"^b?(\d{3,6})\b")

_memo = Memo()


def years_old(engine: str, version: str, kb: KB) -> float:
    """Years before NOW of a build ("b6918") or a version; 0.0 where no dated measurement tells.

    Builds that count upwards are interpolated between the nearest known ones; older than the first counts as
    the first, newer than the last as of today.
    """
    known = _memo.get(kb.measurements, "builds", lambda: _dated(kb)).get(fold(engine), {})
    exact = known.get(version)
    number = _BUILD.match(version)
    if exact is not None or not number:
        return exact or 0.0
    line = sorted((int(found[1]), years) for name, years in known.items() if (found := _BUILD.match(name)))
    asked = int(number[1])
    if not line or asked > line[-1][0]:
        return 0.0
    if asked <= line[0][0]:
        return line[0][1]
    for (low, before), (high, after) in zip(line, line[1:], strict=False):
        if low <= asked <= high:
            return before + (after - before) * (asked - low) / max(1, high - low)
    return 0.0


def years_since(date: str) -> float:
    """Years from a day, a month or a year ("2025-08-30") to NOW; 0.0 for what is newer."""
    month = int(date[5:7]) if len(date) > 4 else 6
    return max(0.0, NOW - int(date[:4]) - (month - 0.5) / 12)


def _dated(kb: KB) -> dict[str, dict[str, float]]:
    """Folded engine name -> version -> years, the newest date of each."""
    found: dict[str, dict[str, float]] = {}
    for row in kb.measurements:
        version, date = row.get("engine_version"), str(row["date"])
        if version and date[:4].isdigit():
            years = years_since(date)
            table = found.setdefault(fold(row["engine"]), {})
            table[version] = min(years, table.get(version, years))
    return found
