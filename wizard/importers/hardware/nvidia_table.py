"""`nvidia-smi` as it prints by itself: the table of cards, memory in use, MIG, and below it the processes.

Older drivers cut a name that is too long ("NVIDIA GeForce ..."); it is kept as it stands and told apart later.
"""

from __future__ import annotations

import re

from .seen import Line, Seen, bus, mib

TOOL = "nvidia-smi"
HEAD = re.compile(r"\|\s*NVIDIA-SMI\s")
_FIRST = re.compile(
    r"\|\s{1,4}(\d{1,3})\s{1,3}(\S.*?)\s{1,30}(On|Off|N/A|WDDM|TCC|MCDM|ERR!)\s*\|\s*([0-9A-Fa-f]{4,8}:[0-9A-Fa-f:.]{5,9})\s"
)
_MEMORY = re.compile(r"(\d{1,9})\s?MiB\s*/\s*(\d{1,9})\s?MiB")
_MIG = re.compile(r"\|[^|]*\|[^|]*\|\s*(Enabled|Disabled|N/A)\*?\s*\|")


def read(lines: list[Line], seen: Seen) -> None:
    """Claim the lines of the table."""
    card = None
    processes = False
    for line in lines:
        text = line.text.strip()
        if not text.startswith(("|", "+")):
            continue
        line.taken = True
        if text.startswith("| Processes:") or text.startswith("| MIG devices:"):
            processes = True
        if processes:
            continue
        if "Driver-Model" in text or "TCC/WDDM" in text:
            seen.os = seen.os or "windows"
        first = _FIRST.match(text)
        if first:
            card = seen.card(TOOL, vendor="nvidia", index=int(first[1]), name=first[2].strip(), bus=bus(first[4]))
            if first[3] in ("WDDM", "TCC", "MCDM"):
                seen.os = seen.os or "windows"
            continue
        memory = _MEMORY.search(text)
        if card and memory and card.total_mib is None:
            card.used_mib, card.total_mib = mib(memory[1], "mib"), mib(memory[2], "mib")
        mig = _MIG.match(text)
        if card and mig and mig[1] == "Enabled":
            card.mig = True
