"""Every finding of `make check`: what it means, a bad line and a good one, from the rules themselves."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.lint import RULES
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page; findings are anchors."""
    yield Page("contribute/findings.md", "findings", title=lambda v: v.plain("pages.nav.findings"))


def render(view: View, id_: str) -> str:
    """Rules by their number."""
    return fill("findings.md", view, rules=sorted(RULES, key=lambda rule: rule.code))
