"""Measured records as rows of numbers, ready to be fitted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from wizard.kb import fold
from wizard.speed import names, nodes, peaks
from wizard.speed.builds import NOW, dated, years_of

UNDATED = 1.5  # years of age of a record of a page without any date
SERVED = 64  # requests at once up to which the time to the first token tells of prompts and not of a full cache
_PEAK = ("fp8", "nvfp4", "mxfp4", "int8")  # format families computed in their own number format


@dataclass(frozen=True)
class Row:
    """One measurement. Sizes in bytes, rates per second, times in seconds; see `wizard.speed.terms.Step`.

    machine: hardware and count; page: the file it comes from; time: seconds of one decode step, None when
    only prefill was measured; ranks: devices that work at the same time, in so many machines; stages: devices
    that work one after another; link: how the ranks of one machine are joined;
    compute: peak operations per second of one device in the format's numbers, None when not known; flash: whether
    attention was computed in one kernel, taken for granted where the page does not say;
    integers: weights in integers that are unpacked to 16 bits.
    """

    id: str
    page: str
    machine: str
    device: str | None
    model: str
    path: tuple[str, ...]
    family: str
    engine: str
    backend: str | None
    driver: str | None
    quality: str
    age: float
    layers: int
    moe: bool
    dense: float
    experts: float
    share: float
    kv: float
    state: float
    active: float
    weights: float
    batch: int
    ranks: int
    machines: int
    stages: int
    link: str | None
    bandwidth: float
    compute: float | None
    unpacking: str | None
    flash: bool
    integers: bool
    time: float | None
    prompt: int
    answer: int
    prefill_time: float | None

    @property
    def key(self) -> str:
        """What a device's own factor is called: its entry, else its name as written; apart for its processor."""
        name = self.device or self.machine.rpartition(" x")[0]
        return f"{name}@cpu" if self.path[0] == "cpu" else name

    @property
    def across(self) -> bool:
        """Several ranks in each of several machines."""
        return self.ranks > self.machines > 1

    @property
    def single(self) -> bool:
        """One sequence at a time."""
        return self.batch == 1


