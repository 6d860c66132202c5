"""Rows of what was rejected: their shape, and what memory and numbers say between two candidates."""

from __future__ import annotations

from typing import Any

from .candidates import SHAKY, Candidate
from .decision import statement
from .facts import Facts
from .found import Refusal
from .memory import assumed, offload
from .obstacles import merge, obstacle
from .recommend import format_name
from .roles import trial
from .shapes import GIB
from .sizing import detailed

Plain = dict[str, Any]


def row(id_: str, engine: str, mode: str | None, scope: str, value: Any, group: str, **more: Any) -> Plain:
    """One rejected engine, mode, format or layout. group: behind | impossible."""
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


def compared(best: Candidate, start: Candidate, facts: Facts) -> list[Plain]:
    """What the numbers say between two candidates that both run; nothing without numbers."""
    if best.fit is None or start.fit is None:
        return []
    if best.rank_class > start.rank_class:
        return [statement("fit", f"decision.behind-fit-{best.fit['class']}", mine=start.fit["class"])]
    if trial(best) and not trial(start):
        return [_trial(best, facts)]
    quantity = {"throughput": "throughput_tps", "cost": "throughput_tps"}.get(facts.situation["priority"], "decode_tps")
    mine, theirs = ((c.estimates or {}).get(quantity) for c in (start, best))
    if not mine or not theirs:
        return []
    if theirs["high"] < mine["low"]:
        return [statement("slower", "decision.behind-slower", theirs=theirs["point"], mine=mine["point"])]
    if theirs["low"] > mine["high"]:
        return [statement("faster", "decision.behind-faster", theirs=theirs["point"], mine=mine["point"])]
    return [statement("level", "decision.behind-level", theirs=theirs["point"], mine=mine["point"])]


def _trial(best: Candidate, facts: Facts) -> Plain:
    """That its kernels are emulated or experimental, or else that its project calls the layout experimental."""
    path = best.path
    if path.kernel in SHAKY:
        names = sorted({c.entry["name"] for c in best.layout.cards})
        named = {"format": format_name(path.family, path.type, facts), "device": names}
        return statement("trial", f"decision.why-kernel-{path.kernel}", path.sources, **named)
    name = facts.kb.engines[path.engine]["name"]
    return statement("trial", "decision.caution-experimental", path.sources, engine=name)


def nearest(candidates: list[Candidate]) -> Candidate:
    """The candidate that lacks least, of those that do not fit."""
    return min(candidates, key=lambda c: ((c.fit or {}).get("shortfall_bytes", 0), c.key))


def memory_obstacle(candidate: Candidate, facts: Facts, alone: bool = True) -> Plain:
    """The shortfall of a candidate that does not fit, per device.

    alone: it alone does not fit; when nothing starts here, system memory that is too small is named.
    """
    fit = detailed(candidate, facts) or {}
    devices = fit.get("devices") or [{}]
    worst = max(devices, key=lambda d: d.get("over_bytes", 0))
    need = sum(p["bytes"] for p in worst.get("parts", []) if p["name"] != "free")
    over = worst.get("over_bytes", 0)
    ranks = candidate.layout.tp * candidate.layout.pp
    ram = None if alone else _host_bytes(candidate, facts)
    if ram is not None and over * ranks > assumed.host_room(ram):
        text = "decision.obstacle-memory-host"
    else:
        text = "decision.obstacle-memory-each" if ranks > 1 else "decision.obstacle-memory"
    return obstacle(
        "memory",
        worst.get("capacity_bytes"),
        need,
        candidate.path.sources[:1],
        text=text,
        format=format_name(candidate.path.family, candidate.path.type, facts),
        over=over,
        have=need - over,  # what engine, driver and other programs leave of the device
        need=need,
        most=fit.get("max_concurrency"),
        longest=fit.get("max_context"),
        kv=sum(p["bytes"] for p in worst.get("parts", []) if p["name"] == "kv"),
        device=worst.get("name", ""),
        n=ranks,
        ram=ram,
        usable=assumed.host_room(ram) if ram else None,
    )


def _host_bytes(candidate: Candidate, facts: Facts) -> int | None:
    """System memory that could have taken a part; None where the engine moves none, or there is but one memory."""
    cards, situation = candidate.layout.cards, facts.situation
    one = candidate.path.backend in assumed.CPU_BACKENDS or any(c.entry["memory"].get("unified") for c in cards)
    ways = offload.ways(facts.kb.engines[candidate.path.engine], candidate.path.backend, candidate.layout.tp)
    able = ways and situation["settings"]["offload"] != "no"
    return round(situation["host"]["ram_gib"] * GIB) if able and not one and candidate.layout.nodes == 1 else None


def sure(refusal: Refusal) -> list[Plain]:
    """What surely stands in the way; what is only not confirmed does not reject by itself."""
    return merge([o for o in refusal.obstacles if o["kind"] == "false"] or refusal.obstacles)
