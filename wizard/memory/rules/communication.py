"""Buffers for collective communication, on each rank when there is more than one."""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "communication"
PARAMETERS = {
    "mib": Parameter((int, float), "MiB per rank when ranks > 1", 0),
    "error_mib": Parameter((int, float), "MiB by which it may be off", 0),
}


def buffers(parameters: Parameters, ranks: int) -> tuple[int, int]:
    """(bytes, error in bytes) per rank."""
    return (mib(parameters["mib"]), mib(parameters["error_mib"])) if ranks > 1 else (0, 0)
