"""Windows: PowerShell's `Get-CimInstance Win32_…` and `Get-ComputerInfo` as lists or tables, and `systeminfo`.

Win32_VideoController holds the memory of a card in 32 bits, so that no card shows more than 4 GiB there: the
size comes from the card's name.
"""

from __future__ import annotations

import re

from .seen import Line, Seen, mib, whole

TOOL = "Windows"
_KEYS = (
    "Name", "Caption", "Description", "AdapterRAM", "AdapterCompatibility", "VideoProcessor", "DriverVersion",
    "TotalPhysicalMemory", "Capacity", "NumberOfCores", "NumberOfLogicalProcessors", "TotalVisibleMemorySize",
    "FreePhysicalMemory", "OSArchitecture", "SystemType", "MaxClockSpeed", "OsName", "CsProcessors",
    "CsTotalPhysicalMemory", "OsTotalVisibleMemorySize", "OsArchitecture", "PSComputerName", "WindowsProductName",
)  # fmt: skip
# systeminfo in English and in Russian
_SYSTEM = {
    "OS Name": "os", "Название ОС": "os", "Total Physical Memory": "ram", "Полный объем физической памяти": "ram",
    "System Type": "type", "Тип системы": "type",
}  # fmt: skip
_PAIR = re.compile(r"([A-Z]\w{1,40})\s*:(?:\s(.*))?$")
_OTHER = re.compile(r"([^:]{2,60}):\s+(\S.*)$")
_RULE = re.compile(r"\s*-{2,}(?:\s+-{2,})*\s*$")
_HEAD_LIST = re.compile(rf"(?:{'|'.join(_KEYS)})\s*:(?:\s|$)")
_HEAD_SYSTEM = re.compile(r"(?:Host Name|OS Name|Имя узла|Название ОС):\s")
_GPU = re.compile(r"NVIDIA|GeForce|Radeon|Quadro|\bArc\b|Graphics|Display Adapter|Tesla", re.I)


def head(text: str) -> bool:
    """Whether a line opens one of these outputs; the names above the rule of a table are one too."""
    return bool(_HEAD_LIST.match(text) or _HEAD_SYSTEM.match(text) or _table(text))


def _table(text: str) -> list[str]:
    words = text.split()
    return words if words and all(word in _KEYS or word in _MORE for word in words) and set(words) & set(_KEYS) else []


_MORE = ("DeviceID", "SocketDesignation", "Manufacturer", "PrimaryOwnerName", "Domain", "Model", "Status", "Speed")


def read(lines: list[Line], seen: Seen) -> None:
    """Claim lists, tables and the lines of systeminfo."""
    record: dict[str, str] = {}
    columns: list[tuple[str, int, int]] = []
    system = False
    for at, line in enumerate(lines):
        text = line.text
        if not text.strip():
            _record(record, seen)
            record = {}
            if columns and at and lines[at - 1].text.strip() and not _RULE.match(lines[at - 1].text):
                columns = []
            continue
        names = _table(text)
        if names and at + 1 < len(lines) and _RULE.match(lines[at + 1].text):
            starts = [match.start() for match in re.finditer(r"-{2,}", lines[at + 1].text)]
            ends = [*starts[1:], 10_000]
            columns = list(zip(names, starts, ends, strict=False))
            line.taken = lines[at + 1].taken = True
            continue
        if columns and not _RULE.match(text):
            line.taken = True
            _record(_cells(text, columns), seen)
            continue
        system = system or bool(_HEAD_SYSTEM.match(text))
        pair = _PAIR.match(text)
        if pair and (pair[1] in _KEYS or record) and not system:
            line.taken = True
            if pair[1] in record and pair[1] in ("Name", "Caption"):
                _record(record, seen)
                record = {}
            record[pair[1]] = (pair[2] or "").strip()
        elif system and (_OTHER.match(text) or text[:1] == " "):
            line.taken = True
            other = _OTHER.match(text)
            if other:
                _system(_SYSTEM.get(other[1].strip(), ""), other[2].strip(), seen)
    _record(record, seen)


def _cells(text: str, columns: list[tuple[str, int, int]]) -> dict[str, str]:
    """A row by its columns: numbers stand to the right of theirs and may begin before it."""
    words = [(match.start(), match[0]) for match in re.finditer(r"\S+", text)]
    cells: dict[str, str] = {}
    for name, start, end in columns:
        cells[name] = " ".join(word for at, word in words if start <= at < end)
    return cells


def _record(record: dict[str, str], seen: Seen) -> None:
    if not any(record.values()):
        return
    seen.os = seen.os or "windows"
    name = record.get("Name") or record.get("Description") or record.get("Caption") or ""
    if "AdapterRAM" in record or "VideoProcessor" in record or "DriverVersion" in record or _GPU.search(name):
        if name:
            _card(name, record.get("AdapterRAM", ""), seen)
    elif "NumberOfCores" in record or re.search(r"\b(?:CPU|Processor|Core|Ryzen|Xeon|EPYC)\b", name):
        seen.cpu = name[:80]
    if "Capacity" in record:
        seen.ram_mib = (seen.ram_mib or 0) + (mib(record["Capacity"], "b") or 0) or None
    for key, unit in (
        ("TotalVisibleMemorySize", "k"), ("OsTotalVisibleMemorySize", "k"), ("CsTotalPhysicalMemory", "b"),
        ("TotalPhysicalMemory", "b"),
    ):  # fmt: skip
        if record.get(key):
            seen.ram_mib = mib(record[key], unit) or seen.ram_mib
    processors = record.get("CsProcessors", "").strip("{}").split(", ")
    seen.cpu = processors[0][:80] or seen.cpu
    _arch(record.get("SystemType") or record.get("OSArchitecture") or record.get("OsArchitecture") or "", seen)


def _card(name: str, memory: str, seen: Seen) -> None:
    vendor = re.match(r"(NVIDIA|AMD|ATI|Intel)|(?=Radeon)", name)
    maker = (vendor[1] or "amd").lower().replace("ati", "amd") if vendor else None
    card = seen.card(TOOL, vendor=maker, name=name[:80], index=sum(c.tool == TOOL for c in seen.cards))
    size = whole(memory, 10**9)
    if size and size < 4_000_000_000:
        card.total_mib = size / (1 << 20)
    elif size or re.match(r"\d{10}", memory):
        seen.note("adapter-ram")


def _system(what: str, value: str, seen: Seen) -> None:
    if what == "os" and "windows" in value.lower():
        seen.os = seen.os or "windows"
    elif what == "ram":
        seen.ram_mib = mib(value) or seen.ram_mib
    elif what == "type":
        _arch(value, seen)


def _arch(text: str, seen: Seen) -> None:
    if "ARM" in text.upper():
        seen.arch = "aarch64"
    elif "64" in text:
        seen.arch = seen.arch or "x86_64"
