"""Bytes of the weights by parameter group, and what of them one decode step reads.

Weights are parameter groups times the bits in which the format really leaves each group (embeddings,
norms and head often stay wider), not parameters times bits. Where the published checkpoint's size is
known the groups are scaled to it, so that the total is the file's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wizard.shapes import Path

from . import ggml, mixture
from .cache import Memo

# Where a group lives. Anything else is spread over the layers and divided by tensor parallelism.
FIRST = ("embeddings", "per-layer-embeddings", "vision", "audio")  # first pipeline stage
LAST = ("head",)  # last pipeline stage
COPIED = ("norms", "router", "indexer")  # every tensor-parallel rank holds them whole
# Never read while text tokens are decoded: looked up row by row, or run once per image.
UNREAD = ("embeddings", "per-layer-embeddings", "vision", "audio", "mtp")
TOWERS = ("vision", "audio")  # a file of their own beside a GGUF


@dataclass(frozen=True, eq=False)
class Weights:
    """Bytes by place. total = first + last + spread + copied + experts; compared by identity.

    first: first stage; last: last stage; spread: over the layers; copied: over the layers, whole on
    every tensor-parallel rank; experts: routed experts, over the layers. kv_projection: part of
    `spread` that is copied when there are more ranks than KV heads. tied: the last stage needs the
    embedding too. tables: what is only looked up, the embedding and those per layer. active_experts:
    share of the routed experts one token reads. exact: the size is a published file's.
    """

    groups: tuple[tuple[str, int], ...]
    total: int
    first: int
    embedding: int
    tables: int
    last: int
    spread: int
    copied: int
    experts: int
    kv_projection: int
    kv_heads: int
    tied: bool
    read_dense: int
    active_experts: float
    expert_count: int
    exact: bool
    towers_apart: bool
    uncounted: bool

    def per_layer(self, layers: int) -> int:
        """Mean bytes of one of `layers` layers, rounded down."""
        return (self.spread + self.copied + self.experts) // layers


_memo, _stored = Memo(), Memo()


def build(arch: dict[str, Any], path: Path, kb: Any) -> Weights:
    """Weights of a model in the format of a path; `kb.type_of(family, type)` gives its bits."""
    size = path.checkpoint.get("bytes") if path.checkpoint else None
    stored = path.checkpoint.get("stored") if path.checkpoint else None
    if stored is not None:  # a type of its own, outside of the knowledge
        container = path.checkpoint.get("container", "")
        kept = _stored.get(
            stored, (id(arch), size, container), lambda: (arch, compute(arch, stored, size, container))
        )  # fmt: skip
        # an address used again by another model
        return kept[1] if kept[0] is arch else compute(arch, stored, size, container)
    key = (path.family, path.type, size)
    return _memo.get(arch, key, lambda: compute(arch, kb.type_of(path.family, path.type), size, _container(path, kb)))


def _container(path: Path, kb: Any) -> str:
    return kb.formats.get(path.family, {}).get("container", "")


def compute(
    arch: dict[str, Any], type_: dict[str, Any] | None, size: int | None = None, container: str = ""
) -> Weights:
    """Weights from a model entry and a format type.

    type_: {"bits", "tensors": {group: bits}}; None counts 16 bits. size: bytes of the published
    weights. Towers for images and sound are left out of a GGUF, which keeps them in a file apart.
    """
    bits = type_ or {"bits": 16}
    present = [g for g in arch["groups"] if g["params"]]
    apart = container == "gguf" and any(g["group"] in TOWERS for g in present)
    if container == "gguf":
        present = [g for g in present if g["group"] not in TOWERS]
    merged = _mixed(arch, bits) if container == "gguf" else None
    if merged is None:
        merged = _by_group(arch, present, bits, container)
    if size:
        merged = _scale(merged, size)
    place = {"first": 0, "last": 0, "copied": 0, "experts": 0, "spread": 0}
    for name, count in merged.items():
        where = (
            "first" if name in FIRST
            else "last" if name in LAST
            else "copied" if name in COPIED
            else "experts" if name == "experts"
            else "spread"
        )  # fmt: skip
        place[where] += count
    total = sum(merged.values())
    tied = bool(arch.get("tied")) and "head" not in merged
    unread = sum(count for name, count in merged.items() if name in UNREAD)
    if tied:
        unread -= merged.get("embeddings", 0)
    active, count, whole = _active(arch, merged)
    return Weights(
        tuple(sorted(merged.items())),
        total,
        embedding=merged.get("embeddings", 0),
        tables=sum(merged.get(name, 0) for name in ("embeddings", "per-layer-embeddings")),
        kv_projection=_kv_projection(arch, merged),
        kv_heads=_kv_heads(arch),
        tied=tied,
        read_dense=total - place["experts"] - unread - whole,
        active_experts=active,
        expert_count=count,
        exact=bool(size),
        towers_apart=apart,
        uncounted=not size and container != "gguf" and _uncounted(arch),
        **place,
    )


def _uncounted(arch: dict[str, Any]) -> bool:
    """Whether a model that reads text reads images or sound too, with a tower whose sizes are not known."""
    read = arch.get("modality") or ()
    return "text" in read and any(
        name in read and not any(g["group"] == name for g in arch["groups"]) for name in TOWERS
    )


def _mixed(arch: dict[str, Any], type_: dict[str, Any]) -> dict[str, int] | None:
    """Bytes by group of a GGUF file type, matrix by matrix; None where type or matrices are not known."""
    named = ggml.file_type(type_.get("mixture") or type_.get("id") or "")
    found = mixture.group_bytes(arch, named[0]) if named else None
    return {name: count for name, count in found.items() if name not in TOWERS} if found else None


def _by_group(
    arch: dict[str, Any], present: list[dict[str, Any]], type_: dict[str, Any], container: str
) -> dict[str, int]:
    """Bytes by group from the type's bits per group; a shared embedding of a GGUF is stored as the head is."""
    tensors = type_.get("tensors", {})
    merged: dict[str, int] = {}
    shared = container == "gguf" and arch.get("tied") and "head" in tensors
    for group in present:
        name = group["group"]
        each = tensors["head"] if shared and name == "embeddings" else tensors.get(name, type_["bits"])
        merged[name] = merged.get(name, 0) + _bytes(group["params"], each)
    return merged


