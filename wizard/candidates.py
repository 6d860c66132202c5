"""Candidates: a path on a layout with its fit and estimate, and the order that finds the best one.

The order: fit class (visible quality loss ranks one lower) · published weights before converted ·
sure before unconfirmed, emulated or experimental · the GPU of a chip before its processor · for
latency, throughput and cost the estimate, where candidates that cannot be told apart form one group
with copies of eight bits or more, one a card, before splits, then more bits first (formats of one
engine and layout compare by the time of a token, for latency); else more bits
(with a part in system memory, speed or the smaller part) · kernel · of those beyond eight bits the fewest ·
the engine's home format · layout · id.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from .memory.assumed import CPU_BACKENDS
from .shapes import Entry, Layout, Path
from .vocabulary import FIT_CLASSES, KERNELS

Refused = list[tuple[Path, str, list[Entry]]]  # layouts that were refused: path, what, obstacles

_STATUS = ("published", "convert", "unknown")
PLENTY = 8  # bits a weight beyond which no loss of quality is on record
_CLOSE = 1.25  # bits a weight that an estimate could hardly tell apart
# Times the speed that layouts of the same weights may differ and still tie: the error of a class is theirs in common.
_ALIKE = 2.0
# Times the time a token that formats of one engine and layout may differ and still tie.
_FORMATS = 1.4
SHAKY = ("emulated", "experimental")  # kernels that rank after all others
SEVERE = 2  # `lossy` of a severe loss: the last resort
BY_SPEED = {"latency": "decode_tps", "throughput": "throughput_tps", "cost": "throughput_tps"}


@dataclass(frozen=True)
class Candidate:
    """A path on a layout. `fit` and `estimate` are None when no model was named.

    `fit` is without the parts of each device; `detailed` adds them for what is shown.
    """

    path: Path
    layout: Layout
    order: int
    unconfirmed: tuple[Entry, ...] = field(hash=False, compare=False)
    fit: Entry | None = field(hash=False, compare=False)
    estimate: Callable[[], Entry] | None = field(hash=False, compare=False)  # made when somebody asks for it
    bits: float = 16.0  # as stored, no more than the makers published
    waste: int = 0  # whole bits stored beyond those
    lossy: int = 0  # 1: visible, SEVERE: severe loss of quality
    experimental: bool = False  # the project calls this layout, or this way to offload, experimental
    settings: Entry | None = field(default=None, hash=False, compare=False)  # what it was sized with
    fallback: bool = False  # a compute format whose arithmetic this device does not have: weights only
    eased: bool = False  # tight, but ranked as fitting: see `eased`

    @cached_property
    def estimates(self) -> Entry | None:
        """Speed, worked out once and only for the candidates of which it is asked."""
        return self.estimate() if self.estimate else None

    @cached_property
    def real_class(self) -> int:
        """Index in FIT_CLASSES as shown; 0 without a model."""
        return FIT_CLASSES.index(self.fit["class"]) if self.fit else 0

    @cached_property
    def rank_class(self) -> int:
        """Index used for ranking: one class lower with visible loss, or on the processor beside a GPU of one memory."""
        if not self.fit:
            return 0
        beside = self.real_class == 0 and self.spare  # tight on the GPU is better than the slower half of the chip
        return min(self.real_class - self.eased + max(self.lossy, beside), len(FIT_CLASSES) - 1)

    @cached_property
    def shaky(self) -> bool:
        """Not confirmed, emulated or experimental: ranked after what is sure, whatever its speed or bits."""
        return bool(self.unconfirmed) or self.experimental or self.path.kernel in SHAKY

    @cached_property
    def spare(self) -> bool:
        """On the processor of a device that also has a GPU: what is left when the GPU cannot."""
        cards = self.layout.cards
        return self.path.backend in CPU_BACKENDS and any(c.entry["kind"] != "cpu" for c in cards)

    def copies_of_full_quality(self, near: list[Candidate]) -> bool:
        """Whole copies, one a card, with no fewer than eight bits a weight (or all that there are).

        Whoever has several requests and a model that fits one card gains more from copies than from
        splitting it for the sake of bits that nobody sees: what maintainers answer to that question.
        """
        full = min(PLENTY, max(c.bits for c in near))
        good = self.bits >= full and not self.lossy and not self.fallback
        return good and self.layout.tp == self.layout.pp == 1 < self.layout.dp

    @property
    def runs(self) -> bool:
        """Whether it starts at all."""
        return self.fit is None or self.fit["class"] != "no"

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Identity, and the last word in every tie."""
        lay, p = self.layout, self.path
        cards = tuple(c.index for c in lay.cards)
        return (
            p.engine,
            p.mode or "",
            p.backend,
            p.family,
            p.type,
            lay.tp,
            lay.pp,
            lay.ep,
            lay.dp,
            lay.nodes,
            cards,
        )


