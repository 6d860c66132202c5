"""Roles: which engine to start with, which are alternatives, what to benchmark, orchestrate and add.

Rules nominate after the fit class; where no rule speaks, the candidates' order decides and the
answer says so. Apps are conveniences over an engine that already has a candidate; orchestrators
stand only above an engine that is named here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import candidates as cand
from .candidates import Candidate, Ranked
from .decision import statement
from .facts import Facts
from .obstacles import sources_of
from .rules import Fired, Verdict, judge
from .shapes import Entry

_LIBRARY_SERVING = ("app", "browser", "mobile")
_PUBLIC = ("customers", "fleet")
MAX_ALTERNATIVES = 4


@dataclass
class Cast:
    """Who plays which role: candidates for engines, entries for what stands above them."""

    start: tuple[Candidate, list[Fired]] | None = None
    tied: list[tuple[Candidate, list[Fired]]] = field(default_factory=list)
    alternatives: list[tuple[Candidate, Fired | None]] = field(default_factory=list)
    benchmark: list[tuple[Candidate, Fired]] = field(default_factory=list)
    orchestrators: list[tuple[str, Fired]] = field(default_factory=list)
    conveniences: list[tuple[str, str, Fired]] = field(default_factory=list)
    verdict: Verdict = field(default_factory=Verdict)
    held: dict[str, Entry] = field(default_factory=dict)  # engine -> statement: why not the start
    by_estimate: bool = False
    sooner: tuple[float, float] | None = None  # seconds to the first token, of the start and of what it tied with


def assign(ranked: dict[str, Ranked], facts: Facts) -> Cast:
    """Give each role to an engine."""
    cast = Cast()
    runnable = {e: r for e, r in ranked.items() if r.best.runs}
    classes = {e: _by_mode(r) for e, r in runnable.items()}
    unadvised = {e: stop for e in runnable if (stop := _unadvised(e, facts))}
    startable = {e for e in runnable if e not in unadvised and may_start(e, facts)}
    cast.verdict = judge(facts, classes, startable)
    bests: dict[str, Candidate] = {}
    for engine, one in runnable.items():
        held = [cast.verdict.held_from(engine, "start", mode) for mode in classes[engine]]
        if held and all(held):
            cast.held[engine] = of_rule(held[0])
        elif engine in unadvised:
            cast.held[engine] = unadvised[engine]
        elif engine in startable:
            bests[engine] = next(c for c in one.candidates if _open(c, cast.verdict, "start"))
    _start(cast, runnable, bests, facts)
    if cast.start:
        _others(cast, runnable, facts)
        _above(cast, facts)
        _apps(cast, facts)
    return cast


def preference(ranked: dict[str, Ranked], engines: list[str], facts: Facts) -> list[Fired]:
    """Rules that nominate one of these engines as the start, best first, as if all of them fitted alike."""
    classes: dict[str, dict[str | None, int]] = {e: {c.path.mode: 0 for c in ranked[e].candidates} for e in engines}
    startable = {e for e in engines if may_start(e, facts) and not _unadvised(e, facts)}
    return [f for f in judge(facts, classes, startable).nominated.get("start", []) if f.rule["engine"] in startable]


def _by_mode(ranked: Ranked) -> dict[str | None, int]:
    """Rank of the fit class of the best running candidate of each mode."""
    found: dict[str | None, int] = {}
    for candidate in ranked.candidates:
        if candidate.runs:
            found.setdefault(candidate.path.mode, candidate.rank_class)
    return found


def may_start(engine: str, facts: Facts) -> bool:
    """Whether it is an engine, or a library where the model runs inside somebody's own program."""
    layer = facts.kb.engines[engine]["layer"]
    return layer == "engine" or (layer == "library" and facts.situation["serving"] in _LIBRARY_SERVING)


def _unadvised(engine: str, facts: Facts) -> Entry | None:
    """A statement when its own project advises against serving the public with it."""
    entry = facts.kb.engines[engine]
    advised = (entry.get("production") or {}).get("advised") or {}
    if facts.situation["serving"] not in _PUBLIC or advised.get("is") != "no":
        return None
    return statement(
        f"held-{engine}",
        "decision.not-advised",
        sources_of(advised),
        strength="decisive",
        engine=entry["name"],
    )