def _bytes(params: int, bits: float) -> int:
    return int(params * bits / 8 + 0.5)


def _scale(groups: dict[str, int], size: int) -> dict[str, int]:
    """The groups scaled so that they add up to `size` exactly; the largest takes the rounding."""
    total = sum(groups.values())
    if not total:
        return groups
    scaled = {name: count * size // total for name, count in groups.items()}
    largest = max(scaled, key=lambda name: (scaled[name], name))
    scaled[largest] += size - sum(scaled.values())
    return scaled


def _active(arch: dict[str, Any], merged: dict[str, int]) -> tuple[float, int, int]:
    """(share of the routed experts read per token, experts per layer, dense bytes not read).

    Without an expert group the published active count says what share of everything is read.
    """
    experts = arch.get("experts")
    if merged.get("experts") and experts:
        return experts["active"] / experts["count"], experts["count"], 0
    params = arch["params"]
    active = params.get("active") or params["total"]
    if active < params["total"]:
        return 1.0, 0, int(sum(merged.values()) * (params["total"] - active) / params["total"])
    return 1.0, 0, 0


def _kv_heads(arch: dict[str, Any]) -> int:
    heads = [g["kv_heads"] for g in arch.get("attention") or () if g.get("kv_heads") and g["kind"] != "mla"]
    return min(heads) if heads else 0


def _kv_projection(arch: dict[str, Any], merged: dict[str, int]) -> int:
    """Bytes of the K and V projections: hidden x kv_heads x (K + V width), in the precision of attention."""
    params = 0
    for group in arch.get("attention") or ():
        if group["kind"] in ("full", "swa", "chunked"):
            width = group["head_dim"] + group.get("v_head_dim", group["head_dim"])
            params += group["layers"] * arch["hidden"] * group["kv_heads"] * width
    whole = sum(g["params"] for g in arch["groups"] if g["group"] == "attention")
    if not whole or not params:
        return 0
    return min(merged.get("attention", 0), merged.get("attention", 0) * params // whole)
