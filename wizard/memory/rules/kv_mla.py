"""What multi-head latent attention stores per token and layer."""

from __future__ import annotations

from typing import Any

from .base import Parameter, Parameters, round_up

NAME = "kv-mla"
PARAMETERS = {
    "store": Parameter(
        str,
        "latent: latent and rotary part once; latent-and-value: the latent again as V; "
        "full-heads: K and V of every head",
        "latent",
        ("latent", "latent-and-value", "full-heads"),
    ),
    "align": Parameter(int, "the stored width is rounded up to a multiple of this", 1),
    "index": Parameter(str, "type of an indexer's keys, whatever K and V are; empty: as they are", ""),
    "sparse_fp8": Parameter(str, "the type that stands for 8 bits where an indexer chooses the tokens", ""),
}


def types(
    parameters: Parameters, group: dict[str, Any], kv_type: str | None, index_type: str | None
) -> tuple[str | None, str | None]:
    """(type of K and V, type of the indexer's keys) of one group of layers; index_type: what the person named."""
    if group["kind"] != "mla" or not group.get("indexer"):
        return kv_type, index_type
    if parameters["sparse_fp8"] and (kv_type or "").split("_")[0] == "fp8":
        kv_type = parameters["sparse_fp8"]
    return kv_type, index_type or parameters["index"] or None


def widths(parameters: Parameters, group: dict[str, Any], heads: int) -> tuple[int, int, int, int]:
    """(rows of K, width of K, rows of V, width of V) per token and layer.

    A latent is one row whatever the number of heads; full heads give `heads` rows each.
    """
    align = max(1, parameters["align"])
    latent, rope = group["latent"], group["rope"]
    if parameters["store"] == "full-heads":
        nope = group.get("nope", group.get("head_dim", 128))
        return heads, round_up(nope + rope, align), heads, round_up(group.get("v_head_dim", nope), align)
    k = round_up(latent + rope, align)
    return (1, k, 1, round_up(latent, align)) if parameters["store"] == "latent-and-value" else (1, k, 0, 0)
