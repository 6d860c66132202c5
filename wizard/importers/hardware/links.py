"""How the cards are connected, from the matrix of pairs."""

from __future__ import annotations

from typing import Any

from .seen import Seen

# No card has more links of its own than this (H100, B200): a card with more towards its peers reaches them by a switch.
MOST_LINKS = 18


def within(seen: Seen, devices: int) -> dict[str, Any]:
    """{"within": …} as a Situation has it, {} where no tool told it.

    Pairs of different kinds count as the weakest one, which is told.
    """
    pairs = seen.links
    if not pairs or devices < 2:
        return {}
    fast = {pair: kind for pair, kind in pairs.items() if kind.startswith("NV") or kind == "XGMI"}
    if not fast:
        return {"within": "pcie"}
    if len(fast) < len(pairs):
        named = ", ".join(f"{one}–{other}" for one, other in sorted(fast)[:8])
        seen.note("some-links", pairs=named)
        return {"within": "pcie"}
    links: dict[int, int] = {}
    for (one, other), kind in fast.items():
        number = int(kind[2:]) if kind[2:].isdigit() else 0
        for card in (one, other):
            links[card] = links.get(card, 0) + number
    return {"within": "nvswitch" if max(links.values()) > MOST_LINKS else "nvlink"}
