"""Room for LoRA adapters: two thin matrices beside each matrix an adapter changes, for every slot.

A matrix of `in` columns and `out` rows takes rank x (in + out) elements a slot. Under tensor parallelism the
half that follows the cut is divided and the other one is whole on every rank: B of a matrix cut between rows,
A of one cut along its rows. Engines that reserve slots at start fill them whether an adapter uses them or not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .base import Parameter, Parameters

NAME = "lora-slots"
PARAMETERS = {
    "slots": Parameter(int, "adapters held at once", 1),
    "slots_multi": Parameter(int, "the same where several adapters are asked for", 4),
    "rank": Parameter(int, "rank a slot has room for", 16),
    "modules": Parameter(str, "all: every linear layer; attention: its projections only", "all", ("all", "attention")),
    "experts": Parameter(bool, "slots for routed experts too", False),
    "dtype_bytes": Parameter(int, "bytes of an element", 2),
    "share_of_free": Parameter((int, float), "instead: a share of what weights leave on the card; 0: no", 0),
}
_ALONG = ("attn_output", "ffn_down")  # cut along the row: A follows the cut
_GROUPS = ("attention", "linear-attention", "mlp", "shared-experts", "experts")


def held(parameters: Parameters, rows: Iterable[dict[str, Any]], tp: int, many: bool, experts: int = 1) -> int:
    """Bytes on one of `tp` ranks that holds all layers. rows: the matrices of the model (see `mixture.derive`);
    many: several adapters are asked for; experts: routed experts a layer."""
    found = 0
    for row in rows:
        group, role = row["group"], row["role"]
        if group not in _GROUPS or role in ("vector", "ssm", "router"):
            continue
        if group == "experts" and not parameters["experts"]:
            continue
        if parameters["modules"] == "attention" and group != "attention":
            continue
        count = max(1, experts) if group == "experts" else 1
        wide = row["columns"]
        tall = -(-row["params"] // (wide * count))
        cut, whole = (wide, tall) if role.startswith(_ALONG) else (tall, wide)
        found += row["layers"] * count * (-(-cut // tp) + whole)
    slots = parameters["slots_multi"] if many else parameters["slots"]
    return found * slots * parameters["rank"] * parameters["dtype_bytes"]
