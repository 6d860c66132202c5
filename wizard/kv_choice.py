"""The type of the KV cache that a person fixed: which options have it, and what keeps it from the others."""

from __future__ import annotations

from dataclasses import replace

from .facts import Facts
from .found import Option
from .obstacles import from_result, obstacle
from .shapes import Entry


def with_kv(options: list[Option], facts: Facts) -> tuple[list[Option], list[Entry]]:
    """The options that have the KV type the person fixed, and what stands in the way of the others."""
    wanted = facts.situation["settings"]["kv"]
    if wanted in ("auto", "f16"):
        return options, []
    kept: list[Option] = []
    nearest: list[Entry] = []
    for option in options:
        stops = _kv_stops(option, wanted, facts)
        if all(s["kind"] == "unknown" for s in stops):
            kinds = {device: (*more, *stops) for device, more in option.kinds.items()}
            kept.append(replace(option, kinds=kinds) if stops else option)
        elif not nearest or len(stops) < len(nearest):
            nearest = stops
    return kept, nearest


def _kv_stops(option: Option, wanted: str, facts: Facts) -> list[Entry]:
    """Empty when the engine has the type on these devices; the nearest line's obstacles else."""
    table = facts.kb.engines[option.path.engine].get("kv_types", [])
    lines = [line for line in table if line.get("mode") in (None, option.path.mode)]
    extra = {"candidate.backend": option.path.backend}
    kinds = [k for k in facts.kinds if k.device in option.kinds]
    found: list[list[Entry]] = []
    for line in lines:
        if line["type"] == wanted:
            result = facts.check(line.get("needs"), kinds, extra)
            if result.value is True:
                return []
            found.append(from_result(result, line))
    if found:
        return min(found, key=lambda stops: (any(s["kind"] != "unknown" for s in stops), len(stops)))
    known = sorted({k["type"] for k in lines} | {"f16"})
    sources = lines[0]["source"] if lines else []
    return [obstacle("settings.kv", wanted, known, sources, text="obstacle.kv-type")]
