"""What a name could mean besides: other devices it begins, weight types it looks like, back ends of a kind."""

from __future__ import annotations

import re
import shlex
from difflib import get_close_matches
from typing import Any

from wizard.kb import KB, fold
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


def of_family(text: str, family: str, type_: str, kb: KB) -> list[tuple[str, dict[str, str]]]:
    """What to say where a text names a family alone whose types differ in width, and one was taken."""
    entry = kb.formats.get(family)
    widths = [known["bits"] for known in entry["types"]] if entry else [1]
    if not entry or max(widths) < 1.1 * min(widths) or fold(text) not in map(fold, (family, entry["name"])):
        return []
    known = kb.type_of(family, type_)
    return [("terminal.usual", {"name": entry["name"], "type": known["name"] if known else type_})]


def listing(kind: str, text: str, kb: KB) -> str:
    """The command that lists what a text could mean: every name that holds it, else all names of the kind."""
    entries = {"devices": kb.devices, "models": kb.models, "engines": kb.engines}.get(kind, {})
    wanted = fold(text)
    some = wanted and any(wanted in fold(entry["name"]) for entry in entries.values())
    return shlex.join(["which-engine", "names", kind, *([text] if some else [])])


def several(text: str) -> bool:
    """Whether a text names different devices, which are no one machine here: "RTX 3090 + RTX 4090"."""
    parts = re.split(r"\s*(?:\+|,|&|\band\b)\s+", text.strip())
    return len(parts) > 1 and len(set(parts)) > 1


def variants(text: str, device: str, kb: KB) -> list[str]:
    """Names of the devices that a short name could also mean, "H100" besides the SXM module the PCIe card; empty
    for a name in full."""
    begin = _bare(names.counted(names.LINKED.sub("", text))[1])
    maker, own = kb.devices[device]["vendor"], _rest(kb.devices[device], begin)
    if not begin or not own:
        return []
    alike = (e for id_, e in kb.devices.items() if id_ != device and e["vendor"] == maker)
    return sorted(entry["name"] for entry in alike if _rest(entry, begin) is not None)


def _rest(entry: dict[str, Any], begin: str) -> str | None:
    """What a name says after `begin`, another word or letter; None where it begins otherwise: "RTX 40" does not
    begin "RTX 4090"."""
    bare = _bare(entry["name"])
    rest = bare.removeprefix(begin)
    return rest if bare.startswith(begin) and not rest[:1].isdigit() else None


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
