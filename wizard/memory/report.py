"""The Fit that a decision shows: parts on every device, what is left, and what would still go in."""

from __future__ import annotations

from typing import Any

from . import assumed, kv, offload
from .need import Plan, Seat, as_whole, extras_on
from .rules import host_weights, prompt_cache, state_slots

# name of a part and the rule it comes from, in the order of Parts.sizes
_PARTS = (
    ("activation", "activation"), ("graphs", "graphs"), ("communication", "communication"),
    ("context", "context-overhead"), ("compute", "compute-buffer"),
)  # fmt: skip


def report(plan: Plan, seats: list[Seat], class_: str, detail: bool = True) -> dict[str, Any]:
    """The Fit of a plan whose devices and class are known; `assumptions` and `host` are still empty."""
    model, load, layout = plan.model, plan.load, plan.layout
    distinct = seats if len(seats) == 1 else list({id(s): s for s in seats}.values())
    whole = True
    pool = margin = None
    error = 0
    for seat in distinct:
        if seat.pool - seat.full - plan.scratch < seat.error:
            whole = False
        if margin is None or seat.margin < margin:
            margin = seat.margin
        if pool is None or seat.pool < pool:
            pool = seat.pool
        if seat.error > error:
            error = seat.error
    assert margin is not None and pool is not None
    answer: dict[str, Any] = {
        "class": class_,
        "devices": _devices(plan, seats, distinct) if detail else _stages(plan, seats),
        "host": None,
        "weights_bytes": model.weights.total,
        "kv_bytes_per_token": None,
        "state_bytes_per_sequence": model.state_whole,
        "kv_bytes_request": None,
        "pool_bytes": pool if pool > 0 else 0,
        "pool_tokens": None,
        "max_context": None,
        "max_concurrency": None,
        "max_concurrency_full": None,
        "headroom_bytes": margin if margin > 0 else 0,
        "shortfall_bytes": -margin if class_ == "no" and margin < 0 else 0,
        "error_bytes": error,
        "offload": None,
        "changes": [],
        "idle_gpu_bytes": None,
        "assumptions": [],
        "warn_full": not whole,
        "copies": layout.dp,
        "ranks": layout.tp * layout.pp,
        "kv_type": model.kv_type,
        "context_total": load.tokens,
        "reserves": plan.profile.budget.RESERVES,
    }
    if model.whole is not None:
        answer["kv_bytes_per_token"] = model.per_token
        answer["kv_bytes_request"] = model.whole.bytes(load.context)
        _capacity(answer, plan, distinct)
        if detail:
            answer["requests_full"] = _requests(plan, distinct)
    return answer


def _stages(plan: Plan, seats: list[Seat]) -> list[dict[str, Any]]:
    """Layers per device where stages are unequal: the speed of a pipeline of different cards needs them."""
    return [{"layers": seat.layers} for seat in seats] if plan.layout.pp > 1 else []


