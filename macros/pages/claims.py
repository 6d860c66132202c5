"""What the source articles said, claim by claim, and what is true today."""

from __future__ import annotations

from collections.abc import Iterator

from macros import words
from macros.catalog import Page
from macros.kinds import kind_of_folder
from macros.templates import render as fill
from macros.view import View
from macros.world import World

VERDICTS = ("contradiction", "wrong", "outdated", "qualified", "unverified", "confirmed", "rule")


def pages(world: World) -> Iterator[Page]:
    """One page; claims are anchors."""
    yield Page("claims.md", "claims", title=lambda v: v.plain("pages.nav.claims"))


def render(view: View, id_: str) -> str:
    """Claims by verdict, what needs correcting first."""
    entries = view.world.entries("claim")
    groups = []
    for verdict in VERDICTS:
        rows = sorted((c for c in entries if entries[c]["verdict"] == verdict), key=lambda c: (entries[c]["number"], c))
        if rows:
            groups.append((verdict, [(c, entries[c], held(view, entries[c])) for c in rows]))
    return fill("claims.md", view, groups=groups, words=words, total=len(entries))


def held(view: View, claim: dict) -> list:
    """Links to the entries that hold a claim (`folder-or-kind/id`)."""
    links = []
    for name in claim.get("held_by", []):
        head, _, entry = name.partition("/")
        kind = kind_of_folder(head)
        if kind and entry in view.world.knowledge.entries[kind]:
            links.append(view.link(kind, entry) if "name" in view.world.knowledge.entries[kind][entry] else view.anchor(kind, entry))
    return links
