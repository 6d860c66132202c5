"""What could not be read in a person's input: one shape, so that every reader can show it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any


def printable(value: Any, limit: int) -> str:
    """A value as text of at most `limit` characters that every output can hold: no half of a surrogate pair."""
    return str(value)[:limit].encode("utf-8", "replace").decode()


@dataclass(frozen=True)
class Problem:
    """One field that was not understood. `text` is the id of the sentence, `params` fill it."""

    path: str
    value: Any
    text: str
    params: dict[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As it stands in a Decision."""
        return asdict(self)


def problem(path: str, value: Any, what: str, **params: Any) -> Problem:
    """A problem; the offending value is cut to a printable length."""
    shown = value if isinstance(value, int | float | bool) or value is None else printable(value, 80)
    if isinstance(shown, float) and not math.isfinite(shown):
        shown = str(shown)  # has no form in JSON
    elif isinstance(shown, int) and abs(shown) > 10**15:
        shown = f"{shown:.3g}" if abs(shown) < 10**300 else "…"
    path = printable(path, 200)
    return Problem(path, shown, f"problem.{what}", {"field": path, "value": shown, **params})
