"""The page of one recipe: a situation and, in full, what the decision says about it."""

from __future__ import annotations

from collections.abc import Iterator

from macros.answers import sections, situation_rows, wizard_address
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page a recipe."""
    for id_, entry in world.entries("recipe").items():
        yield Page(f"recipes/{id_}.md", "recipe", id_, title=lambda v, e=entry: v.name(e), boost=1.5)


def render(view: View, id_: str) -> str:
    """The Markdown of one recipe's page."""
    entry = view.world.entries("recipe")[id_]
    decision = view.world.decide(entry["situation"])
    return fill(
        "recipe.md", view, id=id_, entry=entry, answer=sections(view, decision),
        situation=situation_rows(view, decision), wizard=wizard_address(view, entry["situation"]),
        sources=view.world.sources_of("recipe", id_),
    )  # fmt: skip
