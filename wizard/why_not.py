"""Why not: every engine, mode, format and layout that is not recommended, with what stands in the way.

Two groups: "behind" (it would run here, something preferred another) and "impossible" (a clause
fails; the clause, the person's value, the needed value and the source are given).
"""

from __future__ import annotations

from typing import Any

from . import candidates as cand
from .candidates import Candidate, Ranked
from .decision import statement
from .facts import Facts
from .found import Found, Refusal
from .obstacles import merge, obstacle
from .recommend import format_name
from .roles import Cast, of_rule, starts_here
from .shapes import Entry

Plain = dict[str, Any]
MAX_FORMATS = 6  # of the start engine: the nearest other formats, not every type of every family


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
                impossible.append(_too_big(ranked[engine], facts))
        elif engine in refusals:
            impossible.append(_refused(refusals[engine][0], facts))
    for engine, entry in facts.kb.engines.items():
        if engine not in named and entry["layer"] in ("app", "orchestrator", "host"):
            (behind if entry["status"]["is"] not in ("archived", "inactive") else impossible).append(
                _above(engine, entry, cast, ranked, facts)
            )
    impossible.sort(key=lambda r: (len(r["obstacles"]), r["engine"]))
    own = _of_start(found, ranked, cast, facts) if cast.start else []
    return behind + impossible + own


def _row(id_: str, engine: str, mode: str | None, scope: str, value: Any, group: str, **more: Any) -> Plain:
    return {
        "id": f"no-{id_}",
        "engine": engine,
        "mode": mode,
        "scope": {"kind": scope, "value": value},
        "group": group,
        "obstacles": more.get("obstacles", []),
        "reasons": more.get("reasons", []),
        "fix": more.get("fix"),
        "fix_verified": False,
    }


def _behind(best: Candidate, cast: Cast, facts: Facts) -> Plain:
    engine = best.path.engine
    reasons = []
    if engine in cast.held:
        reasons.append(cast.held[engine])
    elif cast.start:
        start, fired = cast.start
        if fired and not any(f.rule["engine"] == engine for f in cast.verdict.nominated.get("start", [])):
            reasons.append(of_rule(fired[0]))
        reasons += _compared(best, start, facts)
        if facts.kb.engines[engine]["layer"] == "library":
            reasons.insert(0, statement("library", "decision.behind-library", engine=facts.kb.engines[engine]["name"]))
    if not reasons:
        reasons.append(statement("order", "decision.behind-order"))
    return _row(engine, engine, best.path.mode, "engine", None, "behind", reasons=reasons)


def _compared(best: Candidate, start: Candidate, facts: Facts) -> list[Plain]:
    """What the numbers say between two candidates that both run; nothing without numbers."""
    if best.fit is None or start.fit is None:
        return []
    if best.rank_class > start.rank_class:
        return [statement("fit", f"decision.behind-fit-{best.fit['class']}", mine=start.fit["class"])]
    quantity = {"throughput": "throughput_tps", "cost": "throughput_tps"}.get(facts.situation["priority"], "decode_tps")
    mine, theirs = ((c.estimates or {}).get(quantity) for c in (start, best))
    if not mine or not theirs:
        return []
    if theirs["high"] < mine["low"]:
        return [statement("slower", "decision.behind-slower", theirs=theirs["point"], mine=mine["point"])]
    if theirs["low"] > mine["high"]:
        return [statement("faster", "decision.behind-faster", theirs=theirs["point"], mine=mine["point"])]
    return [statement("level", "decision.behind-level", theirs=theirs["point"], mine=mine["point"])]


def memory_obstacle(candidate: Candidate, facts: Facts) -> Plain:
    """The shortfall of a candidate that does not fit, per device."""
    fit = cand.detailed(candidate, facts) or {}
    devices = fit.get("devices") or [{}]
    worst = max(devices, key=lambda d: d.get("over_bytes", 0))
    need = sum(p["bytes"] for p in worst.get("parts", []) if p["name"] != "free")
    return obstacle(
        "memory",
        worst.get("capacity_bytes"),
        need,
        candidate.path.sources[:1],
        text="decision.obstacle-memory",
        format=format_name(candidate.path.family, candidate.path.type, facts),
        over=fit.get("shortfall_bytes", 0),
        have=worst.get("capacity_bytes", 0),
        need=need,
        kv=sum(p["bytes"] for p in worst.get("parts", []) if p["name"] == "kv"),
        device=worst.get("name", ""),
    )


def _too_big(ranked: Ranked, facts: Facts) -> Plain:
    nearest = min(ranked.candidates, key=lambda c: ((c.fit or {}).get("shortfall_bytes", 0), c.key))
    return _row(
        ranked.engine,
        ranked.engine,
        nearest.path.mode,
        "hardware",
        None,
        "impossible",
        obstacles=[memory_obstacle(nearest, facts)],
    )


def _refused(refusal: Refusal, facts: Facts) -> Plain:
    obstacles = merge([o for o in refusal.obstacles if o["kind"] == "false"] or refusal.obstacles)
    return _row(
        refusal.engine,
        refusal.engine,
        refusal.mode,
        refusal.scope,
        refusal.value,
        "impossible",
        obstacles=obstacles,
        fix=simple_fix(obstacles, facts),
    )


