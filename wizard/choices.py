"""Answers of the form that cannot combine with the rest of what was said, and with which part of it.

Stands outside `decide`, as `whatif` does: it runs after the answer is shown, a step at a time. An answer is
possible while some engine has a path that no rule keeps from the start; whether it fits is another matter,
which the answer tells. What stands against it is the other answer without which it would be possible.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from . import paths, roles
from .facts import Facts
from .hardware import systems
from .kb import KB
from .needs import model_lacks
from .rules import judge
from .shapes import Path
from .situation import apply_patch, get, read
from .vocabulary import FABRICS, LINKS_WITHIN

Plain = dict[str, Any]

# What may stand against an answer, the one that is easiest to take back first; without any of them it is the hardware.
_OTHERS = ("needs", "format", "host.os", "serving", "model")
_ASKED = ("host.os", "format", "needs", "serving", "already")
# Whose devices have a direct link, besides those that name a fabric of their own.
_MAKERS = {"nvlink": ("nvidia", "amd"), "nvswitch": ("nvidia",)}


def explore(stated: Plain, kb: KB) -> Iterator[Plain]:
    """Yield {} after every step, at last {"choices": [{"path", "value", "against"}]}.

    stated: what the person said, normalised. against: path of the answer it cannot combine with, "devices" for
    the hardware, "app" for what runs inside somebody's own program only, "engines" when no engine that is still
    maintained offers it, "several" when no single answer is enough. A `value` of None speaks of the whole question,
    which has no effect with "one" device or machine. Where nothing starts, only what was said is looked at.
    """
    if not read(stated, kb).situation["devices"]:
        yield {"choices": []}
        return
    look = _Look(stated, kb)
    rows = [*_systems(look), *_links(look)]
    known = {(row["path"], row["value"]) for row in rows}
    yield {}
    alive = look.case({}).any_starts()
    yield {}
    for path, value in _answers(look):
        if (path, value) in known or not alive and value not in _said(stated, path):
            continue
        against = yield from look.against(path, value)
        yield {}
        if against:
            rows.append({"path": path, "value": value, "against": against})
    yield {"choices": rows}


def complete(data: Any, kb: KB) -> list[Plain]:
    """All of it at once, for a Situation as people write it."""
    *_, last = explore(read(data, kb).stated, kb)
    found: list[Plain] = last["choices"]
    return found


class _Case:
    """One changed situation, and which engines start in it; each is looked at when it is asked for."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._verdict = judge(facts, {}, ())
        self._paths: dict[str, list[Path]] = {}

    def paths(self, engine: str) -> list[Path]:
        """Ways in which an engine runs here."""
        if engine not in self._paths:
            self._paths[engine] = [option.path for option in paths.find(self.facts, engine).options]
        return self._paths[engine]

    def starts(self, engine: str) -> bool:
        """Whether an answer may name it first: it runs, and no rule keeps all its modes from that."""
        if not roles.may_start(engine, self.facts):
            return False
        return any(not self._verdict.held_from(engine, "start", path.mode) for path in self.paths(engine))

    def any_starts(self) -> bool:
        """Whether there is an answer."""
        return any(self.starts(engine) for engine in self.facts.kb.engines)

    @cached_property
    def families(self) -> set[str]:
        """Format families of the engines that start."""
        return {path.family for engine in self.facts.kb.engines if self.starts(engine) for path in self.paths(engine)}


