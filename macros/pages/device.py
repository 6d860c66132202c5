"""The page of one device: what it has, what it computes in, and which engines and formats run on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from macros import kernels, words
from macros.catalog import Page
from macros.facts import Fact
from macros.templates import render as fill
from macros.view import View, as_list
from macros.world import Entry, World

_KERNELS = ("native", "weight-only", "emulated", "experimental", "unknown")


def pages(world: World) -> Iterator[Page]:
    """One page a device."""
    for id_, entry in world.entries("device").items():
        yield Page(f"devices/{id_}.md", "device", id_, title=lambda v, e=entry: v.name(e), boost=1.5)


def render(view: View, id_: str) -> str:
    """The Markdown of one device's page."""
    world = view.world
    entry = world.entries("device")[id_]
    runs = []
    for engine in world.entries("engine"):
        formats = {}
        for (e, family, arch), cell in kernels.table(world).items():
            if e == engine and arch == entry["arch"]:
                formats.setdefault(cell.kernel, []).append(family)
        if formats:
            runs.append((engine, [(k, formats[k]) for k in _KERNELS if k in formats]))
    recipes = [
        (kind, r)
        for kind in ("recipe", "scenario")
        for r, x in world.entries(kind).items()
        if any(d.get("device") == id_ for d in x["situation"].get("devices", []))
    ]
    return fill(
        "device.md", view, id=id_, entry=entry, facts=facts(view, entry), runs=runs, words=words,
        recipes=recipes, sources=world.sources_of("device", id_), situation={"devices": [{"device": id_, "count": 1}]},
    )  # fmt: skip


def facts(view: View, entry: Entry) -> list[Fact]:
    """Memory, bandwidth, compute, links, power."""
    t = view.t
    memory = entry["memory"]
    sizes = ", ".join(view.num(size) for size in memory["options"])
    kind = f" {memory['type']}" if "type" in memory else ""
    unified = f", {view.plain('pages.device.unified')}" if memory["unified"] else ""
    rows = [Fact(t("pages.device.memory"), f"{sizes} GiB{kind}{unified}", memory["source"], ("memory",))]
    if "reported_mib" in memory:
        rows.append(value(view, t("pages.device.reported"), memory["reported_mib"], " MiB", ("memory", "reported_mib")))
    if "usable_fraction" in memory:
        share = memory["usable_fraction"]
        rows.append(value(view, t("pages.device.usable"), share, "", ("memory", "usable_fraction")))
    rows.append(value(view, t("pages.device.bandwidth"), entry["bandwidth_gbs"], " GB/s", ("bandwidth_gbs",)))
    for i, peak in enumerate(entry.get("compute", [])):
        name = t("pages.device.peak", type=peak["type"].upper())
        rows.append(
            Fact(
                name,
                f"{view.exact(peak['tflops'])} {'TOPS' if peak['type'].startswith('int') else 'TFLOPS'}",
                peak["source"],
                ("compute", i),
            )
        )
    if "native" in entry:
        rows.append(
            Fact(t("pages.device.native"), ", ".join(t_.upper() for t_ in entry["native"]["types"]),
                 entry["native"]["source"], ("native",))
        )  # fmt: skip
    for i, link in enumerate(entry.get("links", [])):
        parts = [link.get("generation", ""), f"{view.exact(link['gbs'])} GB/s" if "gbs" in link else ""]
        shown = ", ".join(p for p in parts if p) or view.plain("words.yes")
        rows.append(Fact(words.value(view, "link", link["kind"]), shown, link["source"], ("links", i)))
    if "power_w" in entry:
        rows.append(value(view, t("pages.device.power"), entry["power_w"], " W", ("power_w",)))
    return rows


def value(view: View, name: Any, line: Entry, unit: str, path: tuple[Any, ...]) -> Fact:
    """The row of a sourced number, or of one nobody knows."""
    known = isinstance(line["is"], int | float)
    shown = view.exact(line["is"]) + unit if known else ""
    note = view.say(line["note"]) if "note" in line else ""
    return Fact(name, shown, as_list(line["source"]), path, note, unknown=not known, opinion=line.get("opinion"))
