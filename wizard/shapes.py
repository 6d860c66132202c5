"""The shapes that the stages of a decision hand to each other.

Situation and Decision are plain data (see `knowledge/schema/situation.schema.json` and
`wizard/decision.py`); what lives only inside one decision is a frozen dataclass here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Entry = dict[str, Any]
GIB = 1024**3
MIB = 1024**2


@dataclass(frozen=True)
class Card:
    """One device of the machine. `memory_bytes` is what the driver reports as total, in bytes."""

    device: str
    entry: Entry = field(repr=False, compare=False)
    memory_bytes: int
    index: int
    free_bytes: int | None = None  # stated by the person: really free before the engine starts


@dataclass(frozen=True)
class Layout:
    """How one model is spread: tp ranks times pp stages hold one copy, dp copies run side by side.

    `cards` are the devices of one node that hold one copy times `dp`; tp * pp * dp == len(cards) * nodes
    unless the single card is a CPU. Expert parallel ranks `ep` divide the experts over the same cards.
    """

    cards: tuple[Card, ...]
    tp: int = 1
    pp: int = 1
    ep: int = 1
    dp: int = 1
    nodes: int = 1
    uneven: bool = False  # stages may hold unequal shares of the layers

    @property
    def ranks(self) -> int:
        """Devices that hold one copy of the model."""
        return self.tp * self.pp


@dataclass(frozen=True)
class Path:
    """An engine that starts here: back end, format and kind of kernel, and what is not confirmed.

    `place` is the position of format and mode in the engine's own tables: what is at home stands first.
    """

    engine: str
    mode: str | None
    backend: str
    family: str
    type: str
    kernel: str
    checkpoint: Entry = field(hash=False, compare=False)
    version: str = ""
    via: str | None = None
    unconfirmed: tuple[Any, ...] = field(default=(), hash=False, compare=False)
    sources: tuple[str, ...] = ()
    place: int = 0


@dataclass(frozen=True)
class Workload:
    """What is asked of the engine. Tokens; `shared_prefix` is a share from 0 to 1."""

    context: int
    input: int
    output: int
    concurrency: int
    shared_prefix: float = 0.0
    mode: str = "online"
