"""The engine takes what the request needs and must leave a reserve on every device."""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "budget-need"
PARAMETERS = {
    "reserve_mib": Parameter((int, float), "MiB that stay free on each device", 0),
    "queues": Parameter(bool, "the cache is a pool of pages: a request that finds none waits", False),
    "input_on_host": Parameter(bool, "the input embedding stays in system memory", False),
}
RESERVES = False


def budget(parameters: Parameters, total: int, room: int, ranks: int = 1) -> int:
    """Bytes the engine may use on the device."""
    return room - mib(parameters["reserve_mib"])


def pool(parameters: Parameters, total: int, room: int, weights: int, resident: int, peak: int, ranks: int = 1) -> int:
    """Bytes left for KV and recurrent state; negative when even the rest does not fit."""
    return budget(parameters, total, room) - weights - resident - peak