@dataclass
class Ranked:
    """Candidates of one engine, best first, and the layouts that were refused on the way."""

    engine: str
    candidates: list[Candidate]
    refused_layouts: Refused = field(default_factory=list)

    @property
    def best(self) -> Candidate:
        """The candidate that speaks for the engine."""
        return self.candidates[0]


def order(candidates: list[Candidate], priority: str) -> list[Candidate]:
    """Sort best first, for one engine or across engines."""
    buckets: dict[tuple[Any, ...], list[Candidate]] = {}
    for candidate in candidates:
        status = _STATUS.index(candidate.path.checkpoint["status"])
        # of one rank: a severe loss comes last, then what leaves the devices, then any visible loss
        loss = (candidate.lossy >= SEVERE, FIT_CLASSES[candidate.real_class] == "offload", candidate.lossy)
        # the last rank holds both what does not start and what starts with a loss from outside the devices
        key = (candidate.rank_class, not candidate.runs, loss, status, candidate.shaky, candidate.spare)
        buckets.setdefault(key, []).append(candidate)
    result: list[Candidate] = []
    for key in sorted(buckets):
        result += _order_equal(buckets[key], priority)
    return result


def eased(candidates: list[Candidate]) -> list[Candidate]:
    """Tensor ranks that fit tightly rank as fitting where the pipeline that fits is clearly slower.

    For cards on a fast link: tight, they may lose a few requests at once; as a pipeline every answer loses speed.
    """
    fits: dict[Path, list[Candidate]] = {}
    for one in candidates:
        if one.real_class == 0:
            fits.setdefault(one.path, []).append(one)
    found = []
    for one in candidates:
        others = fits.get(one.path, ()) if one.real_class == 1 else ()
        ease = bool(others) and all(
            o.layout.dp == one.layout.dp and _slower_pipeline(o, one, "decode_tps") for o in others
        )
        found.append(replace(one, eased=True) if ease else one)
    return found


def _slower_pipeline(one: Candidate, other: Candidate, quantity: str) -> bool:
    """Whether stages on the cards of tensor ranks are clearly slower: what is uncertain is the same for both."""
    mine, theirs = interval(one, quantity), interval(other, quantity)
    same = (
        one.layout.cards == other.layout.cards and one.layout.pp > other.layout.pp and one.layout.tp < other.layout.tp
    )
    if not mine or not theirs or not same:
        return False
    return mine["point"] * _CLOSE < theirs["point"]


def _order_equal(bucket: list[Candidate], priority: str) -> list[Candidate]:
    if len(bucket) == 1:
        return bucket
    offload = all(c.fit is not None and c.fit["class"] == "offload" for c in bucket)
    # with a part in system memory the wait is what counts, whatever the priority
    quantity = BY_SPEED.get(priority) or ("decode_tps" if offload else None)
    known = [c for c in bucket if interval(c, quantity)] if quantity else []
    if known:
        best = max(known, key=lambda c: (interval(c, quantity)["point"], c.key))
        floor = interval(best, quantity)["low"]
        near = [c for c in known if interval(c, quantity)["high"] >= floor and not _slower_pipeline(c, best, quantity)]
        near = _quickest_layouts(near, quantity)
        if quantity == "decode_tps":
            near = _quickest_formats(near)
        if offload:  # the error is one of the bus, which all of them share: points compare
            least = interval(best, quantity)["point"] / _CLOSE
            near = [c for c in known if interval(c, quantity)["point"] >= least]
        near = _simplest(near, known, quantity)
        chosen = {c.key for c in near}
        rest = [c for c in bucket if c.key not in chosen]
        rest.sort(key=lambda c: (-(interval(c, quantity) or {"point": 0.0})["point"], _by_bits(c)))
        return sorted(near, key=lambda c: (not c.copies_of_full_quality(near), _by_bits(c))) + rest
    if offload:
        return sorted(bucket, key=lambda c: (c.fit["offload"]["host_bytes"], _by_bits(c)))
    if quantity and bucket[0].fit is not None and not _reads_only(bucket[0]):
        # no bandwidth, no estimate; still the fewest bits are read fastest, and those close to them tie
        least = min(c.bits for c in bucket) * _CLOSE
        return sorted(bucket, key=lambda c: (c.bits > least, c.bits if c.bits > least else 0.0, _by_bits(c)))
    return sorted(bucket, key=_by_bits)


