"""Names as people and tables write them: hardware, models, weight types and engines, and what they stand for.

Beyond the entries of the base this reads the public measurements, which describe machines and models that
are not entries, and, last, what a name itself says: "12ch DDR5-4800" is a bandwidth, "30B-A3B" two counts.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from wizard.hardware import counted
from wizard.kb import KB, fold
from wizard.memory.cache import Memo
from wizard.memory.named import USUAL
from wizard.shapes import GIB

from . import peaks

Entry = dict[str, Any]

ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_CORES = re.compile(r"\b\d+[- ]?cores?\b|\b\d+c\b", re.I)
MEMORY = re.compile(r"\b\d+(/\d+)?\s?(gb|gib|g)\b", re.I)
# Words beside a product's name that do not tell two products apart.
_DECORATION = re.compile(
    r"\b(cpu|gpu|igpu|graphics|soc|chip|(server |workstation )?edition|founders|oem|sxm\d?|pcie|oam|hbm\d?e?"
    r"|form factor not stated|not stated|dev(eloper)? ?kit|mac ?book ?(pro|air)?|mac ?(mini|studio|pro)|imac"
    r"|nvidia|amd|intel|apple|geforce|radeon|instinct|tesla)\b",
    re.I,
)
_PROCESSOR = re.compile(r"\bcpu\b", re.I)
_CHANNELS = re.compile(r"(\d{1,2})[- ]?(?:ch|channels?)\b|\b(dual|quad|octa)[- ]channel\b", re.I)
_WORDS = {"dual": 2, "quad": 4, "octa": 8}
_MEMORY_RATE = re.compile(r"\W*\b(?:lp)?ddr\d\w?[- ](\d{4,5})\b(?: ?MT/s)?", re.I)
LINKED = re.compile(r"\W*\b(?:(no|without|w/o)\W+|with\W+|w/\W*)?nv-?link(?: bridge)?\b\)?", re.I)

# What a name says of its class of device, the first that matches; and the maker of each class.
_CLASSES = tuple(
    (re.compile(pattern, re.I), name)
    for pattern, name in (
        (r"\bspark\b|\bgb10\b", "nv-spark"),
        (r"\bgfx(1035|1036|1103|115\d)\b", "amd-apu"),
        (r"\bgfx9\d\w\b", "amd-instinct"),
        (r"\bgfx1\d{3}\b", "amd-radeon"),
        (r"\bjetson|\borin\b|\bthor\b", "nv-jetson"),
        (r"\braspberry|\bsbc\b|\brk35|\borange pi|\brock ?5", "cpu-sbc"),
        (r"\bxeon|\bepyc|\bthreadripper|\bcpu[ _-]server|\bserver cpu", "cpu-server"),
        (r"\bstrix|\bryzen ai max|\b8060s|\b8050s|\b[678]\d0m\b|\bamd[ _-]apu", "amd-apu"),
        (r"\binstinct|\bmi\d{2,3}\w?\b|\bamd[ _-]datacenter", "amd-instinct"),
        (r"\bradeon|\brx ?\d{3,4}|\bamd[ _-]consumer", "amd-radeon"),
        (r"\bcore ultra \d \d{3}(k|kf|f)\b", "cpu-desktop"),
        (r"\barc 1[34]0[vt]\b|\blunar|\bcore ultra|\bintel[ _-]soc", "intel-soc"),
        (r"\barc\b|\bintel[ _-]gpu", "intel-arc"),
        (r"\b(p40|p100|v100|k80|m40)\b|\bgtx\b|\bold[ _-]datacenter|\bnv-legacy", "nv-legacy"),
        (r"\brtx (a\d{4}|pro|\d{4} ada)|\bquadro|\bworkstation", "nv-workstation"),
        (r"\bgeforce|\brtx ?\d{4}|\bnv[ _-]?(consumer|vulkan)|\bnvidia (consumer|vulkan)", "nv-consumer"),
        (r"\b(g?[bh]\d{3}|h20|a100|a800|a30|a40|a10g?|l40s?|l4|t4)\b|\bnv\w*[ _-]datacenter", "nv-datacenter"),
        (r"\bapple|\bm[1-9]\b", "apple-gpu"),
        (r"\bryzen|\bcore i\d|\bcpu\b|\bdesktop|\bn\d{3}\b", "cpu-desktop"),
    )
)
CLASSES = frozenset(name for _, name in _CLASSES)
_MAKERS = {"nv": "nvidia", "amd": "amd", "intel": "intel", "apple": "apple"}

_SIZES = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])(?:[-_ .]+a(\d+(?:\.\d+)?)b(?![a-z0-9]))?", re.I)
_BITS = re.compile(r"(?:(\d(?:[._]\d+)?)[- ]?(?:bit|bpw)|(?:int|w)(\d)|(?<![a-z])(?:i|t|p)?q(\d))", re.I)
_LLAMA_TYPE = re.compile(r"(?<![a-z0-9])(?:ud-)?(i?q\d\w*|tq\d\w*|f16|bf16|f32)(?![a-z0-9])", re.I)

_memo = Memo()


class Machine(NamedTuple):
    """Hardware by name. device: id of an entry, or None; entry: what is known, in the form of a device entry."""

    device: str | None
    entry: Entry
    memory_gib: float | None
    processor: bool
    count: int | None


def class_of(text: str) -> str | None:
    """The class of device that a name, a class id or a table's word for a class means."""
    plain = text.replace("_", "-")
    return next((name for pattern, name in _CLASSES if pattern.search(plain) or plain.lower() == name), None)


