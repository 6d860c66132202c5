"""The page of a common mistake: why it is one, what to do instead, when the wizard warns of it."""

from __future__ import annotations

from collections.abc import Iterator

from macros import words
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page a mistake."""
    for id_, entry in world.entries("mistake").items():
        yield Page(f"mistakes/{id_}.md", "mistake", id_, title=lambda v, e=entry: v.name(e), meta=(("reading", True),))


def render(view: View, id_: str) -> str:
    """The Markdown of one mistake's page."""
    entry = view.world.entries("mistake")[id_]
    known = view.world.entries("claim")
    claims = [(c, known[c]) for c in entry.get("claims", []) if c in known]
    return fill("mistake.md", view, id=id_, entry=entry, claims=claims, words=words,
                sources=view.world.sources_of("mistake", id_))  # fmt: skip
