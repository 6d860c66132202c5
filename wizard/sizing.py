"""Sizing: which candidates are made, in rounds that end as soon as the answer is known.

What a rule nominates comes first, and what the devices hold before anything that would leave a part in
system memory. Most answers end with the first round; the rest is made for the rows of what was not
chosen, after the answer is on the page.
"""

from __future__ import annotations

from typing import Any

from .candidates import Candidate, Ranked, Refused, eased, order
from .facts import Facts
from .found import Found, Option, Refusal
from .kv_choice import with_kv
from .layouts import WEAK_WITHIN, place
from .making import Maker, Round, unconfirmed
from .memory import fit, held_of
from .memory.frontier import frontier
from .obstacles import merge, obstacle
from .rules import named
from .shapes import GIB, Entry, Workload


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


def build(found: Found, facts: Facts, kept: dict[Any, Any] | None = None) -> dict[str, Ranked]:
    """Best-first candidates for every engine that has a path; what a setting removes joins `found.refusals`."""
    sizing = Sizing(found, facts, kept)
    ranked = sizing.whole()
    found.refusals[:0] = sizing.stops
    return ranked


class Sizing:
    """The candidates of one decision, made as far as somebody asks.

    kept: layouts and what goes with them that are known already, see `reuse`; new ones are added.
    """

    def __init__(self, found: Found, facts: Facts, kept: dict[Any, Any] | None = None) -> None:
        self.facts = facts
        work = workload_of(facts.situation)
        self._maker = Maker(facts, {} if kept is None else kept, work, held_of(work), host_of(facts))
        self._options: dict[str, list[Option]] = {}
        for option in _without_twins(found.options):
            self._options.setdefault(option.path.engine, []).append(option)
        self._named, self.starts = named(facts), named(facts, "start")
        self._rounds: dict[str, Round] = {}
        self._stops: dict[str, Refusal] = {}
        self._ranked: dict[str, Ranked] = {}
        self._plain = facts.arch is None  # no model: nothing to size, only layouts
        self._brief = self._outside = False

    def published(self) -> dict[str, Ranked]:
        """Engines that a rule nominates with weights that somebody publishes, inside their devices."""
        for engine in self._options:
            if engine in self._named:
                self._begin(engine)
        return self.known()

    def first(self) -> dict[str, Ranked]:
        """Engines that a rule nominates, inside their devices."""
        self._inside([e for e in self._options if e in self._named])
        self._brief = any(r.best.rank_class <= 1 and not r.best.shaky for r in self._nominated())
        return self.known()

    def inside(self) -> dict[str, Ranked]:
        """Every engine inside its devices; what no rule nominates is only looked at when a nominated one is well."""
        self._inside(list(self._options))
        return self.known()

    def whole(self) -> dict[str, Ranked]:
        """Every engine, with a part in system memory where it does not hold the model otherwise."""
        if not self._outside:
            self.first()
            self._finish([e for e in self._rounds if e in self._named])
            # the numbers of engines that nothing names matter only when no nominated one is sound
            self._brief = self._brief or any(r.best.rank_class <= 2 and not r.best.shaky for r in self._nominated())
            self.inside()
            self._finish(list(self._rounds))
            self._outside = True
        return self.known()

    def known(self) -> dict[str, Ranked]:
        """What there is so far, in the order of the engines' paths."""
        return {e: self._ranked[e] for e in self._options if e in self._ranked}

    @property
    def stops(self) -> list[Refusal]:
        """What a fixed KV type or layout leaves no candidate for."""
        return [self._stops[e] for e in reversed(self._options) if e in self._stops]

    def _nominated(self) -> list[Ranked]:
        """Those that a rule would start with."""
        return [r for e, r in self._ranked.items() if e in self.starts]

    def _inside(self, engines: list[str]) -> None:
        for engine in engines:
            self._begin(engine)
            one = self._rounds.get(engine)
            if one and one.rest:
                self._maker.converted(one)
                self._rank(engine)

    def _begin(self, engine: str) -> None:
        if engine in self._rounds or engine in self._stops:
            return
        options = self._options[engine]
        kept, kv_stops = with_kv(options, self.facts)
        if not kept:
            wanted = self.facts.situation["settings"]["kv"]
            self._stops[engine] = Refusal(engine, options[0].path.mode, "feature", wanted, kv_stops)
            return
        if self._plain:
            refused: Refused = []
            made = [c for o in _one_per_backend(kept) for c in _without_model(o, self.facts, refused)]
            self._rounds[engine] = Round(engine, kept, refused=refused, made=made, done=True)
        elif self._brief and engine not in self._named:
            self._rounds[engine] = self._maker.brief(engine, kept)
        else:
            self._rounds[engine] = self._maker.published(engine, kept)
        self._rank(engine)

    def _finish(self, engines: list[str]) -> None:
        """What the devices do not hold, with system memory; else one hopeless layout each, to tell by how much."""
        for engine in engines:
            one = self._rounds[engine]
            if not one.done:
                one.brief = one.brief or (self._brief and engine not in self._named)
                self._maker.outside(one)
                self._rank(engine)

    def _rank(self, engine: str) -> None:
        one = self._rounds[engine]
        if one.made:
            fast = self.facts.situation["links"]["within"] not in WEAK_WITHIN
            made = eased(one.made) if fast and not self._plain else one.made
            self._ranked[engine] = Ranked(engine, order(made, self.facts.situation["priority"]), one.refused)
        elif one.done:
            stops = _asked(one.options[0], self.facts, one.refused)
            self._stops[engine] = Refusal(engine, one.options[0].path.mode, "layout", None, stops)


def _without_twins(options: list[Option]) -> list[Option]:
    """Options without those on a general back end that the same engine also runs on CUDA: same fit, slower kernels."""
    on_cuda = {_identity(o) for o in options if o.path.backend == "cuda"}
    return [o for o in options if o.path.backend != "vulkan" or _identity(o) not in on_cuda] if on_cuda else options


def _identity(option: Option) -> tuple[Any, ...]:
    path = option.path
    return path.engine, path.mode, path.family, path.type, *option.kinds


def _asked(option: Option, facts: Facts, refused: Refused) -> list[Entry]:
    """Obstacles when the asked degrees leave no layout: why those were refused, or that nothing makes them."""
    wanted = facts.situation["settings"]["layout"]
    names = [f"{name.upper()} {n}" for name, n in wanted.items()]
    stops = [stop for path, what, found in refused if path == option.path and what in names for stop in found]
    return merge(stops)[:3] or [obstacle("settings.layout", wanted, None, [], text="obstacle.layout-none")]


# ---------------------------------------------------------------------- without a model


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
            unconfirmed(option, p.unconfirmed, p.layout),
            None,
            None,
            bits=type_["bits"],
            experimental=p.experimental,
        )
        for p in placing.placed
    ]
    return sorted(made, key=lambda c: (c.shaky, c.order, c.key))[:1]