def _devices(plan: Plan, seats: list[Seat], distinct: list[Seat]) -> list[dict[str, Any]]:
    """One entry per device; equal devices share one list of parts."""
    rules = plan.profile
    parameters = rules.parameters[rules.budget.NAME]
    shown = {}
    width, tp = plan.layout.tp * plan.layout.pp, plan.layout.tp
    shares = tuple(seat.layers for seat in seats[:width:tp])
    for seat in distinct:
        budget = rules.budget.budget(parameters, seat.room.total, seat.room.free, width)
        added = extras_on(plan.model, shares, seats.index(seat) % width // tp)
        shown[id(seat)] = (_device_parts(plan, seat, added), budget, -seat.margin if seat.margin < 0 else 0)
    cards = plan.layout.cards
    count = len(cards)
    devices = []
    for index, seat in enumerate(seats):
        card = cards[index % count]
        parts, budget, over = shown[id(seat)]
        devices.append(
            {
                "index": card.index if index < count else index, "device": card.device,
                "name": card.entry["name"], "capacity_bytes": seat.room.total,
                "budget_bytes": budget, "layers": seat.layers, "parts": parts, "over_bytes": over,
            }
        )  # fmt: skip
    return devices


def _part(name: str, size: int, error: int, basis: str) -> dict[str, Any]:
    return {"name": name, "bytes": size, "error_bytes": error, "basis": basis}


def _device_parts(plan: Plan, seat: Seat, added: dict[str, int]) -> list[dict[str, Any]]:
    """Parts of one device: what is needed, or the whole pool where the engine takes it at start.

    added: bytes of what must-haves add, by part; the seat's weights hold them too.
    """
    model, place = plan.model, seat.room
    found = [_part("weights", seat.weights - sum(added.values()), 0, _basis(plan))]
    for part in model.extras.parts:
        if added[part.name]:
            found.append(_part(part.name, added[part.name], part.error, part.basis))
    used = seat.weights
    if model.kv is not None:
        held = plan.load.seats * (-(-model.state * seat.layers // model.layers)) if model.state else 0
        size = seat.need
        if plan.profile.budget.RESERVES and seat.pool > size:
            size = seat.pool
        slots = plan.profile.of("state-slots")
        if held and slots["ratio"]:
            held = size - state_slots.cache_room(slots, size, held)
        size = size - held if size > held else 0
        error = model.kv_error * plan.load.tokens
        if size or model.kv.groups or model.kv_error:
            found.append(_part("kv", size, error, "assumed" if error else "computed"))
        used += size + held
        if held:
            found.append({"name": "state", "bytes": held, "error_bytes": 0, "basis": "computed"})
    stated, errors = plan.profile.stated, plan.parts.errors
    for index, size in enumerate(plan.parts.sizes):
        if size:
            name, rule = _PARTS[index]
            basis = "fitted" if rule in stated else "assumed"
            found.append({"name": name, "bytes": size, "error_bytes": errors[index], "basis": basis})
            used += size
    if place.other:
        found.append({"name": "other", "bytes": place.other, "error_bytes": place.error, "basis": place.basis})
        used += place.other
    if used < place.total:
        found.append({"name": "free", "bytes": place.total - used, "error_bytes": 0, "basis": "computed"})
    return found


def _basis(plan: Plan) -> str:
    return "exact" if plan.model.weights.exact else "computed"


def add_host(answer: dict[str, Any], moved: offload.Moved, plan: Plan, ram: int) -> None:
    """What moved to system memory: its parts, and the numbers an engine's flags want.

    cpu_moe_layers counts from the first layer, as the flag does, so dense layers in front count too.
    """
    used, error = assumed.system_bytes(ram)
    weights = host_weights.held(plan.profile.of("host-weights"), sum(moved.weights), plan.model.weights.total)
    parts = [
        _part("weights", weights, 0, _basis(plan)),
        _part("kv", sum(moved.kv), 0, "computed"),
        _part("other", used, error, "assumed"),
        _part("free", ram - used - weights - sum(moved.kv), 0, "computed"),
    ]
    answer["host"] = {"capacity_bytes": ram, "parts": [p for p in parts if p["bytes"]], "over_bytes": 0}
    count, model = sum(moved.counts), plan.model
    answer["offload"] = {
        "kind": moved.kind,
        "layers_gpu": model.layers - (count if moved.kind == "layers" else 0),
        "cpu_moe_layers": count + model.layers - model.expert_layers if moved.kind == "experts" else 0,
        "host_bytes": moved.bytes,
    }


def add_prompts(answer: dict[str, Any], plan: Plan, bound: bool, ram: int) -> None:
    """Prompts a server keeps for later requests: as far as system memory has room left, for they need not be kept.

    bound: devices and host share one memory, so they lie in what the first device leaves.
    """
    rule = plan.profile.of("prompt-cache")
    if not (rule["mib"] or rule["checkpoints"]) or not (ram or bound):
        return
    model, load = plan.model, plan.load
    windows = model.whole.windows if model.whole else ()
    state = model.state_whole + sum(width * (min(cap, load.context) + plus) for width, cap, plus in windows)
    most = prompt_cache.most(rule, load.seats, state)
    if bound:
        parts = answer["devices"][0]["parts"]
    else:
        if answer["host"] is None:
            used, error = assumed.system_bytes(ram)
            parts = [_part("other", used, error, "assumed"), _part("free", ram - used, 0, "computed")]
            answer["host"] = {"capacity_bytes": ram, "parts": parts, "over_bytes": 0}
        parts = answer["host"]["parts"]
    free = next((p for p in parts if p["name"] == "free"), None)
    size = min(most, free["bytes"]) if free else 0
    if free is None or size <= 0:
        return
    free["bytes"] -= size
    parts.insert(parts.index(free), _part("prompts", size, 0, "computed"))
    if not free["bytes"]:
        parts.remove(free)


def _capacity(answer: dict[str, Any], plan: Plan, seats: list[Seat]) -> None:
    """Longest context and most requests that the pools hold, over all copies."""
    model, load = plan.model, plan.load
    cache = model.kv
    assert cache is not None
    longest = most = most_full = tokens = kv.NO_LIMIT
    slots = plan.profile.of("state-slots")
    apart = bool(slots["ratio"] and model.state)
    each = cache.bytes(load.context) if apart else plan.one  # what a token's cache is a part of
    for seat in seats:
        if seat.layers == 0:
            continue
        pool, slope, held = as_whole(plan, seat)
        long = cache.tokens(state_slots.cache_room(slots, pool, model.state), slope)
        if long < longest:
            longest = long
        many, one = plan.many + slope * load.request, plan.one + slope * load.context
        if many and pool // many < most:
            most = pool // many
        if one and pool // one < most_full:
            most_full = pool // one
        if apart:
            held = state_slots.cache_room(slots, held, model.state)
        if each and held * load.context // each < tokens:
            tokens = max(0, held) * load.context // each
    copies = plan.layout.dp
    answer["pool_tokens"] = _known(tokens, copies)
    answer["max_context"] = min(longest, model.limit) if model.limit else _known(longest, 1)
    answer["max_concurrency"] = _known(most, copies)
    answer["max_concurrency_full"] = _known(most_full, copies)


def _requests(plan: Plan, seats: list[Seat]) -> float | None:
    """Requests of the whole context that the pools hold, not rounded down, over all copies.

    A pool holds whole pages, and a page is the same for all layers that keep the whole context.
    """
    cache = plan.model.kv
    if cache is None:
        return None
    per_ctx = plan.profile.parameters["compute-buffer"]["per_ctx_bytes"]
    page = cache.granule * cache.full if not cache.windows and not per_ctx else 1
    found = []
    for seat in seats:
        if seat.layers:
            pool, slope, _ = as_whole(plan, seat)
            one = plan.one + slope * plan.load.context
            if one:
                found.append(pool // page * page / one)
    return min(found) * plan.layout.dp if found else None


def _known(value: int, copies: int) -> int | None:
    return None if value >= kv.NO_LIMIT else value * copies
