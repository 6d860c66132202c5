"""What `scripts/bench.py` measures, one module a subject; each yields rows of its table."""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Row:
    """One measured quantity. `limit` is the most the design allows; None is for information."""

    what: str
    value: float
    unit: str
    limit: float | None = None
    note: str = ""

    @property
    def over(self) -> bool:
        """Whether the limit is broken."""
        return self.limit is not None and self.value > self.limit


def spread(values: Sequence[float]) -> str:
    """How many runs there were, and the smallest and largest of them."""
    return f"median of {len(values)}, {min(values):.3g} to {max(values):.3g}"


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def load() -> float:
    """Processes that wanted a core during the last minute; above the number of cores, times mean little."""
    return os.getloadavg()[0]
