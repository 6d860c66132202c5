"""Buffers for collective communication, on each rank when there is more than one.

Chips that reach each other through switches get workspaces that others never allocate: multicast and fused
reductions need both the chip and the switch. Where these are missing, only the library's channels are left.
"""

from __future__ import annotations

from typing import Any

from .base import Parameter, Parameters, mib

NAME = "communication"
PARAMETERS = {
    "mib": Parameter((int, float), "MiB per rank when ranks > 1", 0),
    "pipeline_mib": Parameter((int, float), "the same where only pipeline stages talk; -1: no difference", -1),
    "direct_mib": Parameter((int, float), "the same without a switch, or on other chips; -1: no difference", -1),
    "switched": Parameter(str, "chips that use a switch; empty: all", ""),
    "error_mib": Parameter((int, float), "MiB by which it may be off", 0),
    "direct_error_mib": Parameter((int, float), "the same without a switch; -1: no difference", -1),
}


def is_direct(entry: dict[str, Any], switched: str) -> bool:
    """Whether a card surely has no switch that the engine uses: another chip, or links that name none."""
    arch, links = entry.get("arch"), entry.get("links")
    if switched and arch and arch not in switched.split():
        return True
    return bool(links) and all(link["kind"] != "nvswitch" for link in links)


def buffers(parameters: Parameters, tp: int, pp: int, direct: bool = False) -> tuple[int, int]:
    """(bytes, error in bytes) per rank of `tp` tensor ranks times `pp` stages; direct: see is_direct."""
    if tp * pp <= 1:
        return 0, 0
    if tp == 1 and parameters["pipeline_mib"] >= 0:
        return mib(parameters["pipeline_mib"]), mib(parameters["error_mib"])
    if direct and parameters["direct_mib"] >= 0:
        error = parameters["direct_error_mib"]
        return mib(parameters["direct_mib"]), mib(error if error >= 0 else parameters["error_mib"])
    return mib(parameters["mib"]), mib(parameters["error_mib"])
