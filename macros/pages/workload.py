"""The page of a workload shape: what limits it, what then matters, what to do."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page a workload."""
    for id_, entry in world.entries("workload").items():
        yield Page(
            f"workloads/{id_}.md", "workload", id_, title=lambda v, e=entry: v.name(e), meta=(("reading", True),)
        )


def render(view: View, id_: str) -> str:
    """The Markdown of one workload's page."""
    return fill("workload.md", view, id=id_, entry=view.world.entries("workload")[id_],
                sources=view.world.sources_of("workload", id_))  # fmt: skip
