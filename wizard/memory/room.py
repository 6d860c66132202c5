"""How much of a device's memory an engine can have at all: what others use, and what the system keeps."""

from __future__ import annotations

from typing import Any, NamedTuple

from wizard.shapes import Card

from . import assumed
from .rules.base import mib


class Room(NamedTuple):
    """Bytes of one device: reported total, used by others, error of that, and why (text ids)."""

    total: int
    other: int
    error: int
    basis: str
    assumptions: tuple[str, ...]

    @property
    def free(self) -> int:
        """Bytes the engine may use before its own rules."""
        return self.total - self.other


def of(card: Card, backend: str, host: dict[str, Any]) -> Room:
    """Room on one device for an engine on this back end.

    A stated free size caps everything. CPU back ends work in system memory. Unified memory gives up to
    the share its entry states. A card that a desktop draws on loses an assumed part.
    """
    memory = card.entry["memory"]
    if backend in assumed.CPU_BACKENDS or card.entry["kind"] == "cpu":
        total = host.get("ram_bytes") or card.memory_bytes
        if memory.get("unified") and card.entry["kind"] != "cpu":
            total = card.memory_bytes or total
        if card.free_bytes is not None and card.entry["kind"] != "cpu":
            return _stated(total, card.free_bytes)
        used, error = assumed.system_bytes(total)
        return Room(total, used, error, "assumed", ("memory.assumed-system",))
    total = card.memory_bytes
    if card.free_bytes is not None:
        return _stated(total, card.free_bytes)
    if memory.get("unified"):
        fraction = memory.get("usable_fraction")
        if isinstance(fraction, dict):
            return Room(total, total - int(total * fraction["is"]), 0, "computed", ())
        kept = total - int(total * assumed.UNIFIED_FRACTION)
        return Room(total, kept, int(total * assumed.UNIFIED_ERROR), "assumed", ("memory.assumed-unified",))
    fraction = memory.get("usable_fraction")
    kept = total - int(total * fraction["is"]) if isinstance(fraction, dict) else 0
    draws = (
        host.get("os") in assumed.DESKTOP_OSES
        and card.index == 0
        and card.entry.get("segment") in assumed.DESKTOP_SEGMENTS
    )
    if draws:
        error = mib(assumed.DESKTOP_ERROR_MIB)
        return Room(total, kept + mib(assumed.DESKTOP_MIB), error, "assumed", ("memory.assumed-desktop",))
    return Room(total, kept, 0, "computed", ())


def _stated(total: int, free: int) -> Room:
    return Room(total, max(0, total - free), 0, "exact", ("memory.stated-free",))