def hardware(text: str, kb: KB) -> Machine | None:
    """Hardware as written, or None when neither entries nor measurements nor the name itself say what it is."""
    count, bare = counted(LINKED.sub("", text))
    processor = bool(_PROCESSOR.search(bare))
    names = spellings(bare)
    plain = _CHANNELS.sub(" ", _MEMORY_RATE.sub(" ", bare))
    for name in dict.fromkeys([*names, *spellings(plain)]):
        hit = kb.find_device(name)
        # an accelerator's entry does not describe the processor beside it, a system chip's does
        if hit and not (processor and kb.devices[hit[0]]["kind"] == "gpu"):
            entry = _with_memory(peaks.sized(kb.devices[hit[0]], bare), bare)
            return Machine(hit[0], entry, hit[1], processor, count)
    index = _measured(kb)["hardware"]
    row = next((index[fold(name)] for name in names if fold(name) in index), None)
    if row:
        entry = described(row.get("hardware") or text, row.get("speed_class"), row.get("bandwidth_gbs"))
        return Machine(None, entry, None, processor or row.get("backend") == "cpu", count)
    rate = memory_rate(bare)
    if rate:
        channels = _channels(bare) or 2
        class_ = "cpu-server" if channels > 2 else class_of(bare)
        return Machine(None, described(text, class_ or "cpu-desktop", rate), None, True, count)
    return None


def nvlinked(text: str) -> bool:
    """Whether a name for several cards says that they are joined by NVLink."""
    found = LINKED.search(text)
    return bool(found and not found[1])


def memory_rate(text: str, channels: int = 2) -> float | None:
    """GB/s of the memory that a name states ("12ch DDR5-4800"), over `channels` where it does not say how many."""
    found = _MEMORY_RATE.search(text)
    return (_channels(text) or channels) * int(found[1]) * 8 / 1000 if found else None


def _channels(text: str) -> int | None:
    found = _CHANNELS.search(text)
    return (int(found[1]) if found[1] else _WORDS[found[2].lower()]) if found else None


def _with_memory(entry: Entry, text: str) -> Entry:
    """A processor's entry with the memory that the name states."""
    own = (entry.get("cpu") or {}).get("channels")
    rate = memory_rate(text, own) if own and entry["kind"] == "cpu" else None
    return entry | {"bandwidth_gbs": {"is": rate}} if rate else entry


