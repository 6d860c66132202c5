"""`nvidia-smi --query-gpu=… --format=csv`, with its line of names, or without it when the lines say what they are."""

from __future__ import annotations

import re

from .seen import Line, Seen, bus, mib, whole

TOOL = "nvidia-smi --query-gpu"
_NAME = re.compile(r"[a-z][a-z_]{1,30}(?:\.[a-z_]{1,30}){0,4}(?: \[[^\]]{1,10}\])?")
_COLUMNS = {"name", "gpu_name", "memory.total", "memory.free", "memory.used", "compute_cap", "uuid", "gpu_uuid"}
_BARE = re.compile(r"(?:(\d{1,3}), )?((?:NVIDIA|Tesla|GeForce|Quadro|GRID|TITAN) [^,]{1,60}), (\d{1,9}) MiB(?:,|\s*$)")
_FIELDS = {
    "index": "index", "name": "name", "gpu_name": "name", "uuid": "uuid", "gpu_uuid": "uuid", "pci.bus_id": "bus",
    "gpu_bus_id": "bus", "memory.total": "total_mib", "memory.used": "used_mib", "memory.free": "free_mib",
    "compute_cap": "capability", "pcie.link.gen.max": "generation", "pcie.link.width.current": "width",
    "mig.mode.current": "mig", "driver_model.current": "model",
}  # fmt: skip


def head(text: str) -> bool:
    """Whether a line names columns of a query, or is a row that needs no names."""
    return bool(_columns(text)) or bool(_BARE.match(text))


def _columns(text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 100 or not all(_NAME.fullmatch(part) for part in parts):
        return []
    names = [part.partition(" ")[0] for part in parts]
    return names if _COLUMNS & set(names) and (len(names) > 1 or "." in text or text.strip() == "gpu_name") else []


def read(lines: list[Line], seen: Seen) -> None:
    """Claim the line of names and the rows with as many values."""
    columns: list[str] = []
    row = 0
    for line in lines:
        found = _columns(line.text)
        if found:
            columns, row, line.taken = found, 0, True
            continue
        bare = _BARE.match(line.text)
        if not columns and bare:
            line.taken = True
            index = row if bare[1] is None else int(bare[1])
            seen.card(TOOL, vendor="nvidia", index=index, name=bare[2], total_mib=mib(bare[3], "mib"))
            row += 1
            continue
        values = [value.strip() for value in line.text.split(",")]
        if columns and len(values) == len(columns):
            line.taken = True
            _row(dict(zip(columns, values, strict=True)), row, seen)
            row += 1


def _row(values: dict[str, str], row: int, seen: Seen) -> None:
    told = {_FIELDS[name]: value[:80] for name, value in values.items() if name in _FIELDS}
    number = whole(told.pop("index", "")) if "index" in told else row
    card = seen.card(TOOL, vendor="nvidia", index=row if number is None else number)
    card.name = told.get("name", card.name)
    card.uuid = told.get("uuid", card.uuid)
    card.bus = bus(told["bus"]) if told.get("bus") else card.bus
    for key in ("total_mib", "used_mib", "free_mib"):
        if key in told:
            setattr(card, key, mib(told[key], "mib"))
    if re.fullmatch(r"\d{1,2}\.\d", told.get("capability", "")):
        card.capability = told["capability"]
    card.generation = whole(told.get("generation", ""), 9)
    card.width = whole(told.get("width", ""), 32)
    card.mig = told.get("mig") == "Enabled"
    if told.get("model") in ("WDDM", "TCC", "MCDM"):
        seen.os = seen.os or "windows"
