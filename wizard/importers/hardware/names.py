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
_WORDS = {
    1: "one một один одна", 2: "two dual hai два две", 3: "three triple ba три", 4: "four quad bốn четыре",
    8: "eight tám восемь",
}  # fmt: skip
_COUNTS = {word: n for n, words in _WORDS.items() for word in words.split()}
_LAPTOP = re.compile(r"laptop|notebook|ноутбук", re.I)
_LABEL = re.compile(r"[:=\[\]<>]")  # of a line that a program wrote
_SENTENCES = 40
_BEFORE = 6  # words that may stand before a name: "У меня стоят две видеокарты"
_CPU = re.compile(r"\b(?:Ryzen|Threadripper|EPYC|Xeon|Core|Ultra \d|i[3579]-\d|Celeron|Pentium)\b", re.I)


def read(lines: list[Line], seen: Seen, kb: KB) -> None:
    """Claim lines that name known devices, RAM or a system; what else stands in such a line is a line left over."""
    rest: list[Line] = []
    # beside the output of a tool a sentence is no second list of cards, and nobody writes pages of them
    loose = not seen.cards and len(lines) <= _SENTENCES
    for line in lines:
        if line.taken:
            continue
        parts = [part.strip() for part in _APART.split(line.text) if part.strip()]
        left = [part for part in parts if not _part(part, seen, kb, loose)]
        if len(left) < len(parts):
            line.taken = True
            rest += [Line(line.number, part) for part in left]
    lines += rest


def _part(text: str, seen: Seen, kb: KB, loose: bool) -> bool:
    count, name = _counted(text)
    hit = kb.find_device(name)
    if not hit and loose and not _LABEL.search(text):
        count, name, hit = _inside(text, kb)
    if hit and kb.devices[hit[0]]["kind"] != "cpu":
        for _ in range(min(count, MAX_CARDS)):
            seen.card(TOOL, vendor=kb.devices[hit[0]].get("vendor"), name=name[:80], index=len(seen.cards))
        return True
    system = next((id_ for id_, pattern in _SYSTEMS if pattern.search(text)), None)
    size = _SIZE.search(text)
    if size and _RAM.search(text):
        seen.ram_mib = mib(size[0])
        seen.os = seen.os or system
        return True
    if hit or _CPU.search(text):
        seen.cpu = seen.cpu or name[:80]
    elif system:
        seen.os = seen.os or system
    else:
        return False
    return True


def _counted(text: str) -> tuple[int, str]:
    found = _COUNT.search(text)
    return (int(found[1] or found[2]), _COUNT.sub("", text).strip()) if found else (1, text)


def _inside(text: str, kb: KB) -> tuple[int, str, tuple[str, float | None] | None]:
    """A card named at the end of a few plain words, with the number among them: "I have two RTX 3090"."""
    words = text.split()
    for start in range(1, min(_BEFORE, len(words) - 1) + 1):
        before, name = words[:start], " ".join(words[start:])
        if any(_LAPTOP.search(word) for word in before) and not _LAPTOP.search(name):
            name += " Laptop"
        hit = kb.find_device(name)
        if hit and kb.devices[hit[0]]["kind"] != "cpu":
            numbers = [int(w) if w.isascii() and w.isdigit() and len(w) < 4 else _COUNTS.get(w.lower()) for w in before]
            return next((n for n in reversed(numbers) if n), 1), name, hit
    return 1, text, None