def described(name: str, speed_class: str | None, bandwidth_gbs: float | None) -> Entry:
    """A device entry of what is said about hardware that has none."""
    cpu = (speed_class or "").startswith("cpu")
    unified = cpu or speed_class in ("apple-gpu", "amd-apu", "nv-spark", "nv-jetson", "intel-soc")
    entry: Entry = {
        "name": name,
        "vendor": _MAKERS.get((speed_class or "").split("-")[0]),
        "kind": "cpu" if cpu else "soc" if unified else "gpu",
        "segment": "datacenter" if speed_class in ("nv-datacenter", "amd-instinct") else "desktop",
        "memory": {"options": [], "unified": unified},
        "speed_class": speed_class,
    }
    if bandwidth_gbs:
        entry["bandwidth_gbs"] = {"is": bandwidth_gbs}
    return entry


def spellings(text: str) -> list[str]:
    """The text and shorter forms of it, the fullest first."""
    aside = ASIDE.sub(" ", text)
    plain = _CORES.sub(" ", aside)
    bare = _DECORATION.sub(" ", plain)
    found = [text, aside, plain, bare, MEMORY.sub(" ", plain), MEMORY.sub(" ", bare)]
    return list(dict.fromkeys(" ".join(name.split()) for name in found if name.strip()))


