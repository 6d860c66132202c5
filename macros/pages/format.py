"""The page of one weight format: its types, what they cost, and which engine runs it where."""

from __future__ import annotations

from collections.abc import Iterator

from macros import kernels, words
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page a format family."""
    for id_, entry in world.entries("format").items():
        yield Page(f"formats/{id_}.md", "format", id_, title=lambda v, e=entry: v.name(e))


def render(view: View, id_: str) -> str:
    """The Markdown of one format's page."""
    world = view.world
    entry = world.entries("format")[id_]
    table = kernels.table(world)
    groups: dict[str, list[kernels.Column]] = {}
    for column in kernels.columns(world):
        groups.setdefault(column.group, []).append(column)
    engines = [e for e in world.entries("engine") if any(key[:2] == (e, id_) for key in table)]
    shown = []
    for group, columns in groups.items():
        rows = [
            (e, [table.get((e, id_, c.arch), kernels.Cell()) for c in columns])
            for e in engines
            if any((e, id_, c.arch) in table for c in columns)
        ]
        if rows:
            shown.append((group, columns, rows))
    notes = [
        (e, i, line)
        for e, engine in world.entries("engine").items()
        for i, line in enumerate(engine.get("formats", []))
        if line["format"] == id_ and "note" in line
    ]
    models = [
        (m, point)
        for m, model in world.entries("model").items()
        for point in model.get("checkpoints", [])
        if point["format"] == id_
    ]
    return fill(
        "format.md", view, id=id_, entry=entry, groups=shown, notes=notes, words=words, models=models,
        sources=world.sources_of("format", id_), Fact=None,
    )  # fmt: skip
