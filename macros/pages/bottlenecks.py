"""The index of bottlenecks."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.pages.lists import listed
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("bottlenecks/index.md", "bottlenecks", title=lambda v: v.plain("pages.nav.bottlenecks"))


def render(view: View, id_: str) -> str:
    """Every bottleneck with what it is."""
    return listed(view, "bottlenecks", "bottleneck", "summary")
