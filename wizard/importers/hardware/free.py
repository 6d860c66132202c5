"""Linux: `free` in any of its units. With -m, -g or -b none is printed: the command above tells it, or the size."""

from __future__ import annotations

import re

from .seen import Line, Seen, mib

TOOL = "free"
HEAD = re.compile(
    r"(?:\S{0,80}[$#>%] )?free(?: -{1,2}[a-z]+)*\s*$|\s+total\s+used\s+free\s+shared\b|\s+всего\s+занято\s+свободно\b"
)
_ROW = re.compile(
    r"\s*(\S{2,12}(?: \S{1,8})?):\s+(\d[\d.,]{0,18})([KMGTPB]i?)?(?:\s+\d[\d.,]{0,18}[KMGTPB]?i?){2,6}\s*$"
)


def read(lines: list[Line], seen: Seen) -> None:
    """Claim the head and the rows; the first row is the memory."""
    option = ""
    first = True
    for line in lines:
        if HEAD.match(line.text):
            line.taken = True
            command = re.search(r"\bfree\s+--?([a-z]+)", line.text)
            option = command[1].removeprefix("w").removesuffix("w") if command else option
            continue
        row = _ROW.match(line.text)
        if not row:
            continue
        line.taken = True
        if not first:
            continue
        first = False
        seen.os = seen.os or "linux"
        unit = row[3].lower() if row[3] else _unit(option, float(re.sub(r"\D", "", row[2]) or 0))
        size = mib(row[2], unit) if unit else None
        if size is None:
            seen.note("ram-unclear")
        else:
            seen.ram_mib = size


def _unit(option: str, value: float) -> str | None:
    """The unit of numbers that carry none; None where two sizes of machines are possible."""
    for letters, unit in ((("b", "bytes"), "b"), (("m", "mebi"), "m"), (("g", "gibi"), "g"), (("k", "kibi"), "k")):
        if option in letters:
            return unit
    if value < 4096:
        return "g"
    if value < 1_000_000:
        return "m"  # from 4 GiB to 1 TiB; in KiB it would be less than 1 GiB
    if value < 4_000_000:
        return None  # KiB of 1 to 4 GiB, or MiB of 1 to 4 TiB
    return "k" if value < 8_000_000_000 else "b"
