"""All readings of one publisher, each an anchor, with the entries that rest on it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page a publisher; left out of the search, whose hits should be facts."""
    for id_, entry in world.entries("source").items():
        yield Page(f"sources/{id_}.md", "publisher", id_, title=lambda v, e=entry: v.name(e), search=False)


def render(view: View, id_: str) -> str:
    """The Markdown of one publisher's page."""
    entry = view.world.entries("source")[id_]
    uses = used_by(view.world)
    readings = sorted(entry["readings"].items(), key=lambda item: (item[1]["title"].lower(), item[0]))
    return fill("publisher.md", view, id=id_, entry=entry, readings=[(r, x, uses.get(r, [])) for r, x in readings])


@lru_cache(maxsize=2)
def used_by(world: World) -> dict[str, list[tuple[str, str]]]:
    """{reading: [(kind, id) of the entries that cite it]}."""
    found: dict[str, list[tuple[str, str]]] = {}
    for (kind, id_), file in world.knowledge.by_entry.items():
        if kind == "source":
            continue
        for reading in dict.fromkeys(r for _, r in file.mentions.sources):
            found.setdefault(reading, []).append((kind, id_))
    return found
