"""Does it fit: the class of the answer, and what moves to system memory when it does not.

fits: one request of the whole context goes in and all requests at their usual length do, with the
stated errors to spare. tight: inside those errors. offload: with a part in system memory. no: not at
all. Everyone at the maximum only sets `warn_full`. All sizes are whole bytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wizard.shapes import Layout, Path, Workload

from . import assumed, offload, ranks, room, stages
from .need import Plan, Seat, demand, load_of, model_of, plan_of, seat_of
from .report import add_host, report
from .room import Room


class Settled(NamedTuple):
    """A plan on its devices. said: text ids of what was assumed; moved: what went to system memory."""

    plan: Plan
    seats: list[Seat]
    class_: str
    moved: offload.Moved | None
    said: list[str]


def fit(
    path: Path, layout: Layout, arch: dict[str, Any] | None, work: Workload, settings: dict[str, Any],
    host: dict[str, Any], kb: Any, detail: bool = True,
) -> dict[str, Any] | None:  # fmt: skip
    """Fit of a path on a layout (the shape is Fit in the contributor docs), or None without a model.

    detail: False leaves out the parts of each device, which only a shown candidate needs; `devices` then
    holds the layers of unequal stages and nothing else.

    arch: a model entry, or the same shape with `attention` None and `kv_models` (or `kv_range`, bytes
    per token at 16 bit, lowest and highest) for parameters only. settings: kv_type, offload (auto | yes
    | no). host: ram_bytes, unified, os. pool_bytes is what the device that binds has for KV and state.
    idle_gpu_bytes: what a GPU could have where the engine runs on the processor beside it, else None.
    """
    if arch is None:
        return None
    found = settle(path, layout, arch, work, settings, host, kb)
    plan, moved = found.plan, found.moved
    answer = report(plan, found.seats, found.class_, detail)
    if moved:
        add_host(answer, moved, plan, host["ram_bytes"])
    first = layout.cards[0]
    if path.backend in assumed.CPU_BACKENDS and first.entry["kind"] != "cpu":
        answer["idle_gpu_bytes"] = room.of(first, "", host).free
    answer["assumptions"] = list(dict.fromkeys(found.said)) if found.said else found.said
    return answer


def settle(
    path: Path, layout: Layout, arch: dict[str, Any], work: Workload, settings: dict[str, Any], host: dict[str, Any],
    kb: Any,
) -> Settled:  # fmt: skip
    """What `fit` reports, before it is made into an answer. Arguments as there."""
    engine = kb.engines[path.engine]
    model, rules = model_of(arch, path, layout, settings.get("kv_type"), kb)
    plan = plan_of(rules, model, load_of(work, layout.dp), layout)
    rooms = room.all_of(layout.cards, path.backend, host)
    seats = _seats(plan, rooms)
    class_ = _class(seats)
    if model.kv is None and class_ == "fits":
        class_ = "tight"
    said = [*rules.said(layout.tp * layout.pp), *model.said]
    for place in rooms:
        if place.assumptions:
            said += place.assumptions
    moved = None
    if class_ == "no" and settings.get("offload") != "no" and not _on_host(path, layout):
        moved = _offload(plan, seats, engine, path.backend, host)
    if moved:
        said.append("memory.assumed-system")
        return Settled(plan, _without(plan, seats, moved), "offload", moved, said)
    return Settled(plan, seats, class_, None, said)


def _class(seats: list[Seat]) -> str:
    """Margins against the stated errors; the worst device decides."""
    class_ = "fits"
    for seat in seats:
        if seat.margin <= -seat.error and seat.margin < 0:
            return "no"
        if seat.margin < seat.error:
            class_ = "tight"
    return class_


def _on_host(path: Path, layout: Layout) -> bool:
    """Whether devices and host share one memory, so that there is nothing to offload to."""
    return path.backend in assumed.CPU_BACKENDS or any(c.entry["memory"].get("unified") for c in layout.cards)


def _seats(plan: Plan, rooms: list[Room]) -> list[Seat]:
    """One seat per device of a machine, in the order copy, stage, rank; equal devices share one.

    A copy that spans machines has a seat for each of its ranks; further machines hold the same again.
    """
    layout, model = plan.layout, plan.model
    input_on_host = bool(plan.profile.parameters["budget-need"]["input_on_host"])
    if layout.pp == 1:
        shares: tuple[int, ...] = (model.layers,)
    elif layout.uneven and layout.tp == 1:
        shares = _uneven(plan, rooms, input_on_host)
    else:
        shares = ranks.even_stages(model.layers, layout.pp)
    held = ranks.stage_bytes(model.weights, shares, layout.tp, layout.ep, input_on_host)
    if model.loaded:
        held = tuple(size + -(-model.loaded * n // model.layers) for size, n in zip(held, shares, strict=True))
    count, width = len(rooms), layout.tp * layout.pp
    slots = min(width * layout.dp, max(count, width))
    first = rooms[0]
    if layout.pp == 1 and all(place is first for place in rooms):
        return [seat_of(plan, first, model.layers, held[0])] * slots
    known: dict[tuple[int, int], Seat] = {}
    seats = []
    for slot in range(slots):
        place, stage = rooms[slot % count], slot % width // layout.tp
        key = (stage, id(place))
        seat = known.get(key)
        if seat is None:
            seat = known[key] = seat_of(plan, place, shares[stage], held[stage])
        seats.append(seat)
    return seats


def _uneven(plan: Plan, rooms: list[Room], input_on_host: bool) -> tuple[int, ...]:
    layout, model = plan.layout, plan.model
    # what a device has for whole layers: its pool when it holds only what sits on its end of the pipeline
    ends = ranks.stage_bytes(model.weights, (0,) * layout.pp, 1, 1, input_on_host)
    free = [seat_of(plan, rooms[s % len(rooms)], 0, ends[s]).pool for s in range(layout.pp)]
    need = demand(plan, model.layers)[0]
    return stages.uneven(model.layers, free, model.weights.per_layer(model.layers) + -(-need // model.layers))


def _offload(
    plan: Plan, seats: list[Seat], engine: dict[str, Any], backend: str, host: dict[str, Any]
) -> offload.Moved | None:
    ram = host.get("ram_bytes") or 0
    if not ram or plan.layout.nodes > 1 or not engine.get("offload"):
        return None
    model, held = plan.model, plan.model.weights
    layer = offload.Layer(
        held.per_layer(model.layers),
        held.experts // model.expert_layers if held.experts else 0,
        sum(s.need for s in seats) // model.layers,
        model.layers,
        model.expert_layers,
    )
    return offload.choose(
        offload.ways(engine, backend, plan.layout.tp),
        [-s.margin for s in seats],
        [s.error for s in seats],
        [s.weights for s in seats],
        layer,
        assumed.host_room(ram),
    )


def _without(plan: Plan, seats: list[Seat], moved: offload.Moved) -> list[Seat]:
    """The devices after what moved is gone from them."""
    found = []
    for seat, weights, count in zip(seats, moved.weights, moved.counts, strict=True):
        layers = seat.layers - (count if moved.kind == "layers" else 0)
        need, full, _ = demand(plan, layers)
        pool = seat.pool + weights
        found.append(Seat(seat.room, layers, seat.weights - weights, pool, need, full, seat.error, pool - need))
    return found
