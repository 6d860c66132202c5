"""Processors that are not listed by name, read as a relative of the same series.

A series shares its memory channels, its instruction sets and so its bandwidth; members differ in cores and
clock. The patterns are the `series` of the device that stands for it.
"""

from __future__ import annotations

import re

from .kb import KB, fold

# "Intel(R) Xeon(R) Gold 6430 CPU @ 2.10GHz", "AMD EPYC 7302 16-Core Processor"
_TRADE = re.compile(r"\((?:R|TM|C)\)|®|™", re.I)
_TAIL = re.compile(r"\s+(?:@.*|CPU\b.*|\d+-Cores?\b.*|Processor\b.*|w/.*|with\b.*)$", re.I)


def plain(text: str) -> str:
    """A name as a system prints it, without trade marks, clock and number of cores."""
    return _TAIL.sub("", _TRADE.sub("", text)).strip()


def relative(text: str, kb: KB) -> str | None:
    """The id of the device that stands for the series of this name, or None; the name itself is not listed."""
    key = fold(plain(text))
    for pattern, id_ in _patterns(kb):
        if pattern.search(key):
            return id_
    return None


def _patterns(kb: KB) -> list[tuple[re.Pattern[str], str]]:
    found: list[tuple[re.Pattern[str], str]] | None = kb.kept.get("series")
    if found is None:
        found = [(re.compile(f"(?:{p})$"), id_) for id_, d in kb.devices.items() for p in d.get("series", ())]
        kb.kept["series"] = found
    return found
