"""Facts: what conditions read, derived once from the Situation, the hardware and the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .conditions import TRUE, Clause, Result, evaluate, satisfied
from .kb import KB
from .models import resolve
from .shapes import GIB, MIB, Card, Entry
from .vocabulary import DEVICE

# Device kinds by which a serving value stands in for hardware nobody named.
_CLIENT_SERVING = {"browser": "browser", "mobile": "phone"}


@dataclass(frozen=True)
class Kind:
    """Devices of one kind in the machine: entry, how many, memory of one in GiB."""

    device: str
    entry: Entry = field(repr=False)
    count: int
    memory_gib: float


class Facts:
    """Everything a condition may ask about the person's side, and the cards to lay models on."""

    def __init__(self, situation: Entry, kb: KB, assumed: Iterable[str] = ()) -> None:
        self.situation = situation
        self.kb = kb
        self.assumed = frozenset(assumed)  # paths whose value nobody stated, where the caller knows
        self.memo: dict[Any, Any] = {}  # what stages ask more than once about this situation
        self.arch = resolve(situation["model"], kb)
        self.kinds = _kinds(situation["devices"], kb)
        self.groups = self._groups()  # each kind with its cards
        self.cards = tuple(card for _, cards in self.groups for card in cards)
        self._values = self._derive()

    def _groups(self) -> list[tuple[Kind, tuple[Card, ...]]]:
        host = self.situation["host"]
        free = None if host["free_vram_gib"] is None else round(host["free_vram_gib"] * GIB)
        groups: list[tuple[Kind, tuple[Card, ...]]] = []
        index = 0
        for kind in self.kinds:
            if kind.entry["kind"] == "cpu":
                # one pool of system memory, however many sockets
                cards = (self._card(kind, round(host["ram_gib"] * GIB), index, None),)
            else:
                total = _reported(kind)
                cards = tuple(self._card(kind, total, index + n, free) for n in range(kind.count))
            index += len(cards)
            groups.append((kind, cards))
        return groups

    def _card(self, kind: Kind, total: int, index: int, free: int | None) -> Card:
        """The same card for the same device in every decision, so that what was worked out for it is kept."""
        key = (kind.device, total, index, free)
        found = self.kb.cards.get(key)
        if found is None or found.entry is not kind.entry:  # two own devices may be called alike
            found = self.kb.cards[key] = Card(kind.device, kind.entry, total, index, free)
        return found

    def _derive(self) -> dict[str, Any]:
        s, arch = self.situation, self.arch
        host, traffic, context = s["host"], s["traffic"], s["context"]
        format_ = s["format"] if isinstance(s["format"], dict) else {}
        values: dict[str, Any] = {
            "situation.serving": s["serving"],
            "situation.priority": s["priority"],
            "situation.needs": tuple(s["needs"]),
            "situation.context.tokens": context["tokens"],
            "situation.context.input": context["input"],
            "situation.context.output": context["output"],
            "situation.traffic.concurrency": traffic["concurrency"],
            "situation.traffic.shared_prefix": traffic["shared_prefix"],
            "situation.traffic.mode": traffic["mode"],
            "situation.nodes": s["nodes"],
            "situation.exposure": s["optional"]["exposure"],
            "situation.air_gapped": s["optional"]["air_gapped"],
            "situation.already": s["already"] or "none",
            "situation.format.family": format_.get("family") or "auto",
            "situation.format.type": format_.get("type") or "auto",
            "hardware.kinds": len(self.kinds),
            "hardware.count": sum(k.count for k in self.kinds),
            "hardware.total_gib": sum(k.memory_gib * k.count for k in self.kinds),
            "host.os": host["os"],
            "host.arch": host["arch"],
            "host.ram_gib": host["ram_gib"],
            "host.instructions": self._instructions(),
            "links.within": s["links"]["within"],
            "links.between": s["links"]["between"],
            "model.known": arch is not None,
        }
        if arch is not None:
            attention = arch.get("attention")
            kinds = tuple(sorted({g["kind"] for g in attention})) if attention else None
            values |= {
                "model.id": (s["model"] or {}).get("id", "none"),
                "model.family": arch.get("family"),
                "model.architecture": arch.get("architecture"),
                "model.kind": arch["kind"],
                "model.attention": kinds,
                "model.hybrid": bool(set(kinds) & {"linear", "mamba"}) if kinds else None,
                "model.modality": tuple(arch["modality"]),
                "model.tasks": tuple(arch["tasks"]),
                "model.params_b": arch["params"]["total"] / 1e9,
                "model.active_b": arch["params"].get("active", arch["params"]["total"]) / 1e9,
                "model.native_bits": native_bits(arch, self.kb),
            }
            values["model.exceeds_devices"] = self._exceeds(arch)
            values["model.fill"] = self._fill(arch)
        return values

    def _instructions(self) -> tuple[str, ...] | None:
        cpu = self.situation["host"]["cpu"]
        if cpu:
            return tuple(self.kb.devices[cpu].get("instructions", ())) or None
        for kind in self.kinds:
            if kind.entry["kind"] in ("cpu", "soc") and kind.entry.get("instructions"):
                return tuple(kind.entry["instructions"])
        return None

    def _fill(self, arch: Entry) -> float | None:
        """Share of one machine's device memory that four bits a weight take; None without an accelerator."""
        room = sum(c.memory_bytes for c in self.cards if c.entry["kind"] != "cpu")
        return arch["params"]["total"] / 2 / room if room else None

    def _exceeds(self, arch: Entry) -> bool | None:
        """Do even the smallest weights with an acceptable loss outgrow all device memory?"""
        accelerators = [c for c in self.cards if c.entry["kind"] != "cpu"]
        if not accelerators:
            return False
        room = sum(c.memory_bytes for c in accelerators) * self.situation["nodes"]
        sizes = [p["bytes"] for p in arch.get("checkpoints", []) if p.get("bytes") and self._acceptable(p)]
        smallest = min([*sizes, arch["params"]["total"] * 4 // 8])  # four bits: the usual floor without visible loss
        return smallest > room

    def _acceptable(self, point: Entry) -> bool:
        type_ = self.kb.type_of(point["format"], point["type"])
        return bool(type_) and type_.get("quality", {}).get("loss") not in ("visible", "severe")

    # ------------------------------------------------------------------ look-ups

    def device_value(self, kind: Kind, path: str) -> Any:
        """Value of a `device.*` path for one kind of device; None when not known."""
        entry = kind.entry
        if path == "device.id":
            return kind.device
        if path == "device.memory_gib":
            return kind.memory_gib
        if path == "device.count":
            return kind.count
        if path == "device.unified":
            return entry["memory"]["unified"]
        if path == "device.bandwidth_gbs":
            return bandwidth(entry)
        if path == "device.native":
            return tuple(entry.get("native", {}).get("types", ())) or None
        value = entry.get(path.removeprefix("device."))
        if value is None and path == "device.compute_capability" and entry.get("vendor") not in (None, "nvidia"):
            return "0"  # no such card: below every floor, so a clause on it is false and not unknown
        return value

    def lookup(self, kind: Kind | None = None, extra: dict[str, Any] | None = None) -> Callable[[str], Any]:
        """A look-up for conditions: the person's side, one kind of device, and extra values."""
        known = self._values if kind is None else self._with_device(kind)
        if not extra:
            return known.get

        def find(path: str) -> Any:
            return extra[path] if path in extra else known.get(path)

        return find

    def _with_device(self, kind: Kind) -> dict[str, Any]:
        """The person's side and one kind of device in one map: conditions are asked thousands of times."""
        key = ("device", id(kind))
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = {**self._values, **{path: self.device_value(kind, path) for path in DEVICE}}
        return found

    def check(self, condition: Any, kinds: Iterable[Kind], extra: dict[str, Any] | None = None) -> Result:
        """Evaluate for every kind of device; it must hold for each. No device: device paths are unknown."""
        if not condition:
            return TRUE
        pool = kinds if isinstance(kinds, list | tuple) else list(kinds)
        if len(pool) == 1:
            return evaluate(condition, self.lookup(pool[0], extra))
        if not pool:
            return evaluate(condition, self.lookup(None, extra))
        failed: list[Clause] = []
        false = unknown = False
        for kind in pool:
            result = evaluate(condition, self.lookup(kind, extra))
            if result.value is True:
                continue
            false |= result.value is False
            unknown |= result.value is None
            failed += [c for c in result.failed if c not in failed]
        if false:
            return Result(False, tuple(c for c in failed if not c.unknown) or tuple(failed))
        return Result(None, tuple(failed)) if unknown else TRUE

    def holds(self, condition: Any, kinds: Iterable[Kind], extra: dict[str, Any] | None = None) -> bool:
        """Whether a condition surely holds for every kind of device; no reasons, and so much quicker."""
        if not condition:
            return True
        pool = kinds if isinstance(kinds, list | tuple) else list(kinds)
        if len(pool) == 1:
            return satisfied(condition, self.lookup(pool[0], extra))
        return all(satisfied(condition, self.lookup(kind, extra)) for kind in pool or (None,))

    def holding(self, extra: dict[str, Any], kinds: Iterable[Kind] | None = None) -> Callable[[Any], bool]:
        """`holds` for these kinds of device (else all) and the same extra values, to ask many conditions in a row."""
        pool = self.kinds if kinds is None else kinds
        tables = [{**self._with_device(kind), **extra} for kind in pool] or [{**self._values, **extra}]
        if len(tables) == 1:
            only = tables[0].get
            return lambda condition: satisfied(condition, only)
        return lambda condition: all(satisfied(condition, table.get) for table in tables)

    def tables(self) -> list[dict[str, Any]]:
        """Every value that a condition can read, one map a kind of device; the person's side alone without any."""
        return [self._with_device(kind) for kind in self.kinds] or [self._values]

    def value(self, path: str) -> Any:
        """A value that does not depend on a device."""
        return self._values.get(path)


def bandwidth(entry: Entry) -> float | None:
    """Memory bandwidth of one device in GB/s, or None when it is not known."""
    value = entry.get("bandwidth_gbs")
    if isinstance(value, dict):
        value = value.get("is")
    return value if isinstance(value, int | float) else None


def native_bits(arch: Entry, kb: KB) -> float:
    """Bits per weight in which the makers publish a model; 16 where nothing else is known."""
    own = [p for p in arch.get("checkpoints", []) if p["repository"] == arch.get("repository")]
    types = [kb.type_of(p["format"], p["type"]) for p in own]
    return max([t["bits"] for t in types if t], default=16.0)


def _kinds(devices: list[Entry], kb: KB) -> list[Kind]:
    """The kinds of device; an own one is called "custom", a second own one "custom-2"."""
    kinds: list[Kind] = []
    own = 0
    for device in devices:
        if device["device"]:
            kinds.append(Kind(device["device"], kb.devices[device["device"]], device["count"], device["memory_gib"]))
            continue
        own += 1
        name = "custom" if own == 1 else f"custom-{own}"
        custom = device["custom"]
        entry = kb.once(custom, lambda custom=custom: _own(custom, kb))
        kinds.append(Kind(name, entry, device["count"], device["memory_gib"]))
    return kinds


def _own(custom: Entry, kb: KB) -> Entry:
    """The entry of a device that the person described."""
    arch, vendor, kind = custom.get("arch"), custom.get("vendor"), custom.get("kind", "gpu")
    if vendor is None and str(arch).startswith("sm_"):
        vendor = "nvidia"
    if vendor is None and str(arch).startswith("gfx"):
        vendor = "amd"
    if arch is None and vendor == "other":
        arch = vendor  # none of the targets that engines name: those are of makers that are asked for by name
    return {
        "name": custom.get("name") or f"{custom['memory_gib']:g} GiB",  # what the renderer names by its memory too
        "vendor": vendor,
        "kind": kind,
        "arch": arch,
        "segment": None,
        "generation": None,
        "compute_capability": custom.get("compute_capability") or _capability(arch),
        "backends": _backends(vendor, kind, kb),
        "memory": {"options": [custom["memory_gib"]], "unified": kind == "soc"},
        "bandwidth_gbs": custom.get("bandwidth_gbs"),
        "compute": [{"type": "fp16", "tflops": custom["tflops"]}] if custom.get("tflops") else None,
        "speed_class": None,
        "custom": True,
        "instructions": _instructions_of(arch) if kind == "cpu" else (),
    }


_LADDER = ("sse42", "avx", "avx2", "avx512", "amx")  # each x86 step has the ones before it


def _instructions_of(arch: str | None) -> tuple[str, ...]:
    """Instruction sets of a processor described by the newest it has ("avx2"); none: not known."""
    if arch in _LADDER:
        return _LADDER[: _LADDER.index(arch) + 1]
    return ("neon",) if arch in ("neon", "aarch64", "arm64") else ()


def _capability(arch: str | None) -> str | None:
    digits = str(arch).removeprefix("sm_")
    return (
        f"{digits[:-1]}.{digits[-1]}" if str(arch).startswith("sm_") and digits.isdigit() and len(digits) > 1 else None
    )


def _backends(vendor: str | None, kind: str, kb: KB) -> list[str] | None:
    """What every known device of this maker and kind offers together; None: not known."""
    same = {b for d in kb.devices.values() if d["vendor"] == vendor and d["kind"] == kind for b in d["backends"]}
    return sorted(same) or (["cpu"] if kind == "cpu" else None)


def _reported(kind: Kind) -> int:
    """Bytes the driver reports as total: as sourced for this size, else the size as sold."""
    reported = kind.entry["memory"].get("reported_mib")
    if isinstance(reported, dict) and kind.memory_gib == max(kind.entry["memory"]["options"]):
        return int(reported["is"]) * MIB
    return round(kind.memory_gib * GIB)
