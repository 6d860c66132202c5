"""Sizing: paths on layouts become candidates with fit and estimate, as few as the answer needs.

Published weights are sized before what has to be converted, and layouts that can hold the weights
before those that would move a part to system memory; what cannot win any more is not sized.
"""

from __future__ import annotations

from typing import Any

from .candidates import BY_SPEED, SHAKY, Candidate, Ranked, Refused, eased, order
from .facts import Facts, native_bits
from .found import Found, Option, Refusal
from .kv_choice import with_kv
from .layouts import WEAK_WITHIN, Placed, Placing, place
from .memory import fit, held_of
from .memory.frontier import frontier
from .memory.weights import build as weights
from .obstacles import merge, obstacle
from .rules import named
from .shapes import GIB, Entry, Layout, Workload
from .speed import estimate
from .spread import block_of, reads_type

_BRIEF = 6  # candidates that tell enough about an engine which nothing names
_LOSS = {"visible": 1, "severe": 2}
# A model that embeds or ranks reads prompts and writes nothing: there is no decode step to speak of.
_NO_TEXT: Entry = {
    **dict.fromkeys(("decode_tps", "throughput_tps", "tpot_s", "shares")),
    "missing": "no-text",
}
_COMPUTE = ("fp8", "int8", "nvfp4", "mxfp4")  # formats made for matrix units that compute in them


def workload_of(situation: Entry) -> Workload:
    """The load in the shape the arithmetic wants."""
    context, traffic = situation["context"], situation["traffic"]
    return Workload(
        context["tokens"],
        context["input"],
        context["output"],
        traffic["concurrency"],
        traffic["shared_prefix"],
        traffic["mode"],
    )


def host_of(facts: Facts) -> Entry:
    """System memory and system, for offload and reserved shares."""
    host = facts.situation["host"]
    return {
        "ram_bytes": round(host["ram_gib"] * GIB),
        "unified": any(c.entry["memory"]["unified"] for c in facts.cards),
        "os": host["os"],
    }


def detailed(candidate: Candidate, facts: Facts) -> Entry | None:
    """The fit of a candidate with the parts of each device, for what is shown."""
    if candidate.fit is None or candidate.settings is None:
        return candidate.fit
    work, host = held_of(workload_of(facts.situation)), host_of(facts)
    return fit(candidate.path, candidate.layout, facts.arch, work, candidate.settings, host, facts.kb)


def curve(candidate: Candidate, facts: Facts) -> list[list[int | None]]:
    """[tokens of a request, requests at once at most, surely] for rising lengths; empty without a model.

    None for a number that nothing limits. See `memory.frontier`.
    """
    if candidate.fit is None or candidate.settings is None:
        return []
    work, host = held_of(workload_of(facts.situation)), host_of(facts)
    points = frontier(candidate.path, candidate.layout, facts.arch, work, candidate.settings, host, facts.kb)
    return [list(point) for point in points]


def build(found: Found, facts: Facts, placings: dict[Any, Placing] | None = None) -> dict[str, Ranked]:
    """Best-first candidates for every engine that has a path; what a setting removes joins `found.refusals`.

    placings: layouts that are known already, see `reuse`; new ones are added. An engine that no rule
    nominates is looked at until one candidate fits, which is all its row tells; it is sized in full when
    no nominated engine stays in the devices.
    """
    by_engine: dict[str, list[Option]] = {}
    for option in _without_twins(found.options):
        by_engine.setdefault(option.path.engine, []).append(option)
    ranked: dict[str, Ranked] = {}
    maker = _Maker(facts, {} if placings is None else placings)
    stops: list[Refusal] = []
    known, starts = named(facts), named(facts, "start")
    _rank({e: o for e, o in by_engine.items() if e in known}, maker, ranked, stops)
    maker.brief = any(e in starts and r.best.rank_class <= 1 and not r.best.shaky for e, r in ranked.items())
    _rank({e: o for e, o in by_engine.items() if e not in known}, maker, ranked, stops)
    found.refusals[:0] = stops[::-1]
    return {engine: ranked[engine] for engine in by_engine if engine in ranked}


