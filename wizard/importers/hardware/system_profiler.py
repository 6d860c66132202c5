"""macOS: `system_profiler SPHardwareDataType SPDisplaysDataType`, as indented "Name: value" below headings."""

from __future__ import annotations

import re

from .seen import Card, Line, Seen, mib, whole

TOOL = "system_profiler"
HEAD = re.compile(
    r"(?:Hardware|Graphics/Displays|Software|Memory):\s*$|\s{2,6}(?:Hardware Overview|System Software Overview):\s*$"
)
_PAIR = re.compile(r"(\s+)([^:]{1,60}):(?:\s(.*))?$")


def read(lines: list[Line], seen: Seen) -> None:
    """Claim the headings and all that is indented below them."""
    card: Card | None = None
    inside = ""
    for line in lines:
        if re.match(r"[A-Z][\w/ ]{2,40}:\s*$", line.text):
            inside, line.taken = line.text.strip(" :\t\r"), True
            continue
        pair = _PAIR.match(line.text)
        if not pair:
            continue
        line.taken = True
        name, value = pair[2].strip(), (pair[3] or "").strip()
        if "Overview" in name and not value:
            inside = name
        card = _value(name, value, inside, card, seen)


def _value(name: str, value: str, inside: str, card: Card | None, seen: Seen) -> Card | None:
    seen.os = seen.os or "macos"
    if name == "Chip":
        seen.cpu, seen.arch = value[:80], "aarch64"
    elif name == "Processor Name":
        seen.cpu, seen.arch = value[:80], "x86_64"
    elif name == "Memory" and value:
        seen.ram_mib = mib(value) or seen.ram_mib
    elif name == "Chipset Model":
        vendor = "apple" if value.startswith("Apple") else None
        return seen.card(TOOL, vendor=vendor, name=value[:80], index=sum(c.tool == TOOL for c in seen.cards))
    elif card and name == "Total Number of Cores" and "Hardware" not in inside:
        card.cores = whole(value, 1000)
    elif card and name.startswith("VRAM"):
        card.total_mib = mib(value)
        card.apart = card.apart or "Dynamic" in name
    elif card and name == "Vendor":
        found = re.match(r"(AMD|NVIDIA|Intel|Apple)", value)
        card.vendor = found[1].lower() if found else card.vendor
    elif card and name == "PCIe Lane Width":
        card.width = whole(value.removeprefix("x"), 32)
    return card
