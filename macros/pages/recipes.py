"""The index of recipes with what each starts with, and the same read by engine."""

from __future__ import annotations

from collections.abc import Iterator

from macros import starts, words
from macros.answers import cells
from macros.catalog import Page
from macros.pages.home import GROUPS
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("recipes/index.md", "recipes", title=lambda v: v.plain("pages.nav.recipes"))


def render(view: View, id_: str) -> str:
    """Groups of the guide, then the engines with the cases that start with them."""
    world = view.world
    groups = []
    for group in GROUPS:
        rows = [
            (r, entry, cells(view, world.decide(entry["situation"])))
            for r, entry in world.entries("recipe").items()
            if entry["group"] == group
        ]
        if rows:
            groups.append((group, rows))
    engines = {e: starts.of_engine(world, e) for e in world.entries("engine") if starts.of_engine(world, e)}
    return fill("recipes.md", view, groups=groups, engines=engines, words=words)