def _without_twins(options: list[Option]) -> list[Option]:
    """Options without those on a general back end that the same engine also runs on CUDA: same fit, slower kernels."""
    on_cuda = {_identity(o) for o in options if o.path.backend == "cuda"}
    return [o for o in options if o.path.backend != "vulkan" or _identity(o) not in on_cuda]


def _identity(option: Option) -> tuple[Any, ...]:
    path = option.path
    return path.engine, path.mode, path.family, path.type, *option.kinds


def _rank(by_engine: dict[str, list[Option]], maker: _Maker, ranked: dict[str, Ranked], stops: list[Refusal]) -> None:
    facts = maker.facts
    for engine, options in by_engine.items():
        kept, kv_stops = with_kv(options, facts)
        refused: Refused = []
        if facts.arch is None:
            made = [c for o in _one_per_backend(kept) for c in _without_model(o, facts, refused)]
        else:
            made = maker.two_phases(kept, refused)
            if facts.situation["links"]["within"] not in WEAK_WITHIN:
                made = eased(made)
        if made:
            ranked[engine] = Ranked(engine, order(made, facts.situation["priority"]), refused)
        elif kept:
            stops.append(Refusal(engine, kept[0].path.mode, "layout", None, _asked(kept[0], facts, refused)))
        else:
            wanted = facts.situation["settings"]["kv"]
            stops.append(Refusal(engine, options[0].path.mode, "feature", wanted, kv_stops))


def _asked(option: Option, facts: Facts, refused: Refused) -> list[Entry]:
    """Obstacles when the asked degrees leave no layout: why those were refused, or that nothing makes them."""
    wanted = facts.situation["settings"]["layout"]
    names = [f"{name.upper()} {n}" for name, n in wanted.items()]
    stops = [stop for path, what, found in refused if path == option.path and what in names for stop in found]
    return merge(stops)[:3] or [obstacle("settings.layout", wanted, None, [], text="obstacle.layout-none")]


# ---------------------------------------------------------------------- with a model


