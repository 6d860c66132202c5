"""`nvidia-smi -q`: everything about each card as indented "name : value", below it PCIe and memory."""

from __future__ import annotations

import re

from .seen import Card, Line, Seen, bus, mib, whole

TOOL = "nvidia-smi -q"
HEAD = re.compile(r"=+\s?NVSMI LOG\s?=+|Attached GPUs\s*:|GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d\s*$")
_GPU = re.compile(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s*$")
_TOP = re.compile(r"(?:Timestamp|Driver Version|CUDA Version|Attached GPUs)\s*:|=+\s?NVSMI LOG")
_PAIR = re.compile(r"(\s+)([^:]{1,60}?)\s*:\s?(.*)$")
_SECTION = re.compile(r"(\s+)(\S[^:]{0,60})$")


def read(lines: list[Line], seen: Seen) -> None:
    """Claim the indented lines below a card and the head."""
    card: Card | None = None
    way: list[tuple[int, str]] = []  # (indent, section) from the outside in
    for line in lines:
        gpu = _GPU.match(line.text)
        if gpu:
            card, way = seen.card(TOOL, vendor="nvidia", bus=bus(gpu[1])), []
            card.index = sum(c.tool == TOOL for c in seen.cards) - 1 if card.index is None else card.index
            line.taken = True
            continue
        if _TOP.match(line.text):
            line.taken = True
            continue
        pair, section = _PAIR.match(line.text), _SECTION.match(line.text)
        if not card or not (pair or section):
            continue
        line.taken = True
        indent = len((pair or section)[1])  # type: ignore[index]
        while way and way[-1][0] >= indent:
            way.pop()
        if pair:
            _value(card, "/".join(name for _, name in way), pair[2], pair[3].strip(), seen)
        elif section:
            way.append((indent, section[2].strip()))


def _value(card: Card, section: str, name: str, value: str, seen: Seen) -> None:
    if name == "Product Name":
        card.name = value[:80]
    elif name == "GPU UUID":
        card.uuid = value[:60]
    elif section == "FB Memory Usage":
        size = mib(value)
        if name == "Total":
            card.total_mib = size
        elif name == "Used":
            card.used_mib = size
        elif name == "Free":
            card.free_mib = size
    elif section == "MIG Mode" and name == "Current":
        card.mig = value == "Enabled"
    elif section == "Driver Model" and name == "Current" and value in ("WDDM", "TCC", "MCDM"):
        seen.os = seen.os or "windows"
    elif section.endswith("PCIe Generation") and name == "Max":
        card.generation = whole(value, 9)
    elif section.endswith("Link Width") and name == "Current":
        card.width = whole(value, 32)
