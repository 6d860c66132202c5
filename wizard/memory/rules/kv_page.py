"""KV is allocated in pages of so many tokens per request."""

from __future__ import annotations

from .base import Parameter, Parameters

NAME = "kv-page"
PARAMETERS = {"tokens": Parameter(int, "tokens of a page", 1)}


def granule(parameters: Parameters) -> int:
    """Tokens by which a request grows."""
    return max(1, int(parameters["tokens"]))
