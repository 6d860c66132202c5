"""The engine may use a fraction of the device's total memory; the KV pool takes what is left of it."""

from __future__ import annotations

from functools import cache

from .base import MIB, Parameter, Parameters

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
    "by_ranks": Parameter(
        str, "fractions from a number of ranks on, as '1:0.88 2:0.87'; they go before `fraction`", ""
    ),
    "reserve": Parameter(
        str,
        "what is left alone instead of a fraction: from a card of so many GiB on MiB, MiB more for each rank and "
        "MiB more from four ranks on, as '0:3600+128 60:13312+128+512'; goes before both",
        "",
    ),
    "flag": Parameter(str, "flag that changes the fraction", ""),
}
RESERVES = True  # the pool is taken at start, needed or not


@cache
def _table(text: str) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """(from, numbers) of each entry of a table, the largest first."""
    rows = (entry.split(":") for entry in text.split())
    return tuple(sorted(((int(low), tuple(map(float, each.split("+")))) for low, each in rows), reverse=True))


def share(parameters: Parameters, total: int, ranks: int = 1) -> float:
    """Fraction of a device of `total` bytes that one of `ranks` ranks may use."""
    for low, numbers in _table(parameters.get("reserve", "")):
        if total >= low << 30:
            base, each, wide = (*numbers, 0, 0)[:3]
            return max(0.0, 1 - (base + each * ranks + (wide if ranks >= 4 else 0)) * MIB / total)
    for low, numbers in _table(parameters.get("by_ranks", "")):
        if ranks >= low:
            return numbers[0]
    return parameters["fraction"]


def budget(parameters: Parameters, total: int, room: int, ranks: int = 1) -> int:
    """Bytes the engine may use on a device that reports `total` and has `room` bytes not used by others.

    The fraction is taken of the total, not of what is free; where less is free the engine has to be
    started with a smaller fraction, which is what is assumed here.
    """
    return room if parameters["covers"] == "kv" else min(int(share(parameters, total, ranks) * total), room)


def pool(parameters: Parameters, total: int, room: int, weights: int, resident: int, peak: int, ranks: int = 1) -> int:
    """Bytes left for KV and recurrent state; negative when even the rest does not fit.

    resident: device context and communication buffers; peak: activations, graphs and compute buffers.
    """
    if parameters["covers"] == "kv":
        return min(int(share(parameters, total, ranks) * total), room - weights - resident - peak)
    limit = budget(parameters, total, room, ranks) - weights - resident
    if parameters["covers"] == "static":
        return min(limit, room - weights - resident - peak)
    return limit - peak
