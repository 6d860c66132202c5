"""Index pages that are a list: each entry's link with one of its texts beside it."""

from __future__ import annotations

from typing import Any

from macros.templates import render as fill
from macros.view import View


def listed(view: View, page: str, kind: str, about: str) -> str:
    """All entries of a kind in one list. page: group of the title and lead; about: field of the text."""
    return grouped(view, page, [("", "", rows(view, kind, about))])


def rows(view: View, kind: str, about: str, ids: list[str] | None = None) -> list[tuple[Any, Any]]:
    """(link, text) of the entries of a kind, or of those named."""
    entries = view.world.entries(kind)
    return [(view.link(kind, i), view.say(entries[i][about])) for i in (entries if ids is None else ids)]


def grouped(view: View, page: str, groups: list[tuple[str, str, list[tuple[Any, Any]]]]) -> str:
    """Several lists, each under a heading (heading, anchor, rows)."""
    return fill("index_list.md", view, kind=page, anchor=page, groups=groups)
