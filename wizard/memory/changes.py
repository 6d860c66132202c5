"""The smallest changes that make a model fit, in the order in which one would try them, each asked anew.

KV type, the system's limit, context, fewer requests, format, more devices. Nothing is scaled or estimated: every
change is put to `fit` again, and only one whose answer is "fits" (or one better than now) is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from wizard.models import published
from wizard.shapes import MIB, Layout, Path, Workload

from . import assumed, elements
from .fit import fit

CLASSES = ("fits", "tight", "offload", "no")
_STEP = 1024  # tokens to whose multiple a shorter context is rounded down


class Case(NamedTuple):
    """A question to `fit`: its arguments, in its order."""

    path: Path
    layout: Layout
    arch: dict[str, Any]
    work: Workload
    settings: dict[str, Any]
    host: dict[str, Any]
    kb: Any


class Open(NamedTuple):
    """What may be changed. kv_types: of the engine here; types: of the weights' format; layers: a further
    device takes layers, one at a time, instead of a share of every matrix, twice as many at a time."""

    kv_types: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    layers: bool = True


def find(case: Case, class_: str, may: Open) -> list[dict[str, Any]]:
    """[{change, from, to, fit}], at most one of each kind; empty when everything fits already."""
    if class_ == "fits":
        return []
    found = []
    for kind, tries in (
        ("kv", _types(case, may)), ("limit", _limits(case)), ("context", _contexts(case)),
        ("concurrency", _requests(case)), ("format", _formats(case, may)), ("devices", _devices(case, may)),
    ):  # fmt: skip
        change = _best(kind, tries, class_)
        if change:
            found.append(change)
    return found


def undivided(arch: dict[str, Any], tp: int) -> int:
    """Query heads that `tp` ranks cannot share out; 0 when they can."""
    groups = arch.get("attention") or ()
    cut = [g.get("heads", arch["heads"]) for g in groups if g["kind"] in ("full", "swa", "chunked", "mla")]
    return max(cut) if any(heads % tp for heads in cut) else 0


def _best(kind: str, tries: Iterator[tuple[Any, Any, Case]], now: str) -> dict[str, Any] | None:
    """The first try that fits, else the first that is better than now."""
    better = None
    for before, after, case in tries:
        answer = fit(*case, detail=False)
        if answer is None or CLASSES.index(answer["class"]) >= CLASSES.index(now):
            continue
        change = {"change": kind, "from": before, "to": after, "fit": answer["class"]}
        if answer["class"] == "fits":
            return change
        better = better or change
    return better


def _types(case: Case, may: Open) -> Iterator[tuple[Any, Any, Case]]:
    """Narrower KV types, the widest of them first."""
    kv = case.settings.get("kv_type")
    known = {type_ for type_ in may.kv_types if elements.known(type_)}
    present = sum(elements.row_bytes(part, 1024) for part in elements.pair(kv)) // 2
    sizes = {t: sum(elements.row_bytes(part, 1024) for part in elements.pair(t)) // 2 for t in known}
    for type_ in sorted(known, key=lambda t: (-sizes[t], t)):
        if sizes[type_] < present:
            yield kv or elements.DEFAULT, type_, case._replace(settings={**case.settings, "kv_type": type_})


def _limits(case: Case) -> Iterator[tuple[Any, Any, Case]]:
    """The system's limit on what a GPU may take of shared memory raised to all but what the system itself needs."""
    cards = case.layout.cards
    share = cards[0].entry["memory"].get("usable_fraction")
    if not isinstance(share, dict) or not share.get("raised_by") or any(c.free_bytes is not None for c in cards):
        return
    total = cards[0].memory_bytes
    limit = (total - assumed.system_bytes(total)[0]) // MIB
    if limit * MIB > int(total * share["is"]):
        wider = tuple(replace(card, free_bytes=limit * MIB) for card in cards)
        yield int(total * share["is"]) // MIB, str(limit), case._replace(layout=replace(case.layout, cards=wider))


def _contexts(case: Case) -> Iterator[tuple[Any, Any, Case]]:
    """Half the context again and again, down to a few thousand tokens."""
    tokens = case.work.context
    while tokens > 2 * _STEP:
        tokens = tokens // 2 // _STEP * _STEP
        shorter = replace(case.work, context=tokens, input=min(case.work.input, tokens))
        yield case.work.context, tokens, case._replace(work=shorter)


def _requests(case: Case) -> Iterator[tuple[Any, Any, Case]]:
    """Half as many requests at once, again and again."""
    count = case.work.concurrency
    while count > 1:
        count //= 2
        yield case.work.concurrency, count, case._replace(work=replace(case.work, concurrency=count))


def _formats(case: Case, may: Open) -> Iterator[tuple[Any, Any, Case]]:
    """Narrower types of the format the weights are in, the widest of them first."""
    path, kb = case.path, case.kb
    present = (path.checkpoint.get("stored") or kb.type_of(path.family, path.type) or {"bits": 16})["bits"]
    known = [t for t in kb.formats.get(path.family, {}).get("types", ()) if t["id"] in may.types]
    for type_ in sorted(known, key=lambda t: -t["bits"]):
        if type_["bits"] < present:
            size = (published(case.arch, path.family, type_["id"]) or {}).get("bytes")
            other = replace(path, type=type_["id"], checkpoint={"status": "unknown", "bytes": size})
            yield path.type, type_["id"], case._replace(path=other)


def _devices(case: Case, may: Open) -> Iterator[tuple[Any, Any, Case]]:
    """One or two more devices where layers are spread, twice or four times as many where matrices are."""
    layout, count = case.layout, len(case.layout.cards)
    if layout.dp > 1 or layout.nodes > 1 or layout.cards[0].entry["kind"] != "gpu":  # no second chip goes in
        return
    layers = may.layers or layout.pp > 1
    for more in (count + 1, count + 2) if layers else (2 * count, 4 * count):
        cards = tuple(replace(layout.cards[0], index=i) for i in range(more))
        wider = {"pp": layout.pp + more - count} if layers else {"tp": layout.tp * more // count}
        if wider.get("pp", 1) > case.arch["layers"] or undivided(case.arch, wider.get("tp", layout.tp)):
            continue
        yield count, more, case._replace(layout=replace(layout, cards=cards, **wider))
