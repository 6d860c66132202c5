"""Prompts and checkpoints that a server keeps in system memory for the next request: a limit, not a need."""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "prompt-cache"
PARAMETERS = {
    "mib": Parameter((int, float), "MiB of finished prompts kept at most", 0),
    "checkpoints": Parameter(int, "copies of recurrent states and windows kept for each running request", 0),
    "flag": Parameter(str, "flag that changes the limit", ""),
}


def most(parameters: Parameters, seats: int, state: int) -> int:
    """Bytes kept at most with `seats` requests, each with `state` bytes that a checkpoint copies."""
    return mib(parameters["mib"]) + parameters["checkpoints"] * seats * state
