"""How many copies of the recurrent state a request takes, in which precision, and whether they have a pool apart.

An engine that splits what is left at start gives states `ratio` times what the cache of keys and values gets. A request
then needs room in both pools, so of the whole it takes what the scarcer one makes it take.
"""

from __future__ import annotations

from .base import Parameter, Parameters

NAME = "state-slots"
PARAMETERS = {
    "per_request": Parameter((int, float), "copies per running request", 1),
    "dtype_bytes": Parameter(int, "bytes per element of the state; 0: as the model says", 0),
    "conv_dtype_bytes": Parameter(int, "bytes per element of the convolution; 0: as dtype_bytes, else 2", 0),
    "ratio": Parameter((int, float), "bytes for states per byte of cache, set apart at start; 0: they share", 0),
    "conv_full": Parameter(bool, "the convolution keeps the whole kernel, not kernel - 1 tokens", False),
}


def precision(parameters: Parameters, model_bytes: int | None) -> tuple[int, int]:
    """(bytes per element of the state, of the convolution); states are float32 unless stated."""
    state = parameters["dtype_bytes"] or model_bytes or 4
    return state, parameters["conv_dtype_bytes"] or parameters["dtype_bytes"] or 2


def joined(parameters: Parameters, cache: int, state: int) -> int:
    """Bytes of the whole that a request with so many bytes of cache and of states takes."""
    ratio = parameters["ratio"]
    if not ratio or not state:
        return cache + state
    return max(-int(-cache * (1 + ratio) // 1), -int(-state * (1 + ratio) / ratio // 1))


def cache_room(parameters: Parameters, pool: int, state: int) -> int:
    """Bytes of `pool` that the cache of one request may take beside its `state`."""
    ratio = parameters["ratio"]
    return int(pool / (1 + ratio)) if ratio and state else pool - state
