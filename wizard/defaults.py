"""What a Situation does not say: defaults of the questions, and what follows from the hardware."""

from __future__ import annotations

from typing import Any

from .fields import FIELDS, get, put, tidy
from .hardware import systems
from .kb import KB
from .problems import Problem, problem
from .vocabulary import FABRICS

Plain = dict[str, Any]

# What the code can stand on when a question is absent from the knowledge base.
_LAST_RESORT: Plain = {
    "serving": "self", "priority": "latency", "host.os": "linux", "host.arch": "x86_64", "host.ram_gib": 32,
    "nodes": 1, "context.tokens": 8192, "context.input": 2000, "context.output": 500, "traffic.concurrency": 1,
    "traffic.shared_prefix": 0, "traffic.mode": "online", "needs": [], "optional.exposure": "loopback",
    "optional.air_gapped": False,
}  # fmt: skip
_MAC_HOSTS = ("apple", "arm")
# NVIDIA boards whose processor is an Arm one, and what an own processor calls Arm
_ARM = ("sm_87", "sm_110", "sm_121", "neon", "aarch64")


def fill(situation: Plain, said: Plain, stated: Plain, problems: list[Problem], kb: KB) -> list[Plain]:
    """Put in what was said, and the default of every question that was not answered.

    Returns the assumptions, [{"id", "path", "value"}].
    """
    _shorter_than_its_parts(said, problems)
    assumptions: list[Plain] = []
    for path, value in said.items():
        put(situation, path, value)
        put(stated, path, value)
    defaults = _defaults(kb)
    order = ["serving", "nodes", *[p for p in FIELDS if p not in ("serving", "nodes")]]
    for path in order:
        if path in said:
            continue
        value = _derived(path, situation, said, kb)
        if value is None:
            value = _default(path, situation, defaults)
        if path == "host.free_vram_gib":
            put(situation, path, None)
            continue
        if path in ("context.input", "context.output"):
            value = _inside(path, value, situation, said)
        put(situation, path, value)
        if path in ("needs", "optional.exposure", "optional.air_gapped") or _moot(path, situation):
            continue  # nothing asked, nothing assumed
        assumptions.append({"id": path.replace(".", "-"), "path": path, "value": value})
    return assumptions


def _shorter_than_its_parts(said: Plain, problems: list[Problem]) -> None:
    """A longest request below prompt and answer together cannot be meant: the parts count."""
    tokens, prompt, answer = (said.get(f"context.{k}") for k in ("tokens", "input", "output"))
    parts = (prompt or 0) + (answer or 0)
    if tokens and parts and tokens < parts + (0 if prompt and answer else 1):
        problems.append(problem("context.tokens", tokens, "below-parts", sum=parts))
        del said["context.tokens"]


def _inside(path: str, value: int, situation: Plain, said: Plain) -> int:
    """A typical request never exceeds the longest one, and leaves room for the part that was said."""
    tokens = get(situation, "context.tokens")
    other = said.get("context.output" if path == "context.input" else "context.input")
    if path == "context.output" and other is None:
        other = get(situation, "context.input")
    room = tokens - other if other else tokens // 2
    return max(1, min(value, room))


def _moot(path: str, situation: Plain) -> bool:
    count = sum(d["count"] for d in situation["devices"])
    if path == "links.within":
        return count <= 1
    if path == "links.between":
        return situation["nodes"] <= 1
    return path in ("nodes", "traffic.mode", "host.arch")


def _defaults(kb: KB) -> dict[str, Plain]:
    found = kb.kept.get("defaults")
    if found is None:
        found = kb.kept["defaults"] = {f["path"]: f for q in kb.questions.values() for f in q.get("fields", [])}
    return found


def _default(path: str, situation: Plain, defaults: dict[str, Plain]) -> Any:
    spec = defaults.get(path, {})
    by = spec.get("default_by")
    if by:
        value = spec.get("defaults", {}).get(str(get(situation, by.removeprefix("situation."))))
        if value is not None:
            return value
    value = spec.get("default")
    if value is None or isinstance(value, dict):
        value = _LAST_RESORT.get(path)
    return list(value) if isinstance(value, list) else value