class _Maker:
    """Makes the candidates of one decision; keeps what its options share."""

    def __init__(self, facts: Facts, placings: dict[Any, Placing]) -> None:
        self.facts = facts
        self.work = workload_of(facts.situation)
        self.held = held_of(self.work)
        self.host = host_of(facts)
        self.writes = bool(facts.arch and {"chat", "completion"} & set(facts.arch["tasks"]))
        self.native = native_bits(facts.arch, facts.kb) if facts.arch else 16.0
        kv = facts.situation["settings"]["kv"]
        self.brief = False  # stop at the first candidate that fits
        self.settings = {"kv_type": "f16" if kv == "auto" else kv, "offload": facts.situation["settings"]["offload"]}
        self.quantity = BY_SPEED.get(facts.situation["priority"])
        self._placings = placings
        self._floor = 0.0  # low end of the best sure candidate of the engine at hand
        self._closed: set[tuple[Any, ...]] = set()  # family and layout whose further types cannot win

    def two_phases(self, options: list[Option], refused: Refused) -> list[Candidate]:
        """Published weights first; what has to be converted only when nothing published fits."""
        if self.brief:
            return self._briefly(options, refused)
        published = [o for o in options if o.path.checkpoint["status"] == "published"]
        made = self._sized(published, refused)
        if any(c.rank_class == 0 for c in made):
            return made
        others = [o for o in options if o.path.checkpoint["status"] != "published"]
        return made + self._sized(others, refused)

    def _briefly(self, options: list[Option], refused: Refused) -> list[Candidate]:
        """The first candidate that fits, each option on its roomiest layout; else those that came nearest."""
        self._floor, self._closed = 0.0, set()
        inside = {**self.settings, "offload": "no"}
        made: list[Candidate] = []
        small: list[tuple[Option, Placed]] = []
        for option in sorted(self._in_order(options), key=lambda o: o.path.checkpoint["status"] != "published"):
            likely, roomiest = self._likely(option, self.placing(option, refused))
            if roomiest is None:
                continue
            small.append((option, roomiest))
            if likely:
                made += self._make(option, [max(likely, key=lambda p: _room(p.layout))], inside)
                if any(c.rank_class == 0 for c in made):
                    return made
                if len(made) >= _BRIEF:
                    break
        if any(c.rank_class <= 1 for c in made):
            return made
        self._closed.clear()
        small.sort(key=lambda row: self.facts.kb.type_of(row[0].path.family, row[0].path.type)["bits"])
        return made + [c for o, p in small[:2] for c in self._make(o, [p], self.settings)]

    def _sized(self, options: list[Option], refused: Refused) -> list[Candidate]:
        """Size the layouts that can hold the weights; look at system memory only when none of them does.

        A candidate with a part in system memory ranks below every one without, so sizing both would
        be work for nothing. One hopeless layout per option stays, to say by how much it does not fit.
        """
        self._floor, self._closed = 0.0, set()
        placings = [(o, self.placing(o, refused)) for o in self._in_order(options)]
        inside = {**self.settings, "offload": "no"}
        made: list[Candidate] = []
        rest: list[tuple[Option, list[Placed]]] = []
        hopeless: list[tuple[Option, list[Placed]]] = []
        for option, placed in placings:
            likely, roomiest = self._likely(option, placed)
            sure = [] if option.path.kernel in SHAKY else [p for p in likely if not p.experimental]
            made += self._make(option, sure, inside)
            if likely and not sure:
                rest.append((option, likely))
            elif len(sure) < len(likely):
                rest.append((option, [p for p in likely if p.experimental]))
            elif not likely and roomiest:
                hopeless.append((option, [roomiest]))
        # what is experimental ranks after what is sure and fits: one of each then tells why it was not taken
        enough = any(c.rank_class == 0 and not c.shaky for c in made)
        for option, placed in rest:
            made += self._make(option, placed[-1:] if enough else placed, inside)
        if self.settings["offload"] == "no" or any(c.rank_class <= 1 for c in made):
            return made + [c for o, placed in hopeless for c in self._make(o, placed, inside)]
        self._closed.clear()
        # copies would compete for the same system memory
        one_copy = [(o, [p for p in placed if p.layout.dp == 1] or placed) for o, placed in placings]
        return [c for o, placed in one_copy for c in self._make(o, placed, self.settings)]

    def _in_order(self, options: list[Option]) -> list[Option]:
        """Types of one family in the order in which the first good one makes the rest needless.

        By speed the narrowest come first and wider ones end where they fall behind; else the widest
        that fits is the one to take.
        """
        home = {key: n for n, key in enumerate(dict.fromkeys(map(_family, options)))}

        def place_of(option: Option) -> tuple[Any, ...]:
            stored = self.facts.kb.type_of(option.path.family, option.path.type)["bits"]
            bits = (stored,) if self.quantity else (-int(min(stored, self.native)), int(stored), -stored)
            return home[_family(option)], bits, option.path.type

        return sorted(options, key=place_of)

    def _close(self, candidate: Candidate, key: tuple[Any, ...]) -> None:
        """Note that wider (or narrower) types of this family on this layout cannot win any more."""
        if candidate.rank_class or candidate.shaky or candidate.lossy:
            return
        if not self.quantity:
            self._closed.add(key)
            return
        interval = (candidate.estimates or {}).get(self.quantity)
        if interval:
            self._floor = max(self._floor, interval["low"])
            if interval["high"] < self._floor:
                self._closed.add(key)

    def _likely(self, option: Option, placed: list[Placed]) -> tuple[list[Placed], Placed | None]:
        """Layouts whose devices are larger than the weights, and the roomiest layout of all."""
        total = weights(self.facts.arch, option.path, self.facts.kb).total
        room = [_room(p.layout) for p in placed]
        roomiest = placed[room.index(max(room))] if placed else None
        return [p for p, size in zip(placed, room, strict=True) if size >= total], roomiest

    def _make(self, option: Option, placed: list[Placed], settings: Entry) -> list[Candidate]:
        """Candidates of one option on these layouts, with fit and estimate."""
        facts, path = self.facts, option.path
        type_ = facts.kb.type_of(path.family, path.type)
        lossy = _LOSS.get(type_.get("quality", {}).get("loss"), 0)
        fallback = path.kernel == "weight-only" and type_.get("compute") in _COMPUTE
        made = []
        slow_alone: set[str] = set()  # devices
        # most ranks first: what one device reads alone is then known to be behind, and so is every split
        # that still reads each layer from one device
        for one in sorted(placed, key=lambda p: -p.layout.tp):
            layout = one.layout
            cards = tuple(c.index for c in layout.cards)  # a tuple of cards takes long to hash
            key = (*_family(option), path.kernel, cards, layout.tp, layout.pp, layout.ep, layout.dp, layout.nodes)
            alone = layout.cards[0].device if len({c.device for c in layout.cards}) == 1 else ""
            if key in self._closed or (alone in slow_alone and layout.tp == 1):
                continue
            fits = fit(path, layout, facts.arch, self.held, settings, self.host, facts.kb, detail=False)
            if layout.dp > 1 and fits["class"] == "offload":
                continue  # copies would compete for the same system memory
            estimates = estimate(path, layout, facts.arch, self.work, fits, facts.situation["links"], facts.kb)
            if not self.writes:
                estimates |= _NO_TEXT
            made.append(
                Candidate(
                    path,
                    layout,
                    one.order,
                    _unconfirmed(option, one.unconfirmed, layout),
                    fits,
                    estimates,
                    bits=min(type_["bits"], self.native),  # wider than published is not better
                    waste=max(0, int(type_["bits"]) - int(self.native)),
                    lossy=lossy,
                    experimental=one.experimental or _offload_experimental(facts.kb.engines[path.engine], fits),
                    settings=settings,
                    fallback=fallback,
                )
            )
            self._close(made[-1], key)
            if layout.tp == layout.pp == 1 and self.quantity == "decode_tps" and key in self._closed:
                slow_alone.add(alone)
        return made

    def placing(self, option: Option, refused: Refused) -> list[Placed]:
        """Layouts of an option; types of one family that divide alike share them."""
        path = option.path
        block = block_of(self.facts.kb.type_of(path.family, path.type))
        type_ = path.type if reads_type(path.engine, self.facts.kb) else None
        key = (path.engine, path.mode, path.backend, path.family, type_, block, *sorted(option.kinds))
        found = self._placings.get(key)
        if found is None:
            found = self._placings[key] = place(option, self.facts)
        refused += [(path, what, stops) for what, stops in found.refused]
        return found.placed


