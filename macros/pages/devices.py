"""The index of hardware, by maker."""

from __future__ import annotations

from collections.abc import Iterator

from macros import words
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World
from wizard.vocabulary import VENDORS


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("devices/index.md", "devices", title=lambda v: v.plain("pages.nav.hardware"))


def render(view: View, id_: str) -> str:
    """Makers in their order, each with its devices from little to much memory."""
    groups = []
    for vendor in VENDORS:
        found = [(d, x) for d, x in view.world.entries("device").items() if x["vendor"] == vendor]
        found.sort(key=lambda item: (item[1]["segment"], max(item[1]["memory"]["options"]), item[0]))
        if found:
            groups.append((vendor, found))
    return fill("devices.md", view, groups=groups, words=words)