def rows_of(files: dict[str, Any], devices: dict[str, Any]) -> list[Row]:
    """Rows of every record that says enough: bandwidth, layers, bytes per token and a rate.

    files: {file id: measurement entry}; devices: {device id: device entry}, for peaks of compute.
    """
    found = []
    known = _by_name(devices)
    builds = dated(record for entry in files.values() for record in entry["records"])
    for page, entry in sorted(files.items()):
        ages = sorted(age_of(record["date"]) for record in entry["records"] if record["date"] != "unknown")
        usual = ages[len(ages) // 2] if ages else UNDATED
        for record in entry["records"]:
            if not record.get("device"):
                record = record | {"device": _device(record.get("hardware", ""), known, devices)}
            row = row_of(page, record, devices)
            if row and record["date"] == "unknown":
                # as old as its build, else as the rest of its page
                years = years_of(builds, record["engine"], record.get("engine_version", ""))
                row = replace(row, age=usual if years is None else years)
            if row:
                found.append(row)
    return found


def _by_name(devices: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for id_, entry in devices.items():
        for name in (id_, entry.get("name", ""), *entry.get("aka", ())):
            for spelling in names.spellings(str(name)):
                found.setdefault(fold(spelling), id_)
    return found


def _device(hardware: str, known: dict[str, str], devices: dict[str, Any]) -> str:
    """The entry that a record's hardware is by name; a processor is that of a system chip, never that of a card."""
    found = next((known[fold(name)] for name in names.spellings(hardware) if fold(name) in known), "")
    return "" if "CPU" in hardware and devices.get(found, {}).get("kind") == "gpu" else found


def row_of(page: str, record: dict[str, Any], devices: dict[str, Any]) -> Row | None:
    """One record as a row, or None when it lacks what the arithmetic needs."""
    needed = (record.get("bandwidth_gbs"), record.get("layers"), record.get("bytes_per_token"))
    if not all(needed) or not (record.get("decode_tps") or record.get("prefill_tps")):
        return None
    device = peaks.sized(devices.get(record.get("device") or "", {}), record.get("hardware", ""))
    kv = float(record.get("kv_bytes", 0))
    ranks = record.get("count", 1) if record.get("split") == "tensor" else 1
    read = record["bytes_per_token"] - kv
    dense, experts, share = split_experts(read, record.get("file_gib"), record.get("experts"))
    alone = ranks > 1 and link_of(record) == nodes.NETWORK  # machines of one device each
    machines = ranks if alone else record.get("nodes", 1) if ranks > 1 else 1
    batch = record["batch"]
    depth, prompt = record.get("depth", 0), record.get("prefill_tokens", 0)
    family = record.get("speed_family", "")
    served = batch > 1 and family == "serving" and prompt
    active = record.get("active_b") or record["params_b"]
    tps = record.get("decode_tps")
    return Row(
        id=f"{page}.{record['id']}",
        page=page,
        machine=f"{record.get('hardware') or record.get('device')} x{record.get('count', 1)}",
        device=record.get("device") or None,
        model=record["model"],
        path=nodes.path(record.get("speed_class"), device.get("vendor"), family, record.get("backend")),
        family=family,
        engine=record["engine"],
        backend=record.get("backend"),
        driver=record.get("driver"),
        quality=record["quality"],
        age=age_of(record["date"]),
        layers=record["layers"],
        moe=bool(record.get("moe")),
        dense=dense,
        experts=experts,
        share=share,
        kv=kv / ranks,
        state=float(record.get("state_bytes", 0)) / ranks,
        active=active * 1e9,
        weights=(record.get("file_gib") or 0) * 1024**3 or read,
        batch=batch,
        ranks=ranks,
        machines=machines,
        stages=record.get("count", 1) if record.get("split") == "layer" else 1,
        link=link_of(record) if ranks > machines else None,
        bandwidth=record["bandwidth_gbs"] * 1e9,
        compute=peak_of(device, record.get("format", {}).get("family"), record.get("backend")),
        unpacking=nodes.unpacking(record.get("format", {}).get("type"), record.get("backend")),
        flash=record.get("flash_attention", True),
        integers=nodes.integers(record.get("format", {}).get("type")),
        time=batch / tps if tps else None,
        prompt=prompt,
        answer=max(0, round(2 * (depth - prompt))) if served else 0,
        prefill_time=prompt / record["prefill_tps"] if record.get("prefill_tps") and prompt else None,
    )


def split_experts(read: float, file_gib: float | None, experts: dict[str, int] | None) -> tuple[float, float, float]:
    """(dense bytes read, bytes of all routed experts, share of them a token reads).

    From bytes read = dense + share x experts and file = dense + experts.
    """
    if not experts or not file_gib or file_gib * 1024**3 <= read:
        return read, 0.0, 1.0
    share = experts["active"] / experts["count"]
    all_experts = (file_gib * 1024**3 - read) / (1 - share)
    # a file may hold more than one token's path explains (embeddings, other precisions): never less than none
    return max(0.0, read - share * all_experts), min(all_experts, read / share), share


def peak_of(device: dict[str, Any], family: str | None, backend: str | None = None) -> float | None:
    """Dense operations per second of one device in the numbers a format is computed in."""
    return peaks.peak(device, family if family in _PEAK else None, backend, family == "gguf")


def link_of(record: dict[str, Any]) -> str:
    """Kind of link between the devices of a record; not stated, so taken from the class of machine."""
    return nodes.usual_link(record.get("speed_class"), record.get("hardware", ""))


def age_of(date: str) -> float:
    """Years before NOW; `unknown` counts as UNDATED."""
    if date == "unknown":
        return UNDATED
    month = int(date[5:7]) if len(date) > 4 else 6
    return max(0.0, NOW - int(date[:4]) - (month - 0.5) / 12)


def chosen(rows: Iterable[Row]) -> list[Row]:
    """Rows that a fit may use: rates of the decode steps themselves, of high or medium quality."""
    return [r for r in rows if r.time and r.quality in ("high", "medium")]