def _measured(kb: KB) -> dict[str, dict[str, Entry]]:
    """Records by folded name of hardware, model and engine; the first of each."""

    def make() -> dict[str, dict[str, Entry]]:
        table: dict[str, dict[str, Entry]] = {"hardware": {}, "model": {}, "engine": {}, "bits": {}}
        widths: dict[str, list[float]] = {}
        for row in kb.measurements:
            if row.get("hardware"):
                for name in spellings(row["hardware"]):
                    table["hardware"].setdefault(fold(name), row)
            if row.get("layers"):
                table["model"].setdefault(fold(row["model"]), row)
            table["engine"].setdefault(fold(row["engine"]), row)
            type_ = (row.get("format") or {}).get("type")
            if type_ and row.get("file_gib") and row.get("params_b"):
                widths.setdefault(fold(type_), []).append(row["file_gib"] * GIB * 8 / (row["params_b"] * 1e9))
        for name, found in widths.items():
            table["bits"][name] = {"bits": sorted(found)[len(found) // 2]}
        return table

    return _memo.get(kb.measurements, "names", make)


def model(text: str, kb: KB) -> tuple[Entry | None, str | None]:
    """(what is known of a model, the weight type its name ends with).

    Known is {"id"} for an entry, else {"params_b", "active_b", "layers", "experts"} of which all but the first
    may be absent: from a measurement, or from the name. None when the name says no size.
    """
    type_ = _LLAMA_TYPE.search(text)
    named = type_[0] if type_ else None
    for name in _model_spellings(text):
        hit = kb.find_model(name)
        if hit:
            hint = ":".join(part for part in hit[1] if part) if hit[1] else None
            return {"id": hit[0]}, named or hint
    index = _measured(kb)["model"]
    for name in _model_spellings(text):
        row = index.get(fold(name))
        if row:
            return {key: row[key] for key in ("params_b", "active_b", "layers", "experts") if row.get(key)}, named
    sizes = _SIZES.search(text)
    if sizes:
        return {"params_b": float(sizes[1])} | ({"active_b": float(sizes[2])} if sizes[2] else {}), named
    return None, named


def _model_spellings(text: str) -> list[str]:
    """The name, and without asides, a publisher before "_", and what says the format."""
    aside = ASIDE.sub(" ", text).strip()
    tail = aside.rsplit("/", 1)[-1]
    bare = re.sub(
        r"[-_. :](ud-)?(i?q\d\w*|tq\d\w*|b?f16|mxfp4|nvfp4|fp8|awq|gptq|\d-?bit)([-_].*)?$", "", tail, flags=re.I
    )
    short = re.sub(r"[-_. ](instruct|it|chat|base|thinking)([-_ ]?\d{4})?$", "", bare, flags=re.I)
    without = [name.split("_", 1)[1] for name in (bare, short) if "_" in name]
    return list(dict.fromkeys([text, aside, tail, bare, short, *without]))


def weight_type(text: str, kb: KB, family: str | None) -> tuple[str, str, Entry] | None:
    """(format family, type, type entry) of a weight type as written; None when no width can be read from it.

    family: engine family, for names that several formats share. A type that is not an entry has the bits that
    measured files of that type have, else its nominal bits and a little for scales.
    """
    plain = ASIDE.sub(" ", text).strip()
    bits = _BITS.search(plain)
    if family == "ggml":
        found = _llama_type(plain, kb)
        if found:
            return found
    for name in dict.fromkeys([text, plain, *plain.split()]):
        hit = kb.find_format(name)
        if hit:
            type_ = hit[1] or _within(
                hit[0], name, float((bits[1] or bits[2] or bits[3]).replace("_", ".")) if bits else None, kb
            )
            entry = kb.type_of(hit[0], type_) if type_ else None
            if type_ and entry:
                return hit[0], type_, entry
    found = _llama_type(plain, kb)
    if found or not bits:
        return found
    width = float((bits[1] or bits[2] or bits[3]).replace("_", "."))
    if not 1 <= width <= 8.5:
        return None
    words = {fold(word) for word in re.split(r"[^a-z0-9]+", plain, flags=re.I)}
    home = next((name for name in sorted(kb.formats) if name in words), None)
    home = home or {"ggml": "gguf", "mlx": "mlx"}.get(family or "", "other")
    scales = 0.0 if bits[1] and len(bits[1]) > 1 else 0.15 if width >= 8 else 0.5
    return home, f"int{width:g}", {"bits": width + scales, "compute": "none"}


def of_dense(type_: tuple[str, str, Entry]) -> tuple[str, str, Entry]:
    """A weight type for a model without experts: one whose entry keeps attention wide is written for mixtures, where
    experts are nearly all; of other models its quantizers narrow all layers. Types of GGUF say what they keep."""
    kept = type_[2].get("tensors", {})
    if type_[0] == "gguf" or max(kept.get("attention", 0), kept.get("mlp", 0)) <= type_[2]["bits"]:
        return type_
    others = {group: bits for group, bits in kept.items() if group not in ("attention", "mlp", "shared-experts")}
    return type_[0], f"{type_[1]}-all", type_[2] | {"tensors": others}


def _llama_type(text: str, kb: KB) -> tuple[str, str, Entry] | None:
    """A type in the spelling of llama.cpp's files."""
    names = [match[1].lower() for match in _LLAMA_TYPE.finditer(text)]
    for name in [*names, *(word.lower() for word in text.split())]:
        known = next((entry for f, entry in kb.types.get(fold(name), ()) if f == "gguf"), None)
        if known:
            return "gguf", known["id"], known
    if not names:
        return None
    width = float(re.search(r"\d+", names[0])[0])  # type: ignore[index]
    if not 1 <= width <= 8:
        return None  # no such type: "q99"
    bits = _measured(kb)["bits"].get(fold(names[0]), {}).get("bits") or width + 0.5
    return "gguf", names[0], {"bits": bits, "compute": "none"}


def _within(family: str, name: str, width: float | None, kb: KB) -> str | None:
    """The type of a family that a name for the family means: the one called so, else the one as wide, else
    the usual one. None when the family has none as wide."""
    types = kb.formats[family]["types"]
    if name.lower() in [t["id"] for t in types]:
        return name.lower()
    if width is not None:
        return next((t["id"] for t in types if width <= t["bits"] < width + 0.99), None)
    return next((t for t in USUAL if t in [known["id"] for known in types]), types[0]["id"])


def engine(text: str, kb: KB) -> tuple[str, str | None, str | None]:
    """(engine id or the name as written, mode, engine family or None)."""
    aside = ASIDE.sub(" ", text).strip()
    shorter = re.sub(r"\b(fork|build|nightly|latest)\b", " ", aside, flags=re.I).strip()
    for name in dict.fromkeys([text, aside, shorter, *re.split(r"\s+or\s+|\s*/\s*", shorter)]):
        hit = kb.find_engine(name) if name else None
        if hit:
            return hit[0], hit[1], kb.engines[hit[0]].get("speed_family")
    index = _measured(kb)["engine"]
    for name in (text, aside, shorter):
        if fold(name) in index:
            return name, None, index[fold(name)].get("speed_family")
    within = next((row for known, row in sorted(index.items()) if known and known in fold(aside)), None)
    return text, None, within.get("speed_family") if within else None
