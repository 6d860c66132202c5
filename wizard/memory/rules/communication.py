"""Buffers for collective communication, on each rank when there is more than one."""

from __future__ import annotations

from .base import Parameter, Parameters, mib

NAME = "communication"
PARAMETERS = {
    "mib": Parameter((int, float), "MiB per rank when ranks > 1", 0),
    "pipeline_mib": Parameter((int, float), "the same where only pipeline stages talk; -1: no difference", -1),
    "error_mib": Parameter((int, float), "MiB by which it may be off", 0),
}


def buffers(parameters: Parameters, tp: int, pp: int) -> tuple[int, int]:
    """(bytes, error in bytes) per rank of `tp` tensor ranks times `pp` stages."""
    if tp * pp <= 1:
        return 0, 0
    stages_only = tp == 1 and parameters["pipeline_mib"] >= 0
    return mib(parameters["pipeline_mib"] if stages_only else parameters["mib"]), mib(parameters["error_mib"])
