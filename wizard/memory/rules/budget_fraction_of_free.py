"""The KV pool is a fraction of the memory that is free once weights and buffers are in place."""

from __future__ import annotations

from .base import Parameter, Parameters

NAME = "budget-fraction-of-free"
PARAMETERS = {
    "fraction": Parameter((int, float), "share of the memory left after weights and buffers"),
    "flag": Parameter(str, "flag that changes the fraction", ""),
}
RESERVES = True


def budget(parameters: Parameters, total: int, room: int, ranks: int = 1) -> int:
    """Bytes the engine may use at most: all that nobody else uses."""
    return room


def pool(parameters: Parameters, total: int, room: int, weights: int, resident: int, peak: int, ranks: int = 1) -> int:
    """Bytes left for KV and recurrent state; negative when even the rest does not fit."""
    free = room - weights - resident - peak
    return int(parameters["fraction"] * free) if free > 0 else free
