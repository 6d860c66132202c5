"""What a machine says about itself, pasted: the outputs of system tools as the hardware part of a Situation.

`read` takes any text; several outputs may follow each other. One module a tool claims its lines (`split`), `match`
finds the devices; where no tool speaks, names that a person wrote are read (`names`). Nothing raises: what was not
understood is listed, and nothing is guessed in its place.
"""

from __future__ import annotations

import math
from typing import Any

from ...address import to_flat
from ...hardware import said
from ...kb import KB
from . import match, names, split
from .links import within
from .seen import MAX_CHARS, MAX_LINES, Card, Seen

Plain = dict[str, Any]
SHOWN = 12  # lines that were not understood and are shown; of the rest the number

__all__ = ["read"]


def read(text: str, kb: KB) -> Plain:
    """The hardware in a paste.

    Returns {"tools": names, "devices": entries as in a Situation, "host", "links", "fields": the same flat, as a form
    takes it, "pcie": [{"count", "generation", "width"}], "free": {"gib", "used_gib"} or None, "notes": [{"id",
    "params"}], "unread": [{"line", "text"}], "more": how many unread lines are not shown}. Memory in GiB.
    """
    seen = Seen()
    lines = split.split(str(text)[:MAX_CHARS])
    if len(text) > MAX_CHARS or len(lines) > MAX_LINES:
        seen.note("too-long")
    lines = lines[:MAX_LINES]
    split.read(lines, seen)
    if not seen.tools:
        names.read(lines, seen, kb)
    cards = match.joined(seen)
    counted = [card for card in cards if not match.apart(card)]
    cpu = match.processor(seen.cpu, kb) if seen.cpu else None
    devices = _devices(counted, cards, cpu, kb, seen)
    host, free = _host(seen, cpu, devices, counted, kb)
    links = within(seen, sum(d["count"] for d in devices))
    if any(card.mig for card in counted):
        seen.note("mig")
    if seen.sockets and seen.sockets > 1:
        seen.note("sockets", n=seen.sockets)
    unread = [line for line in lines if not line.taken]
    shown = [said(d, kb) if d.get("memory_gib") else d for d in devices]
    situation: Plain = {"devices": shown, "host": host, "links": links}
    return {
        "tools": seen.tools,
        **situation,
        "fields": to_flat(situation),
        "pcie": _pcie(counted),
        "free": free,
        "notes": seen.notes,
        "unread": [{"line": line.number, "text": line.text.strip()[:120]} for line in unread[:SHOWN]],
        "more": max(0, len(unread) - SHOWN),
    }


def _devices(counted: list[Card], cards: list[Card], cpu: str | None, kb: KB, seen: Seen) -> list[Plain]:
    found: list[Plain] = []
    for card in counted:
        device = match.device(card, kb, seen)
        if device and device.get("device") and kb.devices[device["device"]]["kind"] in ("cpu", "soc"):
            device = _shared(device, seen, kb)
            if any(d.get("device") == device["device"] for d in found):
                continue  # the one system on a chip, told by its processor and by its graphics
        same = device and next((d for d in found if {**d, "count": 0} == {**device, "count": 0}), None)
        if same:
            same["count"] += 1
        elif device:
            found.append(device)
    for card in cards:
        if card not in counted:
            seen.note("not-counted", name=card.name)
    if not found and cpu and (kb.devices[cpu]["kind"] == "soc" or not counted):
        found = [_shared({"device": cpu, "count": 1}, seen, kb)]
    if seen.cpu and not cpu and not any(d.get("device") and kb.devices[d["device"]]["kind"] == "soc" for d in found):
        seen.note("unknown-cpu", name=seen.cpu)
    return found


def _shared(device: Plain, seen: Seen, kb: KB) -> Plain:
    """A system on a chip with the memory of the machine: the smallest size that holds what the system reports."""
    entry = kb.devices[device["device"]]
    if not seen.ram_mib or not entry["memory"]["unified"]:
        return device
    gib = seen.ram_mib / 1024
    fitting = [size for size in sorted(entry["memory"]["options"]) if size >= gib * 0.99]
    return {**device, "memory_gib": fitting[0]} if fitting else device


def _host(seen: Seen, cpu: str | None, devices: list[Plain], counted: list[Card], kb: KB) -> tuple[Plain, Plain | None]:
    host: Plain = {}
    if seen.os:
        host["os"] = seen.os
    if seen.arch:
        host["arch"] = seen.arch
    unified = any(d.get("device") and kb.devices[d["device"]]["memory"]["unified"] for d in devices)
    ram = _tenths((seen.ram_mib or 0) / 1024)
    if not unified and 0.25 <= ram <= 100_000:
        host["ram_gib"] = ram
    alone = kb.devices[cpu]["kind"] == "soc" and unified if cpu else True
    if cpu and not alone and not any(d.get("device") == cpu for d in devices):
        host["cpu"] = cpu
    free = _free(counted)
    if free and not unified:
        host["free_vram_gib"] = free["gib"]
    return host, free if not unified else None


def _free(cards: list[Card]) -> Plain | None:
    """The least memory that is free on a card now, and what is in use there; None unless every card says it."""
    rows = []
    for card in cards:
        free = card.free_mib
        if free is None and card.total_mib is not None and card.used_mib is not None:
            free = card.total_mib - card.used_mib
        if free is None or not 0 <= free / 1024 <= 10_000:
            return None
        rows.append((free, card.used_mib if card.used_mib is not None else (card.total_mib or free) - free))
    if not rows:
        return None
    free, used = min(rows)
    return {"gib": _tenths(free / 1024), "used_gib": max(0, _tenths(used / 1024))}


def _pcie(cards: list[Card]) -> list[Plain]:
    rows: dict[tuple[Any, Any], int] = {}
    for card in cards:
        if card.generation or card.width:
            key = (card.generation, card.width)
            rows[key] = rows.get(key, 0) + 1
    return [{"count": count, "generation": key[0], "width": key[1]} for key, count in rows.items()]


def _tenths(value: float) -> float:
    down = math.floor(value * 10) / 10
    return int(down) if down == int(down) else down