def _open(candidate: Candidate, verdict: Verdict, role: str) -> bool:
    """Whether a candidate runs and no rule keeps its mode from a role."""
    path = candidate.path
    return candidate.runs and not verdict.held_from(path.engine, role, path.mode)


def _start(cast: Cast, runnable: dict[str, Ranked], bests: dict[str, Candidate], facts: Facts) -> None:
    if not bests:
        return
    # A rule may prefer a tight fit over a comfortable one; it may not move a model into system memory
    # when another engine keeps it in the devices.
    sound = [c for c in bests.values() if not c.unconfirmed] or list(bests.values())
    limit = max(1, min(c.rank_class for c in sound))
    nominated = [f for f in cast.verdict.nominated.get("start", []) if f.rule["engine"] in bests]
    chosen = [(f, _of_mode(runnable[f.rule["engine"]], f, cast.verdict)) for f in nominated]
    # ... nor choose what its own project calls experimental, kernels or offload, when another engine does without.
    sure = any(c.rank_class <= limit and not trial(c) for c in bests.values())
    chosen = [(f, c) for f, c in chosen if c.rank_class <= limit and not (sure and trial(c))]
    # An engine that is left with the processor beside a GPU yields to a nominated one that uses it.
    chosen = [(f, c) for f, c in chosen if not c.spare] or chosen
    if not chosen:
        cast.by_estimate = True
        best = cand.order(list(bests.values()), facts.situation["priority"])[0]
        cast.start = (best, [])
        return
    top, candidate = chosen[0]
    engine = top.rule["engine"]
    cast.start = (candidate, [f for f, _ in chosen if f.rule["engine"] == engine])
    for other in cast.verdict.tied_with:
        fired = [(f, c) for f, c in chosen if f.rule["engine"] == other != engine]
        if fired:
            cast.tied.append((fired[0][1], [f for f, _ in fired]))
    if facts.situation["priority"] == "latency" and "priority" not in facts.assumed:
        _soonest(cast)  # a declared order stands until somebody says that waiting is what matters


def _soonest(cast: Cast) -> None:
    """Of equals, the one whose first token under the load surely comes sooner while its answers are no slower."""
    assert cast.start
    for place, other in enumerate(cast.tied):
        waits, wait = (cand.interval(c, "ttft_s") for c in (cast.start[0], other[0]))
        speeds, speed = (cand.interval(c, "decode_tps") for c in (cast.start[0], other[0]))
        if not (waits and wait and speeds and speed) or other[0].rank_class > cast.start[0].rank_class:
            continue
        if wait["high"] < waits["low"] and speed["high"] >= speeds["low"]:
            cast.sooner = wait["point"], waits["point"]
            cast.start, cast.tied[place] = other, cast.start


def _of_mode(ranked: Ranked, fired: Fired, verdict: Verdict) -> Candidate:
    """The best candidate of the rule's mode that is not held back from the rule's role."""
    mode, role = fired.rule.get("mode"), fired.rule["role"]
    fitting = (c for c in ranked.candidates if mode in (None, c.path.mode) and _open(c, verdict, role))
    return next(fitting, ranked.best)


def _others(cast: Cast, runnable: dict[str, Ranked], facts: Facts) -> None:
    assert cast.start
    start = cast.start[0]
    taken = {start.path.engine, *(c.path.engine for c, _ in cast.tied)}
    nominations = [*cast.verdict.nominated.get("alternative", []), *cast.verdict.nominated.get("start", [])]
    for fired in nominations:
        engine = fired.rule["engine"]
        if engine in taken or engine not in runnable or len(cast.alternatives) >= MAX_ALTERNATIVES:
            continue
        if engine in cast.held and (fired.rule["role"] == "start" or facts.situation["serving"] in _PUBLIC):
            continue
        candidate = _of_mode(runnable[engine], fired, cast.verdict)
        if cast.verdict.held_from(engine, "alternative", candidate.path.mode) or not _worth(candidate, start):
            continue
        taken.add(engine)
        cast.alternatives.append((candidate, fired))
    compared = {start.path.engine, *(c.path.engine for c, _ in cast.tied)}
    for fired in cast.verdict.nominated.get("benchmark-against", []):
        engine = fired.rule["engine"]
        if engine in runnable and engine not in compared:
            candidate = _of_mode(runnable[engine], fired, cast.verdict)
            if candidate.rank_class <= max(1, start.rank_class):
                compared.add(engine)
                cast.benchmark.append((candidate, fired))


