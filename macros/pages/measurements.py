"""Public measurements, page by page, as the estimates use them."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import Entry, World
from wizard.shapes import GIB


def pages(world: World) -> Iterator[Page]:
    """One page; records are anchors. Thousands of numbers have no place in the search."""
    yield Page("measurements.md", "measurements", title=lambda v: v.plain("pages.nav.measurements"), search=False)


def render(view: View, id_: str) -> str:
    """A table a source page, the newest first."""
    groups = []
    for m, page in view.world.entries("measurement").items():
        # a page of which only sizes of memory were taken comes last
        newest = max((record["date"] for record in page["records"]), default="")
        groups.append((newest, m, page))
    groups.sort(key=lambda g: (g[0], g[1]), reverse=True)
    total = sum(len(page["records"]) for _, _, page in groups)
    return fill("measurements.md", view, groups=groups, total=total, hardware=hardware, label=label, sizes=sizes)


def sizes(view: View, start: Entry) -> list[str]:
    """What one start-up printed, each size in GiB with its name."""
    shown = []
    for one in start.get("measured", []):
        name = view.plain(f"pages.memory.{one['what']}")
        if one["what"] == "concurrency":
            shown.append(f"{name}: {view.num(one['value'], 2)}")
        else:
            shown.append(f"{name}: {view.plain('pages.memory.gib', n=view.num(one['value'] / GIB, 2))}")
    return shown


def hardware(view: View, record: Entry) -> object:
    """The device's link, or the hardware as the source writes it, with how many."""
    name = view.link("device", record["device"]) if "device" in record else record.get("hardware", "")
    count = record.get("count", 1)
    return name if count == 1 else f"{count} × " + name


def label(view: View, kind: str, name: str) -> object:
    """An entry's link, or the name as the source writes it."""
    return view.link(kind, name)
