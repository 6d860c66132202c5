"""The cards that tools show, as devices of the knowledge: several views of one card joined, names found."""

from __future__ import annotations

import re
from typing import Any

from ...fields import tidy
from ...kb import KB, fold
from .seen import Card, Seen

Plain = dict[str, Any]

LOW, HIGH = 0.25, 10_000  # GiB of a device: outside it the number was not read rightly
NEAR = 0.12  # what drivers keep of a card's memory, and what vendors round, stays within this
# tools that know a card best come first
_ORDER = (
    "nvidia-smi -q", "nvidia-smi --query-gpu", "nvidia-smi", "amd-smi", "rocm-smi", "nvidia-smi -L", "system_profiler",
    "lspci", "Windows",
)  # fmt: skip
_CUT = re.compile(r"\s*\.{2,3}$|\.{2,3}$")
# parts of a processor or of a virtual machine that no engine here computes on
_NOT_COUNTED = re.compile(
    r"\b(?:U?HD Graphics|Iris|Matrox|MGA|ASPEED|AST\d+|Basic Display|Basic Render|Remote|Virtual|VMware|VirtualBox|QXL"
    r"|Cirrus|Hyper-V|Parsec|Bochs|Red Hat|Virtio|DisplayLink|Vega \d+ Graphics|Radeon(?:\(TM\))? Graphics"
    r"|Radeon Vega \d+|Radeon 6[18]0M|Radeon 7[468]0M|Radeon 8[468]0M|Raphael|Granite Ridge|Cezanne|Renoir|Picasso)\b",
    re.I,
)
_TRADE = re.compile(r"\((?:R|TM|C)\)|®|™", re.I)
_CPU_TAIL = re.compile(
    r"\s+(?:@\s*[\d.]+\s*GHz|CPU(?=\s|$)|\d+-Cores?(?: Processor)?(?=\s|$)|Processor(?=\s|$)|- .*|w/ .*|with .*)"
    r"|^\d+th Gen\s+",
    re.I,
)


def joined(seen: Seen) -> list[Card]:
    """Each physical card once: per vendor the tool that shows most cards, completed by what the others add."""
    found: list[Card] = []
    for vendor in dict.fromkeys(card.vendor for card in seen.cards):
        views: dict[str, list[Card]] = {}
        for card in seen.cards:
            if card.vendor == vendor and not card.part:
                views.setdefault(card.tool, []).append(card)
        if any(card.part and card.vendor == vendor for card in seen.cards):
            seen.note("parts")
        counted = {tool: [c for c in cards if c.name or c.total_mib or c.arch] for tool, cards in views.items()}
        tools = [tool for tool in _ORDER if counted.get(tool)]
        if not tools:
            found += next(iter(views.values()), [])
            continue
        base = max(tools, key=lambda tool: (sum(not apart(c) for c in counted[tool]), -_ORDER.index(tool)))
        for tool in tools:
            if len(counted[tool]) < len(counted[base]) and base != tool:
                seen.note("fewer", tool=tool, n=len(counted[tool]), other=base, most=len(counted[base]))
        for card in counted[base]:
            for tool, others in views.items():
                twin = next((c for c in others if _same(card, c)), None) if tool != base else None
                if twin:
                    _complete(card, twin)
        found += counted[base]
    return found


def _same(card: Card, other: Card) -> bool:
    for key in ("uuid", "bus", "index"):
        mine, theirs = getattr(card, key), getattr(other, key)
        if mine not in (None, "") and theirs not in (None, ""):
            return mine == theirs
    return False


def _complete(card: Card, twin: Card) -> None:
    for key, value in vars(twin).items():
        if getattr(card, key) in (None, "", False):
            setattr(card, key, value)
    if _CUT.search(card.name) and not _CUT.search(twin.name) and twin.name:
        card.name = twin.name


def apart(card: Card) -> bool:
    """Whether a card is a part of the processor, or a virtual one."""
    return card.apart or bool(_NOT_COUNTED.search(card.name))


