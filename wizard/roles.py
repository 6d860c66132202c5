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


def assign(ranked: dict[str, Ranked], facts: Facts) -> Cast:
    """Give each role to an engine."""
    cast = Cast()
    runnable = {e: r for e, r in ranked.items() if r.best.runs}
    classes = {e: r.best.rank_class for e, r in runnable.items()}
    modes = {e: {c.path.mode for c in r.candidates if c.runs} for e, r in runnable.items()}
    verdict = judge(facts, classes, modes)
    cast.verdict = verdict
    _hold(cast, runnable, facts)
    eligible = {e for e in runnable if e not in cast.held and _may_start(e, facts)}
    _start(cast, runnable, eligible, classes, facts)
    if cast.start:
        _others(cast, runnable, facts)
        _above(cast, facts)
        _apps(cast, facts)
    return cast


def _may_start(engine: str, facts: Facts) -> bool:
    layer = facts.kb.engines[engine]["layer"]
    return layer == "engine" or (layer == "library" and facts.situation["serving"] in _LIBRARY_SERVING)


def _hold(cast: Cast, runnable: dict[str, Ranked], facts: Facts) -> None:
    """Engines barred from the start: by a rule, or because their own project says so for the public."""
    for engine in runnable:
        entry = facts.kb.engines[engine]
        fired = cast.verdict.held.get(engine, {}).get("start")
        if fired:
            cast.held[engine] = of_rule(fired)
            continue
        advised = (entry.get("production") or {}).get("advised") or {}
        if facts.situation["serving"] in _PUBLIC and advised.get("is") == "no":
            cast.held[engine] = statement(
                f"held-{engine}",
                "decision.not-advised",
                sources_of(advised),
                strength="decisive",
                engine=entry["name"],
            )


def _start(cast: Cast, runnable: dict[str, Ranked], eligible: set[str], classes: dict[str, int], facts: Facts) -> None:
    nominated = [f for f in cast.verdict.nominated.get("start", []) if f.rule["engine"] in eligible]
    best_class = min((classes[e] for e in eligible), default=None)
    if best_class is None:
        return
    # A rule may prefer a tight fit over a comfortable one; it may not move a model into system memory
    # when another engine keeps it in the devices.
    limit = max(best_class, 1)
    nominated = [f for f in nominated if classes[f.rule["engine"]] <= limit]
    if not nominated:
        cast.by_estimate = True
        best = cand.order([runnable[e].best for e in eligible], facts.situation["priority"])[0]
        cast.start = (best, [])
        return
    top = nominated[0]
    engine = top.rule["engine"]
    cast.start = (_of_mode(runnable[engine], top), [f for f in nominated if f.rule["engine"] == engine])
    for other in cast.verdict.tied_with:
        if other in eligible and other != engine:
            fired = [f for f in nominated if f.rule["engine"] == other]
            if fired:
                cast.tied.append((_of_mode(runnable[other], fired[0]), fired))


def _of_mode(ranked: Ranked, fired: Fired) -> Candidate:
    mode = fired.rule.get("mode")
    return next((c for c in ranked.candidates if c.runs and mode in (None, c.path.mode)), ranked.best)


def _others(cast: Cast, runnable: dict[str, Ranked], facts: Facts) -> None:
    assert cast.start
    taken = {cast.start[0].path.engine, *(c.path.engine for c, _ in cast.tied)}
    held = cast.verdict.held
    nominations = [*cast.verdict.nominated.get("alternative", []), *cast.verdict.nominated.get("start", [])]
    for fired in nominations:
        engine = fired.rule["engine"]
        if engine in taken or engine not in runnable or len(cast.alternatives) >= MAX_ALTERNATIVES:
            continue
        if "alternative" in held.get(engine, {}) or (engine in cast.held and fired.rule["role"] == "start"):
            continue
        if engine in cast.held and facts.situation["serving"] in _PUBLIC:
            continue
        taken.add(engine)
        cast.alternatives.append((_of_mode(runnable[engine], fired), fired))
    compared = {cast.start[0].path.engine}
    for fired in cast.verdict.nominated.get("benchmark-against", []):
        engine = fired.rule["engine"]
        if engine in runnable and engine not in compared:
            compared.add(engine)
            cast.benchmark.append((_of_mode(runnable[engine], fired), fired))


def _above(cast: Cast, facts: Facts) -> None:
    """Orchestrators: only above a named engine, and only for several nodes, replicas or a fleet."""
    assert cast.start
    candidate = cast.start[0]
    several = facts.situation["nodes"] > 1 or candidate.layout.dp > 1 or facts.situation["serving"] == "fleet"
    if not several:
        return
    named = {candidate.path.engine, *(c.path.engine for c, _ in cast.tied)}
    seen: set[str] = set()
    for fired in cast.verdict.nominated.get("orchestrate-with", []):
        id_ = fired.rule["engine"]
        entry = facts.kb.engines[id_]
        if id_ in seen or entry["status"]["is"] in ("archived", "inactive"):
            continue
        if any(
            o["engine"] in named and facts.check(o.get("needs"), facts.kinds).value is not False
            for o in entry.get("over", [])
        ):
            seen.add(id_)
            cast.orchestrators.append((id_, fired))


def _apps(cast: Cast, facts: Facts) -> None:
    """Apps over an engine that this answer names; over any other they would be an answer of their own."""
    assert cast.start
    start = cast.start[0].path.engine
    named = {start, *(c.path.engine for c, _ in cast.tied), *(c.path.engine for c, _ in cast.alternatives)}
    seen: set[str] = set()
    for fired in cast.verdict.nominated.get("convenience", []):
        id_ = fired.rule["engine"]
        entry = facts.kb.engines[id_]
        if id_ in seen or entry["layer"] != "app" or "convenience" in cast.verdict.held.get(id_, {}):
            continue
        below = [
            o["engine"]
            for o in entry.get("over", [])
            if o["engine"] in named and facts.check(o.get("needs"), facts.kinds).value is not False
        ]
        if below and starts_here(entry, facts):
            seen.add(id_)
            cast.conveniences.append((id_, start if start in below else below[0], fired))


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
