"""Candidates: each path on each layout with its fit and estimate; the best one per engine.

The order: fit class (visible quality loss ranks one lower) · published weights before converted ·
sure before unconfirmed, emulated or experimental · for latency, throughput and cost the estimate,
where candidates that cannot be told apart form one group with more bits first; else more bits ·
kernel · the engine's home format · layout · id.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .facts import Facts
from .found import Found, Option, Refusal
from .layouts import Placed, Placing, place
from .memory import fit
from .memory.weights import build as weights
from .obstacles import merge, obstacle
from .shapes import GIB, Entry, Layout, Path, Workload
from .speed import estimate
from .vocabulary import FIT_CLASSES, KERNELS

Refused = list[tuple[Path, str, list[Entry]]]  # layouts that were refused: path, what, obstacles

_STATUS = ("published", "convert", "unknown")
_LOSS = ("visible", "severe")
SHAKY = ("emulated", "experimental")  # kernels that rank after all others
_COMPUTE = ("fp8", "int8", "nvfp4", "mxfp4")  # formats made for matrix units that compute in them
_BY_SPEED = {"latency": "decode_tps", "throughput": "throughput_tps", "cost": "throughput_tps"}


@dataclass(frozen=True)
class Candidate:
    """A path on a layout. `fit` and `estimates` are None when no model was named.

    `fit` is without the parts of each device; `detailed` adds them for what is shown.
    """

    path: Path
    layout: Layout
    order: int
    unconfirmed: tuple[Entry, ...] = field(hash=False, compare=False)
    fit: Entry | None = field(hash=False, compare=False)
    estimates: Entry | None = field(hash=False, compare=False)
    bits: float = 16.0
    lossy: bool = False
    experimental: bool = False  # the project calls this layout, or this way to offload, experimental
    settings: Entry | None = field(default=None, hash=False, compare=False)  # what it was sized with
    fallback: bool = False  # a compute format whose arithmetic this device does not have: weights only

    @property
    def real_class(self) -> int:
        """Index in FIT_CLASSES as shown; 0 without a model."""
        return FIT_CLASSES.index(self.fit["class"]) if self.fit else 0

    @property
    def rank_class(self) -> int:
        """Index used for ranking: visible quality loss ranks one class lower."""
        return min(self.real_class + self.lossy, len(FIT_CLASSES) - 1) if self.fit else 0

    @property
    def shaky(self) -> bool:
        """Not confirmed, emulated or experimental: ranked after what is sure, whatever its speed or bits."""
        return bool(self.unconfirmed) or self.experimental or self.path.kernel in SHAKY

    @property
    def runs(self) -> bool:
        """Whether it starts at all."""
        return self.fit is None or self.fit["class"] != "no"

    @property
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
    work, host = workload_of(facts.situation), host_of(facts)
    return fit(candidate.path, candidate.layout, facts.arch, work, candidate.settings, host, facts.kb)


def build(found: Found, facts: Facts) -> dict[str, Ranked]:
    """Best-first candidates for every engine that has a path; kv refusals join `found.refusals`."""
    by_engine: dict[str, list[Option]] = {}
    for option in found.options:
        if _kv_ok(option, facts, found):
            by_engine.setdefault(option.path.engine, []).append(option)
    ranked: dict[str, Ranked] = {}
    maker = _Maker(facts)
    for engine, options in by_engine.items():
        refused: Refused = []
        if facts.arch is None:
            made = [c for o in _one_per_backend(options, facts) for c in _without_model(o, facts, refused)]
        else:
            made = maker.two_phases(options, refused)
        if made:
            ranked[engine] = Ranked(engine, order(made, facts.situation["priority"]), refused)
    return ranked


def order(candidates: list[Candidate], priority: str) -> list[Candidate]:
    """Sort best first, for one engine or across engines."""
    buckets: dict[tuple[int, int, bool], list[Candidate]] = {}
    for candidate in candidates:
        status = _STATUS.index(candidate.path.checkpoint["status"])
        buckets.setdefault((candidate.rank_class, status, candidate.shaky), []).append(candidate)
    result: list[Candidate] = []
    for key in sorted(buckets):
        result += _order_equal(buckets[key], priority)
    return result


def _order_equal(bucket: list[Candidate], priority: str) -> list[Candidate]:
    quantity = _BY_SPEED.get(priority)
    if quantity:
        known = [c for c in bucket if _interval(c, quantity)]
        if known:
            best = max(known, key=lambda c: (_interval(c, quantity)["point"], c.key))
            floor = _interval(best, quantity)["low"]
            near = [c for c in known if _interval(c, quantity)["high"] >= floor]
            chosen = {c.key for c in near}
            rest = [c for c in bucket if c.key not in chosen]
            rest.sort(key=lambda c: (-(_interval(c, quantity) or {"point": 0.0})["point"], _by_bits(c)))
            return sorted(near, key=_by_bits) + rest
    return sorted(bucket, key=_by_bits)


def _by_bits(candidate: Candidate) -> tuple[Any, ...]:
    # 4.16, 4.5 and 4.89 are all "four bits"; among them the kernel and the engine's home format decide
    path = candidate.path
    home = (KERNELS.index(path.kernel), candidate.fallback, path.place)
    return (-int(candidate.bits), *home, candidate.order, candidate.key)


def _interval(candidate: Candidate, quantity: str) -> Entry | None:
    return candidate.estimates.get(quantity) if candidate.estimates else None


# ---------------------------------------------------------------------- making them


def _kv_ok(option: Option, facts: Facts, found: Found) -> bool:
    """A KV type the person fixed must be one the engine has on these devices."""
    wanted = facts.situation["settings"]["kv"]
    if wanted in ("auto", "f16"):
        return True
    entry = facts.kb.engines[option.path.engine]
    rows = [k for k in entry.get("kv_types", []) if k["type"] == wanted and k.get("mode") in (None, option.path.mode)]
    extra = {"candidate.backend": option.path.backend}
    kinds = [k for k in facts.kinds if k.device in option.kinds]
    if any(facts.check(row.get("needs"), kinds, extra).value is not False for row in rows):
        return True
    known = sorted({k["type"] for k in entry.get("kv_types", [])})
    readings = [k["source"] for k in entry.get("kv_types", [])][:1]
    stop = obstacle("settings.kv", wanted, known, readings[0] if readings else [], text="obstacle.kv-type")
    refusal = Refusal(option.path.engine, option.path.mode, "feature", wanted, [stop])
    if all(r.engine != refusal.engine or r.value != wanted for r in found.refusals):
        found.refusals.append(refusal)
    return False


class _Maker:
    """Makes the candidates of one decision; keeps what its options share."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.work = workload_of(facts.situation)
        self.host = host_of(facts)
        kv = facts.situation["settings"]["kv"]
        self.settings = {"kv_type": "f16" if kv == "auto" else kv, "offload": facts.situation["settings"]["offload"]}
        self._placings: dict[Any, Placing] = {}

    def two_phases(self, options: list[Option], refused: Refused) -> list[Candidate]:
        """Published weights first; what has to be converted only when nothing published starts well."""
        published = [o for o in options if o.path.checkpoint["status"] == "published"]
        made = self._sized(published, refused)
        if any(c.rank_class <= 1 for c in made):
            return made
        others = [o for o in options if o.path.checkpoint["status"] != "published"]
        return made + self._sized(others, refused)

    def _sized(self, options: list[Option], refused: Refused) -> list[Candidate]:
        """Size the layouts that can hold the weights; look at system memory only when none of them does.

        A candidate with a part in system memory ranks below every one without, so sizing both would
        be work for nothing. One hopeless layout per option stays, to say by how much it does not fit.
        """
        placings = [(o, self.placing(o, refused)) for o in options]
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
        return [c for o, placed in placings for c in self._make(o, placed, self.settings)]

    def _likely(self, option: Option, placed: list[Placed]) -> tuple[list[Placed], Placed | None]:
        """Layouts whose devices are larger than the weights, and the roomiest layout of all."""
        total = weights(self.facts.arch, option.path, self.facts.kb).total
        room = [self._room(p) for p in placed]
        roomiest = placed[room.index(max(room))] if placed else None
        return [p for p, size in zip(placed, room, strict=True) if size >= total], roomiest

    def _room(self, placed: Placed) -> int:
        """Bytes that one copy has: device memory, or system memory for a processor."""
        layout = placed.layout
        return sum(c.memory_bytes for c in layout.cards) * layout.nodes // layout.dp

    def _make(self, option: Option, placed: list[Placed], settings: Entry) -> list[Candidate]:
        """Candidates of one option on these layouts, with fit and estimate."""
        facts, path = self.facts, option.path
        type_ = facts.kb.type_of(path.family, path.type)
        lossy = type_.get("quality", {}).get("loss") in _LOSS
        fallback = path.kernel == "weight-only" and type_.get("compute") in _COMPUTE
        made = []
        for one in placed:
            layout = one.layout
            fits = fit(path, layout, facts.arch, self.work, settings, self.host, facts.kb, detail=False)
            if layout.dp > 1 and fits["class"] == "offload":
                continue  # copies would compete for the same system memory
            estimates = estimate(path, layout, facts.arch, self.work, fits, facts.situation["links"], facts.kb)
            unconfirmed = _unconfirmed(option, one.unconfirmed, layout)
            experimental = one.experimental or _offload_experimental(facts.kb.engines[path.engine], fits)
            made.append(
                Candidate(
                    path,
                    layout,
                    one.order,
                    unconfirmed,
                    fits,
                    estimates,
                    bits=type_["bits"],
                    lossy=lossy,
                    experimental=experimental,
                    settings=settings,
                    fallback=fallback,
                )
            )
        return made

    def placing(self, option: Option, refused: Refused) -> list[Placed]:
        """Layouts of an option; types of one family with the same block size share them."""
        path = option.path
        block = self.facts.kb.type_of(path.family, path.type).get("group_size")
        key = (path.engine, path.mode, path.backend, path.family, block, *sorted(option.kinds))
        found = self._placings.get(key)
        if found is None:
            found = self._placings[key] = place(option, self.facts)
        refused += [(path, what, stops) for what, stops in found.refused]
        return found.placed


def _offload_experimental(entry: Entry, fits: Entry) -> bool:
    kind = (fits.get("offload") or {}).get("kind")
    ways = [way["is"] for way in entry.get("offload", []) if way["kind"] == kind]
    return bool(ways) and all(is_ == "experimental" for is_ in ways)


def _one_per_backend(options: list[Option], facts: Facts) -> list[Option]:
    chosen: dict[tuple[str | None, str], Option] = {}
    for option in options:
        chosen.setdefault((option.path.mode, option.path.backend), option)
    return list(chosen.values())


def _without_model(option: Option, facts: Facts, refused: Refused) -> list[Candidate]:
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


def _unconfirmed(option: Option, more: tuple[Entry, ...], layout: Layout) -> tuple[Entry, ...]:
    devices = {c.device for c in layout.cards}
    found = [stop for device in sorted(devices) for stop in option.kinds.get(device, ())]
    return tuple(merge([*found, *more]))