def _worth(candidate: Candidate, start: Candidate) -> bool:
    """Whether naming it beside the start helps anyone: no worse in kind, whatever a rule likes about it.

    Not one that leaves the devices when the start stays in them, nor one on kernels that its own
    project calls experimental when the start's are not, nor weights over the bus by an experiment.
    """
    return candidate.rank_class <= max(1, start.rank_class) and not (trial(candidate) and not trial(start))


def trial(candidate: Candidate) -> bool:
    """Kernels, a layout, or a way to leave the devices, that the engine's own project calls experimental."""
    return candidate.path.kernel in cand.SHAKY or candidate.experimental


def _above(cast: Cast, facts: Facts) -> None:
    """Orchestrators: only above a named engine, and only for several nodes, replicas, kinds of card or a fleet."""
    assert cast.start
    candidate = cast.start[0]
    several = facts.situation["nodes"] > 1 or candidate.layout.dp > 1 or facts.situation["serving"] == "fleet"
    several = several or len(facts.kinds) > 1  # unequal cards can be workers of different roles
    if not several:
        return
    named = [candidate.path.engine, *(c.path.engine for c, _ in cast.tied)]
    seen: set[str] = set()
    for fired in cast.verdict.nominated.get("orchestrate-with", []):
        id_ = fired.rule["engine"]
        entry = facts.kb.engines[id_]
        if id_ in seen or entry["status"]["is"] in ("archived", "inactive"):
            continue
        if driven(entry, named, facts):
            seen.add(id_)
            cast.orchestrators.append((id_, fired))


def driven(entry: Entry, named: list[str], facts: Facts) -> str | None:
    """The first of the named engines that an orchestrator or an app drives on this hardware."""
    for engine in named:
        for line in entry.get("over", []):
            if line["engine"] == engine and facts.check(line.get("needs"), facts.kinds).value is not False:
                return engine
    return None


def _apps(cast: Cast, facts: Facts) -> None:
    """Apps over an engine that this answer names; over any other they would be an answer of their own."""
    assert cast.start
    start = cast.start[0].path.engine
    named = {start, *(c.path.engine for c, _ in cast.tied), *(c.path.engine for c, _ in cast.alternatives)}
    seen: set[str] = set()
    for fired in cast.verdict.nominated.get("convenience", []):
        id_ = fired.rule["engine"]
        entry = facts.kb.engines[id_]
        if id_ in seen or entry["layer"] != "app" or cast.verdict.held_from(id_, "convenience"):
            continue
        if entry["status"]["is"] in ("archived", "inactive") or lacking(entry, facts):
            continue
        below = [
            o["engine"]
            for o in entry.get("over", [])
            if o["engine"] in named and facts.check(o.get("needs"), facts.kinds).value is not False
        ]
        if below and starts_here(entry, facts):
            seen.add(id_)
            cast.conveniences.append((id_, start if start in below else below[0], fired))


def lacking(entry: Entry, facts: Facts) -> list[str]:
    """Must-haves that an app or a layer surely does not have; what is external, the engine inside brings."""
    features = entry.get("features") or {}
    return [n for n in facts.situation["needs"] if (features.get(n) or {}).get("is") == "no"]


def starts_here(entry: Entry, facts: Facts) -> bool:
    """Whether an app's own conditions hold on some device of the machine."""
    ways = entry.get("runs_on")
    if not ways:
        return True
    for line in ways:
        for kind in facts.kinds:
            offered = kind.entry.get("backends")
            if (offered is None or line["backend"] in offered) and facts.check(
                line.get("needs"), (kind,)
            ).value is not False:
                return True
    return False


def of_rule(fired: Fired, **params: Any) -> Entry:
    """A rule's reason as a statement."""
    rule = fired.rule
    return statement(
        f"rule-{fired.id}", rule["reason"], sources_of(rule), strength=rule["strength"], rule=fired.id,
        opinion=rule.get("opinion"), headline=rule.get("headline"), **params,
    )  # fmt: skip
