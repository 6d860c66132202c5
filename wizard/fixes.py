"""Changes that may admit what was rejected, smallest first. `whatif` decides each anew and keeps what works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .facts import Facts
from .fields import MAX_COUNT
from .kb import KB
from .shapes import GIB
from .situation import read

Plain = dict[str, Any]

MAX_DEVICE_TRIES = 5
MIN_CONTEXT = 2048
RAM_STEPS = (64, 128, 256, 512, 1024)  # GiB, as machines are sold
COUNTS = (1, 2, 4, 8)
# Room beside the weights when a larger device is looked for; the re-decision has the last word.
ROOM = 1.15


def admits(decision: Plain, row: Plain) -> bool:
    """Whether a Decision no longer finds impossible what `row` rejected."""
    if not any(r["role"] == "start" for r in decision["recommendations"]):
        return False
    engine, scope = row["engine"], row["scope"]
    part = scope["kind"] in ("format", "layout") and row["id"] != f"no-{engine}"
    for rec in decision["recommendations"]:
        if rec["engine"] != engine:
            continue
        if not part:
            return row["mode"] is None or rec["mode"] in (None, row["mode"])
        if scope["kind"] == "format" and rec["format"] and rec["format"]["family"] == scope["value"]:
            return True
    for other in decision["rejected"]:
        if other["engine"] == engine and other["group"] == "behind":
            if not part and other["scope"]["kind"] == "engine":
                return True
            if part and other["scope"] == scope:
                return True
    return False


def patches(row: Plain, decision: Plain, kb: KB) -> Iterator[Plain]:
    """Candidate changes for a rejected row: setting, format, system, system memory, devices."""
    if row["fix"]:
        yield row["fix"]
    situation = decision["situation"]
    memory = next((o for o in row["obstacles"] if o["clause"] == "memory"), None)
    if memory:
        yield from _smaller(memory, situation)
        if kb.engines[row["engine"]].get("offload"):
            ram = situation["host"]["ram_gib"]
            yield from ({"host.ram_gib": step} for step in RAM_STEPS if step > ram)
    if len(situation["devices"]) != 1:
        return
    device = situation["devices"][0]
    if memory:
        if device["device"]:
            yield from (
                {"devices": [{**device, "count": n}]}
                for n in (device["count"] * 2, device["count"] * 4)
                if n <= MAX_COUNT
            )
        yield from _larger_devices(row, memory["params"]["need"] * device["count"], device, situation, kb)
    elif any(o["clause"].startswith(("device.", "candidate.", "hardware.")) for o in row["obstacles"]):
        yield from _other_devices(row, device, situation, kb)


def smaller_models(decision: Plain, kb: KB) -> Iterator[Plain]:
    """Known chat models that four bits bring into the devices, largest first."""
    facts = Facts(read(decision["stated"], kb).situation, kb)
    if facts.arch is None:
        return
    room = sum(c.memory_bytes for c in facts.cards) * facts.situation["nodes"]
    size = facts.arch["params"]["total"]
    below = [
        (m["params"]["total"], id_)
        for id_, m in kb.models.items()
        if m["params"]["total"] < size and m["params"]["total"] / 2 * ROOM < room and "chat" in m["tasks"]
    ]
    yield from ({"model": {"id": id_}} for _, id_ in sorted(below, reverse=True)[:3])


def _smaller(memory: Plain, situation: Plain) -> Iterator[Plain]:
    """A narrower KV cache, fewer requests at once or a shorter context, when the KV cache is large enough to matter."""
    over, kv, most, longest = (memory["params"].get(name) or 0 for name in ("over", "kv", "most", "longest"))
    if situation["settings"]["kv"] == "auto" and over <= kv // 2:
        yield {"settings.kv": "fp8"}
        yield {"settings.kv": "q8_0"}
    users, tokens = situation["traffic"]["concurrency"], situation["context"]["tokens"]
    fewer = {}
    if 1 <= most < users:
        fewer = {"traffic.concurrency": most}
        yield fewer
        yield {"traffic.concurrency": max(1, most * 3 // 4)}  # a little air, where the estimate is tight
    shorter = [tokens // part for part in (2, 4) if over <= kv - kv // part]
    if MIN_CONTEXT <= longest < tokens:
        shorter.append(1 << longest.bit_length() - 1)
    for length in shorter:
        if length >= MIN_CONTEXT:
            yield {"context.tokens": length}
            if fewer:
                yield {"context.tokens": length, **fewer}
    if isinstance(situation["format"], dict):
        yield {"format": None}


def _with_device(id_: str, count: int, gib: float, situation: Plain, kb: KB) -> Plain:
    """The patch that puts another device in; the system follows where the device has its own."""
    patch: Plain = {"devices": [{"device": id_, "count": count, "memory_gib": gib}]}
    systems = kb.devices[id_].get("os")
    if systems and situation["host"]["os"] not in systems:
        patch["host.os"] = systems[0]
    return patch


def _reachable(engine: str, kb: KB) -> Iterator[tuple[str, Plain]]:
    wanted = {line["backend"] for line in kb.engines[engine].get("runs_on", [])}
    for id_, other in kb.devices.items():
        if wanted & set(other["backends"]):
            yield id_, other


def _other_devices(row: Plain, device: Plain, situation: Plain, kb: KB) -> Iterator[Plain]:
    """Devices nearest in kind, vendor, segment and memory, in this order, on which the engine has a way to run."""
    mine = kb.devices.get(device["device"] or "", {})
    options = []
    for id_, other in _reachable(row["engine"], kb):
        if id_ != device["device"]:
            gib = max(other["memory"]["options"])
            apart = abs(gib - device["memory_gib"]) / max(gib, device["memory_gib"])
            foreign = tuple(other[key] != mine.get(key) for key in ("kind", "vendor", "segment"))
            options.append((*foreign, apart, id_, gib))
    for *_, id_, gib in sorted(options)[:MAX_DEVICE_TRIES]:
        yield _with_device(id_, device["count"], gib, situation, kb)


def _larger_devices(row: Plain, need: int, device: Plain, situation: Plain, kb: KB) -> Iterator[Plain]:
    """Devices that hold what is needed: the same vendor, then few, then the same kind of machine, little spare."""
    mine = kb.devices.get(device["device"] or "", {})
    options = []
    for id_, other in _reachable(row["engine"], kb):
        if other["kind"] in ("client", "cpu") and other["kind"] != mine.get("kind"):
            continue
        for gib in other["memory"]["options"]:
            for count in COUNTS:
                total = gib * count
                if total * GIB >= need * ROOM and (id_ != device["device"] or count > device["count"]):
                    foreign = (other["vendor"] != mine.get("vendor"), count, other["segment"] != mine.get("segment"))
                    options.append((*foreign, total, id_, count, gib))
                    break
    for *_, id_, count, gib in sorted(options)[:MAX_DEVICE_TRIES]:
        yield _with_device(id_, count, gib, situation, kb)
