"""Does it fit: every part on every device, the class of the answer, and what would still go in.

fits: one request of the whole context goes in and all requests at their usual length do, with the
stated errors to spare. tight: inside those errors. offload: with a part in system memory. no: not at
all. Everyone at the maximum only sets `warn_full`. All sizes are whole bytes.
"""

from __future__ import annotations

from math import isqrt
from typing import Any

from wizard.shapes import Card, Layout, Path, Workload

from . import assumed, elements, offload, ranks, room, stages
from .need import Plan, Seat, demand, load_of, model_of, parts_of
from .report import add_host, report
from .room import Room
from .rules import profile


def fit(
    path: Path, layout: Layout, arch: dict[str, Any] | None, work: Workload, settings: dict[str, Any],
    host: dict[str, Any], kb: Any,
) -> dict[str, Any] | None:  # fmt: skip
    """Fit of a path on a layout (the shape is Fit in the contributor docs), or None without a model.

    arch: a model entry, or the same shape with `attention` None and `kv_models` (or `kv_range`, bytes
    per token at 16 bit, lowest and highest) for parameters only. settings: kv_type, offload (auto | yes
    | no). host: ram_bytes, unified, os. pool_bytes is what the device that binds has for KV and state.
    """
    if arch is None:
        return None
    engine = kb.engines[path.engine]
    card = layout.cards[0]
    unified = bool(card.entry["memory"].get("unified"))
    rules = profile(engine, path.mode, path.backend, path.version, unified, card.memory_bytes)
    kv_type = settings.get("kv_type")
    model = model_of(arch, path, layout.tp, kv_type, rules, kb)
    load = load_of(work, layout.dp)
    plan = Plan(rules, model, parts_of(rules, model.hidden, layout.ranks, load.tokens), load, layout)
    said = list(rules.assumed)
    if layout.ranks == 1 and "memory.assumed-communication" in said:
        said.remove("memory.assumed-communication")
    if kv_type and not elements.known(kv_type) and kv_type != "auto":
        said.append("memory.kv-type-unknown")
    if model.kv is None:
        said.append("memory.kv-unknown")
    elif arch.get("attention") is None:
        said.append("memory.kv-range")
    if model.weights.towers_apart:
        said.append("memory.towers-apart")
    rooms = {id(c): room.of(c, path.backend, host) for c in layout.cards}
    seats = _seats(plan, rooms)
    for place in dict.fromkeys(rooms.values()):
        said += place.assumptions
    class_ = _class(seats)
    if model.kv is None and class_ == "fits":
        class_ = "tight"
    if class_ == "no" and settings.get("offload", "auto") != "no" and not _on_host(path, layout):
        moved = _offload(plan, seats, engine, path.backend, host)
        if moved:
            answer = report(plan, _without(plan, seats, moved), "offload", arch)
            add_host(answer, moved, plan, host["ram_bytes"])
            answer["assumptions"] = list(dict.fromkeys([*said, "memory.assumed-system"]))
            return answer
    answer = report(plan, seats, class_, arch)
    answer["assumptions"] = list(dict.fromkeys(said))
    return answer


def _class(seats: list[Seat]) -> str:
    """Margins against the stated errors; the worst device decides."""
    if all(s.margin >= s.error for s in seats):
        return "fits"
    return "tight" if all(s.margin > -s.error for s in seats) else "no"


def _on_host(path: Path, layout: Layout) -> bool:
    """Whether devices and host share one memory, so that there is nothing to offload to."""
    return path.backend in assumed.CPU_BACKENDS or any(c.entry["memory"].get("unified") for c in layout.cards)


# ---------------------------------------------------------------------- devices


def _seats(plan: Plan, rooms: dict[int, Room]) -> list[Seat]:
    layout, model = plan.layout, plan.model
    input_on_host = bool(plan.profile.of("budget-need")["input_on_host"])
    shares = _stage_layers(plan, rooms, input_on_host)
    held = ranks.stage_bytes(model.weights, shares, layout.tp, layout.ep, input_on_host)
    known: dict[tuple[int, Any], Seat] = {}
    seats = []
    slot = 0
    for _ in range(layout.dp):
        for stage in range(layout.pp):
            for _ in range(layout.tp):
                card = layout.cards[slot % len(layout.cards)]
                slot += 1
                key = (stage, card.device, rooms[id(card)])
                seat = known.get(key)
                if seat is None:
                    seat = known[key] = _seat(plan, card, rooms[id(card)], shares[stage], held[stage])
                seats.append(seat if seat.card is card else seat._replace(card=card))
    return seats


def _seat(plan: Plan, card: Card, place: Room, layers: int, held: int) -> Seat:
    parts, rules = plan.parts, plan.profile
    need, full, kv_error = demand(plan.model, plan.load, layers)
    budget = rules.budget
    pool = budget.pool(rules.of(budget.NAME), place.total, place.free, held, parts.resident, parts.peak)
    error = parts.error
    if place.error or kv_error:
        error = isqrt(error * error + place.error * place.error + kv_error * kv_error)
    return Seat(card, place, layers, held, pool, need, full, error)


def _stage_layers(plan: Plan, rooms: dict[int, Room], input_on_host: bool) -> tuple[int, ...]:
    layout, model = plan.layout, plan.model
    if layout.pp == 1:
        return (model.layers,)
    if not (layout.uneven and layout.tp == 1):
        return ranks.even_stages(model.layers, layout.pp)
    # what a device has for whole layers: its pool when it holds only what sits on its end of the pipeline
    ends = ranks.stage_bytes(model.weights, (0,) * layout.pp, layout.tp, layout.ep, input_on_host)
    free = []
    for stage in range(layout.pp):
        place = rooms[id(layout.cards[stage % len(layout.cards)])]
        free.append(_seat(plan, layout.cards[0], place, 0, ends[stage]).pool)
    one = model.weights.per_layer(model.layers)
    need = demand(model, plan.load, model.layers)[0]
    return stages.uneven(model.layers, free, one + -(-need // model.layers))


# ---------------------------------------------------------------------- offload


def _offload(
    plan: Plan, seats: list[Seat], engine: dict[str, Any], backend: str, host: dict[str, Any]
) -> offload.Moved | None:
    ram = host.get("ram_bytes") or 0
    if not ram or plan.layout.nodes > 1:
        return None
    layers, held = plan.model.layers, plan.model.weights
    room_left = int((ram - assumed.system_bytes(ram)[0]) * assumed.HOST_SHARE)
    layer = offload.Layer(
        held.per_layer(layers),
        held.experts // plan.model.expert_layers if held.experts else 0,
        sum(s.need for s in seats) // layers,
        layers,
        plan.model.expert_layers,
    )
    return offload.choose(
        offload.ways(engine, backend, plan.layout.tp),
        [-s.margin for s in seats],
        [s.error for s in seats],
        [s.weights for s in seats],
        layer,
        room_left,
    )


def _without(plan: Plan, seats: list[Seat], moved: offload.Moved) -> list[Seat]:
    """The devices after what moved is gone from them."""
    found = []
    for seat, weights, count in zip(seats, moved.weights, moved.counts, strict=True):
        layers = seat.layers - (count if moved.kind == "layers" else 0)
        need, full, _ = demand(plan.model, plan.load, layers)
        found.append(
            seat._replace(weights=seat.weights - weights, pool=seat.pool + weights, layers=layers, need=need, full=full)
        )
    return found
