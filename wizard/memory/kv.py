"""The KV cache in closed form: bytes of one request as a function of its tokens, per rank.

Every attention layer stores one row of K and one of V per token and KV head, or one latent; windowed
layers stop growing at a cap. So the whole cache is `full` bytes per token plus a few terms
`bytes x (min(tokens, cap) + plus)`. Formulas: 2 x layers x kv_heads x head_dim x element bytes for
multi-head and grouped-query attention; layers x (latent + rope) x element bytes for latent attention.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any

from . import state
from .elements import pair, row_bytes
from .rules import Profile, kv_mla, kv_replicate, kv_state_page, kv_windowed

NO_LIMIT = 1 << 40  # tokens: stands for "nothing in memory limits it"


@dataclass(frozen=True, eq=False)
class KV:
    """Bytes of KV cache on one rank.

    groups: (layers, bytes per token and layer, cap, plus) per kind of layer; full: bytes per token of all
    layers that keep the whole context; windows: (bytes per token, cap in tokens, tokens charged on top);
    granule: tokens by which a request grows.
    """

    groups: tuple[tuple[int, int, int | None, int], ...]
    granule: int
    full: int
    windows: tuple[tuple[int, int, int], ...]

    def bytes(self, tokens: int) -> int:
        """Bytes of one request that holds `tokens` tokens."""
        held = -(-tokens // self.granule) * self.granule
        total = self.full * held
        for width, cap, plus in self.windows:
            total += width * ((held if held < cap else cap) + plus)
        return total

    def per_token(self) -> int:
        """Bytes a token adds as long as it is inside every window."""
        return self.full + sum(width for width, _, _ in self.windows)

    def tokens(self, room: int, extra: int = 0) -> int:
        """The longest request `room` bytes hold when each token takes `extra` more; the inverse of bytes()."""
        slope = self.full + extra
        if not self.windows:
            if slope == 0:
                return NO_LIMIT
            return max(0, min(room // slope // self.granule * self.granule, NO_LIMIT))
        fixed = sum(width * plus for width, _, plus in self.windows)
        caps = sorted(self.windows, key=lambda w: w[1])
        # assume that all windows are full, then let the largest still grow, and so on
        for filled in range(len(caps), -1, -1):
            constant = fixed + sum(w * c for w, c, _ in caps[:filled])
            growing = slope + sum(w for w, _, _ in caps[filled:])
            if room < constant:
                continue
            if growing == 0:
                return NO_LIMIT
            found = min((room - constant) // growing // self.granule * self.granule, NO_LIMIT)
            if filled == 0 or found >= caps[filled - 1][1]:
                return found
        return 0


def _sum(groups: tuple[tuple[int, int, int | None, int], ...], granule: int) -> KV:
    full = 0
    windows: dict[tuple[int, int], int] = {}
    for layers, width, cap, plus in groups:
        if cap is None:
            full += layers * width
        else:
            windows[cap, plus] = windows.get((cap, plus), 0) + layers * width
    return KV(
        groups, granule, full, tuple((w, cap, plus) for (cap, plus), w in sorted(windows.items()) if w)
    )  # fmt: skip


def together(one: KV, other: KV) -> KV:
    """Two caches of one request as one; it grows by whole steps of both."""
    return _sum(one.groups + other.groups, lcm(one.granule, other.granule))


def row_pair(group: dict[str, Any], kv_type: str | None, ranks: int, profile: Profile) -> int:
    """Bytes one layer of this group stores for one token on one of `ranks` tensor-parallel ranks."""
    kind = group["kind"]
    k_type, v_type = pair(kv_type)
    if kind == "mla":
        heads = group.get("heads") or group.get("kv_heads") or 1
        k_rows, k_width, v_rows, v_width = kv_mla.widths(profile.of("kv-mla"), group, -(-heads // ranks))
        stored = k_rows * row_bytes(k_type, k_width) + v_rows * row_bytes(v_type, v_width)
    elif kind in ("full", "swa", "chunked"):
        heads = kv_replicate.rank_heads(profile.of("kv-replicate"), group["kv_heads"], ranks)
        stored = heads * row_bytes(k_type, group["head_dim"])
        if not group.get("k_is_v"):
            stored += heads * row_bytes(v_type, group.get("v_head_dim", group["head_dim"]))
    else:
        return 0
    return stored


def build(arch: dict[str, Any], kv_type: str | None, ranks: int, profile: Profile, index_type: str | None = None) -> KV:
    """The KV cache of a model on one of `ranks` tensor-parallel ranks; `ranks` 1 gives the whole, uncopied.

    index_type: element type of an indexer's keys where it differs; the indexer is copied to every rank.
    """
    groups: list[tuple[int, int, int | None, int]] = []
    if profile.of("kv-none")["is"]:
        return _sum((), profile.granule)
    asked = kv_type, index_type
    for group in arch["attention"] or ():
        kv_type, index_type = kv_mla.types(profile.of("kv-mla"), group, *asked)
        if kv_type == "fp8_ds_mla" and index_type is None:
            index_type = "fp8_per_token_head"  # the keys of the indexer beside it: 8 bits and a scale
        if group["kind"] == "mla" and not group.get("heads"):
            group = {**group, "heads": arch["heads"]}
        width = row_pair(group, kv_type, ranks, profile)
        layers = group["layers"] - group.get("shared_kv", 0)
        held = None
        if group["kind"] in ("swa", "chunked"):
            held = kv_windowed.cap(profile.of("kv-windowed"), group["window"], profile.chunk, profile.granule)
        if width and layers > 0:
            groups.append((layers, width, *(held or (None, 0))))
        if group.get("stride"):  # one compressed entry per so many tokens, beside the window
            groups.append((group["layers"], -(-width // group["stride"]), None, 0))
            if group.get("indexer"):
                keys = row_bytes(pair(index_type or kv_type)[0], group["indexer"])
                groups.append((group["layers"], -(-keys // group["stride"]), None, 0))
            continue
        if group.get("indexer"):
            keys = row_bytes(pair(index_type or kv_type)[0], group["indexer"])
            groups.append((group.get("indexer_layers", group["layers"]), keys, None, 0))
    return _sum(tuple(groups), page(arch, asked[0], ranks, profile)[0])


def page(arch: dict[str, Any], kv_type: str | None, ranks: int, profile: Profile) -> tuple[int, int]:
    """(tokens by which a request grows, bytes its states take as whole pages; 0 where states lie apart)."""
    rule, slots = profile.of("kv-state-page"), profile.of("state-slots")
    if not rule["align"]:
        return profile.granule, 0
    keeping = [g for g in arch["attention"] or () if g["kind"] in ("full", "mla")]
    holding = [g for g in arch["attention"] or () if g.get("state") and g["kind"] in ("linear", "mamba")]
    if not keeping or not holding:
        return profile.granule, 0
    first = keeping[0] if keeping[0].get("heads") else {**keeping[0], "heads": arch["heads"]}
    row = row_pair(first, kv_type, ranks, profile)
    largest = max(state.layer_bytes(g, ranks, slots) for g in holding)
    tokens = kv_state_page.page(rule, largest, row, profile.granule)
    count = kv_state_page.states(
        rule, sum(g["layers"] for g in holding), sum(g["layers"] for g in keeping), slots["per_request"]
    )
    return tokens, count * tokens * row
