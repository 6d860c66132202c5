"""The valid word nearest to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher


def nearest(word: str, valid: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The most similar of `valid`, or None when nothing is near; ties go to the first in sorted order.

    Case, `_` and `-` and `.` are compared as equal, since those are the usual slips.
    """
    wanted = _plain(word)
    best: tuple[float, str] | None = None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for candidate in sorted(set(valid)):
        plain = _plain(candidate)
        if plain == wanted:
            return candidate
        matcher.set_seq1(plain)
        floor = max(cutoff, best[0] if best else 0.0)
        if matcher.real_quick_ratio() < floor or matcher.quick_ratio() < floor:
            continue
        ratio = matcher.ratio()
        if ratio >= cutoff and (best is None or ratio > best[0]):
            best = (ratio, candidate)
    return best[1] if best else None


def _plain(word: str) -> str:
    return word.lower().replace("_", "-").replace(" ", "-").replace(".", "-")


def is_slip(word: str, valid: str) -> bool:
    """Whether `word` is so surely a mistyped `valid` that it may be corrected without asking.

    At most two letters added, lost, changed or swapped, in a word long enough for that to be little; the
    digits must agree, since rtx-3080 is no mistyped rtx-3090.
    """
    one, other = _plain(word), _plain(valid)
    if [c for c in one if c.isdigit()] != [c for c in other if c.isdigit()]:
        return False
    return one == other or _distance(one, other) <= min(2, max(len(one), len(other)) // 4)


def _distance(one: str, other: str) -> int:
    """Damerau-Levenshtein distance (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
