"""What sliding-window and chunked layers hold: the window and a little more, or the whole context."""

from __future__ import annotations

from .base import Parameter, Parameters, round_up

NAME = "kv-windowed"
PARAMETERS = {
    "charge": Parameter(
        str, "capped: min(context, window + extra); full: the whole context", "capped", ("capped", "full")
    ),
    "extra_tokens": Parameter(int, "tokens held beside the window; may be negative", 0),
    "chunks": Parameter(int, "prefill chunks held beside the window", 0),
    "pad": Parameter(int, "the cap is rounded up to a multiple of this", 1),
    "plus": Parameter(int, "tokens added after padding, charged to every request", 0),
}


def cap(parameters: Parameters, window: int, chunk: int, granule: int) -> tuple[int, int] | None:
    """Tokens a windowed layer holds at most, and tokens charged on top; None when it is charged in full.

    chunk: largest prefill chunk, tokens; granule: page or padding of the engine.
    """
    if parameters["charge"] == "full":
        return None
    held = window + parameters["extra_tokens"] + parameters["chunks"] * chunk
    return round_up(max(held, 1), max(parameters["pad"], granule)), parameters["plus"]