def _family(option: Option) -> tuple[str | None, str, str]:
    return option.path.mode, option.path.backend, option.path.family


def _room(layout: Layout) -> int:
    """Bytes that one copy has: device memory, or system memory for a processor."""
    return sum(c.memory_bytes for c in layout.cards) * layout.nodes // layout.dp


def _offload_experimental(entry: Entry, fits: Entry) -> bool:
    kind = (fits.get("offload") or {}).get("kind")
    ways = [way["is"] for way in entry.get("offload", []) if way["kind"] == kind]
    return bool(ways) and all(is_ == "experimental" for is_ in ways)


def _unconfirmed(option: Option, more: tuple[Entry, ...], layout: Layout) -> tuple[Entry, ...]:
    devices = {c.device for c in layout.cards}
    if not more and not any(option.kinds.get(d) for d in devices):
        return ()
    found = [stop for device in sorted(devices) for stop in option.kinds.get(device, ())]
    return tuple(merge([*found, *more]))


# ---------------------------------------------------------------------- without one


def _one_per_backend(options: list[Option]) -> list[Option]:
    chosen: dict[tuple[str | None, str], Option] = {}
    for option in options:
        chosen.setdefault((option.path.mode, option.path.backend), option)
    return list(chosen.values())


def _without_model(option: Option, facts: Facts, refused: Refused) -> list[Candidate]:
    """The first layout of an option, without numbers."""
    placing = place(option, facts)
    refused += [(option.path, what, stops) for what, stops in placing.refused]
    type_ = facts.kb.type_of(option.path.family, option.path.type)
    made = [
        Candidate(
            option.path,
            p.layout,
            p.order,
            _unconfirmed(option, p.unconfirmed, p.layout),
            None,
            None,
            bits=type_["bits"],
            experimental=p.experimental,
        )
        for p in placing.placed
    ]
    return sorted(made, key=lambda c: (c.shaky, c.order, c.key))[:1]
