"""The page of a real case: what happened to somebody, and what the decision says today."""

from __future__ import annotations

from collections.abc import Iterator

from macros.answers import sections, situation_rows, wizard_address
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page a scenario."""
    for id_, entry in world.entries("scenario").items():
        yield Page(f"scenarios/{id_}.md", "scenario", id_, title=lambda v, e=entry: v.name(e))


def render(view: View, id_: str) -> str:
    """The Markdown of one case's page."""
    entry = view.world.entries("scenario")[id_]
    decision = view.world.decide(entry["situation"])
    return fill(
        "scenario.md", view, id=id_, entry=entry, answer=sections(view, decision),
        situation=situation_rows(view, decision), wizard=wizard_address(view, entry["situation"]),
        sources=view.world.sources_of("scenario", id_),
    )  # fmt: skip
