"""The fit: every part of a step is a base times the exponent of a sum of parameters.

So the logarithm of the step time has simple derivatives (the shares of the parts), and a few damped
Gauss-Newton steps find the parameters. Robust: residuals beyond `HUBER` count less. Sparse nodes are held
to the node above them by a penalty on their correction, strongly for the efficiency (large models reach
nearly the same share of the bandwidth everywhere), weakly for the overhead. Rows of one machine and page
are not independent, so they share a weight.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from .rows import Row

HUBER = 0.08
REPEAT = 0.7  # rows of one machine and page weigh count ** -REPEAT each
# (start, penalty) of a parameter by its first word; a node's correction starts at nothing
_ROOTS = {"overhead": np.log(60e-6), "efficiency": -np.log(0.83)}
_NODE_PENALTY = {"overhead": 1.0, "efficiency": 50.0}
_CPU_PENALTY = {"overhead": 1.0, "efficiency": 2.0}  # processors differ in what share of the bandwidth they reach
_OTHERS = {
    "moe": (0.2, 0.5), "age": (0.1, 1.0), "unpacking": (0.2, 0.2), "kv": (-np.log(0.8), 1.0),
    "sequence": (np.log(2e-6), 0.02), "compute": (-np.log(0.4), 2.0), "prefill": (-np.log(0.4), 2.0),
    "link": (np.log(12e-6), 0.1), "link-sequence": (np.log(0.2e-6), 0.1),
}  # fmt: skip
_TOWARDS_NOTHING = ("moe", "age", "unpacking")


@dataclass(frozen=True)
class Fitted:
    """Parameters by name; `expert_power` holds sixteenths by family."""

    values: dict[str, float]
    expert_power: dict[str, int]

    def sum(self, names: list[str]) -> float:
        """Sum of the parameters that exist."""
        return float(sum(self.values.get(name, 0.0) for name in names))


def parts(row: Row, expert_power: dict[str, int]) -> list[tuple[float, dict[str, float]]]:
    """(base seconds, {parameter: factor}) of every part of one row's step."""
    overhead = {f"overhead {node}": 1.0 for node in row.path} | {"age": row.age, f"age {row.family}": row.age}
    if row.moe:
        overhead[f"moe {row.family}"] = 1.0
    efficiency = {f"efficiency {node}": 1.0 for node in row.path}
    unpack = efficiency | ({f"unpacking {row.unpacking}": 1.0} if row.unpacking else {})
    grown = min(1.0, row.share * float(row.batch) ** (expert_power.get(row.family, 12) / 16))
    read = row.dense + row.experts * grown
    found = [
        (row.layers, overhead),
        (read / (row.bandwidth * row.ranks), unpack),
        (row.batch * row.kv / row.bandwidth, efficiency | {"kv": 1.0}),
    ]
    more = row.batch - 1
    found.append((more * row.layers, {f"sequence {row.family}": 1.0}))
    if row.compute:
        rate = row.compute * row.ranks
        found.append((2 * row.active * more / rate, {f"compute {row.family}": 1.0}))
        if row.answer and more:
            prompts = row.batch * 2 * row.active * row.prompt / rate / row.answer
            found.append((prompts, {f"prefill {row.family}": 1.0}))
    if row.ranks > 1:
        found.append((row.layers, {f"link {row.link}": 1.0}))
        found.append((more * row.layers, {f"link-sequence {row.link}": 1.0}))
    return [(base, names) for base, names in found if base > 0]


def _start(name: str) -> tuple[float, float, float]:
    """(start, value it is held to, penalty) of a parameter."""
    word, _, rest = name.partition(" ")
    if word in _ROOTS:
        if rest in ("gpu", "cpu"):
            return _ROOTS[word], _ROOTS[word], 0.001
        return 0.0, 0.0, (_CPU_PENALTY if rest.startswith("cpu") or "@cpu" in rest else _NODE_PENALTY)[word]
    start, penalty = _OTHERS[word]
    return start, (0.0 if word in _TOWARDS_NOTHING else start), penalty


def weights_of(rows: list[Row]) -> np.ndarray:
    """Weight of each row; they add up to the number of rows."""
    count = Counter((r.machine, r.page) for r in rows)
    weight = np.array([float(count[r.machine, r.page]) ** -REPEAT for r in rows])
    return weight * len(rows) / weight.sum()


def fit(rows: list[Row], expert_power: dict[str, int], start: Fitted | None = None) -> Fitted:
    """Fit the parameters to the decode steps of `rows`.

    start: a fit of nearly the same rows to begin from; then a coarser end is good enough.
    """
    steps, enough = (12, 1e-3) if start else (200, 1e-9)
    made = [parts(row, expert_power) for row in rows]
    names = sorted({name for row in made for _, params in row for name in params})
    index = {name: i for i, name in enumerate(names)}
    begin, held, penalty = (np.array(column) for column in zip(*map(_start, names), strict=True))
    theta = begin.copy()
    if start:
        theta = np.array([start.values.get(n, t) for n, t in zip(names, theta, strict=True)])
    base = np.array([b for row in made for b, _ in row])
    owner = np.array([i for i, row in enumerate(made) for _ in row])
    first = np.searchsorted(owner, np.arange(len(rows)))  # where the parts of each row begin
    table = np.zeros((len(base), len(names)))
    for position, (_, params) in enumerate(p for row in made for p in row):
        for name, factor in params.items():
            table[position, index[name]] = factor
    target = np.log(np.array([row.time for row in rows]))
    weight = weights_of(rows)
    for _ in range(steps):
        seconds = base * np.exp(table @ theta)
        total = np.bincount(owner, seconds, len(rows))
        residual = np.log(total) - target
        scaled = table * (seconds / total[owner])[:, None]
        jacobian = np.add.reduceat(scaled, first, axis=0)
        robust = weight / np.maximum(1, np.abs(residual) / HUBER)
        matrix = jacobian.T @ (robust[:, None] * jacobian) + np.diag(penalty)
        slope = jacobian.T @ (robust * residual) + penalty * (theta - held)
        move = np.clip(np.linalg.solve(matrix, slope), -0.5, 0.5)
        theta = theta - move
        if np.abs(move).max() < enough:
            break
    return Fitted(dict(zip(names, theta.tolist(), strict=True)), expert_power)


def predict(row: Row, fitted: Fitted) -> float:
    """Seconds of one step; a parameter that was not fitted takes its start, a node's correction nothing."""
    total = 0.0
    for base, params in parts(row, fitted.expert_power):
        exponent = 0.0
        for name, factor in params.items():
            word = name.partition(" ")[0]
            default = 0.0 if word in _ROOTS else _OTHERS[word][0]
            exponent += factor * fitted.values.get(name, default)
        total += base * float(np.exp(exponent))
    return total
