"""The index of models by publisher, with what a token of context costs."""

from __future__ import annotations

from collections.abc import Iterator

from macros import words
from macros.catalog import Page
from macros.sizes import kv_per_token
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("models/index.md", "models", title=lambda v: v.plain("pages.nav.models"))


def render(view: View, id_: str) -> str:
    """Publishers by name, their models from small to large."""
    groups: dict[str, list] = {}
    for m, entry in view.world.entries("model").items():
        token = kv_per_token(entry, "f16") if entry["attention"] else 0
        groups.setdefault(entry["publisher"], []).append((m, entry, token))
    found = [(p, sorted(rows, key=lambda r: r[1]["params"]["total"])) for p, rows in sorted(groups.items())]
    return fill("models.md", view, groups=found, words=words)
