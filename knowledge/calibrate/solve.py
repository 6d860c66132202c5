"""The solver of both fits: times that are sums of parts, each a base times the exponent of a sum of parameters.

So the logarithm of a time has simple derivatives (the shares of the parts), and a few damped Gauss-Newton
steps find the parameters. Robust: residuals beyond `huber` count less. Each parameter is held to a value by
its own penalty, so that what no row speaks of keeps that value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Part = tuple[float, dict[str, float]]  # base seconds, factor of each parameter in the exponent
Prior = Callable[[str], tuple[float, float, float]]  # name -> start, value it is held to, penalty
REPEAT = 0.7  # rows of one machine and page are not independent: they weigh count ** -REPEAT each


def weights_of(rows: Sequence[Any], repeat: float = REPEAT) -> np.ndarray:
    """Weight of each row; they add up to the number of rows."""
    count = Counter((r.machine, r.page) for r in rows)
    weight = np.array([float(count[r.machine, r.page]) ** -repeat for r in rows])
    return weight * len(rows) / weight.sum()


def solve(
    made: list[list[Part]], times: np.ndarray, weight: np.ndarray, prior: Prior, huber: float | np.ndarray,
    start: dict[str, float] | None = None,
) -> dict[str, float]:  # fmt: skip
    """Parameters by name. made: the parts of each row; times: measured seconds.

    start: values of a fit of nearly the same rows to begin from; then a coarser end is good enough.
    """
    steps, enough = (12, 1e-3) if start else (200, 1e-9)
    names = sorted({name for row in made for _, params in row for name in params})
    index = {name: i for i, name in enumerate(names)}
    begin, held, penalty = (np.array(column) for column in zip(*map(prior, names), strict=True))
    theta = begin.copy()
    if start:
        theta = np.array([start.get(n, t) for n, t in zip(names, theta, strict=True)])
    base = np.array([b for row in made for b, _ in row])
    owner = np.array([i for i, row in enumerate(made) for _ in row])
    first = np.searchsorted(owner, np.arange(len(made)))  # where the parts of each row begin
    table = np.zeros((len(base), len(names)))
    for position, (_, params) in enumerate(p for row in made for p in row):
        for name, factor in params.items():
            table[position, index[name]] = factor
    target = np.log(times)
    for _ in range(steps):
        seconds = base * np.exp(table @ theta)
        total = np.bincount(owner, seconds, len(made))
        residual = np.log(total) - target
        scaled = table * (seconds / total[owner])[:, None]
        jacobian = np.add.reduceat(scaled, first, axis=0)
        robust = weight / np.maximum(1, np.abs(residual) / huber)
        matrix = jacobian.T @ (robust[:, None] * jacobian) + np.diag(penalty)
        slope = jacobian.T @ (robust * residual) + penalty * (theta - held)
        move = np.clip(np.linalg.solve(matrix, slope), -0.5, 0.5)
        theta = theta - move
        if np.abs(move).max() < enough:
            break
    return dict(zip(names, theta.tolist(), strict=True))


def seconds_of(parts: list[Part], values: dict[str, float], prior: Prior) -> float:
    """The time of one row; a parameter that was not fitted takes the value it would have been held to."""
    total = 0.0
    for base, params in parts:
        exponent = sum(factor * values[n] if n in values else factor * prior(n)[0] for n, factor in params.items())
        total += base * float(np.exp(exponent))
    return total
