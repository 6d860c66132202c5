"""Making candidates of one engine: the fit and the estimate of a path on a layout, as few as decide anything.

Published weights are sized before what has to be converted, and layouts that can hold the weights before
those that would move a part to system memory; what cannot win any more is not sized.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .candidates import BY_SPEED, PLENTY, SHAKY, Candidate, Refused
from .facts import Facts, native_bits
from .found import Option
from .layouts import Placed, Placing, place
from .memory.extras import asked
from .memory.fit import Base, fit_on, prepare
from .memory.weights import build as weights
from .models import writes
from .obstacles import merge
from .shapes import Entry, Layout, Path, Workload
from .speed import estimate
from .speed.nodes import unpacking
from .spread import block_of, reads_type

_BRIEF = 6  # candidates that tell enough about an engine which nothing names
_LOSS = {"visible": 1, "severe": 2}
_UNSEEN = 3.5  # bits a weight below which a loss that nobody measured counts as visible
# A model that embeds or ranks reads prompts and writes nothing: there is no decode step to speak of.
_NO_TEXT: Entry = {
    **dict.fromkeys(("decode_tps", "throughput_tps", "tpot_s", "shares")),
    "missing": "no-text",
}
# One that only hears spends its time in an encoder of sound, which nothing here estimates.
_SOUND: Entry = {**_NO_TEXT, **dict.fromkeys(("ttft_s", "prefill_tps")), "missing": "sound"}
_COMPUTE = ("fp8", "int8", "nvfp4", "mxfp4")  # formats made for matrix units that compute in them


class Spot:
    """A layout of an option, with what the load does not change."""

    __slots__ = ("alone", "base", "key", "placed", "room", "unconfirmed")

    def __init__(self, option: Option, placed: Placed) -> None:
        layout, path = placed.layout, option.path
        cards = layout.cards
        self.placed = placed
        self.room = sum(c.memory_bytes for c in cards) * layout.nodes // layout.dp  # bytes that one copy has
        # family and layout whose further types cannot win once one of them does
        indices = tuple(c.index for c in cards)  # a tuple of cards takes long to hash
        self.key = (path.mode, path.backend, path.family, path.kernel, indices,
                    layout.tp, layout.pp, layout.ep, layout.dp, layout.nodes)  # fmt: skip
        self.alone = cards[0].device if len({c.device for c in cards}) == 1 else ""  # the one kind it is on
        self.unconfirmed = unconfirmed(option, placed.unconfirmed, layout)
        self.base: Base | None = None  # what the arithmetic of memory prepares


class Ready:
    """An option with its layouts, and what of it neither load nor priority changes. total: bytes of the weights."""

    __slots__ = ("bits", "fallback", "likely", "lossy", "option", "refused", "roomiest", "spots", "stored", "waste")

    def __init__(self, option: Option, placing: Placing, facts: Facts, native: float) -> None:
        path = option.path
        type_ = facts.kb.type_of(path.family, path.type)
        total = weights(facts.arch, path, facts.kb).total
        self.option = option
        self.refused = [(path, what, stops) for what, stops in placing.refused]
        self.spots = [Spot(option, p) for p in placing.placed]
        # layouts whose devices are larger than the weights, and the roomiest layout of all
        self.likely = [s for s in self.spots if s.room >= total]
        self.roomiest = max(self.spots, key=lambda s: s.room) if self.spots else None
        loss = type_.get("quality", {}).get("loss", "unknown")
        self.lossy = _LOSS.get(loss, int(loss == "unknown" and type_["bits"] < _UNSEEN))
        self.fallback = path.kernel == "weight-only" and type_.get("compute") in _COMPUTE
        self.stored = type_["bits"]
        self.bits = min(self.stored, native)  # wider than published is not better
        self.waste = max(0, int(self.stored) - int(native))


@dataclass
class _Half:
    """One part of an engine's options while it is sized, and what was found closed on the way."""

    ready: list[Ready]
    made: list[Candidate] = field(default_factory=list)
    hopeless: list[tuple[Ready, Spot]] = field(default_factory=list)
    best: float = 0.0  # point of the quickest sure candidate, as the ranking takes it, and
    floor: float = 0.0  # its low end
    closed: set[tuple[Any, ...]] = field(default_factory=set)

    def inside(self) -> bool:
        """Whether some candidate stays in the devices, or nearly."""
        return any(c.rank_class <= 1 for c in self.made)


@dataclass
class Round:
    """One engine's candidates so far. done: nothing is left to be made."""

    engine: str
    options: list[Option]
    halves: list[_Half] = field(default_factory=list)
    rest: list[Ready] = field(default_factory=list)  # options that need converting, not looked at yet
    refused: Refused = field(default_factory=list)
    made: list[Candidate] = field(default_factory=list)
    done: bool = False
    brief: bool = False


