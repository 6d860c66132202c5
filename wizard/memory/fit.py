"""Does it fit: the class of the answer, and what moves to system memory when it does not.

fits: one request of the whole context goes in and all requests at their usual length do, with the
stated errors to spare. tight: inside those errors. offload: with a part in system memory. no: not at
all. Everyone at the maximum only sets `warn_full`. All sizes are whole bytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wizard.shapes import Layout, Path, Workload

from . import assumed, extras, offload, ranks, room, stages
from .need import Model, Plan, Seat, demand, extras_on, load_of, model_of, plan_of, seat_of
from .report import add_host, add_prompts, report
from .room import Room
from .rules import Profile, host_weights


class Base(NamedTuple):
    """What a path on a layout has before any load: see `prepare`.

    said: text ids of what was assumed; shares: layers of each pipeline stage, () where the load decides;
    held: bytes of weights on one rank of each stage; alike: all ranks hold the same on equal devices.
    """

    path: Path
    layout: Layout
    engine: dict[str, Any]
    model: Model
    rules: Profile
    rooms: list[Room]
    said: tuple[str, ...]
    shares: tuple[int, ...]
    held: tuple[int, ...]
    alike: bool
    bound: bool  # nothing to offload to: devices and host share one memory
    idle: int | None  # bytes that a GPU could have where the engine runs on the processor beside it


def prepare(
    path: Path, layout: Layout, arch: dict[str, Any], kv_type: str | None, host: dict[str, Any], kb: Any,
    asks: extras.Asks = extras.NONE,
) -> Base:  # fmt: skip
    """The part of `fit` that the load does not change, to be kept between decisions."""
    model, rules = model_of(arch, path, layout, kv_type, kb, asks)
    rooms = room.all_of(layout.cards, path.backend, host)
    said = [*rules.said(layout.tp * layout.pp), *model.said]
    for place in rooms:
        if place.assumptions:
            said += place.assumptions
    shares: tuple[int, ...] = ()
    if layout.pp == 1:
        shares = (model.layers,)
    elif not (layout.uneven and layout.tp == 1):
        shares = ranks.even_stages(model.layers, layout.pp)
    held = _held(model, rules, layout, shares) if shares else ()
    alike = layout.pp == 1 and all(place is rooms[0] for place in rooms)
    bound = _on_host(path, layout)
    engine, first = kb.engines[path.engine], layout.cards[0]
    beside = path.backend in assumed.CPU_BACKENDS and first.entry["kind"] != "cpu"
    idle = room.of(first, "", host).free if beside else None
    all_said = tuple(dict.fromkeys(said))
    return Base(path, layout, engine, model, rules, rooms, all_said, shares, held, alike, bound, idle)


class Settled(NamedTuple):
    """A plan on its devices. said: text ids of what was assumed; moved: what went to system memory."""

    plan: Plan
    seats: list[Seat]
    class_: str
    moved: offload.Moved | None
    said: tuple[str, ...]


def fit(
    path: Path, layout: Layout, arch: dict[str, Any] | None, work: Workload, settings: dict[str, Any],
    host: dict[str, Any], kb: Any, detail: bool = True,
) -> dict[str, Any] | None:  # fmt: skip
    """Fit of a path on a layout (the shape is Fit in the contributor docs), or None without a model.

    arch: a model entry, or the same shape with `attention` None and `kv_models` (or `kv_range`, bytes
    per token at 16 bit, lowest and highest) for parameters only. settings: kv_type, offload (auto | yes
    | no), asks (extras.Asks). host: ram_bytes, unified, os. pool_bytes is what the device that binds has for
    KV and state.
    idle_gpu_bytes: what a GPU could have where the engine runs on the processor beside it, else None.
    """
    if arch is None:
        return None
    base = prepare(path, layout, arch, settings.get("kv_type"), host, kb, settings.get("asks", extras.NONE))
    return fit_on(base, work, settings.get("offload"), host, detail)


def fit_on(
    base: Base, work: Workload, offloading: str | None, host: dict[str, Any], detail: bool = True
) -> dict[str, Any]:
    """Fit of a load on a prepared base. detail: False leaves out the parts of each device, which only a shown
    candidate needs; `devices` then holds the layers of unequal stages and nothing else."""
    found = settle(base, work, offloading, host)
    answer = report(found.plan, found.seats, found.class_, detail)
    if found.moved:
        add_host(answer, found.moved, found.plan, host["ram_bytes"])
    if detail:
        add_prompts(answer, found.plan, base.bound, host.get("ram_bytes") or 0)
    if base.idle is not None:
        answer["idle_gpu_bytes"] = base.idle
    answer["assumptions"] = list(found.said)
    return answer


def settle(base: Base, work: Workload, offloading: str | None, host: dict[str, Any]) -> Settled:
    """What `fit_on` reports, before it is made into an answer. Arguments as there."""
    plan = plan_of(base.rules, base.model, load_of(work, base.layout.dp), base.layout)
    seats = _seats(plan, base)
    class_ = _class(seats)
    if base.model.kv is None and class_ == "fits":
        class_ = "tight"
    if class_ == "no" and offloading != "no" and not base.bound:
        moved = _offload(plan, seats, base, host)
        if moved:
            said = tuple(dict.fromkeys([*base.said, "memory.assumed-system"]))
            return Settled(plan, _without(plan, seats, moved), "offload", moved, said)
    return Settled(plan, seats, class_, None, base.said)


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


def _held(model: Model, rules: Profile, layout: Layout, shares: tuple[int, ...]) -> tuple[int, ...]:
    """Bytes of weights on one rank of each stage."""
    input_on_host = bool(rules.parameters["budget-need"]["input_on_host"])
    held = ranks.stage_bytes(model.weights, shares, layout.tp, layout.ep, input_on_host)
    if model.loaded:
        held = tuple(size + -(-model.loaded * n // model.layers) for size, n in zip(held, shares, strict=True))
    if model.extras.parts:
        held = tuple(size + sum(extras_on(model, shares, n).values()) for n, size in enumerate(held))
    return held


def _seats(plan: Plan, base: Base) -> list[Seat]:
    """One seat per device of a machine, in the order copy, stage, rank; equal devices share one.

    A copy that spans machines has a seat for each of its ranks; further machines hold the same again.
    """
    layout, model, rooms = plan.layout, plan.model, base.rooms
    count, width = len(rooms), layout.tp * layout.pp
    slots = min(width * layout.dp, max(count, width))
    if base.alike:
        return [seat_of(plan, rooms[0], model.layers, base.held[0])] * slots
    shares, held = base.shares, base.held
    if not shares:
        shares = _uneven(plan, rooms, bool(base.rules.parameters["budget-need"]["input_on_host"]))
        held = _held(model, base.rules, layout, shares)
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
    none = (0,) * layout.pp
    ends = ranks.stage_bytes(model.weights, none, 1, 1, input_on_host)
    if model.extras.parts:
        ends = tuple(size + sum(extras_on(model, none, n).values()) for n, size in enumerate(ends))
    free = [seat_of(plan, rooms[s % len(rooms)], 0, ends[s]).pool for s in range(layout.pp)]
    need = demand(plan, model.layers)[0]
    return stages.uneven(model.layers, free, model.weights.per_layer(model.layers) + -(-need // model.layers))


def _offload(plan: Plan, seats: list[Seat], base: Base, host: dict[str, Any]) -> offload.Moved | None:
    ram, engine = host.get("ram_bytes") or 0, base.engine
    if not ram or plan.layout.nodes > 1 or not engine.get("offload"):
        return None
    model, held = plan.model, plan.model.weights
    on_host = base.rules.parameters["budget-need"]["input_on_host"]
    layer = offload.Layer(
        held.per_layer(model.layers),
        held.experts // model.expert_layers if held.experts else 0,
        sum(s.need for s in seats) // model.layers,
        model.layers,
        model.expert_layers,
    )
    room = int((ram - assumed.system_bytes(ram)[0]) * assumed.HOST_SHARE)
    if host_weights.held(plan.profile.of("host-weights"), 0, held.total) > room:
        return None
    return offload.choose(
        offload.ways(engine, base.path.backend, plan.layout.tp),
        [-s.margin for s in seats],
        [s.error for s in seats],
        [s.weights for s in seats],
        layer,
        assumed.host_room(ram) - (held.tables - held.embedding if on_host else 0),
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
