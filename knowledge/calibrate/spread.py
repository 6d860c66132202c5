"""Intervals: percentiles of measured over predicted rate, from held-out predictions.

Rows of one page are alike, so percentiles of what is left over are too narrow for a page nobody has seen.
The percentiles are therefore chosen so that intervals made without a page hold `TARGET` of its rows; where
errors with a tenth of the rows left out are given too, so that the mean of both shares is `BOTH`, since people
mostly ask about devices that some page has measured. A node with few rows borrows those of the nodes above it.
An estimate that has to use a vendor's or everybody's constants gets the spread measured by leaving out whole
classes and whole vendors.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np

from wizard.speed.assumed import LINK_SPREAD

from .rows import Row
from .solve import weights_of

ENOUGH = 25  # rows from which a node stands alone
TARGET = 0.78
BOTH = 0.80
LEAST = 0.09  # no estimate is surer than this
TAILS = tuple(n / 1000 for n in range(200, 15, -5))  # shares cut off at either end that are tried


class Pool(NamedTuple):
    """Ratios measured / predicted and their weights: rows of one machine and page tell less than their number."""

    ratios: np.ndarray
    weights: np.ndarray


def quantiles(pool: Pool, tail: float) -> tuple[float, float]:
    """(low, high) factors on a predicted rate with `tail` of the weight cut off at either end."""
    order = np.argsort(pool.ratios, kind="stable")
    weights = pool.weights[order]
    middle = (np.cumsum(weights) - weights / 2) / weights.sum()
    low, high = np.interp((tail, 1 - tail), middle, pool.ratios[order])
    return min(float(low), 1 - LEAST), max(float(high), 1 + LEAST)


def pool_of(rows: list[Row], errors: np.ndarray, positions: Iterable[int]) -> Pool:
    """The pool of these rows; errors are of the time, so a positive one is a rate higher than predicted."""
    chosen = [p for p in positions if not np.isnan(errors[p])]
    return Pool(np.exp(errors[chosen]), weights_of([rows[p] for p in chosen]))


def by_node(rows: list[Row], errors: np.ndarray, use: Iterable[int]) -> dict[str, Pool]:
    """Pools of the rows below each node; sparse nodes get those of their parents too."""
    own: dict[str, list[int]] = defaultdict(list)
    parent: dict[str, str | None] = {}
    for position in sorted(use):
        # ranks in several machines have a network between them: their interval is that of one machine, widened
        if np.isnan(errors[position]) or rows[position].across:
            continue
        path = rows[position].path
        for depth, node in enumerate(path):
            # the cores of a system chip say nothing about other processors: they stay out of the common pool
            if not (node == "cpu" and any("@cpu" in n for n in path)):
                own[node].append(position)
            parent[node] = path[depth - 1] if depth else None
    result = {}
    for node, positions in own.items():
        pool, above = list(positions), parent[node]
        while len(pool) < ENOUGH and above:
            pool += own[above]
            above = parent[above]
        if pool:
            result[node] = pool_of(rows, errors, pool)
    return result


LEAF = 6  # rows from which a node's own share inside is looked at
LEAST_INSIDE = 0.70  # of them have to be inside, or the node's intervals are widened
WIDER = tuple(1 + n / 10 for n in range(51))  # powers of the ends that are tried


def by_tail(
    rows: list[Row], errors: np.ndarray, use: set[int], groups: list[Hashable]
) -> tuple[dict[int, str], dict[int, np.ndarray]]:
    """(node of each row, logarithms of its interval's ends for each of TAILS), made without the rows of its group."""
    members: dict[Hashable, set[int]] = defaultdict(set)
    for position in use:
        members[groups[position]].add(position)
    nodes_: dict[int, str] = {}
    ends: dict[int, np.ndarray] = {}
    for own in members.values():
        pools = by_node(rows, errors, use - own)
        made: dict[str, np.ndarray] = {}
        for position in sorted(own):
            node = next((n for n in reversed(rows[position].path) if n in pools), None)
            if node and not np.isnan(errors[position]):
                if node not in made:
                    made[node] = np.log(np.array([quantiles(pools[node], tail) for tail in TAILS]))
                nodes_[position], ends[position] = rows[position].path[-1], made[node]
    return nodes_, ends


def choose_tail(
    rows: list[Row], errors: np.ndarray, use: set[int], groups: list[Hashable], least: float = LEAST_INSIDE,
    tenths: np.ndarray | None = None,
) -> tuple[float, dict[str, float], dict[int, bool], float]:  # fmt: skip
    """The tail whose intervals hold nearest to what is wanted, the power by which the intervals of a node have to
    be widened so that they hold `least` of its own, which rows of unseen groups are held, and the share of rows
    that are held when only a tenth was unseen (nan without `tenths`)."""
    nodes_, ends = by_tail(rows, errors, use, groups)
    nodes_ = _judged(rows, nodes_)
    pools = by_node(rows, errors, use)
    best = None
    for number, tail in enumerate(TAILS):
        # how far outside each error is: the power of the interval that would just hold it
        need = {p: _power(_beyond(errors[p], rows[p].across), ends[p][number]) for p in ends}
        wider: dict[str, float] = {}
        for node in sorted(set(nodes_.values())):
            own = [need[p] for p in need if nodes_[p] == node]
            if len(own) >= LEAF:
                wider[node] = next((w for w in WIDER if share(n <= w for n in own) >= least), WIDER[-1])
        held = {p: bool(n <= wider.get(nodes_[p], 1.0)) for p, n in need.items()}
        seen = float("nan") if tenths is None else _share_seen(rows, tenths, use, pools, tail, wider)
        unseen = share(held.values())
        distance = abs(unseen - TARGET) if tenths is None else abs((unseen + seen) / 2 - BOTH)
        if best is None or distance < best[0] - 1e-9:
            best = (distance, tail, wider, held, seen)
    assert best is not None
    return best[1:]


def _share_seen(
    rows: list[Row], errors: np.ndarray, use: set[int], pools: dict[str, Pool], tail: float, wider: dict[str, float]
) -> float:
    """Share of rows inside the intervals of their nodes."""
    ends: dict[str, tuple[float, float]] = {}
    held = []
    for position in sorted(use):
        node = next((n for n in reversed(rows[position].path) if n in pools), None)
        if node and not np.isnan(errors[position]):
            if node not in ends:
                ends[node] = widened(*quantiles(pools[node], tail), width_of(node, wider))
            low, high = ends[node]
            held.append(low <= float(np.exp(errors[position])) <= high)
    return share(held)


def _judged(rows: list[Row], leaves: dict[int, str]) -> dict[int, str]:
    """The node whose own rows judge each row's interval: its leaf, or its class where the leaf has few."""
    count = Counter(leaves.values())
    return {p: leaf if count[leaf] >= LEAF else class_of(leaf) for p, leaf in leaves.items()}


def class_of(node: str) -> str:
    """The class a node belongs to; the nodes above a class are their own."""
    return node if node.startswith(("gpu", "cpu/")) else node.partition("/")[0]


def width_of(node: str, wider: dict[str, float]) -> float:
    """The power by which a node's interval is widened: its own, else that of its class."""
    return wider.get(node, wider.get(class_of(node), 1.0))


def _beyond(error: float, across: bool) -> float:
    """An error less what an estimate for ranks in several machines allows for their network."""
    if not across:
        return float(error)
    low, high = np.log(LINK_SPREAD)
    return float(max(0.0, error - high) if error > 0 else min(0.0, error - low))


def _power(error: float, ends: np.ndarray) -> float:
    """By which power both ends of an interval must be raised to reach an error; errors are of the time, so a
    positive one is a rate above the estimate."""
    return float(error / ends[1] if error > 0 else error / ends[0])


def widened(low: float, high: float, power: float) -> tuple[float, float]:
    """An interval with its ends raised to a power."""
    return low**power, high**power


def share(held: Iterable[bool]) -> float:
    """Share of True."""
    values = list(held)
    return sum(values) / len(values) if values else 0.0
