"""Layouts: the legal ways to spread one model over the machine's devices, in the order that breaks ties.

Subsets are each single card, each set of equal cards, and all cards together. Within a subset the
tensor, pipeline, expert and data parallel degrees must divide what they split (see `spread`). Unequal
cards never go tensor parallel; across machines without RDMA the tensor ranks stay inside one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from . import spread
from .facts import Facts, Kind
from .found import Option
from .obstacles import obstacle
from .shapes import Card, Entry, Layout

WEAK_WITHIN = ("none", "pcie", "thunderbolt")
_POWERS = (2, 4, 8, 16)  # ranks that are worth trying on a part of the cards
_DEGREES = ("tp", "pp", "ep", "dp")


@dataclass(frozen=True)
class Placed:
    """A legal layout; lower `order` wins ties. `unconfirmed` carries parallelism facts not known."""

    layout: Layout
    order: int
    unconfirmed: tuple[Entry, ...] = field(default=(), hash=False)
    experimental: bool = False  # the project itself calls this way of spreading experimental


@dataclass
class Placing:
    """What an option can be laid out as on this machine, and which layouts were refused and why."""

    placed: list[Placed] = field(default_factory=list)
    refused: list[tuple[str, list[Entry]]] = field(default_factory=list)


def place(option: Option, facts: Facts) -> Placing:
    """All legal layouts of one option; with `settings.layout` those that have the asked degrees."""
    maker = _Maker(option, facts)
    groups = [(kind, cards) for kind, cards in facts.groups if option.on([kind.device])]
    for kind, cards in groups:
        maker.add(Layout(cards[:1]))
        maker.machine(kind, cards)
        maker.machines(kind, cards, facts.situation["nodes"])
        maker.asked(kind, cards, facts.situation["nodes"])
    maker.mixed(groups)
    result = maker.result
    result.placed = [
        replace(p, experimental=True) if spread.experimental(option, facts, p.layout) else p for p in result.placed
    ]
    if maker.wanted:
        result.placed = [p for p in result.placed if all(getattr(p.layout, k) == n for k, n in maker.wanted.items())]
    return result


class _Maker:
    """Collects the layouts of one option."""

    def __init__(self, option: Option, facts: Facts) -> None:
        self.option, self.facts = option, facts
        self.users = facts.situation["traffic"]["concurrency"]
        wanted = facts.situation["settings"]["layout"]
        self.wanted: dict[str, int] = wanted if isinstance(wanted, dict) else {}
        self.result = Placing()
        self._seen: set[tuple[Any, ...]] = set()
        self._told: set[str] = set()

    # ------------------------------------------------------------------ one machine

    def machine(self, kind: Kind, cards: tuple[Card, ...]) -> None:
        """Tensor ranks, pipeline stages and copies over equal cards of one machine."""
        here = len(cards)
        if here == 1:
            return
        full = 0
        for tp in _degrees(here):
            unconfirmed, ep = self.tensor(kind, tp)
            if ep == 0:
                continue
            if not full:
                full = tp
                self.add(Layout(cards[:tp], tp=tp, ep=ep), unconfirmed)
            copies = here // tp
            if 1 < copies <= self.users:
                self.add(Layout(cards[: tp * copies], tp=tp, ep=ep, dp=copies), unconfirmed)
        self.stages(kind, cards, 1, here, 1, (), 1)
        if here <= self.users:
            self.add(Layout(cards, dp=here))

    # ------------------------------------------------------------------ several machines

    def machines(self, kind: Kind, cards: tuple[Card, ...], nodes: int) -> None:
        """Copies on each machine, tensor ranks across them with RDMA, else tensor inside and pipeline between."""
        if nodes == 1:
            return
        here = len(cards)
        inside = [(tp, *self.tensor(kind, tp)) for tp in _degrees(here) if here % tp == 0]
        inside = [(tp, unconfirmed, ep) for tp, unconfirmed, ep in inside if ep]
        for tp, unconfirmed, ep in [*inside, (1, (), 1)]:
            used = min(nodes, self.users // (here // tp))  # machines that carry copies of their own
            if used > 1:
                self.add(Layout(cards, tp=tp, ep=ep, dp=used * (here // tp), nodes=used), unconfirmed)
        stops, more = spread.apart(self.option, self.facts, kind)
        if stops:
            self.refuse(f"{nodes} nodes", stops)
            return
        if self.facts.situation["links"]["between"] == "rdma":
            self.across(kind, cards, nodes, more)
        tp, unconfirmed, ep = inside[0] if inside else (1, (), 1)
        self.stages(kind, cards, tp, nodes * (here // tp), nodes, (*unconfirmed, *more), ep)
        if tp > 1 and tp < here:
            self.stages(kind, cards[:tp], tp, nodes, nodes, (*unconfirmed, *more), ep)

    def across(self, kind: Kind, cards: tuple[Card, ...], nodes: int, more: tuple[Entry, ...]) -> None:
        """Tensor ranks over whole machines; the largest legal number, and copies of smaller ones."""
        here = len(cards)
        full = 0
        for span in (n for n in range(min(nodes, 128), 1, -1) if nodes % n == 0):
            unconfirmed, ep = self.tensor(kind, here * span)
            if ep == 0:
                continue
            if not full:
                full = span
                self.add(Layout(cards, tp=here * span, ep=ep, nodes=span), (*unconfirmed, *more))
            copies = min(nodes // span, self.users)
            if copies > 1:
                layout = Layout(cards, tp=here * span, ep=ep, dp=copies, nodes=span * copies)
                self.add(layout, (*unconfirmed, *more))

    # ------------------------------------------------------------------ parts

    def tensor(self, kind: Kind, tp: int) -> tuple[tuple[Entry, ...], int]:
        """What is not confirmed, and the expert parallel degree; 0 when it is refused."""
        stops, unconfirmed, ep = spread.tensor(self.option, self.facts, kind, tp)
        if stops:
            self.refuse(f"TP {tp}", stops)
            return (), 0
        return unconfirmed, ep

    def stages(
        self, kind: Kind, cards: tuple[Card, ...], tp: int, pp: int, nodes: int, unconfirmed: tuple[Entry, ...], ep: int
    ) -> None:
        """A pipeline of pp stages of tp ranks."""
        if pp < 2:
            return
        stops, more = spread.pipeline(self.option, self.facts, kind, pp)
        if stops:
            self.refuse(f"PP {pp}", stops)
            return
        uneven = tp == 1 and bool(spread.parallelism(self.option, self.facts, "pp").get("uneven"))
        self.add(Layout(cards, tp=tp, pp=pp, ep=ep, nodes=nodes, uneven=uneven), (*unconfirmed, *more))

    def mixed(self, groups: list[tuple[Kind, tuple[Card, ...]]]) -> None:
        """All cards of a machine with different cards: layers in unequal shares, or nothing."""
        accelerators = [(k, c) for k, c in groups if k.entry["kind"] in ("gpu", "soc", "npu")]
        if len(accelerators) < 2:
            return
        kinds = tuple(k for k, _ in accelerators)
        cards = tuple(c for _, group in accelerators for c in group)
        unconfirmed: list[Entry] = []
        for name in ("mixed", "pp"):
            fact, stops = spread.allowed(name, self.option, self.facts, kinds)
            if fact is False:
                self.refuse("mixed cards", stops)
                return
            unconfirmed += stops
        pp = spread.parallelism(self.option, self.facts, "pp")
        if not pp.get("uneven"):
            stop = obstacle("hardware.kinds", len(kinds), 1, pp or [], text="obstacle.uneven")
            self.refuse("mixed cards", [stop])
            return
        stops, _ = spread.pipeline(self.option, self.facts, kinds[0], len(cards))
        if stops:
            self.refuse(f"PP {len(cards)}", stops)
            return
        self.add(Layout(cards, pp=len(cards), uneven=True), tuple(unconfirmed), 1)

    def asked(self, kind: Kind, cards: tuple[Card, ...], nodes: int) -> None:
        """Exactly the degrees that were asked for, also where nobody would propose them."""
        if not self.wanted:
            return
        here = len(cards)
        tp, pp, ep, dp = (self.wanted.get(name, 1) for name in _DEGREES)
        total = tp * pp * dp
        used, span = (cards[:total], 1) if total <= here else (cards, total // here)
        unconfirmed: tuple[Entry, ...] = ()
        if total > here and (total % here or span > nodes or (here % tp and tp % here)):
            return
        if span > dp:
            stops, unconfirmed = spread.apart(self.option, self.facts, kind)
            if stops:
                self.refuse(f"{span} nodes", stops)
                return
        needed = 1
        if tp > 1:
            more, needed = self.tensor(kind, tp)
            if needed == 0:
                return
            unconfirmed = (*unconfirmed, *more)
        if "ep" in self.wanted and ep not in (1, tp):
            return
        if ep > 1 and not spread.whole_experts(self.option, self.facts, kind, ep):
            return
        if "ep" not in self.wanted:
            ep = needed
        elif needed > 1 and ep == 1:
            return  # without whole experts on each rank a block would be cut
        if pp > 1:
            stops, more = spread.pipeline(self.option, self.facts, kind, pp)
            if stops:
                self.refuse(f"PP {pp}", stops)
                return
            unconfirmed = (*unconfirmed, *more)
        uneven = pp > 1 and tp == 1 and bool(spread.parallelism(self.option, self.facts, "pp").get("uneven"))
        self.add(Layout(used, tp=tp, pp=pp, ep=ep, dp=dp, nodes=span, uneven=uneven), unconfirmed)

    def add(self, layout: Layout, unconfirmed: tuple[Entry, ...] = (), later: int = 0) -> None:
        """Keep a layout once. later: added to its order."""
        key = (tuple(c.index for c in layout.cards), *(getattr(layout, d) for d in _DEGREES), layout.nodes)
        if key not in self._seen:
            self._seen.add(key)
            self.result.placed.append(Placed(layout, _order(self.facts, layout) + later, unconfirmed))

    def refuse(self, what: str, stops: list[Entry]) -> None:
        """Remember why a layout is out, once."""
        if what not in self._told:
            self._told.add(what)
            self.result.refused.append((what, stops))


def _degrees(here: int) -> Iterator[int]:
    """Numbers of tensor ranks that are tried on equal cards of one machine, largest first."""
    return (tp for tp in range(here, 1, -1) if here % tp == 0 or tp in _POWERS)


def _order(facts: Facts, layout: Layout) -> int:
    """Breaks ties only: one card, then replicas, then tensor or pipeline by link and priority."""
    s = facts.situation
    tp, pp, dp, users = layout.tp, layout.pp, layout.dp, s["traffic"]["concurrency"]
    if tp == pp == 1:
        # copies of a model that fits one card serve more people than one copy
        return 1 if dp > 1 and users < 2 else (-1 if dp > 1 else 0)
    apart = layout.nodes > dp  # one copy spans machines
    weak = s["links"]["between"] != "rdma" if apart else s["links"]["within"] in WEAK_WITHIN
    stages = pp if pp > 1 else tp
    pipeline_first = weak and s["priority"] == "throughput" and users >= 2 * stages
    rank = 2 if (pp > 1) == pipeline_first else 3
    return rank * 10 + (tp * pp).bit_length()
