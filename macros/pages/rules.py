"""The rules that act across engines, with their evidence and the declared ties."""

from __future__ import annotations

from collections.abc import Iterator

from macros import words
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World

EFFECTS = ("nominate", "hold-back", "warn")


def pages(world: World) -> Iterator[Page]:
    """One page; rules are anchors."""
    yield Page("rules.md", "rules", title=lambda v: v.plain("pages.nav.rules"))


def render(view: View, id_: str) -> str:
    """Rules by effect."""
    rules = view.world.entries("rule")
    groups = [(e, [(r, x) for r, x in sorted(rules.items()) if x["effect"] == e]) for e in EFFECTS]
    order = view.world.entries("order").get("order", {})
    return fill("rules.md", view, groups=[g for g in groups if g[1]], ties=order.get("ties", []), words=words)
