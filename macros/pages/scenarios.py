"""The index of real cases."""

from __future__ import annotations

from collections.abc import Iterator

from macros.answers import cells
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("scenarios/index.md", "scenarios", title=lambda v: v.plain("pages.nav.scenarios"))


def render(view: View, id_: str) -> str:
    """One table of all cases."""
    rows = [
        (s, entry, cells(view, view.world.decide(entry["situation"])))
        for s, entry in view.world.entries("scenario").items()
    ]
    return fill("scenarios.md", view, rows=rows)
