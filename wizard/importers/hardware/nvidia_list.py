"""`nvidia-smi -L`, one line a card with its id, and `nvidia-smi nvlink -s`, which adds the state of each link."""

from __future__ import annotations

import re

from .seen import Line, Seen

TOOL = "nvidia-smi -L"
HEAD = re.compile(r"GPU \d{1,3}: .{1,80} \(UUID: ")
_CARD = re.compile(r"GPU (\d{1,3}): (.{1,80}?) \(UUID: ([^)\s]{1,60})\)?")
_MIG = re.compile(r"\s+MIG \S+\s+Device\s+\d+:")
_LINK = re.compile(r"\s*Link \d{1,2}: (?:[\d.]{1,8} GB/s|<inactive>)")


def read(lines: list[Line], seen: Seen) -> None:
    """Claim the lines of cards, of their MIG parts and of their links."""
    card = None
    for line in lines:
        match = _CARD.match(line.text)
        if match:
            card = seen.card(TOOL, vendor="nvidia", index=int(match[1]), name=match[2].strip(), uuid=match[3])
            line.taken = True
        elif card and _MIG.match(line.text):
            card.mig = line.taken = True
        elif card and _LINK.match(line.text):
            line.taken = True
            if "inactive" not in line.text:
                seen.note("links-active")
