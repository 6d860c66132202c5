"""Prefill: how much of a device's peak is reached while a prompt is read.

seconds = prompt / chunk x (layers x overhead + all weights / rate) + 2 x active parameters x prompt / (share x peak)

The logarithm of the share is a sum over the node and two features of the model (mixture of experts, 16-bit
weights), fitted robustly with sparse nodes held to the node above. Where a device's peak is not known, its
own measured rate takes the place of share x peak.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from .fit import Fitted
from .rows import Row

CHUNK = 512
HUBER = 0.25
_PENALTY = {"node": 1.0, "device": 0.05, "moe": 0.5, "wide": 1.0}
ROOT = log(0.3)


def memory_time(row: Row, fitted: Fitted) -> float:
    """Seconds a prompt needs for launches and for reading all weights once per chunk."""
    overhead = [f"overhead {n}" for n in row.path] + ([f"moe {row.family}"] if row.moe else [])
    efficiency = fitted.sum([f"efficiency {n}" for n in row.path])
    once = row.layers * np.exp(fitted.sum(overhead)) + row.weights * np.exp(efficiency) / (row.bandwidth * row.ranks)
    return float(-(-row.prompt // CHUNK) * once)


def usable(rows: list[Row]) -> list[Row]:
    """Rows with the time of a prompt of at least 256 tokens read alone, on a device with a peak or an id."""
    return [r for r in rows if r.prefill_time and r.prompt >= 256 and r.batch == 1 and (r.compute or r.device)]


def features(row: Row) -> dict[str, float]:
    """Parameters of the logarithm of the rate and their factors."""
    found = {f"node {n}": 1.0 for n in row.path} if row.compute else {f"device {row.device}": 1.0}
    if row.moe:
        found["moe"] = 1.0
    if wide(row):
        found["wide"] = 1.0
    return found


def wide(row: Row) -> bool:
    """Sixteen bits a weight, or nearly."""
    return (row.dense + row.share * row.experts) / row.active > 1.5


def fit_prefill(rows: list[Row], fitted: Fitted) -> dict[str, float]:
    """Parameters by name; a device without a peak has the logarithm of its own rate."""
    use = usable(rows)
    if not use:
        return {}
    made = [features(r) for r in use]
    names = sorted({name for row in made for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in made])
    target = np.array([_rate(r, fitted) - (log(r.compute) if r.compute else 0.0) for r in use])
    held, penalty = (np.array(column) for column in zip(*map(_prior, names), strict=True))
    theta = held.copy()
    for _ in range(50):
        residual = table @ theta - target
        weight = 1 / np.maximum(1, np.abs(residual) / HUBER)
        matrix = table.T @ (weight[:, None] * table) + np.diag(penalty)
        new = np.linalg.solve(matrix, table.T @ (weight * target) + penalty * held)
        done = np.abs(new - theta).max() < 1e-9
        theta = new
        if done:
            break
    return dict(zip(names, theta.tolist(), strict=True))


def _prior(name: str) -> tuple[float, float]:
    """(value a parameter is held to, penalty)."""
    if name in ("node gpu", "node cpu"):
        return ROOT, 0.01
    word = name.partition(" ")[0]
    return (log(20e12) if word == "device" else 0.0), _PENALTY[word]


def _rate(row: Row, fitted: Fitted) -> float:
    """Logarithm of the operations per second of one device while the prompt is read."""
    left = max(row.prefill_time - memory_time(row, fitted), 0.2 * row.prefill_time)
    return log(2 * row.active * row.prompt / left / row.ranks)


def predict_prefill(row: Row, fitted: Fitted, values: dict[str, float]) -> float | None:
    """Seconds for the prompt of a row; None where neither a peak nor a measured rate is known."""
    names = features(row)
    if not row.compute and f"device {row.device}" not in values:
        return None
    exponent = sum(factor * values.get(name, 0.0) for name, factor in names.items())
    rate = (row.compute or 1.0) * np.exp(exponent)
    return memory_time(row, fitted) + 2 * row.active * row.prompt / (rate * row.ranks)


def held_out_prefill(rows: list[Row], fitted: Fitted) -> np.ndarray:
    """log(predicted / measured) of prompts, each predicted without the rows of its page; nan without a basis."""
    use = usable(rows)
    result = np.full(len(use), np.nan)
    for page in sorted({r.page for r in use}):
        without = fit_prefill([r for r in use if r.page != page], fitted)
        for position, row in enumerate(use):
            if row.page == page:
                seconds = predict_prefill(row, fitted, without)
                if seconds:
                    result[position] = np.log(seconds / row.prefill_time)
    return result


def summary_of(values: dict[str, float]) -> dict[str, Any]:
    """Parameters as constants: shares of the peak per node, rates per device, factors per feature."""
    nodes = {n[5:]: float(np.exp(v)) for n, v in values.items() if n.startswith("node ")}
    devices = {n[7:]: float(np.exp(v)) for n, v in values.items() if n.startswith("device ")}
    rest = {n: float(np.exp(v)) for n, v in values.items() if n in ("moe", "wide")}
    return {"nodes": nodes, "devices": devices, **rest}
