"""The smallest part of a model to leave in system memory so that the rest fits on the devices.

Whole layers (with their KV), only the routed experts, or weights streamed every step: whichever way the
engine's entry has for the back end. Experts first, because a token reads few of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

_WAYS = ("experts", "layers", "weights")


class Layer(NamedTuple):
    """Mean bytes of one layer: its weights, its routed experts, its KV and state at the asked load.

    count and expert_count: layers, and layers with experts.
    """

    weights: int
    experts: int
    kv: int
    count: int
    expert_count: int


class Moved(NamedTuple):
    """What goes to system memory. kind: experts, layers or weights.

    counts: layers taken off each device, in the order of the devices (0 for weights); weights and kv:
    their bytes.
    """

    kind: str
    counts: tuple[int, ...]
    weights: tuple[int, ...]
    kv: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """Bytes in system memory."""
        return sum(self.weights) + sum(self.kv)


def ways(engine: dict[str, Any], backend: str, tp: int) -> tuple[str, ...]:
    """The kinds of offload an engine has on a back end, in the order they are tried.

    Layers and experts stay whole, so they cannot be moved where every rank holds a part of each layer.
    """
    has = {
        line["kind"]
        for line in engine.get("offload", ())
        if line["is"] in ("yes", "experimental") and (not line.get("backend") or backend in line["backend"])
    }
    return tuple(kind for kind in _WAYS if kind in has and (tp == 1 or kind == "weights"))


def choose(
    kinds: tuple[str, ...], short: list[int], spare: list[int], held: list[int], layer: Layer, host_room: int
) -> Moved | None:
    """The first way that frees what each device is short of and fits into `host_room` bytes.

    short: bytes missing per device (negative: left over); spare: bytes more that should stay free, kept
    when some way can; held: bytes of weights per device. Each device gives up the fewest layers it can.
    """
    for extra in (spare, [0] * len(spare)):
        want = [max(0, s + e) for s, e in zip(short, extra, strict=True)]
        for kind in kinds:
            moved = _move(kind, want, held, layer)
            if moved and moved.bytes <= host_room:
                return moved
        if not any(spare):
            break
    return None


def _move(kind: str, want: list[int], held: list[int], layer: Layer) -> Moved | None:
    none = (0,) * len(want)
    if kind == "weights":
        enough = all(missing <= there for missing, there in zip(want, held, strict=True))
        return Moved(kind, none, tuple(want), none) if enough else None
    if kind == "experts":
        size, kv, limit = layer.experts, 0, layer.expert_count
    else:
        size, kv, limit = layer.weights, layer.kv, layer.count
    if size <= 0:
        return None
    counts = tuple(-(-missing // (size + kv)) for missing in want)
    if sum(counts) > limit:
        return None
    return Moved(kind, counts, tuple(n * size for n in counts), tuple(n * kv for n in counts))
