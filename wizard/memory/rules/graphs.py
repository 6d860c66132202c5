"""Memory that captured graphs keep on each rank."""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "graphs"
PARAMETERS = {
    "mib": Parameter((int, float), "MiB per rank", 0),
    "error_mib": Parameter((int, float), "MiB by which it may be off", 0),
}


def kept(parameters: Parameters) -> tuple[int, int]:
    """(bytes, error in bytes) per rank."""
    return mib(parameters["mib"]), mib(parameters["error_mib"])
