"""Versions and version ranges as engines write them: "0.33.0", "2026.4.1.0", "b11413", ">=0.22,<0.24"."""

from __future__ import annotations

import re
from functools import lru_cache

_PART = re.compile(r"\d+|[a-z]+", re.I)
_CLAUSE = re.compile(r"^\s*(>=|<=|==|=|<|>)?\s*v?([0-9a-zA-Z][0-9a-zA-Z.+_-]*)\s*$")
# a pre-release sorts before its release, a post-release after it
_PRE = {"dev": -5, "a": -4, "alpha": -4, "b": -3, "beta": -3, "rc": -2, "pre": -2, "post": 1}


class VersionError(ValueError):
    """A version or range that cannot be read; the message says what would be right."""


@lru_cache(maxsize=4096)
def parse(version: str) -> tuple[int, ...]:
    """A comparable tuple: "1.3.0rc20" < "1.3.0" < "1.3.0.post1"; "b11413" compares by its number.

    Trailing zeros are dropped so that "1.0" equals "1.0.0".
    """
    text = version.strip().lower().lstrip("v")
    if re.fullmatch(r"b\d+", text):
        return (int(text[1:]),)
    key: list[int] = []
    for part in _PART.findall(text):
        if part.isdigit():
            key.append(int(part) + 1)  # +1 keeps a real 0 above a pre-release mark
        else:
            key.append(_PRE.get(part, 0))
    while key and key[-1] == 1:
        key.pop()
    return tuple(key)


def compare(left: str, right: str) -> int:
    """-1, 0 or 1. Missing parts count as zero."""
    a, b = parse(left), parse(right)
    width = max(len(a), len(b))
    a, b = a + (1,) * (width - len(a)), b + (1,) * (width - len(b))
    return (a > b) - (a < b)


@lru_cache(maxsize=4096)
def _clauses(range_: str) -> tuple[tuple[str, str], ...]:
    found = []
    for text in range_.split(","):
        match = _CLAUSE.match(text)
        if not match:
            raise VersionError(f'not a version range: "{range_}"; write such as ">=0.22" or ">=0.20,<0.24"')
        found.append((match[1] or "==", match[2]))
    return tuple(found)


@lru_cache(maxsize=8192)
def matches(range_: str | None, version: str) -> bool:
    """Whether `version` lies in `range_`; no range matches every version.

    Raises VersionError for a range that cannot be read.
    """
    if not range_:
        return True
    for sign, bound in _clauses(range_):
        order = compare(version, bound)
        holds = {
            ">=": order >= 0, "<=": order <= 0, "<": order < 0, ">": order > 0, "==": order == 0, "=": order == 0,
        }[sign]  # fmt: skip
        if not holds:
            return False
    return True
