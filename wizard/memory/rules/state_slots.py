"""How many copies of the recurrent state a request takes, and in which precision."""

from __future__ import annotations

from .base import Parameter, Parameters

NAME = "state-slots"
PARAMETERS = {
    "per_request": Parameter((int, float), "copies per running request", 1),
    "dtype_bytes": Parameter(int, "bytes per element of the state; 0: as the model says", 0),
    "conv_dtype_bytes": Parameter(int, "bytes per element of the convolution; 0: as dtype_bytes, else 2", 0),
    "conv_full": Parameter(bool, "the convolution keeps the whole kernel, not kernel - 1 tokens", False),
}


def precision(parameters: Parameters, model_bytes: int | None) -> tuple[int, int]:
    """(bytes per element of the state, of the convolution); states are float32 unless stated."""
    state = parameters["dtype_bytes"] or model_bytes or 4
    return state, parameters["conv_dtype_bytes"] or parameters["dtype_bytes"] or 2
