"""The ten questions behind every answer, with who answers them, and what else is asked."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page; questions are anchors."""
    yield Page("questions.md", "questions", title=lambda v: v.plain("pages.nav.questions"))


def render(view: View, id_: str) -> str:
    """The ten by number, then the others."""
    entries = view.world.entries("question").items()
    ten = sorted((q for q in entries if q[1]["number"]), key=lambda q: q[1]["number"])
    others = [q for q in entries if not q[1]["number"]]
    return fill("questions.md", view, ten=ten, others=others)
