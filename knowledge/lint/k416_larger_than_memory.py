"""Measured models whose weights the named devices cannot hold."""

from collections.abc import Iterator
from typing import Any

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World

ROUNDING = 1.02  # sizes are printed with two or three digits


def check(world: World) -> Iterator[Finding]:
    devices = {file.id: entry for file, entry in world.entries("device")}
    for file, page in world.entries("measurement"):
        for position, record in enumerate(page["records"]):
            said = too_large(record, devices.get(record.get("device", ""), {}))
            if said:
                yield RULE.at(file.place(("records", position, "file_gib")), said)


def too_large(record: dict[str, Any], device: dict[str, Any]) -> str | None:
    """The arithmetic of a record whose weights are larger than all its devices, or None."""
    size, count = record.get("file_gib"), record.get("count", 1)
    options = [gib for gib in device.get("memory", {}).get("options", ()) if isinstance(gib, int | float)]
    if not size or not options or record.get("backend") == "cpu":
        return None
    room = max(options) * count
    if size <= ROUNDING * room:
        return None
    return f"{size:g} GiB of weights on {count} x {max(options):g} GiB = {room:g} GiB"


RULE = Rule(
    code="K416",
    level="error",
    name="larger than the memory",
    why="such a run kept part of the weights elsewhere or used more devices than it says, so its rate is not one of "
    "these devices",
    fix="look at the page again: number of devices, format, what was moved to system memory; if it cannot be told, "
    "leave it out",
    bad="{device: h200, file_gib: 219.8, batch: 1, decode_tps: 20}",
    good="{device: h200, count: 2, split: tensor, file_gib: 219.8, batch: 1, decode_tps: 60}",
    check=check,
)
