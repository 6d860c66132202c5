"""Prefill: how fast a device computes while a prompt is read.

seconds = chunks x (layers x overhead + all weights / rate) + operations of the prompt / rate of compute
        + what crosses the links between ranks
        + of servers a fixed time, launches of kernels (layers x launch per chunk: prompts run outside the graphs
          that decode steps are captured in) and, for each further request, a part of its prompt that is waited for

operations = 2 x active parameters x prompt + attention of every token to those before it, times a factor where
it is not one kernel (flash attention)
rate of compute = peak x share, or bandwidth x operations per byte where no peak is known, times factors of
the device, the engine, the driver, the kind of weights and, for some back ends, the age of the build. The
logarithm of each is a sum over nodes or one number, fitted robustly and held to nothing, so that a sparse one
stays near the node above it. What a device computes per byte of bandwidth is fitted last, with the factors as
they are, on all rows: it serves devices of which nothing but the bandwidth is known.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import exp, log, sqrt
from typing import Any

import numpy as np

from wizard.kb import fold
from wizard.speed.assumed import LINK_RATE
from wizard.speed.nodes import NETWORK
from wizard.speed.prefill import ATTENTION, crossing_bytes, stages_at_once

from .fit import Fitted
from .holdout import groups_of
from .rows import SERVED, Row
from .solve import Part, seconds_of, solve, weights_of

CHUNK = 512
CHUNKS = {"serving": 8192}  # tokens a server reads at once, by family; others CHUNK
SHORT = 256  # tokens below which a prompt does not fill the device
LEAST = 32
HUBER = 0.25
REPEAT = 0.3
_PENALTY = {
    "share": 3.0, "ratio": 1.5, "device": 3.0, "moe": 0.5, "mixture": 1.0, "wide": 1.0, "engine": 0.5, "driver": 3.0,
    "driver-dense": 3.0, "type": 0.5, "short": 0.3, "kernel": 0.5, "start": 0.5, "age": 2.0,
    "crossing": 3.0,
}  # fmt: skip
# back ends whose kernels for prompts became several times as fast while they were measured
AGED = ("rocm", "vulkan")
_ROOTS = {"share gpu": log(0.5), "share cpu": log(0.5), "ratio gpu": log(60), "ratio cpu": log(8)}
_LAUNCH = log(3e-4)  # seconds a layer and chunk
_FIXED = log(0.03)  # seconds a server takes beside the prompt
_STAGES = 0.6  # power of the stages at once by which the rate grows
_WAITING = log(0.1)  # part of each other request's prompt that a prompt waits for
_PLAIN = log(2.0)  # times the work of attention where it is not one kernel


def usable(rows: list[Row]) -> list[Row]:
    """Rows with the time of a prompt read alone, or to the first token of a server with few requests."""
    return [
        r
        for r in rows
        if r.prefill_time
        and r.quality != "low"
        and ((r.batch == 1 and r.prompt >= LEAST) or (r.family == "serving" and r.batch <= SERVED and r.prompt >= 512))
    ]


def parts(row: Row, fitted: Fitted, known: dict[str, float] | None = None) -> list[Part]:
    """(base seconds, {parameter: factor}) of what a prompt takes.

    known: values of a fit; then only what is computed per byte of bandwidth stays free, and the device of a
    row without a peak.
    """
    peak = None if known else row.compute
    rate = dict.fromkeys((f"{'share' if peak else 'ratio'} {node}" for node in row.path), 1.0)
    factors = _factors(row)
    scale = 1.0 / row.ranks / (peak or row.bandwidth)
    found: list[Part] = [(memory_time(row, fitted), {})]
    plain = {} if row.flash else {f"plain {row.path[0]}": 1.0}
    worse = 1.0
    if known:
        scale *= exp(-sum(factor * known.get(name, 0.0) for name, factor in factors.items()))
        worse = exp(sum(known.get(name, 0.0) for name in plain))
        factors = plain = {}
    if not (known and row.compute):
        rate[f"device {row.key}"] = 1.0
    slower = {name: -factor for name, factor in (rate | factors).items()}
    matrices, attention = operations(row)
    found += [(matrices * scale, slower), (attention * worse * scale, slower | plain)]
    others = waiting = {} if row.batch == 1 else {"waiting": 1.0}
    if known and others:
        scale, waiting = scale * exp(known.get("waiting", _WAITING)), {}
    if others:
        scale *= row.batch - 1
        found += [(matrices * scale, slower | waiting), (attention * worse * scale, slower | plain | waiting)]
    link = NETWORK if row.machines > 1 else row.link
    if link:
        found.append(
            (
                crossing(row, link) * exp(known.get(f"crossing {link}", 0.0)) if known else crossing(row, link),
                {} if known else {f"crossing {link}": 1.0},
            )
        )
    if row.family in CHUNKS:
        launches = chunks_of(row) * row.layers
        launch = f"launch {row.family}"
        found.append((launches * exp(known.get(launch, _LAUNCH)), {}) if known else (launches, {launch: 1.0}))
        first = {f"first {row.family}": 1.0, f"start {fold(row.engine)}": 1.0}
        fixed = exp(sum(known.get(name, 0.0) for name in first)) if known else 1.0
        found.append((fixed, {} if known else first))
    return found


def _factors(row: Row) -> dict[str, float]:
    root = row.path[0]
    found = {f"engine {fold(row.engine)}": 1.0}
    if row.driver:
        found[f"driver {row.driver}"] = 1.0
        if not row.moe:  # wide matrices meet other limits of a driver than those of small experts
            found[f"driver-dense {row.driver}"] = 1.0
    if row.moe:
        found |= {f"moe {root}": 1.0, f"mixture {row.family}": 1.0}
    if wide(row):
        found |= {f"wide {root}": 1.0, f"wide {row.family}": 1.0}
        if row.path[-1].endswith("/vulkan"):
            found["wide vulkan"] = 1.0
    if row.unpacking:
        found[f"type {row.unpacking}"] = 1.0
        if root == "cpu":
            found[f"kernel {fold(row.engine)}"] = 1.0
    if row.backend in AGED:
        found[f"age {row.backend}"] = -row.age
    if row.prompt < SHORT:
        found["short"] = log(SHORT / row.prompt)
    at_once = stages_at_once(chunks_of(row), row.stages)
    if at_once > 1:
        found["stages"] = log(at_once)
    return found


def operations(row: Row) -> tuple[float, float]:
    """What reading the prompt computes in matrix products and, as if at their rate, in attention.

    The width of attention is that of a model of so many parameters and layers: active = 12 x layers x width^2.
    """
    return 2.0 * row.active * row.prompt, 2.0 * row.layers * _width(row) * row.prompt**2 / ATTENTION


def crossing(row: Row, link: str) -> float:
    """Seconds for what the ranks of a tensor-parallel group exchange, at the assumed rate of their link."""
    return crossing_bytes(row.layers, row.prompt, _width(row), row.ranks) / LINK_RATE[link]


def _width(row: Row) -> float:
    return sqrt(row.active / (12 * row.layers))


def memory_time(row: Row, fitted: Fitted) -> float:
    """Seconds a prompt needs for launches and for reading all weights once per chunk."""
    overhead = [f"overhead {n}" for n in row.path] + ([f"moe {row.family}"] if row.moe else [])
    efficiency = fitted.sum([f"efficiency {n}" for n in row.path])
    once = row.layers * np.exp(fitted.sum(overhead)) + row.weights * np.exp(efficiency) / (row.bandwidth * row.ranks)
    return float(chunks_of(row) * once)


def chunks_of(row: Row) -> int:
    """Parts in which a prompt is read."""
    return -(-row.prompt // CHUNKS.get(row.family, CHUNK))


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
    if word == "plain":
        return _PLAIN, _PLAIN, 0.5
    if word == "launch":
        return _LAUNCH, _LAUNCH, 0.1
    if word == "waiting":
        return _WAITING, _WAITING, 0.1
    if word == "stages":
        return _STAGES, _STAGES, 0.3
    return 0.0, 0.0, _PENALTY[word]


def fit_prefill(rows: list[Row], fitted: Fitted, start: dict[str, float] | None = None) -> dict[str, float]:
    """Parameters by name, from the usable ones of `rows`."""
    use = usable(rows)
    if not use:
        return {}
    times = np.array([r.prefill_time for r in use])
    return solve([parts(r, fitted) for r in use], times, weights_of(use, REPEAT), _prior, HUBER, start)


def fit_bare(rows: list[Row], fitted: Fitted, known: dict[str, float]) -> dict[str, float]:
    """Operations per byte of bandwidth by node, as if no row had a peak; factors as `known` has them."""
    use = usable(rows)
    if not use:
        return {}
    times = np.array([r.prefill_time for r in use])
    return solve([parts(r, fitted, known) for r in use], times, weights_of(use, REPEAT), _prior, HUBER)


def predict_prefill(row: Row, fitted: Fitted, values: dict[str, float]) -> float:
    """Seconds for the prompt of a row."""
    return seconds_of(parts(row, fitted), values, _prior)


Values = dict[str, float]


def _held_out(
    use: list[Row], key: Callable[[int, Row], Hashable], fit: Callable[[list[Row]], Values],
    seconds: Callable[[Row, Values], float],
) -> np.ndarray:  # fmt: skip
    """log(predicted / measured) of prompts, each predicted by a fit without the rows of its group."""
    result = np.full(len(use), np.nan)
    for members in groups_of(use, key):
        left = set(members)
        without = fit([r for p, r in enumerate(use) if p not in left])
        for position in members:
            result[position] = log(seconds(use[position], without) / use[position].prefill_time)
    return result


def held_out_prefill(
    use: list[Row], fitted: Fitted, start: dict[str, float], key: Callable[[int, Row], Hashable]
) -> np.ndarray:
    """log(predicted / measured) of prompts, each predicted without the rows of its group."""
    return _held_out(
        use, key, lambda rows: fit_prefill(rows, fitted, start), lambda row, v: predict_prefill(row, fitted, v)
    )


def held_out_bare(
    use: list[Row], fitted: Fitted, known: dict[str, float], key: Callable[[int, Row], Hashable]
) -> np.ndarray:
    """The same for graphics devices of which only the bandwidth is known; NaN for the others."""
    found = _held_out(
        use,
        key,
        lambda rows: fit_bare(rows, fitted, known),
        lambda row, v: seconds_of(parts(row, fitted, known), v, _prior),
    )
    found[[row.path[0] != "gpu" for row in use]] = np.nan
    return found


def summary_of(values: dict[str, float], bare: dict[str, float]) -> dict[str, Any]:
    """Parameters as constants: shares of the peak and operations per byte by node, factors, fixed seconds."""

    def table(word: str, values: dict[str, float] = values) -> dict[str, float]:
        return {n.partition(" ")[2]: float(np.exp(v)) for n, v in values.items() if n.startswith(f"{word} ")}

    kept = ("moe", "mixture", "wide", "engine", "driver", "driver-dense", "type", "kernel")
    return {
        "share": table("share"),
        "ratio": table("ratio", bare),
        "device": table("device"),
        "bare": table("device", bare),
        "factor": {n: float(np.exp(v)) for n, v in values.items() if n.partition(" ")[0] in kept},
        # sixteenths of a power, so that it needs square roots alone
        "short": round(-16 * values.get("short", 0.0)),
        "stages": round(16 * values.get("stages", 0.0)),
        "first_s": table("first"),
        "launch_s": table("launch"),
        "waiting": float(np.exp(values.get("waiting", _WAITING))),
        "crossing": table("crossing"),
        "start": table("start"),
        "yearly": table("age"),
        "plain": table("plain"),
    }
