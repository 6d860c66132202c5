"""Linux: `lspci`, also with -nn and -v, -vv, whose LnkCap and LnkSta tell generation and width of PCIe."""

from __future__ import annotations

import re

from . import pci_names
from .seen import Card, Line, Seen, bus, gen_of_speed, whole

TOOL = "lspci"
HEAD = re.compile(r"(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7] (?:\w|\")")
_LINE = re.compile(
    r"((?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]) ([^:\[]{2,60})(?: \[([0-9a-f]{4})\])?: (.*)$"
)
_CLASSES = ("VGA compatible controller", "3D controller", "Display controller", "Processing accelerators")
_VENDORS = (("nvidia", "NVIDIA"), ("amd", "Advanced Micro Devices"), ("intel", "Intel Corporation"))
_NUMBERS = {"nvidia": "10de", "amd": "1002", "intel": "8086"}
_BRACKET = re.compile(r"\[([^\[\]]{2,100})\]")
_IDS = re.compile(r"\[?([0-9a-f]{4}):([0-9a-f]{4})\]?")
_DEVICE = re.compile(r"Device ([0-9a-f]{4})\b")


def read(lines: list[Line], seen: Seen) -> None:
    """Claim the lines of the list and what is indented below them."""
    card: Card | None = None
    listed = False
    for line in lines:
        match = _LINE.match(line.text)
        if match or HEAD.match(line.text):
            listed = line.taken = True
            card = _card(match[1], match[4], seen) if match and match[2].strip() in _CLASSES else None
        elif listed and line.text[:1] in ("\t", " ") or line.text.strip() == "--":
            line.taken = True
            if card:
                _detail(card, line.text)


def _card(address: str, what: str, seen: Seen) -> Card | None:
    vendor = next((id_ for id_, word in _VENDORS if word in what), None)
    seen.os = seen.os or "linux"
    names = [name for name in _BRACKET.findall(what) if name != "AMD/ATI" and not _IDS.fullmatch(name)]
    number = _IDS.search(what) or _DEVICE.search(what)
    known = pci_names.name(_NUMBERS.get(vendor or "", ""), number[number.lastindex or 1]) if number else ""
    plain = re.sub(r"\s*\(rev \w+\)|\[[^\]]*\]", "", what).strip()
    return seen.card(TOOL, vendor=vendor, bus=bus(address), name=(known or (names[0] if names else plain))[:100])


def _detail(card: Card, text: str) -> None:
    capable = re.search(r"LnkCap:.{0,60}?Speed ([\d.]+GT/s), Width x(\d{1,2})", text)
    state = re.search(r"LnkSta:.{0,60}?Width x(\d{1,2})", text)
    if capable:
        card.generation = gen_of_speed(capable[1])
        card.width = card.width or whole(capable[2], 32)
    if state:
        card.width = whole(state[1], 32)
