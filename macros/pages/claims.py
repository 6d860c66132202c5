"""What the source articles said, claim by claim, and what is true today."""

from __future__ import annotations

import re
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
        rows = sorted((c for c in entries if entries[c]["verdict"] == verdict), key=by_number)
        if rows:
            groups.append((verdict, [(c, entries[c], said(entries[c]), held(view, entries[c])) for c in rows]))
    return fill("claims.md", view, groups=groups, words=words, total=len(entries))


def by_number(claim: str) -> tuple[str, int, str]:
    """k2 before k10, c102b between c102 and c103."""
    letters, number, part = re.fullmatch(r"(\D*)(\d*)(.*)", claim).groups()
    return letters, int(number or 0), part


def said(claim: dict) -> list[tuple[dict, list[str]]]:
    """(text, articles that say it): translations of one article usually say the same."""
    found: list[tuple[dict, list[str]]] = []
    for item in claim["says"]:
        for text, seeds in found:
            if text["en"] == item["text"]["en"]:
                seeds.append(item["seed"])
                break
        else:
            found.append((item["text"], [item["seed"]]))
    return found


def held(view: View, claim: dict) -> list:
    """Links to the entries that hold a claim (`folder-or-kind/id`)."""
    links = []
    for name in claim.get("held_by", []):
        head, _, entry = name.partition("/")
        kind = kind_of_folder(head)
        if kind and entry in view.world.knowledge.entries[kind]:
            links.append(view.link(kind, entry))
    return links
