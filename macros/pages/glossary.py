"""The glossary: each term with its meaning and its names in the three languages."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page; terms are anchors."""
    yield Page("glossary.md", "glossary", title=lambda v: v.plain("pages.nav.glossary"))


def render(view: View, id_: str) -> str:
    """Terms in the order of their names in this language."""
    terms = sorted(view.world.entries("term").items(), key=lambda item: view.name(item[1]).lower())
    return fill("glossary.md", view, terms=terms)
