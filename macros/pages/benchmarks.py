"""The index of benchmarking: rules, tools, metrics, and the fields that a report must state."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from macros import words
from macros.catalog import Page
from macros.pages.lists import grouped
from macros.view import View
from macros.world import World

TYPES = ("rule", "tool", "metric", "field")


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("benchmarking/index.md", "benchmarks", title=lambda v: v.plain("pages.nav.benchmarking"))


def render(view: View, id_: str) -> str:
    """One list a type; a field is anchored here."""
    groups = []
    entries = view.world.entries("benchmarking")
    for type_ in TYPES:
        rows = []
        for b, entry in entries.items():
            if entry["type"] == type_:
                field = Markup('<span id="{}">{}</span>').format(b, view.name(entry))
                rows.append((field if type_ == "field" else view.link("benchmarking", b), view.say(entry["text"])))
        if rows:
            groups.append((words.value(view, "benchmark-type", type_), f"{type_}s", rows))
    return grouped(view, "benchmarks", groups)
