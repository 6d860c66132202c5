"""Paths: every engine, back end, format and kernel that no hard constraint forbids.

Constraints only remove. A fact that is not known keeps the path, marked "not confirmed". What is
removed leaves a Refusal with the failed clauses, their values and their sources.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .facts import Facts, Kind
from .obstacles import from_result, merge, obstacle, sources_of
from .shapes import Entry, Path
from .versions import matches
from .vocabulary import KERNELS

# A need that the model's own kind of work implies.
_TASK_NEEDS = {"embeddings": "embeddings", "rerank": "rerank", "speech-to-text": "speech-to-text"}
_RUNNABLE = ("engine", "library")


@dataclass(frozen=True)
class Option:
    """A path and the kinds of device it holds for, with what is not confirmed for each."""

    path: Path
    kinds: dict[str, tuple[Any, ...]] = field(hash=False)

    def on(self, devices: Iterable[str]) -> bool:
        """Whether the path holds for every one of these devices."""
        return all(d in self.kinds for d in devices)


@dataclass(frozen=True)
class Refusal:
    """Something that cannot run here and why."""

    engine: str
    mode: str | None
    scope: str
    value: Any
    obstacles: list[Entry] = field(hash=False)


@dataclass
class Found:
    """All that can start, all that cannot."""

    options: list[Option] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


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


def lines(entry: Entry, field_: str, version: str, mode: str | None) -> list[Entry]:
    """The lines of a table that hold for this version and mode."""
    return [
        line
        for line in entry.get(field_, [])
        if matches(line.get("versions"), version) and line.get("mode") in (None, mode)
    ]


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
        backends, misses = _backends(entry, version, mode, facts)
        if not backends:
            refused.append(Refusal(engine, mode, *misses))
            continue
        _formats(engine, entry, version, mode, backends, shared, facts, found, refused)
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
    entry: Entry, version: str, mode: str | None, facts: Facts
) -> tuple[dict[str, dict[str, list[Entry]]], tuple[str, Any, list[Entry]]]:
    """Back ends that start: {backend: {device: unconfirmed}}; else (scope, value, obstacles)."""
    usable: dict[str, dict[str, list[Entry]]] = {}
    misses: list[tuple[int, int, str, str, list[Entry]]] = []
    wanted = {line["backend"] for line in entry.get("runs_on", [])}
    for order, line in enumerate(lines(entry, "runs_on", version, mode)):
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
        _, _, backend, scope, stops = min(misses, key=lambda m: m[:2])
        return {}, (scope, backend, merge(stops))
    offered_all = sorted({b for k in facts.kinds for b in (k.entry.get("backends") or [])})
    readings = sorted({s for line in entry.get("runs_on", []) for s in sources_of(line)})
    stop = obstacle("candidate.backend", offered_all, sorted(wanted), readings, text="obstacle.backend")
    return {}, ("backend", None, [stop])


def _scope(stops: list[Entry]) -> str:
    paths = [stop["clause"] for stop in stops if stop["kind"] == "false"]
    if paths and all(p == "host.os" for p in paths):
        return "os"
    return "hardware"


# ---------------------------------------------------------------------- formats


def _formats(
    engine: str,
    entry: Entry,
    version: str,
    mode: str | None,
    backends: dict[str, dict[str, list[Entry]]],
    shared: list[Entry],
    facts: Facts,
    found: Found,
    refused: list[Refusal],
) -> None:
    wanted = facts.situation["format"] if isinstance(facts.situation["format"], dict) else None
    table = lines(entry, "formats", version, mode)
    families: list[str] = []
    for line in table:
        if line["format"] not in families:
            families.append(line["format"])
    if wanted and wanted["family"] not in families:
        stop = obstacle("format.family", wanted["family"], families, _table_sources(table), text="obstacle.format-none")
        refused.append(Refusal(engine, mode, "format", wanted["family"], [stop]))
        return
    for family in families:
        if wanted and family != wanted["family"]:
            continue
        misses: list[Entry] = []
        any_found = False
        for type_ in facts.kb.formats[family]["types"]:
            if wanted and wanted.get("type") and type_["id"] != wanted["type"]:
                continue
            extra = {"format.family": family, "format.type": type_["id"], "format.bits": type_["bits"]}
            for backend, by_kind in backends.items():
                hits: dict[str, tuple[str, list[Entry], Entry]] = {}
                for kind in facts.kinds:
                    if kind.device not in by_kind:
                        continue
                    hit = _format_line(table, family, type_["id"], backend, kind, facts, extra, misses)
                    if hit:
                        kernel, stops, line = hit
                        hits[kind.device] = (kernel, [*by_kind[kind.device], *stops], line)
                if hits:
                    any_found = True
                    place = families.index(family)
                    _add(engine, mode, backend, family, type_, version, hits, shared, place, facts, found)
        if not any_found:
            stops = merge(misses) or [_not_on_backend(table, family, wanted, backends)]
            refused.append(Refusal(engine, mode, "format", family, stops))


def _not_on_backend(table: list[Entry], family: str, wanted: Entry | None, backends: Iterable[str]) -> Entry:
    """The obstacle of a format that the engine has, but on other back ends, or not as the asked type."""
    rows = [line for line in table if line["format"] == family]
    have = sorted(
        {b for line in rows for b in ([line["backend"]] if isinstance(line["backend"], str) else line["backend"])}
    )
    if not set(have) & set(backends):
        return obstacle(
            "candidate.backend",
            sorted(backends),
            have,
            _table_sources(rows),
            text="decision.format-backend",
            format=family,
        )
    types = sorted({t for line in rows for t in line.get("types", [])})
    return obstacle("format.type", (wanted or {}).get("type"), types, _table_sources(rows), text="decision.format-type")


def _table_sources(table: list[Entry]) -> list[str]:
    return sorted({s for line in table for s in sources_of(line)})[:3]


def _format_line(
    table: list[Entry],
    family: str,
    type_: str,
    backend: str,
    kind: Kind,
    facts: Facts,
    extra: Entry,
    misses: list[Entry],
) -> tuple[str, list[Entry], Entry] | None:
    """The first line that holds; a line that may hold serves only if no later one surely does."""
    maybe = None
    for line in table:
        if line["format"] != family:
            continue
        backend_ = line["backend"]
        if backend != backend_ and backend not in (backend_ if isinstance(backend_, list) else ()):
            continue
        if "types" in line and type_ not in line["types"]:
            continue
        result = facts.check(line.get("needs"), (kind,), extra)
        if result.value is True:
            return line["kernel"], [], line
        stops = from_result(result, line)
        if result.value is None:
            maybe = maybe or (line["kernel"], stops, line)
        else:
            misses += stops
    return maybe


def _add(
    engine: str,
    mode: str | None,
    backend: str,
    family: str,
    type_: Entry,
    version: str,
    hits: dict[str, tuple[str, list[Entry], Entry]],
    shared: list[Entry],
    place: int,
    facts: Facts,
    found: Found,
) -> None:
    kernel = max((hit[0] for hit in hits.values()), key=KERNELS.index)
    checkpoint = checkpoint_of(engine, family, type_["id"], facts)
    path = Path(
        engine=engine,
        mode=mode,
        backend=backend,
        family=family,
        type=type_["id"],
        kernel=kernel,
        checkpoint=checkpoint,
        version=version,
        via=next((h[2]["via"] for h in hits.values() if h[2].get("via")), None),
        sources=tuple(sorted({s for h in hits.values() for s in sources_of(h[2])})),
        place=place,
    )
    kinds = {device: tuple(merge([*shared, *stops])) for device, (_, stops, _) in hits.items()}
    found.options.append(Option(path, kinds))


def checkpoint_of(engine: str, family: str, type_: str, facts: Facts) -> Entry:
    """The published weights of this format, or how far away they are: published | convert | unknown."""
    arch = facts.arch
    if arch is None:
        return {"status": "unknown", "repository": None, "bytes": None, "sources": []}
    matching = [p for p in arch.get("checkpoints", []) if p["format"] == family and p["type"] == type_]
    if matching:
        best = max(matching, key=lambda p: (bool(p.get("official")), bool(p.get("bytes")), p["repository"]))
        return {
            "status": "published",
            "repository": best["repository"],
            "file": best.get("file"),
            "revision": best.get("revision"),
            "bytes": best.get("bytes"),
            "official": bool(best.get("official")),
            "sources": sources_of(best),
        }
    launch = facts.kb.engines[engine].get("launch") or {}
    ways = [c for c in launch.get("convert", []) if c["format"] == family]
    if (ways or facts.kb.formats[family].get("convert")) and "id" in (facts.situation["model"] or {}):
        return {
            "status": "convert",
            "repository": None,
            "base": arch.get("repository"),
            "bytes": None,
            "sources": [],
        }
    return {
        "status": "unknown",
        "repository": None,
        "base": arch.get("repository"),
        "bytes": None,
        "sources": [],
    }
