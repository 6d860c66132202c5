"""Peak of activations on a rank: a base and a part that grows with the prefill chunk."""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "activation"
PARAMETERS = {
    "base_mib": Parameter((int, float), "MiB that do not depend on the chunk", 0),
    "per_token_bytes_hidden": Parameter((int, float), "bytes per token of the chunk and hidden unit", 0),
    "error_mib": Parameter((int, float), "MiB by which the sum may be off", 0),
}


def peak(parameters: Parameters, chunk: int, hidden: int) -> tuple[int, int]:
    """(bytes, error in bytes) with `chunk` tokens in the largest prefill step."""
    grown = round(parameters["per_token_bytes_hidden"] * chunk * hidden)
    return mib(parameters["base_mib"]) + grown, mib(parameters["error_mib"])
