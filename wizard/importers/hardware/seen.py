"""What the outputs of system tools say, before it is compared with the knowledge: lines, cards, the machine.

A tool's module claims the lines that it understands; what nobody claimed is told to the person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

MAX_CHARS = 1_000_000  # of a whole paste
MAX_LINES = 20_000
MAX_LINE = 2_000  # characters of one line that are looked at
MAX_CARDS = 512

_MIB = {
    "b": 1 / (1 << 20), "byte": 1 / (1 << 20), "bytes": 1 / (1 << 20), "k": 1 / 1024, "kb": 1 / 1024, "kib": 1 / 1024,
    "ki": 1 / 1024, "m": 1.0, "mb": 1.0, "mib": 1.0, "mi": 1.0, "g": 1024.0, "gb": 1024.0, "gib": 1024.0, "gi": 1024.0,
    "t": 1048576.0, "tb": 1048576.0, "tib": 1048576.0, "ti": 1048576.0,
    "кб": 1 / 1024, "мб": 1.0, "гб": 1024.0,
}  # fmt: skip
_SIZE = re.compile(r"\s*(\d{1,3}(?:[ ,.\u00a0\u202f]\d{3})+|\d{1,16}(?:[.,]\d{1,6})?)\s*([A-Za-zА-Яа-я]{0,5})")
_GROUPED = re.compile(r"\d{1,3}(?:[ ,.\u00a0\u202f]\d{3})+")
_MARKS = re.compile(r"[ ,.\u00a0\u202f]")


@dataclass
class Line:
    """number: from 1 in what was pasted. taken: some tool's module knows what it is."""

    number: int
    text: str
    taken: bool = False


@dataclass
class Card:
    """One device as one tool shows it; sizes in MiB, None where the tool does not say."""

    tool: str
    vendor: str | None = None
    name: str = ""
    index: int | None = None
    bus: str = ""  # PCI address, "01:00.0"
    uuid: str = ""
    total_mib: float | None = None
    used_mib: float | None = None
    free_mib: float | None = None
    arch: str = ""  # gfx1100
    capability: str = ""  # 8.9
    generation: int | None = None  # of PCIe, the best that card and slot allow
    width: int | None = None  # lanes in use
    cores: int | None = None  # of an integrated graphics part
    mig: bool = False
    part: bool = False  # one of several that one device is divided into
    apart: bool = False  # an integrated part


@dataclass
class Seen:
    """Everything that was understood."""

    cards: list[Card] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    os: str | None = None
    arch: str | None = None
    cpu: str = ""
    sockets: int | None = None
    ram_mib: float | None = None
    # (one device, another) -> "NV4", "PHB", "XGMI"
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)

    def note(self, id_: str, **params: Any) -> None:
        """Something to tell, once; the page has the sentence."""
        entry = {"id": id_, "params": params}
        if entry not in self.notes:
            self.notes.append(entry)

    def card(self, tool: str, **known: Any) -> Card:
        """A card of this tool: the one it has shown already at this index, address or id, else a new one."""
        for old in self.cards:
            if old.tool == tool and any(
                known.get(key) not in (None, "") and getattr(old, key) == known[key] for key in ("index", "bus", "uuid")
            ):
                break
        else:
            old = Card(tool)
            if len(self.cards) < MAX_CARDS:
                self.cards.append(old)
        for key, value in known.items():
            if value not in (None, ""):
                setattr(old, key, value)
        return old


def mib(text: str, unit: str = "") -> float | None:
    """A size as tools print it ("24576 MiB", "64 GB", "65,277 MB", "62Gi") in MiB; `unit` where none is written.

    Tools write MB and GB for powers of two. None when it is no size.
    """
    match = _SIZE.match(text)
    if not match:
        return None
    number, written = match[1], match[2].lower() or unit
    factor = _MIB.get(written)
    if factor is None:
        return None
    value = float(_MARKS.sub("", number) if _GROUPED.fullmatch(number) else number.replace(",", "."))
    return value * factor if value < 1e16 else None


def bus(text: str) -> str:
    """A PCI address without its domain where that is 0, in lower case."""
    short = text.strip().lower()
    domain, _, rest = short.rpartition(":")
    domain, colon, number = domain.rpartition(":")
    if not colon:
        return short
    return f"{number}:{rest}" if not domain.strip("0") else f"{domain.lstrip('0')}:{number}:{rest}"


def whole(text: str, high: int = 1_000_000) -> int | None:
    """The whole number that a text begins with, or None."""
    match = re.match(r"\s*(\d{1,9})(?!\d)", text)
    return int(match[1]) if match and int(match[1]) <= high else None


def gen_of_speed(text: str) -> int | None:
    """Generation of PCIe for a speed such as "16GT/s"."""
    match = re.match(r"\s*([\d.]{1,5})\s*GT/s", text)
    return {"2.5": 1, "5": 2, "5.0": 2, "8": 3, "8.0": 3, "16": 4, "16.0": 4, "32": 5, "32.0": 5, "64": 6}.get(
        match[1] if match else ""
    )
