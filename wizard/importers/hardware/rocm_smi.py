"""`rocm-smi`: the short table, `--showproductname`, `--showmeminfo vram` and `--showtopo`.

The short table names a card only by its PCI device id; where several cards share it, that is told.
"""

from __future__ import annotations

import re

from . import pci_names
from .seen import Line, Seen, bus, mib

TOOL = "rocm-smi"
HEAD = re.compile(r"=*\s*ROCm System Management Interface|GPU\[\d{1,3}\]\s*:|=+ (?:Concise|Product) Info =+")
_PAIR = re.compile(r"GPU\[(\d{1,3})\]\s*:\s*([^:]{1,60}):\s*(.*)$")
_SHORT = re.compile(r"(\d{1,3})\s+\d{1,3}\s+0x([0-9a-fA-F]{4}),")
_OLD = re.compile(r"\s{0,3}(\d{1,3})\s+(?:N/A|[\d.]{1,6}\s?°?[cC])\s+\S+")
_LINK = re.compile(r"GPU(\d{1,3})((?:\s+(?:0|XGMI|PCIE))+)\s*$")
_NOISE = re.compile(
    r"\s*(?:=+|Device\s+Node|GPU\s+Temp|GPU\s+GPU|GPU\d|\(DID|\w* ?\(DID|GPU\[|WARNING: AMD|End of ROCm)"
)


def read(lines: list[Line], seen: Seen) -> None:
    """Claim everything between the rules of its report."""
    for line in lines:
        text = line.text
        pair, short = _PAIR.match(text), _SHORT.match(text)
        if pair:
            line.taken = True
            _value(int(pair[1]), pair[2].strip(), pair[3].strip(), seen)
        elif short:
            line.taken = True
            card = seen.card(TOOL, vendor="amd", index=int(short[1]))
            card.name = card.name or pci_names.name("1002", short[2])
        elif _LINK.match(text):
            line.taken = True
            row = _LINK.match(text)
            for other, cell in enumerate(row[2].split()) if row else ():
                one = int(row[1]) if row else 0
                if other != one and cell in ("XGMI", "PCIE"):
                    seen.links[min(one, other), max(one, other)] = cell
        elif _OLD.match(text):
            line.taken = True
            row = _OLD.match(text)
            seen.card(TOOL, vendor="amd", index=int(row[1]) if row else 0)
        elif _NOISE.match(text):
            line.taken = True


def _value(index: int, name: str, value: str, seen: Seen) -> None:
    card = seen.card(TOOL, vendor="amd", index=index)
    name = name.lower()
    if name in ("card series", "card model", "device name"):
        number = re.match(r"0x([0-9a-fA-F]{4})\b", value)
        named = pci_names.name("1002", number[1]) if number else value[:80]
        if named and (not card.name or not number):
            card.name = named
    elif name == "gfx version":
        card.arch = value[:20] if re.match(r"gfx[0-9a-f]{3,5}\b", value) else card.arch
    elif name.startswith("vram total memory"):
        card.total_mib = mib(value, "b")
    elif name.startswith("vram total used memory"):
        card.used_mib = mib(value, "b")
    elif name == "pci bus":
        card.bus = bus(value[:20])
