"""Public measurements, page by page, as the estimates use them."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import Entry, World


def pages(world: World) -> Iterator[Page]:
    """One page; records are anchors. Thousands of numbers have no place in the search."""
    yield Page("measurements.md", "measurements", title=lambda v: v.plain("pages.nav.measurements"), search=False)


def render(view: View, id_: str) -> str:
    """A table a source page, the newest first."""
    groups = []
    for m, page in view.world.entries("measurement").items():
        newest = max(record["date"] for record in page["records"])
        groups.append((newest, m, page))
    groups.sort(key=lambda g: (g[0], g[1]), reverse=True)
    total = sum(len(page["records"]) for _, _, page in groups)
    return fill("measurements.md", view, groups=groups, total=total, hardware=hardware, label=label)


def hardware(view: View, record: Entry) -> object:
    """The device's link, or the hardware as the source writes it, with how many."""
    name = view.link("device", record["device"]) if "device" in record else record.get("hardware", "")
    count = record.get("count", 1)
    return name if count == 1 else f"{count} × " + name


def label(view: View, kind: str, name: str) -> object:
    """An entry's link, or the name as the source writes it."""
    return view.link(kind, name)
