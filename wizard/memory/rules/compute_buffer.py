"""Scratch buffer of a ggml graph on each device: a base and a part that grows with the context."""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "compute-buffer"
PARAMETERS = {
    "base_mib": Parameter((int, float), "MiB per device", 0),
    "per_ctx_bytes": Parameter((int, float), "bytes per token of context", 0),
    "error_mib": Parameter((int, float), "MiB by which it may be off", 0),
}


def scratch(parameters: Parameters, context: int) -> tuple[int, int]:
    """(bytes, error in bytes) per device for so many tokens of context over all slots."""
    return mib(parameters["base_mib"]) + round(parameters["per_ctx_bytes"] * context), mib(parameters["error_mib"])
