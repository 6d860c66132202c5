"""The index of workload shapes."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.pages.lists import listed
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("workloads/index.md", "workloads", title=lambda v: v.plain("pages.nav.workloads"))


def render(view: View, id_: str) -> str:
    """Every workload with its shape."""
    return listed(view, "workloads", "workload", "shape")
