"""Linux: `lscpu`, what processor there is, and `uname -a`, which also tells WSL2."""

from __future__ import annotations

import re

from .seen import Line, Seen, whole

TOOL = "lscpu"
HEAD = re.compile(r"Architecture:\s|(?:Linux|Darwin) \S+ \d+\.\d+\S* .*(?:x86_64|aarch64|arm64)")
_KEYS = (
    "Architecture", "CPU op-mode(s)", "Address sizes", "Byte Order", "CPU(s)", "On-line CPU(s) list",
    "Off-line CPU(s) list", "Vendor ID", "Model name", "BIOS Model name", "BIOS Vendor ID", "BIOS CPU family",
    "CPU family", "Model", "Thread(s) per core", "Core(s) per socket", "Core(s) per cluster", "Socket(s)", "Cluster(s)",
    "Stepping", "CPU max MHz", "CPU min MHz", "CPU MHz", "CPU(s) scaling MHz", "BogoMIPS", "Flags", "Virtualization",
    "Virtualization features", "Hypervisor vendor", "Virtualization type", "L1d cache", "L1i cache", "L2 cache",
    "L3 cache", "Caches (sum of all)", "NUMA", "NUMA node(s)", "Vulnerabilities", "Frequency boost", "L1d", "L1i", "L2",
    "L3", "Gather data sampling", "Retbleed", "Book(s) per drawer", "CPU dynamic MHz",
)  # fmt: skip
_PAIR = re.compile(r"\s{0,6}([A-Z][^:]{1,40}):\s*(.*)$")
_INSIDE = re.compile(r"\s{0,6}(?:NUMA node\d+ CPU\(s\)|Vulnerability [\w ,.-]{2,40}|[A-Z][\w ,.-]{2,40}):\s")
_ARCH = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def read(lines: list[Line], seen: Seen) -> None:
    """Claim its "Name: value" lines, and the line of uname."""
    inside = False
    for line in lines:
        system = re.match(r"(Linux|Darwin) (\S+) (\S+)", line.text)
        if system and HEAD.match(line.text):
            line.taken = True
            wsl = "microsoft" in system[3].lower()
            seen.os = "macos" if system[1] == "Darwin" else "wsl2" if wsl else seen.os or "linux"
            seen.arch = next((_ARCH[word] for word in line.text.split() if word in _ARCH), seen.arch)
            continue
        pair = _PAIR.match(line.text)
        if not pair or not (pair[1] in _KEYS or inside and _INSIDE.match(line.text)):
            continue
        line.taken = True
        name, value = pair[1], pair[2].strip()
        if name == "Architecture":
            inside = True
            seen.os = seen.os or "linux"
            seen.arch = _ARCH.get(value, seen.arch)
        elif name == "Model name" and value not in ("", "-", "unknown"):
            seen.cpu = seen.cpu or value[:80]
        elif name == "Socket(s)":
            seen.sockets = whole(value, 64)
        elif name == "Hypervisor vendor" and value == "Microsoft":
            seen.note("hypervisor")
