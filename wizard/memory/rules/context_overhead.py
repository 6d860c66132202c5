"""What the driver's context and libraries take on each device before any tensor."""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "context-overhead"
PARAMETERS = {
    "mib": Parameter((int, float), "MiB per device", 0),
    "error_mib": Parameter((int, float), "MiB by which it may be off", 0),
}


def taken(parameters: Parameters) -> tuple[int, int]:
    """(bytes, error in bytes) per device."""
    return mib(parameters["mib"]), mib(parameters["error_mib"])
