"""The smallest changes that make a model fit, in the order in which one would try them, each asked anew.

KV type, context, format, one more device. Nothing is scaled or estimated: every change is put to the same
question, and only one whose answer is "fits" (or one better than now) is told.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .memory import elements, named, query
from .models import published
from .shapes import Layout, Path

Plain = dict[str, Any]
_CLASSES = ("fits", "tight", "offload", "no")
_STEP = 1024  # tokens to whose multiple a shorter context is rounded down


class Question(NamedTuple):
    """What is asked of `query.answer`, as far as a change may touch it."""

    path: Path
    layout: Layout
    asked: query.Asked
    kv: str | None


def find(now: Question, told: Plain, arch: Plain, host: Plain, kb: Any) -> list[Plain]:
    """[{change, from, to, fit}], at most one of each kind; empty when everything fits already."""
    if told["fit"] in (None, "fits"):
        return []

    def ask(question: Question) -> str | None:
        layout = question.layout
        degrees = (layout.tp, layout.pp, layout.ep)
        try:
            return query.answer(
                question.path, layout, degrees, arch, question.asked, question.kv, host, kb
            )["fit"]  # fmt: skip
        except query.Refused:
            return None

    found = []
    for kind, tries in (
        ("kv", _types(now, kb)), ("context", _contexts(now, told)), ("format", _formats(now, arch, kb)),
        ("devices", _devices(now, kb)),
    ):  # fmt: skip
        change = _best(kind, tries, told["fit"], ask)
        if change:
            found.append(change)
    return found


def _best(
    kind: str, tries: Iterator[tuple[Any, Any, Question]], now: str, ask: Callable[[Question], str | None]
) -> Plain | None:
    """The first try that fits, else the first that is better than now."""
    better = None
    for before, after, question in tries:
        fit = ask(question)
        if fit is None or _CLASSES.index(fit) >= _CLASSES.index(now):
            continue
        change = {"change": kind, "from": before, "to": after, "fit": fit}
        if fit == "fits":
            return change
        better = better or change
    return better


def _types(now: Question, kb: Any) -> Iterator[tuple[Any, Any, Question]]:
    """Narrower KV types of the engine, the widest of them first."""
    lines = kb.engines.get(now.path.engine, {}).get("kv_types", ())
    known = {line["type"] for line in lines if elements.known(line["type"])}
    present = elements.row_bytes(elements.pair(now.kv)[0], 1024)
    sizes = {t: sum(elements.row_bytes(part, 1024) for part in elements.pair(t)) // 2 for t in known}
    for type_ in sorted(known, key=lambda t: (-sizes[t], t)):
        if sizes[type_] < present:
            yield now.kv or elements.DEFAULT, type_, now._replace(kv=type_)


def _contexts(now: Question, told: Plain) -> Iterator[tuple[Any, Any, Question]]:
    """Half the context again and again, down to a few thousand tokens."""
    tokens = now.asked.context
    while tokens > 2 * _STEP:
        tokens = tokens // 2 // _STEP * _STEP
        yield now.asked.context, tokens, now._replace(asked=now.asked._replace(context=tokens))


def _formats(now: Question, arch: Plain, kb: Any) -> Iterator[tuple[Any, Any, Question]]:
    """Narrower types of the format the weights are in, the widest of them first."""
    bits = now.path.checkpoint["stored"]["bits"]
    for type_ in sorted(kb.formats.get(now.path.family, {}).get("types", ()), key=lambda t: -t["bits"]):
        if type_["bits"] < bits:
            stored = named.find(f"{now.path.family} {type_['id']}", kb)
            if stored is None:
                continue
            size = (published(arch, stored.family, stored.type) or {}).get("bytes")
            checkpoint = {"status": "unknown", "bytes": size, "stored": stored.entry, "container": stored.container}
            path = dataclasses.replace(now.path, type=stored.type, checkpoint=checkpoint)
            yield now.path.type, type_["id"], now._replace(path=path)


def _devices(now: Question, kb: Any) -> Iterator[tuple[Any, Any, Question]]:
    """One more device where layers are spread, twice as many where matrices are."""
    layout, count = now.layout, len(now.layout.cards)
    layers = query.splits(now.path.engine, kb) == "layers" or layout.pp > 1
    for more in (count + 1,) if layers else (2 * count, 4 * count):
        cards = tuple(dataclasses.replace(layout.cards[0], index=i) for i in range(more))
        wider = {"pp": layout.pp + 1} if layers else {"tp": layout.tp * more // count}
        yield count, more, now._replace(layout=dataclasses.replace(layout, cards=cards, **wider))
