"""A machine as a person writes it: "2x RTX 3090 24GB, 64 GB RAM, Ryzen 9 5950X, Windows 11"."""

from __future__ import annotations

import re

from ...kb import KB
from .seen import MAX_CARDS, Line, Seen, mib

TOOL = "names"
_APART = re.compile(r"[,;+|]|\s/\s|\s(?:and|with|và|với|и|с)\s")
_COUNT = re.compile(r"^(\d{1,3})\s*[x×*х]\s*(?=\S)|\s[x×*х]\s?(\d{1,3})$", re.I)
_RAM = re.compile(r"\bRAM\b|\bDDR\d|\bmemory\b|\bОЗУ\b|\bоператив|\bпамят", re.I)
_SIZE = re.compile(r"\d[\d.,]*\s?[GTГТ]i?[BБ]", re.I)
_SYSTEMS = (
    ("wsl2", re.compile(r"\bWSL", re.I)),
    ("windows", re.compile(r"\bWin(?:dows)?\s?(?:1[01]|7|8|Server)?\b", re.I)),
    ("macos", re.compile(r"\bmac\s?OS\b", re.I)),
    ("linux", re.compile(r"\b(?:Linux|Ubuntu|Debian|Fedora|Proxmox|NixOS|Mint)\b", re.I)),
)
_CPU = re.compile(r"\b(?:Ryzen|Threadripper|EPYC|Xeon|Core|Ultra \d|i[3579]-\d|Celeron|Pentium)\b", re.I)


def read(lines: list[Line], seen: Seen, kb: KB) -> None:
    """Claim lines that name known devices, RAM or a system; what else stands in such a line is a line left over."""
    rest: list[Line] = []
    for line in lines:
        if line.taken:
            continue
        parts = [part.strip() for part in _APART.split(line.text) if part.strip()]
        left = [part for part in parts if not _part(part, seen, kb)]
        if len(left) < len(parts):
            line.taken = True
            rest += [Line(line.number, part) for part in left]
    lines += rest


def _part(text: str, seen: Seen, kb: KB) -> bool:
    found = _COUNT.search(text)
    name = _COUNT.sub("", text).strip() if found else text
    hit = kb.find_device(name)
    if hit and kb.devices[hit[0]]["kind"] != "cpu":
        for _ in range(min(int(found[1] or found[2]) if found else 1, MAX_CARDS)):
            seen.card(TOOL, vendor=kb.devices[hit[0]].get("vendor"), name=name[:80], index=len(seen.cards))
        return True
    size = _SIZE.search(text)
    if size and _RAM.search(text):
        seen.ram_mib = mib(size[0])
        return True
    system = next((id_ for id_, pattern in _SYSTEMS if pattern.search(text)), None)
    if hit or _CPU.search(text):
        seen.cpu = seen.cpu or name[:80]
    elif system:
        seen.os = seen.os or system
    else:
        return False
    return True
