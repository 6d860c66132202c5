"""The page of a bottleneck: what it is, how to see it, what helps, and where it shows."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page a bottleneck."""
    for id_, entry in world.entries("bottleneck").items():
        yield Page(
            f"bottlenecks/{id_}.md", "bottleneck", id_, title=lambda v, e=entry: v.name(e), meta=(("reading", True),)
        )


def render(view: View, id_: str) -> str:
    """The Markdown of one bottleneck's page."""
    world = view.world
    cases = [
        (kind, case)
        for kind in ("recipe", "scenario")
        for case, entry in world.entries(kind).items()
        if (world.decide(entry["situation"])["bottleneck"] or {}).get("is") == id_
    ]
    return fill(
        "bottleneck.md", view, id=id_, entry=world.entries("bottleneck")[id_], cases=cases,
        workloads=[w for w, x in world.entries("workload").items() if x["dominates"] == id_],
        sources=world.sources_of("bottleneck", id_),
    )  # fmt: skip
