"""`amd-smi`: the table of version 25 and later, and `list`, `static`, `metric` as indented "NAME: value".

A device that is divided (DPX, CPX) shows one row a part; the parts share the address up to its last digit.
"""

from __future__ import annotations

import re

from .seen import Card, Line, Seen, bus, gen_of_speed, mib, whole

TOOL = "amd-smi"
HEAD = re.compile(r"\|\s*AMD-SMI\s|GPU: \d{1,3}\s*$")
_FIRST = re.compile(r"\|\s*([0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s+(\S.{0,60}?)\s*\|")
_SECOND = re.compile(r"\|\s*(\d{1,3})\s[^|]*\|[^|]*?(\d{1,9})/(\d{1,9}) ([MG]B)\s*\|")
_GPU = re.compile(r"GPU: (\d{1,3})\s*$")
_PAIR = re.compile(r"\s+([A-Z][A-Z0-9_ ]{1,40}):(?:\s(.*))?$")


def read(lines: list[Line], seen: Seen) -> None:
    """Claim the table, and the indented lines below a card."""
    card: Card | None = None
    table = False
    section = ""
    for line in lines:
        text = line.text
        if text.startswith(("|", "+")):
            table = table or bool(HEAD.match(text))
            line.taken = table
            card = _table(text, card, seen)
            continue
        gpu, pair = _GPU.match(text), _PAIR.match(text)
        if gpu:
            card, section, line.taken = seen.card(TOOL, vendor="amd", index=int(gpu[1])), "", True
        elif card and pair:
            line.taken = True
            value = (pair[2] or "").strip()
            if value:
                _value(card, section, pair[1], value)
            else:
                section = pair[1]


def _table(text: str, card: Card | None, seen: Seen) -> Card | None:
    first, second = _FIRST.match(text), _SECOND.match(text)
    if first:
        card = seen.card(TOOL, vendor="amd", bus=bus(first[1]), name=first[2])
        stem = card.bus.rpartition(".")[0]
        card.part = any(c.tool == TOOL and c is not card and c.bus.rpartition(".")[0] == stem for c in seen.cards)
    elif second and card:
        card.index = int(second[1])
        card.used_mib, card.total_mib = (mib(second[n], second[4].lower()) for n in (2, 3))
    return card


def _value(card: Card, section: str, name: str, value: str) -> None:
    if name == "MARKET_NAME" and value != "N/A":
        card.name = value[:80]
    elif name == "TARGET_GRAPHICS_VERSION" and re.match(r"gfx[0-9a-f]{3,5}\b", value):
        card.arch = value[:20]
    elif name == "BDF":
        card.bus = bus(value[:20])
    elif name == "UUID":
        card.uuid = value[:60]
    elif section == "VRAM" and name == "SIZE" or name == "TOTAL_VRAM":
        card.total_mib = mib(value)
    elif name == "USED_VRAM":
        card.used_mib = mib(value)
    elif name == "FREE_VRAM":
        card.free_mib = mib(value)
    elif name == "MAX_PCIE_WIDTH":
        card.width = whole(value, 32)
    elif name == "MAX_PCIE_SPEED":
        card.generation = gen_of_speed(value)
    elif name == "PCIE_INTERFACE_VERSION":
        card.generation = whole(value.removeprefix("Gen "), 9) or card.generation
