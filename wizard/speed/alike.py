"""What a name could mean besides: other devices it begins, weight types it looks like, back ends of a kind."""

from __future__ import annotations

import re
from difflib import get_close_matches

from wizard.kb import KB
from wizard.vocabulary import BACKENDS

from . import names

_SERIES = re.compile(r"\b(nvidia|geforce|tesla|quadro|amd|radeon|instinct|intel|apple|not stated)\b", re.I)


def near_types(text: str, kb: KB, limit: int = 4) -> list[str]:
    """Names of weight types that look like a text, the most alike first."""
    known = {type_["name"].lower(): type_["name"] for entry in kb.formats.values() for type_ in entry["types"]}
    known |= {type_["id"]: type_["name"] for entry in kb.formats.values() for type_ in entry["types"]}
    wanted = text.strip().lower()[:60]
    found = get_close_matches(wanted, known, 2 * limit, 0.6)
    found = found or [name for name in known if name[:1] == wanted[:1]]
    return list(dict.fromkeys(known[name] for name in found))[:limit]


def several(text: str) -> bool:
    """Whether a text names different devices, which are no one machine here: "RTX 3090 + RTX 4090"."""
    parts = re.split(r"\s*(?:\+|,|&|\band\b)\s+", text.strip())
    return len(parts) > 1 and len(set(parts)) > 1


def variants(text: str, device: str, kb: KB) -> list[str]:
    """Names of the devices that a short name could also mean, "H100" besides the SXM module the PCIe card; empty
    for a name in full."""
    words = _bare(names.counted(names.LINKED.sub("", text))[1]).split()
    own = _bare(kb.devices[device]["name"])
    if not words or own == " ".join(words):
        return []
    if not f"{own} ".startswith(" ".join(words) + " "):
        return []
    maker = kb.devices[device]["vendor"]
    begin = " ".join(words) + " "
    return sorted(
        entry["name"]
        for id_, entry in kb.devices.items()
        if id_ != device and entry["vendor"] == maker and f"{_bare(entry['name'])} ".startswith(begin)
    )


def _bare(name: str) -> str:
    """A name without asides, memory and the words of makers and series, in lower case."""
    plain = _SERIES.sub(" ", names.MEMORY.sub(" ", names.ASIDE.sub(" ", name.lower())))
    return " ".join(plain.replace("-", " ").replace("_", " ").split())


def backends(machine: names.Machine, kb: KB) -> list[str]:
    """The back ends of a device; of one that is no entry, those of all devices of its class; empty: not known."""
    own = machine.entry.get("backends")
    class_ = machine.entry.get("speed_class")
    alike = [
        entry.get("backends") or () for entry in kb.devices.values() if class_ and entry.get("speed_class") == class_
    ]
    # what any device of the class offers may be there on this one too, in another build or system
    found = {*(own or ()), *(name for offered in alike for name in offered)}
    return [name for name in BACKENDS if name in found]
