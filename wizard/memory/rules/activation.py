"""Peak of activations on a rank: a base, what grows with the prefill chunk, and the logits of a full batch.

The last is what dominates where an engine profiles with as many requests as it may run at once: a row of
the vocabulary for each of them, several times over while it samples.
"""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "activation"
PARAMETERS = {
    "base_mib": Parameter((int, float), "MiB that do not depend on the chunk", 0),
    "per_token_bytes_hidden": Parameter((int, float), "bytes per token of the chunk and hidden unit", 0),
    "per_logit_bytes": Parameter((int, float), "bytes per request of the profiled batch and vocabulary entry", 0),
    "requests": Parameter(int, "requests of the profiled batch", 256),
    "requests_from_70_gib": Parameter(int, "the same on cards that report at least 70 GiB; 0: no difference", 0),
    "moe_mib": Parameter((int, float), "MiB more for a mixture of experts", 0),
    "error_mib": Parameter((int, float), "MiB by which the sum may be off", 0),
}


def batch(parameters: Parameters, size: int) -> int:
    """Requests of the profiled batch on a card of a size class (see prefill_chunk.size_class)."""
    return (parameters["requests_from_70_gib"] if size >= 70 else 0) or parameters["requests"]


def peak(parameters: Parameters, chunk: int, hidden: int, logits: int = 0, moe: bool = False) -> tuple[int, int]:
    """(bytes, error in bytes) with `chunk` tokens in the largest prefill step and so many logits in a batch."""
    grown = round(parameters["per_token_bytes_hidden"] * chunk * hidden)
    grown += round(parameters["per_logit_bytes"] * logits)
    if moe:
        grown += mib(parameters["moe_mib"])
    return mib(parameters["base_mib"]) + grown, mib(parameters["error_mib"])
