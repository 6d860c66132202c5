"""What the base holds: kinds, languages, kinds of source, fields, and what is not held and why."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import coverage, kinds, shelf, stats
from macros.catalog import Page
from macros.speed import percent
from macros.templates import render as fill
from macros.view import View
from macros.world import World

# texts of the pages that name what is missing, one for each reason
NOT_HELD = ("config", "layout")


def pages(world: World) -> Iterator[Page]:
    """One page for those who want to help."""
    yield Page("contribute/coverage.md", "coverage", title=lambda v: v.plain("pages.coverage.title"))


def render(view: View, id_: str) -> str:
    """Counted from the files at every build."""
    knowledge, today = view.world.knowledge, view.world.date
    rows = [row for row in stats.rows(knowledge, today) if row.entries]
    own, fresh = coverage.own(knowledge), coverage.fresh(knowledge, today)
    return fill(
        "coverage.md",
        view,
        rows=rows,
        languages=stats.LANGUAGES[1:],
        share=lambda part, whole: percent(view, part / whole) if whole else "–",
        own=own,
        fresh=fresh,
        readings=tuple(shelf.SHELF_LIFE_DAYS),
        sources=coverage.sources(knowledge),
        fields={folder: coverage.fields(knowledge, kind) for folder, kind in kinds.KINDS.items() if kind != "text"},
        not_held=NOT_HELD,
    )
