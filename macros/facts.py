"""Rows of a facts table: name, value, source chip, age, edit link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from macros import words
from macros.view import View
from macros.world import Entry


@dataclass(frozen=True)
class Fact:
    """One row. `path` leads to the value inside the entry."""

    name: Any
    value: Any
    source: Any
    path: tuple[Any, ...]
    note: Any = ""
    unknown: bool = False
    opinion: str | None = None


def answer(view: View, name: Any, line: Entry, path: tuple[Any, ...]) -> Fact:
    """The row of an answer (`is: yes | no | partial | experimental | external | unknown`)."""
    state = line["is"]
    value = escape(view.plain(f"words.answer.{state}"))
    if "max" in line:
        value += escape(" " + view.plain("pages.engine.max", n=line["max"]))
    note = clean(
        words.condition(view, line.get("needs")),
        view.say(line["note"]) if "note" in line else "",
        view.plain("pages.engine.versions", range=spelled(line["versions"])) if "versions" in line else "",
    )
    return Fact(name, value, line.get("source"), path, note, unknown=state == "unknown", opinion=line.get("opinion"))


def spelled(versions: str) -> str:
    """A version range as people read it: ≥ 0.22, < 1.3."""
    for raw, sign in ((">=", "≥ "), ("<=", "≤ "), (">", "> "), ("<", "< "), (",", ", ")):
        versions = versions.replace(raw, sign)
    return versions


def clean(*parts: Any) -> Markup:
    """What is there of several remarks, joined with semicolons; full stops inside become none."""
    shown = [escape(part) for part in parts if part]
    return Markup("; ").join(p[:-1] if p.endswith(".") and len(shown) > 1 else p for p in shown)