def _derived(path: str, situation: Plain, said: Plain, kb: KB) -> Any:
    """What follows from the rest: a Mac runs macOS, one device has no link, a SoC shares memory."""
    devices = [kb.devices[d["device"]] for d in situation["devices"] if d["device"]]
    if path == "serving" and devices:
        return "browser" if all(d["segment"] == "browser" for d in devices) else None
    if path == "host.os":
        own = systems(situation["devices"], kb)
        return own[0] if own and _default(path, situation, _defaults(kb)) not in own else None
    if path == "host.arch":
        arches = {d["arch"] for d in devices if d["kind"] in ("soc", "cpu", "client")}
        arches |= {str(d["custom"].get("arch")) for d in situation["devices"] if d["custom"]}
        arm = any(a.startswith(_MAC_HOSTS) or a in _ARM for a in arches) or any(map(_with_own_processor, devices))
        return "aarch64" if arm else None
    if path == "host.ram_gib":
        return _ram(situation, devices, kb)
    if path == "links.within":
        return _within(situation, devices)
    if path == "links.between":
        return "none" if situation["nodes"] <= 1 else "ethernet"
    if path == "nodes":
        return 1
    if path == "context.tokens":
        return _tokens(situation, said, kb)
    if path in _PASSAGE and _only_reads(situation, kb):
        return _PASSAGE[path]
    if path == "traffic.concurrency" and situation["model"] is None and situation["serving"] in ("browser", "mobile"):
        return 1
    if path == "traffic.concurrency" and said.get("priority") in ("throughput", "cost") and devices:
        # who asks for throughput does not mean one request at a time
        usual, busy = _default(path, situation, _defaults(kb)), _defaults(kb).get(path, {}).get("busy_default")
        few = situation["serving"] in ("self", "agents", "team") and any(d["kind"] == "gpu" for d in devices)
        return max(usual, busy) if few and busy else None
    return None


# Texts are cut into passages before they become vectors or scores; what comes out is no text.
_PASSAGE = {"context.input": 512, "context.output": 1}


def _only_reads(situation: Plain, kb: KB) -> bool:
    """Whether the model makes vectors or scores and nothing else."""
    tasks = set(kb.models.get((situation["model"] or {}).get("id", ""), {}).get("tasks") or ())
    return bool(tasks) and tasks <= {"embeddings", "rerank"}


_SERVER_RAM = (128, 256, 512, 1024, 2048)  # GiB
_LARGE = 96  # GiB of device memory; below, such cards also stand in workstations


def _ram(situation: Plain, devices: list[Plain], kb: KB) -> float | None:
    """Shared memory is the device's own; a processor alone has what its entry offers."""
    shared = [d for d in situation["devices"] if d["device"] and kb.devices[d["device"]]["memory"]["unified"]]
    if shared:
        return tidy(max(d["memory_gib"] for d in shared))
    own = [d["custom"] for d in situation["devices"] if d["custom"] and d["custom"].get("kind") in ("cpu", "soc")]
    if own and len(own) == len(situation["devices"]):
        return tidy(max(c["memory_gib"] for c in own))
    cpus = [d for d in situation["devices"] if d["device"] and kb.devices[d["device"]]["kind"] == "cpu"]
    if cpus and len(cpus) == len(devices):
        return tidy(max(d["memory_gib"] for d in cpus))
    if devices and len(devices) == len(situation["devices"]) and all(d["segment"] == "datacenter" for d in devices):
        # a server for so many of them has at least as much system memory as they have themselves
        whole = sum(d["memory_gib"] * d["count"] for d in situation["devices"])
        own_processor = any(map(_with_own_processor, devices))
        return tidy(next((n for n in _SERVER_RAM if n >= whole), whole)) if whole > _LARGE or own_processor else None
    return None


def _with_own_processor(device: Plain) -> bool:
    """Whether a card shares a module with the processor that owns its machine: Arm on all of those."""
    return any(link["kind"] == "c2c" for link in device.get("links") or ())


def _within(situation: Plain, devices: list[Plain]) -> str:
    count = sum(d["count"] for d in situation["devices"])
    if count <= 1:
        return "none"
    known = len(devices) == len(situation["devices"])
    if known and all(any(link["kind"] == "nvswitch" for link in d.get("links", [])) for d in devices):
        return "nvswitch" if count > 2 else "nvlink"
    kinds = {link["kind"] for d in devices for link in d.get("links", [])}
    if known and kinds & FABRICS and all(d["segment"] == "datacenter" for d in devices):
        return "nvlink"  # a direct fabric between accelerators of the same class
    if known and all(d["kind"] == "soc" for d in devices):
        return "thunderbolt"
    return "pcie"


def _tokens(situation: Plain, said: Plain, kb: KB) -> int | None:
    """At least what prompt and answer need together, a power of two; else no more than the model can read."""
    defaults = _defaults(kb)
    default = _default("context.tokens", situation, defaults)
    if "context.input" in said or "context.output" in said:
        need = sum(said.get(p) or _default(p, situation, defaults) for p in ("context.input", "context.output"))
        if need > default:
            return 1 << (need - 1).bit_length()
    limits = kb.models.get((situation["model"] or {}).get("id", ""), {}).get("context") or {}
    longest = max(limits.get("native", 0), limits.get("extended", 0))
    return longest if 0 < longest < default else None