def device(card: Card, kb: KB, seen: Seen) -> Plain | None:
    """A card as an entry of a Situation's devices, or None when nothing can be said of it."""
    gib = card.total_mib / 1024 if card.total_mib and LOW <= card.total_mib / 1024 <= HIGH else None
    name = _TRADE.sub("", card.name).strip()
    if card.cores:
        hit = kb.find_device(f"{name} {card.cores}-core")
        if hit and kb.devices[hit[0]].get("kind") == "soc":
            return {"device": hit[0], "count": 1}
    hits = [hit for part in name.split(" / ") if (hit := kb.find_device(part))]
    if len(hits) > 1:
        fitting = [hit for hit in hits if gib and _option(kb, hit[0], gib)]
        if len(fitting) != 1:
            seen.note("several-names", name=card.name)
            return None
        hits = fitting
    if not hits and _CUT.search(name):
        hits = _cut(_CUT.sub("", name), gib, kb)
        if hits:
            seen.note("cut-name", name=card.name, device=kb.devices[hits[0][0]]["name"])
    if not hits:
        return _own(card, gib, seen)
    id_, option = hits[0]
    if gib is None or kb.devices[id_]["memory"]["unified"]:
        return {"device": id_, "count": 1, **({"memory_gib": tidy(option)} if option else {})}
    fitting = _option(kb, id_, gib)
    if fitting:
        return {"device": id_, "count": 1, "memory_gib": fitting}
    other = next((hit[0] for size in _sizes(gib) if (hit := kb.find_device(f"{name} {size} GB"))), None)
    if other and _option(kb, other, gib):
        return {"device": other, "count": 1, "memory_gib": _option(kb, other, gib)}
    return _changed(card, id_, gib, kb, seen)


def _option(kb: KB, id_: str, gib: float) -> float | None:
    """The memory option that a printed size stands for."""
    options = kb.devices[id_]["memory"]["options"]
    best = min(options, key=lambda option: abs(option - gib))
    return best if abs(best - gib) <= NEAR * best else None


def _sizes(gib: float) -> list[int]:
    near = round(gib)
    return [near, near + 1, near + 2]


def _cut(start: str, gib: float | None, kb: KB) -> list[tuple[str, float | None]]:
    """The one device whose name begins like a name that was cut and whose memory is the one shown."""
    key = fold(re.sub(r"(?i)\b(?:nvidia|tesla|geforce|quadro)\b", " ", start))
    found = []
    for id_, entry in kb.devices.items():
        names = [
            fold(re.sub(r"(?i)\b(?:nvidia|geforce|tesla)\b", " ", str(n)))
            for n in (entry["name"], *entry.get("aka", []))
        ]
        if len(key) >= 3 and any(n.startswith(key) for n in names) and gib and _option(kb, id_, gib):
            found.append((id_, None))
    return found if len(found) == 1 else []


def _own(card: Card, gib: float | None, seen: Seen) -> Plain | None:
    """A card that the knowledge does not have: an own device with what is known of it."""
    name = card.name or (card.vendor or "GPU").upper()
    if not gib:
        seen.note("unknown-device", name=name)
        return None
    custom: Plain = {"name": name[:60], "memory_gib": tidy(round(gib, 1))}
    if card.vendor:
        custom["vendor"] = card.vendor
    if card.capability:
        custom["compute_capability"] = card.capability
        custom["arch"] = "sm_" + card.capability.replace(".", "")
    elif card.arch:
        custom["arch"] = card.arch
    seen.note("own-device", name=name, gib=tidy(round(gib, 1)))
    return {"custom": custom, "count": 1}


def _changed(card: Card, id_: str, gib: float, kb: KB, seen: Seen) -> Plain:
    """A known card with another memory than any we know of: all of it but the memory."""
    entry = kb.devices[id_]
    custom: Plain = {"name": card.name[:60], "memory_gib": tidy(round(gib, 1))}
    for key in ("vendor", "kind", "arch", "compute_capability"):
        if entry.get(key):
            custom[key] = entry[key]
    speed = entry.get("bandwidth_gbs")
    speed = speed.get("is") if isinstance(speed, dict) else speed
    if isinstance(speed, int | float):
        custom["bandwidth_gbs"] = speed
    seen.note("other-memory", name=entry["name"], gib=tidy(round(gib, 1)))
    return {"custom": custom, "count": 1}


def processor(name: str, kb: KB) -> str | None:
    """The id of a processor or a system on a chip by the name that the system prints."""
    plain = _TRADE.sub("", name)
    short = plain
    for _ in range(4):
        short = _CPU_TAIL.sub("", short).strip()
    bare = re.sub(r"(?i)\b(?:intel|amd|core|apple)\b", " ", short)
    for text in (plain, short, bare):
        hit = kb.find_device(" ".join(text.split()))
        if hit and kb.devices[hit[0]]["kind"] in ("cpu", "soc"):
            return hit[0]
    return None
