"""Intervals: percentiles of measured over predicted rate, from held-out predictions.

Rows of one page are alike, so percentiles of what is left over are too narrow for a page nobody has seen.
The percentiles are therefore chosen so that intervals made without a page hold `TARGET` of its rows. A node
with few rows borrows those of the nodes above it. An estimate that has to use a vendor's or everybody's
constants gets the spread measured by leaving out whole classes and whole vendors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable

import numpy as np

from .rows import Row

ENOUGH = 25  # rows from which a node stands alone
TARGET = 0.80
LEAST = 0.03  # no estimate is surer than this
TAILS = tuple(n / 1000 for n in range(100, 15, -5))  # shares cut off at either end that are tried


def quantiles(ratios: np.ndarray, tail: float) -> tuple[float, float]:
    """(low, high) factors on a predicted rate with `tail` cut off at either end."""
    low, high = np.quantile(ratios, (tail, 1 - tail))
    return min(float(low), 1 - LEAST), max(float(high), 1 + LEAST)


def by_node(rows: list[Row], errors: np.ndarray, use: Iterable[int]) -> dict[str, np.ndarray]:
    """Ratios measured / predicted of the rows below each node; sparse nodes get those of their parents too."""
    own: dict[str, list[float]] = defaultdict(list)
    parent: dict[str, str | None] = {}
    for position in sorted(use):
        if np.isnan(errors[position]):
            continue
        path = rows[position].path
        for depth, node in enumerate(path):
            # the cores of a system chip say nothing about other processors: they stay out of the common pool
            if not (node == "cpu" and any("@cpu" in n for n in path)):
                # errors are of the time, so a positive one is a rate higher than predicted
                own[node].append(float(np.exp(errors[position])))
            parent[node] = path[depth - 1] if depth else None
    result = {}
    for node, ratios in own.items():
        pool, above = list(ratios), parent[node]
        while len(pool) < ENOUGH and above:
            pool += own[above]
            above = parent[above]
        result[node] = np.array(pool)
    return result


def inside(rows: list[Row], errors: np.ndarray, use: set[int], groups: list[Hashable], tail: float) -> dict[int, bool]:
    """Whether each row lies inside the interval of its node made without the rows of its own group."""
    members: dict[Hashable, set[int]] = defaultdict(set)
    for position in use:
        members[groups[position]].add(position)
    result = {}
    for own in members.values():
        pools = by_node(rows, errors, use - own)
        for position in sorted(own):
            node = next((n for n in reversed(rows[position].path) if n in pools), None)
            if node and not np.isnan(errors[position]):
                low, high = quantiles(pools[node], tail)
                result[position] = bool(low <= np.exp(errors[position]) <= high)
    return result


def choose_tail(
    rows: list[Row], errors: np.ndarray, use: set[int], groups: list[Hashable]
) -> tuple[float, dict[int, bool]]:
    """The tail whose intervals hold nearest to TARGET of unseen groups, and which rows they hold."""
    tried = [(tail, inside(rows, errors, use, groups, tail)) for tail in TAILS]
    return min(tried, key=lambda t: (abs(share(t[1].values()) - TARGET), -t[0]))


def share(held: Iterable[bool]) -> float:
    """Share of True."""
    values = list(held)
    return sum(values) / len(values) if values else 0.0
