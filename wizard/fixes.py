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
# Where a device is sold, in steps: the next step is bought by the same kind of person, two are not.
_STEPS = {
    "browser": 0, "phone": 0, "edge": 2, "laptop": 4, "desktop": 5, "consumer": 5, "workstation": 6,
    "datacenter": 7, "server": 7,
}  # fmt: skip
_WIDER = {"soc": 2}  # chips of one family go from the laptop to the workstation
_SLOWER = 0.9  # of the bandwidth that is there: less is a step back
# Room beside the weights when a larger device is looked for; the re-decision has the last word.
ROOM = 1.15


def bandwidth(entry: Plain) -> float | None:
    """GB/s of a device entry, or None when it does not say."""
    value = entry.get("bandwidth_gbs")
    value = value.get("is") if isinstance(value, dict) else value
    return value if isinstance(value, int | float) else None


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
            yield from _more(device, situation, kb)
        ranks = memory["params"].get("n") or device["count"]
        yield from _larger_devices(row, memory["params"]["need"] * ranks, device, situation, kb)
    elif any(o["clause"].startswith(("device.", "candidate.", "hardware.")) for o in row["obstacles"]):
        yield from _other_devices(row, device, situation, kb)


def visitors(decision: Plain, kb: KB) -> Iterator[Plain]:
    """For a model in a web page: the tab of whoever opens it, since hardware of one's own plays no part there."""
    named = {d["device"] for d in decision["situation"]["devices"]}
    if decision["situation"]["serving"] == "browser":
        tabs = [id_ for id_, d in kb.devices.items() if d["segment"] == "browser"]
        yield from ({"devices": [{"device": id_, "count": 1}]} for id_ in tabs if id_ not in named)


def smaller_models(decision: Plain, kb: KB) -> Iterator[Plain]:
    """Known models for the same work that four bits bring into the devices: of the same family, then the largest.

    Then those for a half and a quarter of the room, since engines of small devices leave less of it than others.
    """
    facts = Facts(read(decision["stated"], kb).situation, kb)
    if facts.arch is None:
        return
    room = sum(c.memory_bytes for c in facts.cards) * facts.situation["nodes"]
    size, family = facts.arch["params"]["total"], facts.arch.get("family")
    reads, tasks = set(facts.arch["modality"]), set(facts.arch["tasks"])
    below = [
        (m.get("family") != family or not family, set(m["modality"]) != reads, -m["params"]["total"], id_)
        for id_, m in kb.models.items()
        if m["params"]["total"] < size and m["params"]["total"] / 2 * ROOM < room
        if tasks & set(m["tasks"]) and reads <= set(m["modality"])
    ]
    chosen: dict[str, None] = {}
    for part in (1, 2, 4):
        within = [row for row in below if -row[2] / 2 * ROOM < room / part]
        largest = sorted(within, key=lambda row: (row[1], row[2]))
        chosen |= dict.fromkeys(row[3] for row in [*sorted(within)[:1], *largest[: 2 if part == 1 else 1]])
    for id_ in chosen:
        yield {"model": {"id": id_}}


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


def most(entry: Plain) -> int:
    """Devices of a kind that one machine of its buyer takes: a chip that is the machine stands alone."""
    if entry["kind"] != "gpu" or entry["segment"] in ("laptop", "edge"):
        return 1
    return 8 if entry["segment"] in ("datacenter", "server") else 4


def _more(device: Plain, situation: Plain, kb: KB) -> Iterator[Plain]:
    """One more of the same, twice and four times as many; machines where one takes no more."""
    count, room = device["count"], most(kb.devices[device["device"]])
    more = (count * 2, count * 4) if room > 4 else (count + 1, count * 2, count * 4)
    for n in dict.fromkeys(more):
        if n <= room:
            yield {"devices": [{**device, "count": n}]}
    if count >= room > 4 and situation["nodes"] * 2 <= MAX_COUNT:
        yield {"nodes": situation["nodes"] * 2}


def _apart(other: Plain, mine: Plain) -> tuple[bool, bool, int, bool] | None:
    """How far a device is from the one that is there; None when somebody else buys it, or it is a step back."""
    if not mine:
        return False, False, 0, False
    steps = abs(_STEPS[other["segment"]] - _STEPS[mine["segment"]])
    own = (other["kind"], other["vendor"]) == (mine["kind"], mine["vendor"])
    systems = other.get("os"), mine.get("os")
    strange = all(systems) and not set(systems[0]) & set(systems[1])
    if strange or steps > (_WIDER.get(mine["kind"], 1) if own else 1):
        return None
    speed, now = bandwidth(other), bandwidth(mine)
    slower = bool(speed and now and speed < now * _SLOWER)
    return other["kind"] != mine["kind"], other["vendor"] != mine["vendor"], steps, slower


def _other_devices(row: Plain, device: Plain, situation: Plain, kb: KB) -> Iterator[Plain]:
    """Devices of the kind, nearest in vendor, segment and memory, in this order, on which the engine can run."""
    mine = kb.devices.get(device["device"] or "", {})
    options = []
    for id_, other in _reachable(row["engine"], kb):
        apart = _apart(other, mine)
        if id_ == device["device"] or apart is None or (mine and apart[0]) or device["count"] > most(other):
            continue
        gib = max(other["memory"]["options"])
        less = gib < device["memory_gib"] * _SLOWER
        options.append((*apart, less, abs(gib - device["memory_gib"]) / max(gib, device["memory_gib"]), id_, gib))
    for *_, id_, gib in sorted(options)[:MAX_DEVICE_TRIES]:
        yield _with_device(id_, device["count"], gib, situation, kb)


def _larger_devices(row: Plain, need: int, device: Plain, situation: Plain, kb: KB) -> Iterator[Plain]:
    """Devices that hold what is needed: the same kind and vendor, the same buyer, few, little spare."""
    mine = kb.devices.get(device["device"] or "", {})
    options = []
    for id_, other in _reachable(row["engine"], kb):
        apart = _apart(other, mine)
        if apart is None or (other["kind"] in ("client", "cpu") and other["kind"] != mine.get("kind")):
            continue
        for gib in other["memory"]["options"]:
            for count in (n for n in COUNTS if n <= most(other)):
                total = gib * count
                same = id_ == device["device"] and gib <= device["memory_gib"]
                if total * GIB >= need * ROOM and not same:
                    # twice as many are as near as one of the next segment
                    more = apart[2] + max(0, count.bit_length() - device["count"].bit_length())
                    fast = -(bandwidth(other) or 0)
                    options.append((*apart[:2], apart[3], more, apart[2], total, fast, id_, gib, count))
                    break
    for *_, id_, gib, count in sorted(options)[:MAX_DEVICE_TRIES]:
        yield _with_device(id_, count, gib, situation, kb)
