"""Formats of an engine on this hardware: which weights it reads, with which kind of kernel, from where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .facts import Facts, Kind
from .found import Found, Option, Refusal, lines
from .kb import KB
from .models import published, stored_as
from .obstacles import from_result, merge, obstacle, sources_of
from .shapes import Entry, Path
from .vocabulary import KERNELS

Backends = dict[str, dict[str, list[Entry]]]  # back end -> device -> what is not confirmed
Hit = tuple[str, list[Entry], Entry]  # kernel, what is not confirmed, the line


class _Table:
    """The format table of an engine, version and mode, looked up by family and back end."""

    def __init__(self, rows: list[Entry]) -> None:
        self.rows = rows
        self.families = list(dict.fromkeys(row["format"] for row in rows))
        # families the project moves away from: for people who have such weights, not to be advised
        self.fading = set(self.families) - {row["format"] for row in rows if not row.get("deprecated")}
        self.by: dict[tuple[str, str], list[Entry]] = {}
        for row in rows:
            for backend in backends_of(row):
                self.by.setdefault((row["format"], backend), []).append(row)


def backends_of(line: Entry) -> list[str]:
    """The back ends of a line, which may name one or several."""
    return [line["backend"]] if isinstance(line["backend"], str) else line["backend"]


def _table(kb: KB, engine: str, version: str, mode: str | None) -> _Table:
    key = ("format-table", engine, version, mode)
    found = kb.kept.get(key)
    if found is None:
        found = kb.kept[key] = _Table(lines(kb, engine, "formats", version, mode))
    return found


def find(
    engine: str, version: str, mode: str | None, backends: Backends, shared: list[Entry], facts: Facts, found: Found
) -> list[Refusal]:
    """Add an option for each format that starts; return what was refused.

    shared: facts of the engine that are not confirmed, whatever the format.
    """
    refused: list[Refusal] = []
    wanted = facts.situation["format"] if isinstance(facts.situation["format"], dict) else None
    table = _table(facts.kb, engine, version, mode)
    families = table.families
    if wanted and wanted["family"] not in families and not _carried(wanted, families, facts.kb):
        return [Refusal(engine, mode, "format", wanted["family"], unread(engine, version, mode, facts))]
    modes = [m["id"] for m in facts.kb.engines[engine].get("modes", [])] or [None]
    for position, family in enumerate(families):
        only = _types_asked(family, wanted, facts.kb) if wanted else None
        if only == () if wanted else family in table.fading:
            continue
        place = position * len(modes) + modes.index(mode)
        misses: list[Entry] = []
        any_found = False
        for type_ in facts.kb.formats[family]["types"]:
            if only and type_["id"] not in only:
                continue
            for backend, by_kind in backends.items():
                rows = table.by.get((family, backend))
                hits = _hits(rows, type_, family, by_kind, facts, misses) if rows else {}
                if hits:
                    any_found = True
                    found.options.append(
                        _option(engine, mode, backend, family, type_, version, hits, shared, place, facts)
                    )
        if not any_found:
            stops = merge(misses) or [_not_on_backend(table, family, wanted, backends, facts.kb)]
            refused.append(Refusal(engine, mode, "format", family, stops))
    return refused


def _types_asked(family: str, wanted: Entry, kb: KB) -> tuple[str, ...] | None:
    """Types of a family that answer to the asked format; None for all of them, empty for none."""
    if family == wanted["family"]:
        return (wanted["type"],) if wanted.get("type") else None
    return tuple(line["type"] for line in _carried(wanted, [family], kb))


def _carried(wanted: Entry, families: list[str], kb: KB) -> list[Entry]:
    """Where else the asked numbers are stored as they are: MXFP4 also means GGUF files of that type."""
    return [line for line in kb.formats[wanted["family"]].get("carried_by", []) if line["format"] in families]


def unread(engine: str, version: str, mode: str | None, facts: Facts) -> list[Entry]:
    """The obstacle of an asked format that the engine reads nowhere; empty when it reads it, or none was asked."""
    wanted = facts.situation["format"]
    table = _table(facts.kb, engine, version, mode)
    if not isinstance(wanted, dict) or wanted["family"] in table.families:
        return []
    if _carried(wanted, table.families, facts.kb):
        return []
    sources = _some_sources(table.rows)
    return [obstacle("format.family", wanted["family"], table.families, sources, text="obstacle.format-none")]


def _hits(
    rows: list[Entry], type_: Entry, family: str, by_kind: dict[str, list[Entry]], facts: Facts, misses: list[Entry]
) -> dict[str, Hit]:
    extra = {"format.family": family, "format.type": type_["id"], "format.bits": type_["bits"]}
    hits: dict[str, Hit] = {}
    for kind in facts.kinds:
        if kind.device in by_kind:
            hit = _line(rows, type_["id"], kind, facts, extra, misses)
            if hit:
                kernel, stops, line = hit
                hits[kind.device] = (kernel, [*by_kind[kind.device], *stops], line)
    return hits


def _line(rows: list[Entry], type_: str, kind: Kind, facts: Facts, extra: Entry, misses: list[Entry]) -> Hit | None:
    """The first line that holds; a line that may hold serves only if no later one surely does."""
    maybe: Hit | None = None
    for line in rows:
        if "types" in line and type_ not in line["types"]:
            continue
        needs = line.get("needs")
        if not needs:
            return line["kernel"], [], line
        result = facts.check(needs, (kind,), extra)
        if result.value is True:
            return line["kernel"], [], line
        stops = from_result(result, line)
        if result.value is None:
            maybe = maybe or (line["kernel"], stops, line)
        else:
            misses += stops
    return maybe


def _option(
    engine: str,
    mode: str | None,
    backend: str,
    family: str,
    type_: Entry,
    version: str,
    hits: dict[str, Hit],
    shared: list[Entry],
    place: int,
    facts: Facts,
) -> Option:
    rows = [hit[2] for hit in hits.values()]
    path = Path(
        engine=engine,
        mode=mode,
        backend=backend,
        family=family,
        type=type_["id"],
        kernel=max((hit[0] for hit in hits.values()), key=KERNELS.index),
        checkpoint=checkpoint_of(engine, family, type_["id"], facts),
        version=version,
        via=next((row["via"] for row in rows if row.get("via")), None),
        sources=tuple(sorted({s for row in rows for s in sources_of(row)})),
        place=place,
    )
    return Option(path, {device: tuple(merge([*shared, *stops])) for device, (_, stops, _) in hits.items()})


def _not_on_backend(table: _Table, family: str, wanted: Entry | None, backends: Iterable[str], kb: KB) -> Entry:
    """The obstacle of a format that the engine has, but on other back ends, or not as the asked type."""
    rows = [row for row in table.rows if row["format"] == family]
    here = [row for row in rows if set(backends_of(row)) & set(backends)]
    if not here:
        have = sorted({b for row in rows for b in backends_of(row)})
        text = "decision.format-backend"
        return obstacle("candidate.backend", sorted(backends), have, _some_sources(rows), text=text, format=family)
    types = sorted({t for row in here for t in row.get("types", [])})
    yours = (wanted or {}).get("type")
    return obstacle("format.type", yours, types, _some_sources(here), text="decision.format-type")


def _some_sources(rows: list[Entry]) -> list[str]:
    return sorted({s for row in rows for s in sources_of(row)})[:3]


def checkpoint_of(engine: str, family: str, type_: str, facts: Facts) -> dict[str, Any]:
    """The published weights of this format, or how far away they are: published | convert | unknown.

    Known models are looked up once; the same object stands in every decision and must not be changed.
    """
    id_ = (facts.situation["model"] or {}).get("id")
    key = ("checkpoint", engine, family, type_, id_)
    found = facts.kb.kept.get(key) if id_ else None
    if found is None:
        found = _checkpoint(engine, family, type_, facts, bool(id_))
        if id_:
            facts.kb.kept[key] = found
    return found


def _checkpoint(engine: str, family: str, type_: str, facts: Facts, known: bool) -> dict[str, Any]:
    arch = facts.arch
    if arch is None:
        return {"status": "unknown", "repository": None, "bytes": None, "sources": []}
    best = published(arch, family, type_)
    if best:
        stored = stored_as(best, facts.kb.type_of(family, type_))
        return {
            **({"stored": stored} if stored else {}),
            **({"width": best["width"]} if best.get("width") else {}),
            **({"release": best["release"]} if best.get("release") else {}),
            "status": "published",
            "repository": best["repository"],
            "file": best.get("file"),
            "revision": best.get("revision"),
            "bytes": best.get("bytes"),
            "official": bool(best.get("official")),
            "sources": sources_of(best),
        }
    launch = facts.kb.engines[engine].get("launch") or {}
    ways = any(c["format"] == family for c in launch.get("convert", []))
    status = "convert" if known and (ways or facts.kb.formats[family].get("convert")) else "unknown"
    return {"status": status, "repository": None, "base": arch.get("repository"), "bytes": None, "sources": []}
