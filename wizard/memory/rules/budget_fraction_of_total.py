"""The engine may use a fraction of the device's total memory; the KV pool takes what is left of it."""

from __future__ import annotations

from .base import Parameter, Parameters

NAME = "budget-fraction-of-total"
PARAMETERS = {
    "fraction": Parameter((int, float), "share of the reported total memory"),
    "covers": Parameter(
        str,
        "all: weights, peak of activations, graphs and KV; static: only what stays, the peaks lie outside; "
        "kv: KV alone",
        "all",
        ("all", "static", "kv"),
    ),
    "flag": Parameter(str, "flag that changes the fraction", ""),
}
RESERVES = True  # the pool is taken at start, needed or not


def budget(parameters: Parameters, total: int, room: int) -> int:
    """Bytes the engine may use on a device that reports `total` and has `room` bytes not used by others.

    The fraction is taken of the total, not of what is free; where less is free the engine has to be
    started with a smaller fraction, which is what is assumed here.
    """
    return room if parameters["covers"] == "kv" else min(int(parameters["fraction"] * total), room)


def pool(parameters: Parameters, total: int, room: int, weights: int, resident: int, peak: int) -> int:
    """Bytes left for KV and recurrent state; negative when even the rest does not fit.

    resident: device context and communication buffers; peak: activations, graphs and compute buffers.
    """
    if parameters["covers"] == "kv":
        return min(int(parameters["fraction"] * total), room - weights - resident - peak)
    limit = budget(parameters, total, room) - weights - resident
    if parameters["covers"] == "static":
        return min(limit, room - weights - resident - peak)
    return limit - peak
