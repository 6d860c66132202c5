"""What the search for paths finds: options that can start, refusals with their obstacles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .decision import Settled
from .kb import KB
from .shapes import Entry, Path
from .versions import matches


@dataclass(frozen=True)
class Option:
    """A path and the kinds of device it holds for, with what is not confirmed for each."""

    path: Path
    kinds: dict[str, tuple[Any, ...]] = field(hash=False)

    def on(self, devices: Iterable[str]) -> bool:
        """Whether the path holds for every one of these devices."""
        return all(d in self.kinds for d in devices)


@dataclass(frozen=True)
class Refusal:
    """Something that cannot run here and why."""

    engine: str
    mode: str | None
    scope: str
    value: Any
    obstacles: list[Entry] = field(hash=False)
    # its row among what was rejected; a refusal is kept for situations that agree in all that the row reads
    row: list[Settled] = field(default_factory=list, compare=False, repr=False)


@dataclass
class Found:
    """All that can start, all that cannot."""

    options: list[Option] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


def lines(kb: KB, engine: str, field_: str, version: str, mode: str | None) -> list[Entry]:
    """The lines of an engine's table that hold for this version and mode; kept with the knowledge."""
    key = (engine, field_, version, mode)
    found = kb.kept.get(key)
    if found is None:
        found = kb.kept[key] = [
            line
            for line in kb.engines[engine].get(field_, [])
            if matches(line.get("versions"), version) and line.get("mode") in (None, mode)
        ]
    return found