class Maker:
    """Makes the candidates of one decision; keeps what its options share."""

    def __init__(self, facts: Facts, kept: dict[Any, Any], work: Workload, held: Workload, host: Entry) -> None:
        self.facts = facts
        self.work, self.held, self.host = work, held, host
        self.writes = facts.arch is not None and writes(facts.arch)
        self.native = native_bits(facts.arch, facts.kb) if facts.arch else 16.0
        kv, self.offload = facts.situation["settings"]["kv"], facts.situation["settings"]["offload"]
        self.kv_type = "f16" if kv == "auto" else kv
        self.asks = asks = asked(facts.situation["needs"])
        self._settings = {
            where: {"kv_type": self.kv_type, "offload": where, "asks": asks} for where in {"no", self.offload}
        }
        self.quantity = BY_SPEED.get(facts.situation["priority"]) if self.writes else None
        self._kept = kept

    # ------------------------------------------------------------------ one engine

    def published(self, engine: str, options: list[Option]) -> Round:
        """Candidates of weights that somebody publishes, as far as they stay in the devices."""
        ready = self._ready(engine, options)
        one = Round(engine, options, refused=[row for r in ready for row in r.refused])
        one.rest = [r for r in ready if r.option.path.checkpoint["status"] != "published"]
        one.halves = [self._sized([r for r in ready if r.option.path.checkpoint["status"] == "published"])]
        one.made = one.halves[0].made
        return one

    def converted(self, one: Round) -> None:
        """Add weights that have to be converted first, when no published ones fit."""
        if one.rest and not any(c.rank_class == 0 for c in one.made):
            one.halves.append(self._sized(one.rest))
            one.made = [c for half in one.halves for c in half.made]
        one.rest = []

    def brief(self, engine: str, options: list[Option]) -> Round:
        """As few candidates as tell about an engine that nothing names."""
        ready = self._ready(engine, options)
        one = Round(engine, options, refused=[row for r in ready for row in r.refused], brief=True)
        one.halves = [self._briefly(ready)]
        one.made = one.halves[0].made
        return one

    def outside(self, one: Round) -> None:
        """End a round: what no layout holds gets a part in system memory where the person allows that."""
        one.made = [c for half in one.halves for c in self._completed(half, one.brief)]
        one.done = True

    def _completed(self, half: _Half, brief: bool) -> list[Candidate]:
        if brief:
            if half.inside():
                return half.made
            half.closed.clear()
            small = sorted(half.ready, key=lambda r: r.stored)[:2]
            return half.made + [c for r in small if r.roomiest for c in self._make(half, r, [r.roomiest], self.offload)]
        if self.offload == "no" or half.inside():
            return half.made + [c for r, spot in half.hopeless for c in self._make(half, r, [spot], "no")]
        half.closed.clear()
        made: list[Candidate] = []
        for r in half.ready:
            # copies would compete for the same system memory
            one_copy = [s for s in r.spots if s.placed.layout.dp == 1] or r.spots
            made += self._make(half, r, one_copy, self.offload)
        return made

    def _briefly(self, ready: list[Ready]) -> _Half:
        """The first candidate that fits, each option on its roomiest layout; else those that came nearest."""
        half = _Half([])
        for r in sorted(ready, key=lambda r: r.option.path.checkpoint["status"] != "published"):
            if r.roomiest is None:
                continue
            half.ready.append(r)
            if r.likely:
                half.made += self._make(half, r, [max(r.likely, key=lambda s: s.room)], "no")
                if any(c.rank_class == 0 for c in half.made) or len(half.made) >= _BRIEF:
                    break
        return half

    def _sized(self, ready: list[Ready]) -> _Half:
        """Size the layouts that can hold the weights.

        A candidate with a part in system memory ranks below every one without, so sizing both would
        be work for nothing. One hopeless layout per option stays, to say by how much it does not fit.
        """
        half = _Half(ready)
        rest: list[tuple[Ready, list[Spot]]] = []
        for r in ready:
            if not r.likely:
                if r.roomiest:
                    half.hopeless.append((r, r.roomiest))
                continue
            sure = [] if r.option.path.kernel in SHAKY else [s for s in r.likely if not s.placed.experimental]
            half.made += self._make(half, r, sure, "no")
            if not sure:
                rest.append((r, r.likely))
            elif len(sure) < len(r.likely):
                rest.append((r, [s for s in r.likely if s.placed.experimental]))
        # what is experimental ranks after what is sure and fits: one of each then tells why it was not taken
        enough = any(c.rank_class == 0 and not c.shaky for c in half.made)
        for r, spots in rest:
            half.made += self._make(half, r, spots[-1:] if enough else spots, "no")
        return half

    # ------------------------------------------------------------------ what is prepared

    def _ready(self, engine: str, options: list[Option]) -> list[Ready]:
        """Options with their layouts, in the order of `_sorted`; known ones are kept with their machine and model."""
        key = ("ready", engine, self.kv_type, bool(self.quantity))
        found: list[Ready] | None = self._kept.get(key)
        if found is None:
            facts, native = self.facts, self.native
            found = self._kept[key] = self._sorted([Ready(o, self.placing(o), facts, native) for o in options])
        return found

    def _sorted(self, ready: list[Ready]) -> list[Ready]:
        """Types of one family in the order in which the first good one makes the rest needless.

        By speed the narrowest come first and wider ones end where they fall behind; else eight bits, or the
        widest below them that fits, is the one to take.
        """
        home = {key: n for n, key in enumerate(dict.fromkeys(_family(r.option) for r in ready))}

        def place_of(r: Ready) -> tuple[Any, ...]:
            enough = r.stored if r.bits >= PLENTY else -r.bits
            bits = (r.stored,) if self.quantity else (-int(min(r.bits, PLENTY)), int(r.stored), enough)
            return home[_family(r.option)], bits, r.option.path.type

        return sorted(ready, key=place_of)

    def placing(self, option: Option) -> Placing:
        """Layouts of an option; types of one family that divide alike share them."""
        path = option.path
        block = (block_of(self.facts.kb.type_of(path.family, path.type)), path.checkpoint.get("width"))
        type_ = path.type if reads_type(path.engine, self.facts.kb) else None
        key = (path.engine, path.mode, path.backend, path.family, type_, block, *sorted(option.kinds))
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = place(option, self.facts)
        return found

    # ------------------------------------------------------------------ candidates

    def close(self, half: _Half, candidate: Candidate, key: tuple[Any, ...]) -> None:
        """Note that wider (or narrower) types of this family on this layout cannot win any more."""
        if candidate.rank_class or candidate.shaky or candidate.lossy:
            return
        if not self.quantity:
            half.closed.add(key)
            return
        interval = (candidate.estimates or {}).get(self.quantity)
        if interval:
            if interval["point"] > half.best:
                half.best, half.floor = interval["point"], interval["low"]
            if interval["high"] < half.floor:
                half.closed.add(key)

    def _make(self, half: _Half, ready: Ready, spots: list[Spot], offload: str) -> list[Candidate]:
        """Candidates of one option on these layouts, with fit and estimate."""
        facts, path, closed = self.facts, ready.option.path, half.closed
        # wider is slower only among types that are unpacked alike, and what comes last anyway stops nothing before it
        group = (unpacking(path.type, path.backend) if self.quantity else None, ready.fallback)
        settings = self._settings[offload]
        made = []
        slow_alone: set[str] = set()  # devices
        # most ranks first: what one device reads alone is then known to be behind, and so is every split
        # that still reads each layer from one device
        for spot in sorted(spots, key=lambda s: -s.placed.layout.tp) if len(spots) > 1 else spots:
            layout = spot.placed.layout
            key = (spot.key, group)
            if key in closed or (layout.tp == 1 and spot.alone in slow_alone):
                continue
            base = spot.base
            if base is None:
                base = spot.base = prepare(path, layout, facts.arch, self.kv_type, self.host, facts.kb, self.asks)
            fits = fit_on(base, self.held, offload, self.host, detail=False)
            if layout.dp > 1 and fits["class"] == "offload":
                continue  # copies would compete for the same system memory
            one = Candidate(
                path,
                layout,
                spot.placed.order,
                spot.unconfirmed,
                fits,
                partial(self.estimate, path, layout, fits),
                bits=ready.bits,
                waste=ready.waste,
                lossy=ready.lossy,
                experimental=spot.placed.experimental or _offload_experimental(facts.kb.engines[path.engine], fits),
                settings=settings,
                fallback=ready.fallback,
            )
            made.append(one)
            self.close(half, one, key)
            if self.quantity == "decode_tps" and layout.tp == layout.pp == 1 and key in closed:
                slow_alone.add(spot.alone)
        return made

    def estimate(self, path: Path, layout: Layout, fits: Entry) -> Entry:
        """How fast a candidate is; a model that writes nothing has no decode step."""
        facts = self.facts
        found = estimate(path, layout, facts.arch, self.work, fits, facts.situation["links"], facts.kb)
        if self.writes:
            return found
        heard = "speech-to-text" in self.facts.arch["tasks"] if self.facts.arch else False
        return found | (_SOUND if heard else _NO_TEXT)


def _family(option: Option) -> tuple[str | None, str, str]:
    return option.path.mode, option.path.backend, option.path.family


def _offload_experimental(entry: Entry, fits: Entry) -> bool:
    if not fits.get("offload"):
        return False
    kind = fits["offload"]["kind"]
    ways = [way["is"] for way in entry.get("offload", []) if way["kind"] == kind]
    return bool(ways) and all(is_ == "experimental" for is_ in ways)


def unconfirmed(option: Option, more: tuple[Entry, ...], layout: Layout) -> tuple[Entry, ...]:
    """What nobody could confirm of an option on the devices of a layout."""
    devices = {c.device for c in layout.cards}
    if not more and not any(option.kinds.get(d) for d in devices):
        return ()
    found = [stop for device in sorted(devices) for stop in option.kinds.get(device, ())]
    return tuple(merge([*found, *more]))
