"""Prefill: how fast a device computes while a prompt is read.

seconds = chunks x (layers x overhead + all weights / rate) + 2 x active parameters x prompt / rate of compute
        + a fixed time of servers

rate of compute = peak x share, or bandwidth x operations per byte where no peak is known, times factors of
the device, the engine, the driver and the kind of weights. The logarithm of each is a sum over nodes or one
number, fitted robustly and held to nothing, so that a sparse one stays near the node above it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import log
from typing import Any

import numpy as np

from wizard.kb import fold

from .fit import Fitted
from .holdout import groups_of
from .rows import Row
from .solve import Part, seconds_of, solve, weights_of

CHUNK = 512
CHUNKS = {"serving": 8192}  # tokens a server reads at once, by family; others CHUNK
SERVED = 4  # requests at once up to which the time to the first token tells of the prompt and not of the queue
SHORT = 256  # tokens below which a prompt does not fill the device
LEAST = 32
HUBER = 0.25
REPEAT = 0.4
_PENALTY = {
    "share": 1.0, "ratio": 1.0, "device": 2.0, "moe": 0.5, "wide": 1.0, "engine": 0.5, "driver": 0.3, "type": 0.5,
    "short": 0.3,
}  # fmt: skip
_ROOTS = {"share gpu": log(0.5), "share cpu": log(0.3), "ratio gpu": log(60), "ratio cpu": log(8)}
_FIXED = log(0.03)  # seconds a server takes beside the prompt


def usable(rows: list[Row]) -> list[Row]:
    """Rows with the time of a prompt read alone, or to the first token of a server with few requests."""
    return [
        r
        for r in rows
        if r.prefill_time
        and r.quality != "low"
        and ((r.batch == 1 and r.prompt >= LEAST) or (r.family == "serving" and r.batch <= SERVED and r.prompt >= 512))
    ]


def parts(row: Row, fitted: Fitted) -> list[Part]:
    """(base seconds, {parameter: factor}) of what a prompt takes."""
    root = row.path[0]
    rate = dict.fromkeys((f"{'share' if row.compute else 'ratio'} {node}" for node in row.path), 1.0)
    rate[f"device {row.key}"] = 1.0
    rate[f"engine {fold(row.engine)}"] = 1.0
    if row.driver:
        rate[f"driver {row.driver}"] = 1.0
    if row.moe:
        rate[f"moe {root}"] = 1.0
    if wide(row):
        rate |= {f"wide {root}": 1.0, f"wide {row.family}": 1.0}
    if row.unpacking:
        rate[f"type {row.unpacking}"] = 1.0
    if row.prompt < SHORT:
        rate["short"] = log(SHORT / row.prompt)
    work = 2 * row.active * row.prompt / row.ranks / (row.compute or row.bandwidth)
    found: list[Part] = [
        (memory_time(row, fitted), {}),
        (work, {name: -factor for name, factor in rate.items()}),
    ]
    if row.family in CHUNKS:
        found.append((1.0, {f"first {row.family}": 1.0}))
    return found


def memory_time(row: Row, fitted: Fitted) -> float:
    """Seconds a prompt needs for launches and for reading all weights once per chunk."""
    overhead = [f"overhead {n}" for n in row.path] + ([f"moe {row.family}"] if row.moe else [])
    efficiency = fitted.sum([f"efficiency {n}" for n in row.path])
    once = row.layers * np.exp(fitted.sum(overhead)) + row.weights * np.exp(efficiency) / (row.bandwidth * row.ranks)
    return float(-(-row.prompt // CHUNKS.get(row.family, CHUNK)) * once)


def wide(row: Row) -> bool:
    """Sixteen bits a weight, or nearly."""
    return (row.dense + row.share * row.experts) / row.active > 1.5


def _prior(name: str) -> tuple[float, float, float]:
    """(start, value a parameter is held to, penalty)."""
    if name in _ROOTS:
        return _ROOTS[name], _ROOTS[name], 0.01
    word = name.partition(" ")[0]
    if word == "first":
        return _FIXED, _FIXED, 0.1
    return 0.0, 0.0, _PENALTY[word]


def fit_prefill(rows: list[Row], fitted: Fitted, start: dict[str, float] | None = None) -> dict[str, float]:
    """Parameters by name, from the usable ones of `rows`."""
    use = usable(rows)
    if not use:
        return {}
    times = np.array([r.prefill_time for r in use])
    return solve([parts(r, fitted) for r in use], times, weights_of(use, REPEAT), _prior, HUBER, start)


def predict_prefill(row: Row, fitted: Fitted, values: dict[str, float]) -> float:
    """Seconds for the prompt of a row."""
    return seconds_of(parts(row, fitted), values, _prior)


def held_out_prefill(
    use: list[Row], fitted: Fitted, start: dict[str, float], key: Callable[[int, Row], Hashable]
) -> np.ndarray:
    """log(predicted / measured) of prompts, each predicted without the rows of its group."""
    result = np.full(len(use), np.nan)
    for members in groups_of(use, key):
        left = set(members)
        without = fit_prefill([r for p, r in enumerate(use) if p not in left], fitted, start)
        for position in members:
            row = use[position]
            result[position] = log(predict_prefill(row, fitted, without) / row.prefill_time)
    return result


def summary_of(values: dict[str, float]) -> dict[str, Any]:
    """Parameters as constants: shares of the peak and operations per byte by node, factors, fixed seconds."""

    def table(word: str) -> dict[str, float]:
        return {n.partition(" ")[2]: float(np.exp(v)) for n, v in values.items() if n.startswith(f"{word} ")}

    kept = ("moe", "wide", "engine", "driver", "type")
    return {
        "share": table("share"),
        "ratio": table("ratio"),
        "device": table("device"),
        "factor": {n: float(np.exp(v)) for n, v in values.items() if n.partition(" ")[0] in kept},
        # sixteenths of a power, so that it needs square roots alone
        "short": round(-16 * values.get("short", 0.0)),
        "first_s": table("first"),
    }
