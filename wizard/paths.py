"""Paths: every engine, back end, format and kernel that no hard constraint forbids.

Constraints only remove. A fact that is not known keeps the path, marked "not confirmed". What is
removed leaves a Refusal with the failed clauses, their values and their sources.
"""

from __future__ import annotations

from typing import Any

from . import format_paths, needs
from .facts import Facts
from .found import Found, Refusal, lines
from .memory.assumed import CPU_BACKENDS
from .obstacles import from_result, merge, obstacle, sources_of
from .shapes import Entry
from .versions import matches

RUNNABLE = ("engine", "library")


def version_of(engine: str, facts: Facts) -> str:
    """The engine's version: what the person has, or the newest stable one that is known."""
    own = (facts.situation["optional"].get("engine_versions") or {}).get(engine)
    return str(own) if own else facts.kb.engines[engine]["versions"]["stable"]


def find(facts: Facts, only: str | None = None) -> Found:
    """All paths of all engines, or of one."""
    found = Found()
    for engine in (only,) if only else facts.kb.engines:
        entry = facts.kb.engines[engine]
        if entry["layer"] in RUNNABLE:
            _engine(engine, entry, facts, found)
    return found


def _engine(engine: str, entry: Entry, facts: Facts, found: Found) -> None:
    version = version_of(engine, facts)
    status = entry["status"]
    if status["is"] in ("archived", "inactive"):
        needed = status.get("successor")
        stop = obstacle("engine.status", status["is"], "active", status, text="obstacle.status", successor=needed)
        found.refusals.append(Refusal(engine, None, "engine", None, [stop]))
        return
    modes = [m["id"] for m in entry.get("modes", [])] or [None]
    before = len(found.options)
    refused: list[Refusal] = []
    for mode in modes:
        wants = needs.wants(engine, mode, version, facts)
        architecture = needs.architecture(engine, mode, version, facts)
        backends, misses = _backends(engine, entry, version, mode, facts)
        blocked = [*wants.false, *architecture.false]
        if backends and not blocked:
            backends, lost = needs.narrow(backends, wants.later, facts)
            if backends:
                shared = [*wants.unknown, *architecture.unknown]
                refused += format_paths.find(engine, version, mode, backends, shared, facts, found)
            else:
                refused.append(Refusal(engine, mode, "feature", None, lost))
            continue
        # one look shows all that stands in the way: must-haves, model, back end, the asked format
        scope, value = ("feature" if wants.false else "model", None) if blocked else misses[:2]
        stops = [*blocked, *(misses[2] if not backends else []), *format_paths.unread(engine, version, mode, facts)]
        refused.append(Refusal(engine, mode, scope, value, merge(stops)))
    if len(found.options) == before:
        # one refusal an engine: the mode that came nearest speaks for it
        found.refusals.append(min(refused, key=lambda r: (r.scope == "backend", len(r.obstacles))))
    else:
        found.refusals += refused


# ---------------------------------------------------------------------- back ends


def _backends(
    engine: str, entry: Entry, version: str, mode: str | None, facts: Facts
) -> tuple[format_paths.Backends, tuple[str, Any, list[Entry]]]:
    """Back ends that start: {backend: {device: unconfirmed}}; else (scope, value, obstacles)."""
    usable: format_paths.Backends = {}
    misses: list[tuple[int, int, str, str, list[Entry]]] = []
    wanted = {line["backend"] for line in entry.get("runs_on", [])}
    for order, line in enumerate(lines(facts.kb, engine, "runs_on", version, mode)):
        backend = line["backend"]
        for kind in facts.kinds:
            offered = kind.entry.get("backends")
            if offered is not None and backend not in offered:
                continue
            if offered is None and backend in CPU_BACKENDS and kind.entry["kind"] == "gpu":
                continue  # an accelerator of which nothing is known is still not the processor beside it
            result = facts.check(line.get("needs"), (kind,))
            stops = from_result(result, line)
            if offered is None:
                stops.append(obstacle("candidate.backend", None, backend, line, unknown=True))
            if result.value is False:
                misses.append((len(stops), order, backend, _scope(stops), stops))
                continue
            previous = usable.setdefault(backend, {}).get(kind.device)
            if previous is None or len(stops) < len(previous):
                usable[backend][kind.device] = stops
    for by_kind in usable.values():
        for stops in by_kind.values():
            stops.sort(key=lambda stop: stop["clause"])
    if usable:
        return usable, ("", None, [])
    if not misses:
        other = _of_other_versions(entry, version, mode, facts)
        if other:
            ranges = list(dict.fromkeys(line["versions"] for line in other))
            return {}, ("backend", None, [needs.version_obstacle(engine, version, ranges, other[0], facts)])
    if misses:
        # a wrong system is the nearest miss; else the line that the project names first speaks for all
        _, _, backend, scope, stops = min(misses, key=lambda m: (m[3] != "os", m[1]))
        return {}, (scope, backend, _any_of(stops, misses))
    offered_all = sorted({b for k in facts.kinds for b in (k.entry.get("backends") or [])})
    readings = sorted({s for line in entry.get("runs_on", []) for s in sources_of(line)})
    stop = obstacle("candidate.backend", offered_all, sorted(wanted), readings, text="obstacle.backend")
    return {}, ("backend", None, [stop])


def _of_other_versions(entry: Entry, version: str, mode: str | None, facts: Facts) -> list[Entry]:
    """Lines for back ends of this hardware that only another version of the engine has."""
    offered = {b for kind in facts.kinds for b in kind.entry.get("backends") or ()}
    return [
        line
        for line in entry.get("runs_on", [])
        if line["backend"] in offered
        and line.get("mode") in (None, mode)
        and not matches(line.get("versions"), version)
        and any(facts.check(line.get("needs"), (kind,)).value is not False for kind in facts.kinds)
    ]


def _any_of(stops: list[Entry], misses: list[tuple[int, int, str, str, list[Entry]]]) -> list[Entry]:
    """The nearest line's obstacles; one that stands alone tells what every such line would accept."""
    if len(stops) != 1:
        return merge(stops)
    alone = [other[0] for _, _, _, _, other in misses if len(other) == 1 and other[0]["clause"] == stops[0]["clause"]]
    needed = [n for stop in alone for n in (stop["needed"] if isinstance(stop["needed"], list) else [stop["needed"]])]
    if len(alone) < 2 or any(str(n)[:1] in "<>" for n in needed):
        return stops
    sources = [s for stop in alone for s in stop["sources"]]
    return [{**stops[0], "needed": list(dict.fromkeys(needed)), "sources": list(dict.fromkeys(sources))}]


def _scope(stops: list[Entry]) -> str:
    paths = [stop["clause"] for stop in stops if stop["kind"] == "false"]
    if paths and all(p == "host.os" for p in paths):
        return "os"
    return "hardware"
