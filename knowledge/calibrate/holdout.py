"""Held-out predictions: what the fit says about rows it has not seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable

import numpy as np

from .fit import Fitted, fit, predict
from .rows import Row

FOLDS = 10


def hardware(row: Row) -> str:
    """The device, however its name is written and however many there are."""
    return row.key


def groups_of(rows: list[Row], key: Callable[[int, Row], Hashable]) -> list[list[int]]:
    """Positions of rows by group, in the order in which the groups first come up."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for position, row in enumerate(rows):
        groups[key(position, row)].append(position)
    return list(groups.values())


def held_out(
    rows: list[Row],
    power: dict[str, int],
    key: Callable[[int, Row], Hashable],
    start: Fitted,
    only: set[int] | None = None,
) -> np.ndarray:
    """log(predicted / measured) of every row, each predicted by a fit without its group.

    key: (position, row) -> group. only: positions for which a prediction is wanted; others are nan.
    """
    result = np.full(len(rows), np.nan)
    for members in groups_of(rows, key):
        wanted = [p for p in members if only is None or p in only]
        if not wanted:
            continue
        left = set(members)
        without = fit([row for p, row in enumerate(rows) if p not in left], power, start)
        for position in wanted:
            row = rows[position]
            result[position] = np.log(predict(row, without) / row.time)
    return result


def by_fold(position: int, row: Row) -> Hashable:
    """Ten folds that keep the depths of one file together."""
    return hash_of(f"{row.page} {row.machine} {row.model} {row.dense:.0f}") % FOLDS


def hash_of(text: str) -> int:
    """A small hash that is the same in every process."""
    value = 0
    for character in text.encode():
        value = (value * 131 + character) % 1_000_003
    return value


def comparable(rows: list[Row], key: Callable[[Row], Hashable]) -> set[int]:
    """Positions of single-stream rows whose class has rows of another group: the others cannot be held out."""
    groups: dict[str, set[Hashable]] = defaultdict(set)
    for row in rows:
        if row.single:
            groups[_class(row)].add(key(row))
    return {p for p, row in enumerate(rows) if row.single and len(groups[_class(row)]) > 1}


def _class(row: Row) -> str:
    return row.path[min(2, len(row.path) - 1)]


def summary(errors: np.ndarray) -> dict[str, float]:
    """Median, upper quartile and share within 20 % of |predicted / measured - 1| in time."""
    off = np.abs(np.expm1(errors[~np.isnan(errors)]))
    return {
        "rows": int(len(off)),
        "median": round(float(np.median(off)), 4),
        "p75": round(float(np.quantile(off, 0.75)), 4),
        "within_20": round(float((off <= 0.2).mean()), 4),
    }