def _quickest_layouts(near: list[Candidate], quantity: str | None) -> list[Candidate]:
    """Without the layouts that are clearly slower than another of the same weights: their error is one."""
    most: dict[Path, float] = {}
    for one in near:
        most[one.path] = max(most.get(one.path, 0.0), interval(one, quantity)["point"])
    return [one for one in near if interval(one, quantity)["point"] * _ALIKE >= most[one.path]]


def _quickest_formats(near: list[Candidate]) -> list[Candidate]:
    """Without the formats that are clearly slower than another of the same engine and layout, there and wherever
    they are no quicker: what is uncertain is the engine on these devices, which is one for both, and what differs is
    the bytes that a token reads."""
    least: dict[tuple[Any, ...], float] = {}
    for one in near:
        least[_placed(one)] = min(least.get(_placed(one), _step(one)), _step(one))
    most: dict[Path, float] = {}
    for one in near:
        bound = least[_placed(one)] * _FORMATS
        if _step(one) > bound:
            most[one.path] = min(most.get(one.path, bound), bound)
    return [one for one in near if one.path not in most or _step(one) <= most[one.path]]


def _step(one: Candidate) -> float:
    """Seconds a token under the asked load, or of one request alone where only that is known."""
    loaded = interval(one, "tpot_s")
    return loaded["point"] if loaded else 1 / interval(one, "decode_tps")["point"]


def _placed(one: Candidate) -> tuple[Any, ...]:
    """Engine and devices of a candidate, whatever its format."""
    path, lay = one.path, one.layout
    return path.engine, path.mode, path.backend, lay.cards, lay.tp, lay.pp, lay.ep, lay.dp, lay.nodes


def _simplest(near: list[Candidate], known: list[Candidate], quantity: str | None) -> list[Candidate]:
    """With fewer stages instead of more where those are as fast: that nobody knows how fast stages are is no merit."""
    found: dict[tuple[Any, ...], Candidate] = {}
    for one in near:
        speed = interval(one, quantity)["point"]
        alike = (
            o for o in known if o.path == one.path and o.layout.pp < one.layout.pp and o.layout.dp == one.layout.dp
        )
        better = [o for o in alike if interval(o, quantity)["point"] >= speed] if one.layout.pp > 1 else []
        kept = max(better, key=lambda c: (interval(c, quantity)["point"], c.key), default=one)
        found.setdefault(kept.key, kept)
    return list(found.values())


def _by_bits(candidate: Candidate) -> tuple[Any, ...]:
    # 4.16, 4.5 and 4.89 are all "four bits"; among them the kernel and the engine's home format decide. Beyond
    # eight no loss is on record, so more of them only cost memory and time.
    path = candidate.path
    enough = int(min(candidate.bits, PLENTY))
    few = (candidate.fallback, -enough, candidate.waste)  # a format made for other matrix units comes last
    over = candidate.bits if candidate.bits >= PLENTY else 0.0
    return (*few, KERNELS.index(path.kernel), over, path.place, candidate.order, -candidate.bits, candidate.key)


def _reads_only(candidate: Candidate) -> bool:
    """Whether the model writes nothing, so that no number of a decode step exists."""
    return (candidate.estimates or {}).get("missing") in ("no-text", "sound")


def interval(candidate: Candidate, quantity: str) -> Entry | None:
    """Low, point and high of an estimate; None without one."""
    return candidate.estimates.get(quantity) if candidate.estimates else None
