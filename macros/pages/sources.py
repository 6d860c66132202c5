"""The index of sources: one line a publisher."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("sources/index.md", "sources", title=lambda v: v.plain("pages.nav.sources"))


def render(view: View, id_: str) -> str:
    """Publishers by name with how many of their pages were read, and when last."""
    rows = []
    for s, entry in sorted(view.world.entries("source").items(), key=lambda item: item[1]["name"].lower()):
        days = [reading["read"] for reading in entry["readings"].values()]
        overdue = sum(view.overdue(r) is not None for r in entry["readings"])
        rows.append((s, entry, len(days), max(days), overdue))
    return fill("sources.md", view, rows=rows)
