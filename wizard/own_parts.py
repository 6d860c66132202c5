"""What was rejected of the start engine itself: its other formats, modes and layouts."""

from __future__ import annotations

from typing import Any

from .candidates import Candidate, Ranked
from .decision import statement
from .facts import Facts
from .found import Found
from .recommend import format_name
from .roles import Cast
from .rows import compared, memory_obstacle, nearest, row, sure

Plain = dict[str, Any]
MAX_FORMATS = 6  # the nearest other formats, not every type of every family
_MORE = 1.05  # times the bytes, from which on they explain a slower answer


def of_start(found: Found, ranked: dict[str, Ranked], cast: Cast, facts: Facts) -> list[Plain]:
    """Formats (those that run first), then modes, then layouts."""
    assert cast.start
    start = cast.start[0]
    mine = ranked[start.path.engine]
    formats = [*_other_formats(mine, start, facts), *_refused_formats(found, mine, start, facts)]
    return [*formats[:MAX_FORMATS], *_modes(found, mine, start, facts), *_layouts(mine, start)]


def _other_formats(mine: Ranked, start: Candidate, facts: Facts) -> list[Plain]:
    """Formats of the same mode that have candidates: behind, or too large."""
    if facts.arch is None:
        return []
    engine, rows = mine.engine, []
    seen = {start.path.family}
    for other in mine.candidates:
        family = other.path.family
        if family in seen or other.path.mode != start.path.mode:
            continue
        seen.add(family)
        id_ = f"{engine}-format-{family}"
        if other.runs:
            reasons = [_format_reason(other, start, format_name(family, other.path.type, facts), facts)]
            fix = {"format": {"family": family, "type": None}}
            rows.append(row(id_, engine, other.path.mode, "format", family, "behind", reasons=reasons, fix=fix))
        else:
            alike = [c for c in mine.candidates if (c.path.family, c.path.mode) == (family, other.path.mode)]
            stops = [memory_obstacle(nearest(alike), facts)]
            rows.append(row(id_, engine, other.path.mode, "format", family, "impossible", obstacles=stops))
    return rows


def _refused_formats(found: Found, mine: Ranked, start: Candidate, facts: Facts) -> list[Plain]:
    engine = mine.engine
    seen = {c.path.family for c in mine.candidates if c.path.mode == start.path.mode}
    rows = []
    for refusal in found.refusals:
        if refusal.engine != engine or refusal.scope != "format" or refusal.mode != start.path.mode:
            continue
        if refusal.value not in seen:
            seen.add(refusal.value)
            id_ = f"{engine}-format-{refusal.value}"
            rows.append(row(id_, engine, refusal.mode, "format", refusal.value, "impossible", obstacles=sure(refusal)))
    return rows


def _modes(found: Found, mine: Ranked, start: Candidate, facts: Facts) -> list[Plain]:
    """The engine's other modes: behind when they run, else what stops the whole mode."""
    engine, rows = mine.engine, []
    seen = {start.path.mode}
    for other in mine.candidates:
        mode = other.path.mode
        if mode not in seen and other.runs:
            seen.add(mode)
            reasons = compared(other, start, facts) or [statement("order", "decision.behind-order")]
            rows.append(row(f"{engine}-mode-{mode}", engine, mode, "engine", None, "behind", reasons=reasons))
    for refusal in found.refusals:
        if refusal.engine == engine and refusal.mode not in seen:
            seen.add(refusal.mode)
            id_ = f"{engine}-mode-{refusal.mode}"
            stops = sure(refusal)
            rows.append(row(id_, engine, refusal.mode, refusal.scope, refusal.value, "impossible", obstacles=stops))
    return rows


def _layouts(mine: Ranked, start: Candidate) -> list[Plain]:
    engine, rows = mine.engine, []
    seen: set[str] = set()
    for path, what, stops in mine.refused_layouts:
        alike = (path.family, path.type, path.mode) == (start.path.family, start.path.type, start.path.mode)
        if alike and what not in seen:
            seen.add(what)
            id_ = f"{engine}-layout-{what.lower().replace(' ', '-')}"
            rows.append(row(id_, engine, path.mode, "layout", what, "impossible", obstacles=stops))
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
    if mine and theirs and theirs["high"] < mine["low"] and bytes_ratio < _MORE:
        return statement("format", "decision.behind-slower", theirs=theirs["point"], mine=mine["point"])
    if mine and theirs and theirs["point"] < mine["point"] and bytes_ratio >= _MORE:
        return statement(
            "format",
            "decision.format-slower",
            format=name,
            ratio=bytes_ratio,
            theirs=theirs["point"],
            mine=mine["point"],
        )
    if bytes_ratio >= _MORE:  # as fast by the estimate, and more to hold
        return statement("format", "decision.format-fit-fits", format=name, ratio=bytes_ratio)
    return statement("format", "decision.format-level", format=name, ratio=bytes_ratio)
