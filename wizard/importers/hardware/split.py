"""Several outputs in one paste: each is handed to the module of its tool, from its first line to the next one's."""

from __future__ import annotations

import re
from types import ModuleType

from . import (
    amd_smi,
    free,
    lscpu,
    lspci,
    nvidia_csv,
    nvidia_list,
    nvidia_query,
    nvidia_table,
    nvidia_topo,
    rocm_smi,
    system_profiler,
    windows,
)  # fmt: skip
from .seen import MAX_LINE, Line, Seen

TOOLS: tuple[ModuleType, ...] = (
    nvidia_table, amd_smi, nvidia_query, nvidia_list, nvidia_topo, rocm_smi, free, lspci, lscpu, system_profiler,
    nvidia_csv, windows,
)  # fmt: skip

_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_COMMAND = re.compile(
    r"(?:[^$#>%\n]{0,80}[$#>%]\s+)?(?:sudo\s+|LC_ALL=C\s+|LANG=C\s+|\S{0,40}/)?(?:nvidia-smi|rocm-smi|amd-smi|system_profiler"
    r"|lscpu|free|lspci|uname|systeminfo|Get-CimInstance|Get-WmiObject|Get-ComputerInfo|gcim)\b.{0,200}$"
)  # fmt: skip
# rules, fences, the date above a table
_NOISE = re.compile(r"[\s+|=*_-]+$|\s*(?:```|~~~)\w*\s*$|[A-Z][a-z]{2} [A-Z][a-z]{2}\s+\d{1,2} \d\d:\d\d:\d\d .{0,12}$")


def split(text: str) -> list[Line]:
    """The lines of a paste, without the colours of a terminal."""
    plain = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
    return [Line(number, line[:MAX_LINE].expandtabs(8)) for number, line in enumerate(plain.split("\n"), 1)]


def read(lines: list[Line], seen: Seen) -> None:
    """Give every tool its lines; lines before the first known one belong to nobody."""
    for tool, part in _parts(lines):
        tool.read(part, seen)
        if any(line.taken and not _COMMAND.match(line.text) for line in part) and tool.TOOL not in seen.tools:
            seen.tools.append(tool.TOOL)
    for line in lines:
        if not line.taken and (not line.text.strip() or _NOISE.match(line.text) or _COMMAND.match(line.text)):
            line.taken = True


def _parts(lines: list[Line]) -> list[tuple[ModuleType, list[Line]]]:
    parts: list[tuple[ModuleType, list[Line]]] = []
    for line in lines:
        tool = next((tool for tool in TOOLS if _opens(tool, line.text)), None)
        if tool and (not parts or parts[-1][0] is not tool):
            parts.append((tool, []))
        if parts:
            parts[-1][1].append(line)
    return parts


def _opens(tool: ModuleType, text: str) -> bool:
    return bool(tool.HEAD.match(text)) if hasattr(tool, "HEAD") else tool.head(text)
