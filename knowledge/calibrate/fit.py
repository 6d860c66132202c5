"""The fit of decode steps: see `solve` for how, `wizard.speed.terms` for the formula.

Sparse nodes are held to the node above them by a penalty on their correction, strongly for the efficiency
(large models reach nearly the same share of the bandwidth everywhere), weakly for the overhead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wizard.kb import fold
from wizard.speed.nodes import NETWORK, PLAIN
from wizard.speed.terms import OPS_PER_BYTE, READ_AND_WRITTEN, hops

from .rows import Row
from .solve import seconds_of, solve, weights_of

HUBER, CPU_HUBER = 0.08, 0.25
# (start, penalty) of a parameter by its first word; a node's correction starts at nothing
_ROOTS = {"overhead": np.log(60e-6), "efficiency": -np.log(0.83), "kv": -np.log(0.8), "plain": np.log(2.0)}
_ROOT_PENALTY = {"kv": 1.0, "plain": 0.5}
_NODE_PENALTY = {"overhead": 1.0, "efficiency": 50.0, "kv": 1.0, "plain": 1.0}
_CPU_PENALTY = _NODE_PENALTY | {"efficiency": 2.0}  # processors differ in what share of the bandwidth they reach
_OTHERS = {
    "device": (0.0, 5.0), "moe": (0.2, 0.5), "moe-integers": (0.0, 0.5), "age": (0.0, 1.5), "unpacking": (0.2, 0.2),
    "state": (np.log(READ_AND_WRITTEN), 0.03), "weight": (np.log(3.0), 0.02), "weight-engine": (0.0, 0.3),
    "sequence": (np.log(2e-6), 0.02), "compute": (-np.log(0.4), 2.0), "prefill": (-np.log(0.4), 2.0),
    "link": (np.log(12e-6), 0.1), "link-sequence": (np.log(0.2e-6), 0.1),
}  # fmt: skip
_TOWARDS_NOTHING = ("device", "moe", "moe-integers", "age", "unpacking", "weight-engine")


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
    own = {f"device {row.key}": 1.0}
    overhead = own | {f"overhead {node}": 1.0 for node in row.path} | {"age": row.age, f"age {row.family}": row.age}
    if row.moe:
        overhead[f"moe {row.family}"] = 1.0
        if row.integers:
            overhead[f"moe-integers {row.family}"] = 1.0
    efficiency = own | {f"efficiency {node}": 1.0 for node in row.path}
    on_cpu = row.path[0] == "cpu"
    unpack = efficiency | ({f"unpacking {row.unpacking}": 1.0} if row.unpacking and not on_cpu else {})
    grown = min(1.0, row.share * float(row.batch) ** (expert_power.get(row.family, 12) / 16))
    read = row.dense + row.experts * grown
    found = [
        (row.layers, overhead),
        (read / (row.bandwidth * row.ranks), unpack),
        (row.batch * row.kv / row.bandwidth, efficiency | _cache(row)),
        (row.batch * row.state / row.bandwidth, efficiency | {f"state {row.family}": 1.0}),
    ]
    if on_cpu:
        kernels = {f"weight {row.unpacking or PLAIN}": 1.0}
        if row.unpacking:
            kernels[f"weight-engine {fold(row.engine)}"] = 1.0
        found.append((row.active / (row.compute or OPS_PER_BYTE * row.bandwidth), kernels))
    more = row.batch - 1
    found.append((more * row.layers, {f"sequence {row.family}": 1.0}))
    if row.compute:
        rate = row.compute * row.ranks
        found.append((2 * row.active * more / rate, {f"compute {row.family}": 1.0}))
        if row.answer and more:
            prompts = row.batch * 2 * row.active * row.prompt / rate / row.answer
            found.append((prompts, {f"prefill {row.family}": 1.0}))
    if row.ranks > 1:
        found.append((row.layers * hops(row.ranks // row.machines), {f"link {row.link}": 1.0}))
        found.append((row.layers * hops(row.machines), {f"link {NETWORK}": 1.0}))
        slowest = NETWORK if row.machines > 1 else row.link
        found.append((more * row.layers, {f"link-sequence {slowest}": 1.0}))
    return [(base, names) for base, names in found if base > 0]


def _cache(row: Row) -> dict[str, float]:
    """Parameters of reading the KV cache; attention in several kernels reads and writes more than the cache."""
    return {f"kv {node}": 1.0 for node in row.path} | (
        {} if row.flash else {f"plain {node}": 1.0 for node in row.path[:3]}
    )


def _start(name: str) -> tuple[float, float, float]:
    """(start, value it is held to, penalty) of a parameter."""
    word, _, rest = name.partition(" ")
    if word in _ROOTS:
        if rest in ("gpu", "cpu"):
            return _ROOTS[word], _ROOTS[word], _ROOT_PENALTY.get(word, 0.001)
        return 0.0, 0.0, (_CPU_PENALTY if rest.startswith("cpu") or "@cpu" in rest else _NODE_PENALTY)[word]
    if name == "age":  # of families without dated records of their own: hardly known
        return 0.0, 0.0, 15.0
    start, penalty = _OTHERS[word]
    return start, (0.0 if word in _TOWARDS_NOTHING else start), penalty


def fit(rows: list[Row], expert_power: dict[str, int], start: Fitted | None = None) -> Fitted:
    """Fit the parameters to the decode steps of `rows`; start: a fit of nearly the same rows to begin from."""
    made = [parts(row, expert_power) for row in rows]
    times = np.array([row.time for row in rows])
    huber = np.array([CPU_HUBER if row.path[0] == "cpu" else HUBER for row in rows])
    values = solve(made, times, weights_of(rows), _start, huber, start.values if start else None)
    return Fitted(values, expert_power)


def predict(row: Row, fitted: Fitted) -> float:
    """Seconds of one step; a parameter that was not fitted takes its start, a node's correction nothing."""
    return seconds_of(parts(row, fitted.expert_power), fitted.values, _start)