class _Look:
    """Changed situations; the same change is made once."""

    def __init__(self, stated: Plain, kb: KB) -> None:
        self.stated, self.kb = stated, kb
        self._cases: dict[str, _Case] = {}
        self.facts = self.case({}).facts

    def case(self, patch: Plain) -> _Case:
        """The situation after a change; None takes an answer back."""
        patch = {path: value for path, value in patch.items() if value is not None or _said(self.stated, path)}
        key = json.dumps(patch, sort_keys=True)
        if key not in self._cases:
            situation = read(apply_patch(self.stated, patch), self.kb).situation
            self._cases[key] = _Case(Facts(situation, self.kb))
        return self._cases[key]

    def possible(self, path: str, value: Any, patch: Plain) -> bool:
        """Whether an answer is possible after a change of the others."""
        if path == "already":
            over = [line["engine"] for line in self.kb.engines[value].get("over", ())]
            return any(self.case(patch).paths(engine) for engine in (value, *over))
        if path == "format":
            free = self.case({**patch, path: None})
            asked = {**patch, path: {"family": value, "type": None}}
            return value in free.families or (_fading(value, self.kb) and self.case(asked).any_starts())
        if path == "needs":
            rest = () if path in patch else _said(self.stated, path)
            value = sorted({*rest, value})
        return self.case({**patch, path: value}).any_starts()

    def against(self, path: str, value: Any) -> Iterator[Plain]:
        """A generator whose result is what stands against an answer; None when nothing does."""
        if path == "needs" and value in model_lacks(self.facts):
            return "model"
        if self.possible(path, value, {}):
            return None
        if path == "format" and not _read_by_any(value, self.kb):
            return "engines"
        dropped: Plain = {}
        for other in _OTHERS:
            if other == path != "needs" or not _said(self.stated, other):
                continue
            yield {}
            if self.possible(path, value, {other: None}):
                return other
            dropped[other] = None
        yield {}
        if path == "format" and self.possible(path, value, {"serving": "app"}):
            return "app"
        return "several" if len(dropped) > 1 and self.possible(path, value, dropped) else "devices"


def _said(stated: Plain, path: str) -> tuple[Any, ...]:
    """What was answered to a question: its values, none when it was left open."""
    found = get(stated, path)
    if path == "format" and isinstance(found, dict):
        found = found["family"]
    if found in (None, "auto", [], {}):
        return ()
    return tuple(found) if isinstance(found, list) else (found,)


def _rows(kb: KB, family: str) -> Iterator[Plain]:
    """Lines of maintained engines about a format."""
    for engine in kb.engines.values():
        if engine["status"]["is"] not in ("archived", "inactive"):
            yield from (line for line in engine.get("formats", ()) if line["format"] == family)


def _read_by_any(family: str, kb: KB) -> bool:
    return any(True for _ in _rows(kb, family))


def _fading(family: str, kb: KB) -> bool:
    """Whether a project moves away from a format: then it reads it only for those who ask."""
    return any(line.get("deprecated") for line in _rows(kb, family))


# ---------------------------------------------------------------------- which answers are looked at


def _options(path: str, kb: KB) -> list[Any]:
    return [o["value"] for q in kb.questions.values() for f in q.get("fields", ()) if f["path"] == path
            for o in f.get("options", ())]  # fmt: skip


def _answers(look: _Look) -> Iterator[tuple[str, Any]]:
    """Answers that the form offers; engines of the past may well be what somebody has in use."""
    kb = look.kb
    for path in _ASKED:
        for value in _options(path, kb):
            if path == "format" and value not in kb.formats or path == "already" and value not in kb.engines:
                continue
            if path != "already" or kb.engines[value]["status"]["is"] not in ("archived", "inactive"):
                yield path, value


def _systems(look: _Look) -> list[Plain]:
    """Systems that do not run on the devices."""
    own = systems(look.facts.situation["devices"], look.kb)
    return [
        {"path": "host.os", "value": value, "against": "devices"}
        for value in _options("host.os", look.kb)
        if own and value not in own
    ]


def _links(look: _Look) -> list[Plain]:
    """Links that these devices have not got; a question without effect for one device or one machine."""
    rows: list[Plain] = []
    kinds, count = look.facts.kinds, sum(kind.count for kind in look.facts.kinds)
    if count <= 1:
        rows.append({"path": "links.within", "value": None, "against": "one"})
    for link in LINKS_WITHIN if count > 1 else ():
        makers = _MAKERS.get(link)
        lacks = makers and all(kind.entry["vendor"] not in (*makers, None) for kind in kinds)
        if link == "nvlink" and any(own["kind"] in FABRICS for kind in kinds for own in kind.entry.get("links") or ()):
            lacks = False
        apart = link == "unified" and not any(kind.entry["memory"]["unified"] for kind in kinds)
        if lacks or apart:
            rows.append({"path": "links.within", "value": link, "against": "devices"})
    if look.facts.situation["nodes"] <= 1:
        rows.append({"path": "links.between", "value": None, "against": "one"})
    return rows
