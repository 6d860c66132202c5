"""What runs where: for every engine and format the kind of kernel on every kernel target.

The answer comes from `wizard.paths`, the stage that also feeds every decision; nothing is decided here.
A column is an architecture with the devices that have it; a cell is the best kernel that any of those
devices gets on any operating system it is used with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from macros.world import Entry, World
from wizard import paths
from wizard.facts import Facts
from wizard.kb import KB
from wizard.situation import read
from wizard.vocabulary import KERNELS

UNKNOWN = "unknown"
NO = "no"
ORDER = (*KERNELS, UNKNOWN, NO)  # the best first


@dataclass(frozen=True)
class Column:
    """One kernel target: `arch` such as sm_86, the generation, and the devices in the base that have it."""

    group: str  # nvidia | amd | intel | apple | cpu | client
    arch: str
    generation: str
    devices: tuple[str, ...]


@dataclass
class Cell:
    """Best kernel of one engine and format on one column, with the line of the entry that says so."""

    kernel: str = NO
    backend: str = ""
    mode: str | None = None
    types: list[str] = field(default_factory=list)
    sources: tuple[str, ...] = ()
    line: int | None = None  # index in the entry's `formats`
    via: str | None = None
    device: str = ""


def columns(world: World) -> list[Column]:
    """All columns, by group, older targets first."""
    found: dict[tuple[str, str], list[tuple[str, Entry]]] = {}
    for id_, device in world.entries("device").items():
        found.setdefault((group_of(device), device["arch"]), []).append((id_, device))
    groups = ("nvidia", "amd", "intel", "apple", "cpu", "client")
    result = []
    for (group, arch), devices in found.items():
        generations = sorted({d["generation"] for _, d in devices})
        result.append(Column(group, arch, "/".join(generations), tuple(sorted(id_ for id_, _ in devices))))
    return sorted(result, key=lambda c: (groups.index(c.group), _age(c.arch), c.arch))


def group_of(device: Entry) -> str:
    """The group of columns in which a device stands."""
    if device["kind"] in ("cpu", "client"):
        return device["kind"]
    return device["vendor"] if device["vendor"] in ("nvidia", "amd", "intel", "apple") else "client"


def _age(arch: str) -> tuple[int, ...]:
    digits = "".join(c if c.isdigit() else " " for c in arch).split()
    return tuple(int(d) for d in digits) or (0,)


def table(world: World) -> dict[tuple[str, str, str], Cell]:
    """{(engine, format family, arch): best cell}; what is absent does not run."""
    return _table(world)


@lru_cache(maxsize=2)
def _table(world: World) -> dict[tuple[str, str, str], Cell]:
    cells: dict[tuple[str, str, str], Cell] = {}
    for column in columns(world):
        for device in column.devices:
            for os in world.entries("device")[device].get("os") or ["linux"]:
                _device(world, device, os, column.arch, cells)
    return cells


def _device(world: World, device: str, os: str, arch: str, cells: dict[tuple[str, str, str], Cell]) -> None:
    facts = _facts(world, device, os)
    for option in paths.find(facts).options:
        path = option.path
        kernel = UNKNOWN if option.kinds.get(device) else path.kernel
        cell = cells.setdefault((path.engine, path.family, arch), Cell())
        if ORDER.index(kernel) < ORDER.index(cell.kernel):
            line = _line(world, path, facts)
            cell.kernel, cell.backend, cell.mode, cell.types = kernel, path.backend, path.mode, [path.type]
            cell.sources, cell.line, cell.via, cell.device = path.sources, line, path.via, device
        elif kernel == cell.kernel and path.backend == cell.backend and path.type not in cell.types:
            cell.types.append(path.type)


def _facts(world: World, device: str, os: str) -> Facts:
    """The facts of a machine with one such device and nothing else said."""
    kb = _kb(world)
    said: dict[str, Any] = {"devices": [{"device": device}], "host": {"os": os}}
    if world.entries("device")[device]["kind"] in ("cpu", "soc"):
        said["host"]["cpu"] = device
    return Facts(read(said, kb).situation, kb)


@lru_cache(maxsize=2)
def _kb(world: World) -> KB:
    """The knowledge with every engine taken as alive: the table of a retired one is still true."""
    engines = {
        id_: {**entry, "status": {**entry["status"], "is": "active"}}
        for id_, entry in world.bundle.core["engines"].items()
    }
    return KB({**world.bundle.core, "engines": engines})


def _line(world: World, path: Any, facts: Facts) -> int | None:
    """Index of the format line behind a path: the first that names family, type, back end and sources."""
    for index, line in enumerate(world.entries("engine")[path.engine].get("formats", [])):
        backends = line["backend"] if isinstance(line["backend"], list) else [line["backend"]]
        if line["format"] != path.family or path.backend not in backends or line["kernel"] != path.kernel:
            continue
        if path.type in line.get("types", [path.type]) and line.get("mode") in (None, path.mode):
            extra = {"format.family": path.family, "format.type": path.type}
            if facts.check(line.get("needs"), facts.kinds, extra).value is True:
                return index
    return None
