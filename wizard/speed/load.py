"""What a candidate has to read and compute: weights, KV cache and parameters, with what waits in system memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from wizard.memory import kv, weights
from wizard.memory.cache import Memo
from wizard.memory.need import Model

from . import assumed


class Reads(NamedTuple):
    """Bytes of one copy of the model. dense: read for every token; experts: all routed experts; share: part
    of them one token reads; active: parameters per token; matrices: those that every token of a prompt is multiplied
    with; attention: operations per token and token of
    context in attention, per layer kind as (layers x width, window or None)."""

    dense: float
    experts: float
    share: float
    active: int
    matrices: int
    total: int
    moe: bool
    attention: tuple[tuple[int, int | None], ...]


class Host(NamedTuple):
    """What is read from system memory per token: bytes of dense weights and of all experts there, and KV share."""

    dense: float
    experts: float
    layers: float
    streamed: bool


_memo = Memo()


def reads(arch: dict[str, Any], held: weights.Weights) -> Reads:
    """What one token reads and computes."""
    return _memo.get(held, "reads", lambda: _reads(arch, held))


def _reads(arch: dict[str, Any], held: weights.Weights) -> Reads:
    params = arch["params"]
    active = params.get("active") or params["total"]
    experts = arch.get("experts")
    dense, routed, share = float(held.read_dense), float(held.experts), held.active_experts
    if experts and not routed and active < params["total"]:
        # only the counts are known: read = dense + share x experts, all = dense + experts
        share = experts["active"] / experts["count"]
        routed = min((held.total - dense) / (1 - share), dense / share)
        dense -= share * routed
    return Reads(
        dense, routed, share, active, _matrices(arch, active), held.total, arch["kind"] == "moe" or bool(experts),
        tuple(_attention(arch)),
    )  # fmt: skip


def _matrices(arch: dict[str, Any], active: int) -> int:
    """Active parameters without tables that are looked up and the head, which only the last token of a prompt needs;
    at least half of them, since published counts of active parameters leave out one or the other."""
    aside = sum(group["params"] for group in arch["groups"] if group["group"] in (*weights.UNREAD, *weights.LAST))
    return max(active - aside, active // 2)


def _attention(arch: dict[str, Any]) -> list[tuple[int, int | None]]:
    found = []
    for group in arch.get("attention") or ():
        heads = group.get("heads") or arch["heads"]
        if group["kind"] == "mla":
            found.append((group["layers"] * heads * (group.get("nope", 128) + group["rope"]), None))
        elif group["kind"] in ("full", "swa", "chunked"):
            found.append((group["layers"] * heads * group["head_dim"], group.get("window")))
    return found


def kv_bytes(seen: Model, depth: int) -> float:
    """Bytes of the cache one rank reads for one sequence at a depth."""
    cache: kv.KV | None = seen.kv
    return float(cache.bytes(depth) if cache else 0)


def stream_rate(entry: dict[str, Any]) -> float:
    """Bytes per second at which weights in system memory reach a device: over its own link to the memory of the
    processor, or over PCIe."""
    own = [link["gbs"] for link in entry.get("links") or () if link["kind"] == "c2c" and link.get("gbs")]
    return max(own) * 1e9 * assumed.C2C_SHARE if own else assumed.STREAM_RATE


def host(fit: dict[str, Any], read: Reads, layers: int, expert_layers: int) -> Host | None:
    """What a step takes from system memory, or None when nothing waits there."""
    moved = fit.get("offload")
    if not moved:
        return None
    if moved["kind"] == "experts":
        part = min(1.0, (moved["cpu_moe_layers"] - (layers - expert_layers)) / max(1, expert_layers))
        return Host(0.0, part * read.experts, 0.0, False)
    if moved["kind"] == "layers":
        part = (layers - moved["layers_gpu"]) / layers
        return Host(part * read.dense, part * read.experts, part, False)
    part = min(1.0, moved["host_bytes"] / max(1, read.total))
    return Host(part * read.dense, part * read.experts, 0.0, True)
