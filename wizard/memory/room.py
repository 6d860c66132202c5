"""How much of a device's memory an engine can have at all: what others use, and what the system keeps."""

from __future__ import annotations

from typing import Any, NamedTuple

from wizard.shapes import Card

from . import assumed
from .cache import Memo
from .rules.base import mib


class Room(NamedTuple):
    """Bytes of one device: reported total, used by others, error of that, and why (text ids).

    free: what the engine may use before its own rules.
    """

    total: int
    other: int
    error: int
    basis: str
    assumptions: tuple[str, ...]
    free: int


_memo = Memo()


def of(card: Card, backend: str, host: dict[str, Any]) -> Room:
    """Room on one device for an engine on this back end.

    A stated free size caps everything. CPU back ends work in system memory. Unified memory gives up to
    the share its entry states. A card that a desktop draws on loses an assumed part. Equal devices get
    the same object.
    """
    entry = card.entry
    on_cpu = backend in assumed.CPU_BACKENDS or entry["kind"] == "cpu"
    draws = card.index == 0 and host.get("os") in assumed.DESKTOP_OSES
    key = (card.memory_bytes, card.free_bytes, on_cpu, draws, host.get("ram_bytes"))
    return _memo.get(entry, key, lambda: _room(card, on_cpu, draws, host))


def all_of(cards: tuple[Card, ...], backend: str, host: dict[str, Any]) -> list[Room]:
    """Room on every device; cards that equal the one before them share its object."""
    found: list[Room] = []
    before = None
    for card in cards:
        # only the first card of a machine may be the one a desktop draws on
        if (
            before is not None and before.index and card.entry is before.entry
            and card.memory_bytes == before.memory_bytes and card.free_bytes == before.free_bytes
        ):  # fmt: skip
            found.append(found[-1])
        else:
            found.append(of(card, backend, host))
        before = card
    return found


def _room(card: Card, on_cpu: bool, draws: bool, host: dict[str, Any]) -> Room:
    entry = card.entry
    memory = entry["memory"]
    total = card.memory_bytes
    if on_cpu and not (memory.get("unified") and entry["kind"] != "cpu"):
        total = host.get("ram_bytes") or total
    if card.free_bytes is not None and entry["kind"] != "cpu":
        kept = max(0, total - card.free_bytes)
        return Room(total, kept, 0, "exact", ("memory.stated-free",), total - kept)
    if on_cpu:
        used, error = assumed.system_bytes(total)
        return Room(total, used, error, "assumed", ("memory.assumed-system",), total - used)
    fraction = memory.get("usable_fraction")
    if isinstance(fraction, dict):
        kept = total - int(total * fraction["is"])
    elif memory.get("unified"):
        kept = total - int(total * assumed.UNIFIED_FRACTION)
        error = int(total * assumed.UNIFIED_ERROR)
        return Room(total, kept, error, "assumed", ("memory.assumed-unified",), total - kept)
    else:
        kept = 0
    if draws and not memory.get("unified") and entry.get("segment") in assumed.DESKTOP_SEGMENTS:
        kept += mib(assumed.DESKTOP_MIB)
        error = mib(assumed.DESKTOP_ERROR_MIB)
        return Room(total, kept, error, "assumed", ("memory.assumed-desktop",), total - kept)
    return Room(total, kept, 0, "computed", (), total - kept)
