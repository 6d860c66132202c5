"""The shape of a model of which only counts are known."""

from __future__ import annotations

from math import sqrt
from typing import Any

from wizard import models
from wizard.kb import KB

Entry = dict[str, Any]
USUAL_VOCABULARY = 100_000  # tokens
TIED_BELOW = 4e9  # parameters below which models mostly share one matrix between embedding and head


def by_size(
    params_b: float, active_b: float | None, layers: int | None, experts: Entry | None, name: str | None, kb: KB,
    said: list[tuple[str, Entry]],
) -> Entry:  # fmt: skip
    """An architecture of counts alone; layers, experts and KV come from known models of that size."""
    moe = bool(active_b and active_b < 0.95 * params_b)
    given: Entry = {"params_b": params_b} | ({"active_b": active_b} if moe else {})
    arch = models.resolve(given, kb)
    assert arch is not None
    total = arch["params"]["total"]
    if layers:
        arch["layers"] = layers
    else:
        said.append(("terminal.speed-layers", {"n": arch["layers"]}))
    width = sqrt((arch["params"]["active"] if moe else total) / (12 * arch["layers"]))
    embedding = min(round(width * USUAL_VOCABULARY), total // 3)
    arch["tied"] = total < TIED_BELOW
    arch["hidden"] = round(width)
    groups = {"embeddings": embedding, "other": total - embedding}
    if moe:
        use = experts or arch.get("experts") or {"count": 128, "active": 8}
        share = use["active"] / use["count"]
        routed = min(total - embedding, round((total - arch["params"]["active"]) / (1 - share)))
        groups = {"embeddings": embedding, "experts": routed, "other": total - embedding - routed}
        arch["experts"] = {"count": use["count"], "active": use["active"], "layers": arch["layers"]}
        if not experts:
            said.append(("terminal.speed-experts", {"active": use["active"], "count": use["count"]}))
    arch["groups"] = [{"group": group, "params": count} for group, count in groups.items()]
    arch["name"] = name or arch["name"]
    return arch
