"""Why not: every engine, mode, format and layout that is not recommended, with what stands in the way.

Two groups: "behind" (it would run here, something preferred another) and "impossible" (a clause
fails, and the clause, the person's value, the needed value and the source are given; or nothing starts below an app).
"""

from __future__ import annotations

from typing import Any

from . import candidates as cand
from .candidates import Candidate, Ranked
from .decision import Settled, statement
from .facts import Facts
from .found import Found, Refusal
from .obstacles import obstacle
from .own_parts import of_start
from .roles import Cast, lacking, of_rule, starts_here
from .rows import compared, memory_obstacle, nearest, row, sure
from .shapes import Entry

Plain = dict[str, Any]


def rejections(found: Found, ranked: dict[str, Ranked], cast: Cast, named: set[str], facts: Facts) -> list[Plain]:
    """All rejected engines, then what was rejected of the start engine."""
    behind: list[Plain] = []
    impossible: list[Plain] = []
    refusals: dict[str, list[Refusal]] = {}
    for refusal in found.refusals:
        refusals.setdefault(refusal.engine, []).append(refusal)
    running = cand.order([r.best for r in ranked.values() if r.best.runs], facts.situation["priority"])
    for best in running:
        engine = best.path.engine
        if engine not in named:
            behind.append(_behind(best, cast, facts))
    for engine, entry in facts.kb.engines.items():
        if engine in named or entry["layer"] not in ("engine", "library"):
            continue
        if engine in ranked:
            if not ranked[engine].best.runs:
                impossible.append(_too_big(ranked[engine], cast, facts))
        elif engine in refusals:
            impossible.append(_refused(refusals[engine][0], facts))
    for engine, entry in facts.kb.engines.items():
        if engine not in named and entry["layer"] in ("app", "orchestrator", "host"):
            one = _above(engine, entry, cast, ranked, facts)
            (behind if one["group"] == "behind" else impossible).append(one)
    # nearest first; what only lacks an engine below it comes last
    impossible.sort(key=lambda r: (len(r["obstacles"]) or len(facts.kb.engines), r["engine"]))
    own = of_start(found, ranked, cast, facts) if cast.start else []
    return behind + impossible + own


def _behind(best: Candidate, cast: Cast, facts: Facts) -> Plain:
    engine = best.path.engine
    reasons = []
    if engine in cast.held:
        reasons.append(cast.held[engine])
    elif cast.start:
        start, fired = cast.start
        if fired and not any(f.rule["engine"] == engine for f in cast.verdict.nominated.get("start", [])):
            reasons.append(of_rule(fired[0]))
        reasons += compared(best, start, facts)
        if facts.kb.engines[engine]["layer"] == "library":
            reasons.insert(0, statement("library", "decision.behind-library", engine=facts.kb.engines[engine]["name"]))
    if not reasons:
        reasons.append(statement("order", "decision.behind-order"))
    return row(engine, engine, best.path.mode, "engine", None, "behind", reasons=reasons)


def _too_big(ranked: Ranked, cast: Cast, facts: Facts) -> Plain:
    near = nearest(ranked.candidates)
    return row(
        ranked.engine,
        ranked.engine,
        near.path.mode,
        "hardware",
        None,
        "impossible",
        obstacles=[memory_obstacle(near, facts, alone=cast.start is not None)],
    )


def _refused(refusal: Refusal, facts: Facts) -> Plain:
    if not refusal.row:
        refusal.row.append(Settled(_of_refusal(refusal, facts)))
    return refusal.row[0]


def _of_refusal(refusal: Refusal, facts: Facts) -> Plain:
    obstacles = sure(refusal)
    if refusal.scope == "layout":
        fix: Plain | None = {"settings.layout": None}
    elif refusal.scope == "feature" and refusal.value:
        fix = {"settings.kv": None}
    else:
        fix = simple_fix(obstacles, facts)
    return row(
        refusal.engine,
        refusal.engine,
        refusal.mode,
        refusal.scope,
        refusal.value,
        "impossible",
        obstacles=obstacles,
        fix=fix,
    )


def simple_fix(obstacles: list[Plain], facts: Facts) -> Plain | None:
    """The change that each clause itself names; hardware is searched for by `whatif`, not here."""
    patch: Plain = {}
    for stop in obstacles:
        clause, needed = stop["clause"], stop["needed"]
        first = needed[0] if isinstance(needed, list) and needed else needed
        if clause == "host.os" and isinstance(first, str):
            runs = [o for o in (needed if isinstance(needed, list) else [needed]) if _runs(o, facts)]
            if not runs:
                return None
            patch["host.os"] = runs[0]
        elif clause == "settings.kv":
            patch["settings.kv"] = None
        elif clause in ("format.family", "format.type") and isinstance(facts.situation["format"], dict):
            patch["format"] = None
        elif clause == "engine.version" and stop["params"].get("engine"):
            patch[f"optional.engine_versions.{stop['params']['engine']}"] = None
        elif clause.startswith("engine.features."):
            need = clause.removeprefix("engine.features.")
            if need not in facts.situation["needs"]:
                return None
            patch["needs"] = [n for n in facts.situation["needs"] if n != need]
        else:
            return None
    return patch or None


def _runs(system: str, facts: Facts) -> bool:
    """Whether the hardware runs a system."""
    return all(system in kind.entry.get("os", (system,)) for kind in facts.kinds)


def _lacks(need: str, entry: Entry) -> Plain:
    fact = entry["features"][need]
    return obstacle(
        f"engine.features.{need}", fact["is"], "yes", fact, text="obstacle.feature", feature=need, mode=None
    )


def _above(engine: str, entry: Entry, cast: Cast, ranked: dict[str, Ranked], facts: Facts) -> Plain:
    status = entry["status"]
    if status["is"] in ("archived", "inactive"):
        stop = obstacle(
            "engine.status",
            status["is"],
            "active",
            status,
            text="obstacle.status",
            successor=status.get("successor"),
        )
        return row(engine, engine, None, "engine", None, "impossible", obstacles=[stop])
    held = cast.verdict.held.get(engine)
    if held:
        return row(engine, engine, None, "engine", None, "behind", reasons=[of_rule(held[0])])
    missing = lacking(entry, facts)
    if missing:
        stops = [_lacks(need, entry) for need in missing]
        return row(engine, engine, None, "feature", None, "impossible", obstacles=stops, fix=simple_fix(stops, facts))
    below = [facts.kb.engines[o["engine"]]["name"] for o in entry.get("over", []) if o["engine"] in facts.kb.engines]
    usable = any(o["engine"] in ranked and ranked[o["engine"]].best.runs for o in entry.get("over", []))
    if entry["layer"] == "app":
        if not usable or not starts_here(entry, facts):
            text = "decision.app-nothing-below" if not usable else "decision.app-not-here"
            return row(
                engine, engine, None, "engine", None, "impossible", reasons=[statement("app", text, below=below)]
            )
        return row(
            engine,
            engine,
            None,
            "engine",
            None,
            "behind",
            reasons=[statement("app", "decision.app-behind", below=below)],
        )
    several = facts.situation["nodes"] > 1 or facts.situation["serving"] == "fleet"
    text = "decision.orchestrator-other" if several else "decision.orchestrator-not-needed"
    group = "behind" if usable or not entry.get("over") else "impossible"  # nothing to stand above is no choice
    return row(engine, engine, None, "engine", None, group, reasons=[statement("above", text, below=below)])
