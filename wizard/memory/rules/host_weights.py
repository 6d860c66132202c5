"""What system memory holds of the weights when a part of the model is moved there."""

from __future__ import annotations

from .base import Parameter, Parameters

NAME = "host-weights"
PARAMETERS = {
    "keeps": Parameter(
        str,
        "moved: only what was moved; model: the whole model, and the device holds copies",
        "moved",
        ("moved", "model"),
    ),
}


def held(parameters: Parameters, moved: int, model: int) -> int:
    """Bytes of weights in system memory: `moved` bytes were moved of a model of `model` bytes."""
    return max(moved, model) if parameters["keeps"] == "model" else moved
