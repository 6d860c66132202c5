"""The largest prefill chunk: how many tokens one step may process."""

from __future__ import annotations

from .base import Parameter, Parameters

NAME = "prefill-chunk"
PARAMETERS = {
    "tokens": Parameter(int, "tokens of the largest step", 512),
    "tokens_from_25_gib": Parameter(int, "the same on cards that report at least 25 GiB; 0: no difference", 0),
    "tokens_from_35_gib": Parameter(int, "the same on cards that report at least 35 GiB; 0: no difference", 0),
    "tokens_from_70_gib": Parameter(int, "the same on cards that report at least 70 GiB; 0: no difference", 0),
    "tokens_from_160_gib": Parameter(int, "the same on cards that report at least 160 GiB; 0: no difference", 0),
    "whole_up_to": Parameter(int, "contexts up to this many tokens are prefilled in one step; 0: never", 0),
    "small_on": Parameter(str, "ids of devices that keep the smallest defaults whatever they report", ""),
    "flag": Parameter(str, "flag", ""),
}
_GIB = 1024**3
SIZES = (160, 70, 35, 25)  # GiB from which an engine may choose another default


def size_class(memory_bytes: int) -> int:
    """The largest of SIZES that a card reaches, in GiB; 0 below all."""
    return next((size for size in SIZES if memory_bytes >= size * _GIB), 0)


def tokens(parameters: Parameters, size: int = 0) -> int:
    """Tokens of the largest step on a card of a size class."""
    for bound in SIZES:
        wanted = parameters[f"tokens_from_{bound}_gib"]
        if size >= bound and wanted:
            return wanted
    return max(1, parameters["tokens"])


def step(parameters: Parameters, chunk: int, context: int) -> int:
    """Tokens of the largest step for requests of a context, where `chunk` is what tokens() said."""
    return max(chunk, context) if context <= parameters["whole_up_to"] else chunk
