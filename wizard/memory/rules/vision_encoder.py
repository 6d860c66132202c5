"""What images take beside the text model: the tower where it is a file of its own, and the run through it."""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "vision-encoder"
PARAMETERS = {
    "tower_bits": Parameter((int, float), "bits a weight of a tower that is a file of its own", 16),
    "base_mib": Parameter((int, float), "MiB for the run of one image through the tower", 0),
    "cached_chunks": Parameter(int, "prefill chunks of image embeddings that stay for later steps", 0),
    "first_only": Parameter(bool, "on the first device alone, whatever the split", False),
    "error_mib": Parameter((int, float), "MiB by which it may be off", 0),
}


def taken(parameters: Parameters, apart: int, chunk: int, hidden: int) -> tuple[int, int]:
    """(bytes, error in bytes) on a device that encodes images. apart: parameters of a tower in a file of its
    own, 0 where the weights hold it; chunk: tokens of the largest prefill step; embeddings have 16 bits."""
    held = round(apart * parameters["tower_bits"] / 8) + 2 * parameters["cached_chunks"] * chunk * hidden
    return held + mib(parameters["base_mib"]), mib(parameters["error_mib"])
