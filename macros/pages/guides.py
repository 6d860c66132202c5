"""The tables of the articles, row by row, with what they say today and a worked case beside each row."""

from __future__ import annotations

from collections.abc import Iterator

from macros import words
from macros.answers import cells, wizard_address
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page with every guide."""
    yield Page("guides.md", "guides", title=lambda v: v.plain("pages.nav.guides"))


def render(view: View, id_: str) -> str:
    """A table a guide."""
    guides = []
    for g, guide in view.world.entries("guide").items():
        rows = [
            (row, cells(view, view.world.decide(row["situation"])), wizard_address(view, row["situation"]))
            for row in guide["rows"]
        ]
        guides.append((g, guide, rows))
    return fill("guides.md", view, guides=guides, words=words)
