"""What drafts the next tokens in speculative decoding: the model's own prediction layers, or a smaller model.

Both hold weights and a cache of their own beside the model's; n-gram methods hold neither.
"""

from __future__ import annotations

from typing import Any

from .base import Parameter, Parameters, mib

NAME = "draft-model"
PARAMETERS = {
    "mtp": Parameter(bool, "drafts with the model's own prediction layers where it has them", False),
    "small": Parameter(bool, "drafts with a smaller model of the same vocabulary", True),
    "kv_type": Parameter(str, "type of the draft's cache; empty: as the model's", ""),
    "tokens": Parameter(int, "tokens drafted at once where nobody says", 3),
    "states": Parameter(bool, "a request keeps a recurrent state more for each drafted token", False),
    "base_mib": Parameter((int, float), "MiB of buffers beside the draft's weights and cache", 0),
    "error_mib": Parameter((int, float), "MiB by which they may be off", 0),
}


def buffers(parameters: Parameters) -> tuple[int, int]:
    """(bytes, error in bytes) per device."""
    return mib(parameters["base_mib"]), mib(parameters["error_mib"])


def prediction_layer(arch: dict[str, Any]) -> tuple[dict[str, Any] | None, dict[str, int]]:
    """(attention group of one layer, parameters by group) of one prediction layer.

    It is a layer like the model's last one that attends to everything, and a projection that joins the last
    hidden state with the next token's embedding; embedding and head are the model's.
    """
    layers = [g for g in arch["attention"] if g["kind"] in ("full", "mla")] or [
        g for g in arch["attention"] if g["kind"] in ("swa", "chunked")
    ]
    if not layers:
        return None, {}
    keeping = sum(g["layers"] for g in arch["attention"] if g["kind"] in ("full", "mla", "swa", "chunked"))
    sums = {g["group"]: g["params"] for g in arch["groups"]}
    experts = arch.get("experts") or {}
    sparse = experts.get("layers") or arch["layers"]
    dense = arch["layers"] - sparse if experts else arch["layers"]
    found = {"attention": sums.get("attention", 0) // max(1, keeping)}
    found |= {name: sums.get(name, 0) // max(1, sparse) for name in ("experts", "shared-experts", "router")}
    if not sums.get("experts"):
        found["mlp"] = sums.get("mlp", 0) // max(1, dense)
    found["mtp"] = 2 * arch["hidden"] * arch["hidden"]
    group = {k: v for k, v in layers[-1].items() if k not in ("shared_kv", "stride", "indexer_layers")}
    return {**group, "layers": 1}, {name: count for name, count in found.items() if count}
