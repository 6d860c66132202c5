"""The index of common mistakes."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.pages.lists import listed
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("mistakes/index.md", "mistakes", title=lambda v: v.plain("pages.nav.mistakes"))


def render(view: View, id_: str) -> str:
    """Every mistake with what to do instead."""
    return listed(view, "mistakes", "mistake", "instead")
