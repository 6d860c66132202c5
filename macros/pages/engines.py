"""The index of engines, grouped by family."""

from __future__ import annotations

from collections.abc import Iterator

from macros import words
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("engines/index.md", "engines", title=lambda v: v.plain("pages.nav.engines"))


def render(view: View, id_: str) -> str:
    """Families in their order, each with its engines."""
    world = view.world
    groups = []
    for family, entry in world.entries("family").items():
        members = [(e, x) for e, x in world.entries("engine").items() if x["family"] == family]
        if members:
            groups.append((family, entry, members))
    return fill("engines.md", view, groups=groups, words=words, backends=backends)


def backends(entry: dict) -> list[str]:
    """Back ends an engine runs on, each once."""
    return list(dict.fromkeys(line["backend"] for line in entry.get("runs_on", [])))
