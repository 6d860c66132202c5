"""The page of a benchmarking entry: a rule, a tool, a metric or a field of the report."""

from __future__ import annotations

from collections.abc import Iterator

from macros import words
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page an entry, but fields of the report, which are anchors on the index."""
    for id_, entry in world.entries("benchmarking").items():
        if entry["type"] != "field":
            yield Page(f"benchmarking/{id_}.md", "benchmark", id_, title=lambda v, e=entry: v.name(e))


def render(view: View, id_: str) -> str:
    """The Markdown of one entry's page."""
    return fill("benchmark.md", view, id=id_, entry=view.world.entries("benchmarking")[id_], words=words,
                sources=view.world.sources_of("benchmarking", id_))  # fmt: skip
