"""KV heads are copied when there are more tensor-parallel ranks than heads."""

from __future__ import annotations

from .base import Parameter, Parameters

NAME = "kv-replicate"
PARAMETERS = {"is": Parameter(bool, "false: tokens are spread instead, so nothing is copied", True)}


def rank_heads(parameters: Parameters, heads: int, ranks: int) -> int:
    """KV heads one rank holds: an even share rounded up, at least one."""
    return max(1, -(-heads // ranks))
