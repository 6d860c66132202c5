"""The context of a request is padded to a multiple of so many tokens."""

from __future__ import annotations

from .base import Parameter, Parameters

NAME = "kv-pad"
PARAMETERS = {"tokens": Parameter(int, "the multiple", 1)}


def granule(parameters: Parameters) -> int:
    """Tokens to whose multiple the context is rounded up."""
    return max(1, int(parameters["tokens"]))
