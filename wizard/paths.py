"""Paths: every engine, back end, format and kernel that no hard constraint forbids.

Constraints only remove. A fact that is not known keeps the path, marked "not confirmed". What is
removed leaves a Refusal with the failed clauses, their values and their sources.
"""

from __future__ import annotations

from typing import Any

from . import format_paths
from .facts import Facts
from .found import Found, Refusal, lines
from .obstacles import from_result, merge, obstacle, sources_of
from .shapes import Entry
from .versions import matches

# A need that the model's own kind of work implies.
_TASK_NEEDS = {"embeddings": "embeddings", "rerank": "rerank", "speech-to-text": "speech-to-text"}
_RUNNABLE = ("engine", "library")


def version_of(engine: str, facts: Facts) -> str:
    """The engine's version: what the person has, or the newest stable one that is known."""
    own = (facts.situation["optional"].get("engine_versions") or {}).get(engine)
    return str(own) if own else facts.kb.engines[engine]["versions"]["stable"]


def find(facts: Facts) -> Found:
    """All paths of all engines."""
    found = Found()
    for engine, entry in facts.kb.engines.items():
        if entry["layer"] in _RUNNABLE:
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
        shared, blocked = _needs(engine, entry, mode, version, facts)
        if blocked:
            refused.append(Refusal(engine, mode, blocked[0].pop("scope"), None, merge(blocked)))
            continue
        backends, misses = _backends(engine, entry, version, mode, facts)
        if not backends:
            refused.append(Refusal(engine, mode, *misses))
            continue
        refused += format_paths.find(engine, version, mode, backends, shared, facts, found)
    if len(found.options) == before:
        # one refusal an engine: the mode that came nearest speaks for it
        found.refusals.append(min(refused, key=lambda r: (r.scope == "backend", len(r.obstacles))))
    else:
        found.refusals += refused


# ---------------------------------------------------------------------- needs, models


def _needs(engine: str, entry: Entry, mode: str | None, version: str, facts: Facts) -> tuple[list[Entry], list[Entry]]:
    """Obstacles from must-haves and the model's architecture: (unknown ones, false ones)."""
    unknown: list[Entry] = []
    false: list[Entry] = []
    wanted = list(facts.situation["needs"])
    tasks = facts.arch["tasks"] if facts.arch else []
    if tasks and "chat" not in tasks and "completion" not in tasks:
        wanted += [need for task, need in _TASK_NEEDS.items() if task in tasks and need not in wanted]
    for need in wanted:
        fact = (entry.get("features") or {}).get(need)
        if fact is None or fact["is"] == "unknown":
            unknown.append(
                obstacle(
                    f"engine.features.{need}",
                    "unknown",
                    "yes",
                    fact or [],
                    unknown=True,
                    text="obstacle.feature-unknown",
                    feature=need,
                )
            )
            continue
        wrong_mode = fact.get("mode") not in (None, mode)
        if fact["is"] in ("no", "external") or wrong_mode or not matches(fact.get("versions"), version):
            text = "obstacle.feature-mode" if wrong_mode else "obstacle.feature"
            stop = obstacle(
                f"engine.features.{need}",
                fact["is"],
                "yes",
                fact,
                text=text,
                feature=need,
                mode=fact.get("mode"),
            )
            false.append({**stop, "scope": "feature"})
            continue
        result = facts.check(fact.get("needs"), facts.kinds)
        if result.value is not True:
            stops = from_result(result, fact)
            if result.value is None:
                unknown += stops
            else:
                false += [{**stop, "scope": "feature"} for stop in stops]
    architecture = facts.arch.get("architecture") if facts.arch else None
    models = entry.get("models")
    if architecture and models:
        for line in models.get("unsupported", []):
            if (
                line["architecture"] == architecture
                and line.get("mode") in (None, mode)
                and matches(line.get("versions"), version)
            ):
                stop = obstacle(
                    "model.architecture",
                    architecture,
                    "supported",
                    line,
                    text="obstacle.architecture",
                    model=facts.arch["name"],
                )
                false.append({**stop, "scope": "model"})
                return unknown, false
        if models.get("needs_architecture", True) and architecture not in models.get("supported", []):
            complete = models["complete"]
            stop = obstacle(
                "model.architecture",
                architecture,
                "supported",
                models,
                unknown=not complete,
                text="obstacle.architecture" if complete else "obstacle.architecture-unknown",
                model=facts.arch["name"],
            )
            if complete:
                false.append({**stop, "scope": "model"})
            else:
                unknown.append(stop)
    elif architecture:
        unknown.append(
            obstacle(
                "model.architecture",
                architecture,
                "supported",
                [],
                unknown=True,
                text="obstacle.architecture-unknown",
                model=facts.arch["name"],
            )
        )
    for stop in false:
        stop.setdefault("scope", "feature")
    return unknown, false


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
    if misses:
        # a wrong system is the nearest miss; else the line that the project names first speaks for all
        _, _, backend, scope, stops = min(misses, key=lambda m: (m[3] != "os", m[1]))
        return {}, (scope, backend, _any_of(stops, misses))
    offered_all = sorted({b for k in facts.kinds for b in (k.entry.get("backends") or [])})
    readings = sorted({s for line in entry.get("runs_on", []) for s in sources_of(line)})
    stop = obstacle("candidate.backend", offered_all, sorted(wanted), readings, text="obstacle.backend")
    return {}, ("backend", None, [stop])


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
