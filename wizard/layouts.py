"""Layouts: the legal ways to spread one model over the machine's devices, in the order that breaks ties.

Subsets are each single card, each set of equal cards, and all cards together. Within a subset the
tensor, pipeline, expert and data parallel degrees must divide what they split: heads, vocabulary and
quantization blocks; KV heads replicate. Unequal cards never go tensor parallel.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from .facts import Facts, Kind
from .found import Option
from .obstacles import from_result, obstacle
from .shapes import Card, Entry, Layout
from .versions import matches

_WEAK_WITHIN = ("none", "pcie", "thunderbolt")
_OK = ("yes", "partial", "experimental")


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
    """All legal layouts of one option."""
    result = Placing()
    seen: set[tuple[Any, ...]] = set()
    nodes = facts.situation["nodes"]
    groups = _equal_sets(facts, option)
    for kind, cards in groups:
        _add(result, seen, Placed(Layout(cards[:1]), 0))
        if len(cards) == 1 and nodes == 1:
            continue
        _equal(option, facts, kind, cards, nodes, result, seen)
    _mixed(option, facts, groups, result, seen)
    result.placed = [replace(p, experimental=True) if _experimental(option, facts, p) else p for p in result.placed]
    wanted = facts.situation["settings"]["layout"]
    if isinstance(wanted, dict):
        result.placed = [p for p in result.placed if all(getattr(p.layout, k) == n for k, n in wanted.items())]
    return result


def _experimental(option: Option, facts: Facts, placed: Placed) -> bool:
    layout = placed.layout
    used = (
        ("tp", layout.tp > 1),
        ("pp", layout.pp > 1),
        ("ep", layout.ep > 1),
        ("multi_node", layout.nodes > layout.dp),
    )
    return any(on and _parallelism(option, facts, name).get("is") == "experimental" for name, on in used)


def _equal_sets(facts: Facts, option: Option) -> list[tuple[Kind, tuple[Card, ...]]]:
    sets = []
    for kind in facts.kinds:
        cards = tuple(c for c in facts.cards if c.device == kind.device and c.entry is kind.entry)
        if cards and option.on([kind.device]):
            sets.append((kind, cards))
    return sets


def _equal(
    option: Option,
    facts: Facts,
    kind: Kind,
    cards: tuple[Card, ...],
    nodes: int,
    result: Placing,
    seen: set[Any],
) -> None:
    here = len(cards)
    users = facts.situation["traffic"]["concurrency"]
    fast_net = facts.situation["links"]["between"] == "rdma"
    spans = [1] if nodes == 1 else [1, nodes]
    for span in spans:
        total = here * span
        if span > 1:
            fact, stops = _fact("multi_node", option, facts, (kind,))
            if fact is False:
                # other machines can still run copies of their own
                _replicas_over_nodes(cards, nodes, users, option, facts, kind, result, seen)
                _refuse(result, f"{span} nodes", stops)
                continue
        tensor_room = total if span > 1 and fast_net else here
        full = 0
        for tp in range(tensor_room, 1, -1):
            if tensor_room % tp and tp not in (2, 4, 8, 16):
                continue
            stops, unconfirmed, ep = _tensor(option, facts, kind, tp)
            if stops:
                _refuse(result, f"TP {tp}", stops)
                continue
            full = full or tp
            if tp == full:
                used = cards[: min(tp, here)]
                span_used = max(1, tp // here) if tp > here else 1
                if tp <= here and span > 1:
                    _pipeline_over_nodes(option, facts, kind, cards[:tp], tp, span, ep, unconfirmed, result, seen)
                else:
                    order = _order(facts, tp, 1, 1)
                    _add(result, seen, Placed(Layout(used, tp=tp, ep=ep, nodes=span_used), order, unconfirmed))
            replicas = total // tp
            if replicas > 1 and replicas <= users and total % tp == 0:
                order = _order(facts, tp, 1, replicas)
                _add(
                    result,
                    seen,
                    Placed(Layout(cards, tp=tp, ep=ep, dp=replicas, nodes=span), order, unconfirmed),
                )
            if full and tp < full and total // tp > 1 and span == 1 and here >= 4:
                _hybrid(option, facts, kind, cards, tp, ep, unconfirmed, result, seen)
        fact, stops = _fact("pp", option, facts, (kind,))
        if fact is False:
            _refuse(result, f"PP {total}", stops)
        elif total > 1 and (facts.arch is None or total <= facts.arch["layers"]) and (span == 1 or not full):
            uneven = bool(_parallelism(option, facts, "pp").get("uneven"))
            order = _order(facts, 1, total, 1)
            _add(result, seen, Placed(Layout(cards, pp=total, nodes=span, uneven=uneven), order, tuple(stops)))
        if total > 1 and total <= users:
            _add(result, seen, Placed(Layout(cards, dp=total, nodes=span), _order(facts, 1, 1, total)))


def _hybrid(
    option: Option,
    facts: Facts,
    kind: Kind,
    cards: tuple[Card, ...],
    tp: int,
    ep: int,
    unconfirmed: tuple[Entry, ...],
    result: Placing,
    seen: set[Any],
) -> None:
    """Tensor inside pairs or quads, pipeline between them: only when asked for, to keep the search small."""
    wanted = facts.situation["settings"]["layout"]
    stages = len(cards) // tp
    if not isinstance(wanted, dict) or wanted.get("tp") != tp or len(cards) % tp:
        return
    fact, stops = _fact("pp", option, facts, (kind,))
    if fact is not False:
        order = _order(facts, tp, stages, 1)
        _add(result, seen, Placed(Layout(cards, tp=tp, pp=stages, ep=ep), order, (*unconfirmed, *stops)))


def _pipeline_over_nodes(
    option: Option,
    facts: Facts,
    kind: Kind,
    cards: tuple[Card, ...],
    tp: int,
    nodes: int,
    ep: int,
    unconfirmed: tuple[Entry, ...],
    result: Placing,
    seen: set[Any],
) -> None:
    """Across nodes without RDMA: tensor inside, pipeline between."""
    order = _order(facts, tp, 1, 1)
    _add(result, seen, Placed(Layout(cards, tp=tp, ep=ep), order, unconfirmed))
    fact, stops = _fact("pp", option, facts, (kind,))
    if fact is False:
        _refuse(result, f"PP {nodes}", stops)
        return
    order = _order(facts, tp, nodes, 1)
    _add(
        result,
        seen,
        Placed(Layout(cards, tp=tp, pp=nodes, ep=ep, nodes=nodes), order, (*unconfirmed, *stops)),
    )


def _replicas_over_nodes(
    cards: tuple[Card, ...],
    nodes: int,
    users: int,
    option: Option,
    facts: Facts,
    kind: Kind,
    result: Placing,
    seen: set[Any],
) -> None:
    here = len(cards)
    for tp in (here, 1):
        if tp > 1:
            stops, unconfirmed, ep = _tensor(option, facts, kind, tp)
            if stops:
                continue
        else:
            unconfirmed, ep = (), 1
        copies = nodes * (here // tp)
        if 1 < copies <= users:
            order = _order(facts, tp, 1, copies)
            _add(result, seen, Placed(Layout(cards, tp=tp, ep=ep, dp=copies, nodes=nodes), order, unconfirmed))


def _mixed(
    option: Option, facts: Facts, groups: list[tuple[Kind, tuple[Card, ...]]], result: Placing, seen: set[Any]
) -> None:
    """All cards of a machine with different cards: layers in unequal shares, or nothing."""
    accelerators = [(k, c) for k, c in groups if k.entry["kind"] in ("gpu", "soc", "npu")]
    if len(accelerators) < 2:
        return
    kinds = tuple(k for k, _ in accelerators)
    cards = tuple(c for _, group in accelerators for c in group)
    for name in ("mixed", "pp"):
        fact, stops = _fact(name, option, facts, kinds)
        if fact is False:
            _refuse(result, "mixed cards", stops)
            return
    pp = _parallelism(option, facts, "pp")
    if not pp.get("uneven"):
        stop = obstacle("hardware.kinds", len(kinds), 1, pp or [], text="obstacle.uneven")
        _refuse(result, "mixed cards", [stop])
        return
    order = _order(facts, 1, len(cards), 1) + 1
    _add(result, seen, Placed(Layout(cards, pp=len(cards), uneven=True), order))


# ---------------------------------------------------------------------- legality


def _parallelism(option: Option, facts: Facts, name: str) -> Entry:
    path = option.path
    key = ("parallelism", path.engine, path.mode, path.version, name)
    found = facts.kb.kept.get(key)
    if found is None:
        fact = (facts.kb.engines[path.engine].get("parallelism") or {}).get(name) or {}
        if fact.get("mode") not in (None, path.mode) or not matches(fact.get("versions"), path.version):
            fact = {"is": "no", "source": fact.get("source", [])}
        found = facts.kb.kept[key] = fact
    return found


def _fact(name: str, option: Option, facts: Facts, kinds: tuple[Kind, ...]) -> tuple[bool | None, list[Entry]]:
    """True, None (not known) or False with the obstacles, for one way of spreading; asked once a decision."""
    path = option.path
    key = (name, path.engine, path.mode, path.version, path.backend, path.family, path.type, *(k.device for k in kinds))
    found = facts.memo.get(key)
    if found is None:
        found = facts.memo[key] = _ask(name, option, facts, kinds)
    return found


def _ask(name: str, option: Option, facts: Facts, kinds: tuple[Kind, ...]) -> tuple[bool | None, list[Entry]]:
    fact = _parallelism(option, facts, name)
    clause = f"engine.parallelism.{name}"
    if not fact or fact.get("is") == "unknown":
        text = "obstacle.parallelism-unknown"
        return None, [obstacle(clause, "unknown", "yes", fact or [], unknown=True, text=text, how=name)]
    if fact["is"] not in _OK:
        return False, [obstacle(clause, fact["is"], "yes", fact, text="obstacle.parallelism", how=name)]
    if not fact.get("needs"):
        return True, []
    extra = {"candidate.backend": option.path.backend, **_format_values(option, facts)}
    result = facts.check(fact["needs"], kinds, extra)
    return (True, []) if result.value is True else (result.value, from_result(result, fact))


def _format_values(option: Option, facts: Facts) -> Entry:
    type_ = facts.kb.type_of(option.path.family, option.path.type) or {}
    return {
        "format.family": option.path.family,
        "format.type": option.path.type,
        "format.bits": type_.get("bits"),
    }


def _tensor(option: Option, facts: Facts, kind: Kind, tp: int) -> tuple[list[Entry], tuple[Entry, ...], int]:
    """Obstacles against tp ranks, what is not confirmed, and the expert parallel degree that helps."""
    fact, stops = _fact("tp", option, facts, (kind,))
    if fact is False:
        return stops, (), 1
    entry = _parallelism(option, facts, "tp")
    if entry.get("max") and tp > entry["max"]:
        return [obstacle("candidate.tp", tp, f"<={entry['max']}", entry)], (), 1
    arch = facts.arch
    if arch is None or entry.get("uneven"):
        return [], tuple(stops), 1
    heads = arch["heads"]
    if heads % tp:
        return (
            [obstacle("candidate.tp", tp, heads, entry, text="obstacle.tp-heads", tp=tp, heads=heads)],
            (),
            1,
        )
    if tp & (tp - 1) and arch["vocab"] % tp:
        return (
            [
                obstacle(
                    "candidate.tp",
                    tp,
                    arch["vocab"],
                    entry,
                    text="obstacle.tp-vocab",
                    tp=tp,
                    vocab=arch["vocab"],
                )
            ],
            (),
            1,
        )
    block = (facts.kb.type_of(option.path.family, option.path.type) or {}).get("group_size") or 1
    experts = arch.get("experts") or {}
    if arch.get("intermediate") and not experts and (arch["intermediate"] % tp or arch["intermediate"] // tp % block):
        return [_block("mlp", arch["intermediate"], tp, block, entry)], (), 1
    width = experts.get("intermediate")
    if width and (width % tp or width // tp % block):
        ep_fact, _ = _fact("ep", option, facts, (kind,))
        if ep_fact and experts["count"] % tp == 0:
            return [], tuple(stops), tp  # whole experts on each rank: nothing is cut inside a block
        return [_block("experts", width, tp, block, entry)], (), 1
    return [], tuple(stops), 1


def _block(part: str, width: int, tp: int, block: int, entry: Entry) -> Entry:
    return obstacle(
        "candidate.tp",
        tp,
        block,
        entry,
        text="obstacle.tp-block",
        part=part,
        width=width,
        tp=tp,
        share=width // tp if width % tp == 0 else round(width / tp, 1),
        block=block,
    )


# ---------------------------------------------------------------------- order


def _order(facts: Facts, tp: int, pp: int, dp: int) -> int:
    """Breaks ties only: one card, then replicas, then tensor or pipeline by link and priority."""
    s = facts.situation
    if tp == pp == 1:
        # copies of a model that fits one card serve more people than one copy
        return 1 if dp > 1 and s["traffic"]["concurrency"] < 2 else (-1 if dp > 1 else 0)
    weak = s["links"]["within"] in _WEAK_WITHIN or (s["nodes"] > 1 and s["links"]["between"] == "ethernet")
    pipeline_first = weak and s["priority"] == "throughput" and s["traffic"]["concurrency"] >= 2 * pp
    rank = 2 if (pp > 1) == pipeline_first else 3
    return rank * 10 + (tp * pp).bit_length()


def _add(result: Placing, seen: set[Any], placed: Placed) -> None:
    layout = placed.layout
    key = (tuple(c.index for c in layout.cards), layout.tp, layout.pp, layout.ep, layout.dp, layout.nodes)
    if key not in seen:
        seen.add(key)
        result.placed.append(placed)


def _refuse(result: Placing, what: str, stops: list[Entry]) -> None:
    if all(what != name for name, _ in result.refused):
        result.refused.append((what, stops))