def simple_fix(obstacles: list[Plain], facts: Facts) -> Plain | None:
    """The change that each clause itself names; hardware is searched for by `whatif`, not here."""
    patch: Plain = {}
    for stop in obstacles:
        clause, needed = stop["clause"], stop["needed"]
        first = needed[0] if isinstance(needed, list) and needed else needed
        if clause == "host.os" and isinstance(first, str):
            patch["host.os"] = first
        elif clause == "settings.kv":
            patch["settings.kv"] = None
        elif clause == "format.family":
            patch["format"] = None
        elif clause.startswith("engine.features."):
            need = clause.removeprefix("engine.features.")
            if need not in facts.situation["needs"]:
                return None
            patch["needs"] = [n for n in facts.situation["needs"] if n != need]
        else:
            return None
    return patch or None


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
        return _row(engine, engine, None, "engine", None, "impossible", obstacles=[stop])
    held = cast.verdict.held.get(engine, {})
    if held:
        return _row(engine, engine, None, "engine", None, "behind", reasons=[of_rule(next(iter(held.values())))])
    below = [facts.kb.engines[o["engine"]]["name"] for o in entry.get("over", []) if o["engine"] in facts.kb.engines]
    if entry["layer"] == "app":
        usable = any(o["engine"] in ranked and ranked[o["engine"]].best.runs for o in entry.get("over", []))
        if not usable or not starts_here(entry, facts):
            text = "decision.app-nothing-below" if not usable else "decision.app-not-here"
            return _row(engine, engine, None, "engine", None, "behind", reasons=[statement("app", text, below=below)])
        return _row(
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
    return _row(engine, engine, None, "engine", None, "behind", reasons=[statement("above", text, below=below)])


# ---------------------------------------------------------------------- the start engine's own


def _of_start(found: Found, ranked: dict[str, Ranked], cast: Cast, facts: Facts) -> list[Plain]:
    assert cast.start
    start = cast.start[0]
    engine = start.path.engine
    rows: list[Plain] = []
    seen: set[Any] = {start.path.family}
    if facts.arch is not None:
        for other in ranked[engine].candidates:
            family = other.path.family
            if family in seen or other.path.mode != start.path.mode:
                continue
            seen.add(family)
            name = format_name(family, other.path.type, facts)
            if other.runs:
                reasons = [_format_reason(other, start, name, facts)]
                rows.append(
                    _row(
                        f"{engine}-format-{family}",
                        engine,
                        other.path.mode,
                        "format",
                        family,
                        "behind",
                        reasons=reasons,
                        fix={"format": {"family": family, "type": None}},
                    )
                )
            else:
                rows.append(
                    _row(
                        f"{engine}-format-{family}",
                        engine,
                        other.path.mode,
                        "format",
                        family,
                        "impossible",
                        obstacles=[memory_obstacle(other, facts)],
                    )
                )
    for refusal in found.refusals:
        if refusal.engine != engine:
            continue
        if refusal.scope == "format" and refusal.value not in seen and refusal.mode == start.path.mode:
            seen.add(refusal.value)
            rows.append(
                _row(
                    f"{engine}-format-{refusal.value}",
                    engine,
                    refusal.mode,
                    "format",
                    refusal.value,
                    "impossible",
                    obstacles=refusal.obstacles,
                )
            )
        elif refusal.mode != start.path.mode:
            rows.append(
                _row(
                    f"{engine}-mode-{refusal.mode}",
                    engine,
                    refusal.mode,
                    refusal.scope,
                    refusal.value,
                    "impossible",
                    obstacles=refusal.obstacles,
                )
            )
    rows = rows[:MAX_FORMATS]
    layouts: set[str] = set()
    for path, what, stops in ranked[engine].refused_layouts:
        if (
            path.family == start.path.family
            and path.type == start.path.type
            and path.mode == start.path.mode
            and what not in layouts
        ):
            layouts.add(what)
            slug = what.lower().replace(" ", "-")
            rows.append(
                _row(
                    f"{engine}-layout-{slug}",
                    engine,
                    path.mode,
                    "layout",
                    what,
                    "impossible",
                    obstacles=stops,
                )
            )
    return rows


def _format_reason(other: Candidate, start: Candidate, name: str, facts: Facts) -> Plain:
    mine, theirs = ((c.estimates or {}).get("decode_tps") for c in (start, other))
    bytes_ratio = other.fit["weights_bytes"] / max(1, start.fit["weights_bytes"])
    if other.rank_class > start.rank_class:
        if other.lossy and other.real_class <= start.real_class:
            return statement("format", "decision.format-lossy", format=name)
        return statement("format", f"decision.format-fit-{other.fit['class']}", format=name, ratio=bytes_ratio)
    if other.path.checkpoint["status"] != start.path.checkpoint["status"]:
        return statement("format", "decision.format-no-checkpoint", format=name)
    if mine and theirs and theirs["point"] < mine["point"] and round(bytes_ratio, 1) != 1:
        return statement(
            "format",
            "decision.format-slower",
            format=name,
            ratio=bytes_ratio,
            theirs=theirs["point"],
            mine=mine["point"],
        )
    return statement("format", "decision.format-level", format=name, ratio=bytes_ratio)
