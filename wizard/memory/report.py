"""The Fit that a decision shows: parts on every device, what is left, and what would still go in."""

from __future__ import annotations

from typing import Any

from . import assumed, kv, offload
from .need import Plan, Seat
from .rules import compute_buffer

_PART_RULES = (
    ("activation", "activation"), ("graphs", "graphs"), ("communication", "communication"),
    ("context", "context-overhead"), ("compute", "compute-buffer"),
)  # fmt: skip


def _basis(plan: Plan) -> str:
    return "exact" if plan.model.weights.exact else "computed"


def _part(name: str, size: int, error: int, basis: str) -> dict[str, Any]:
    return {"name": name, "bytes": size, "error_bytes": error, "basis": basis}


def _parts(plan: Plan, seat: Seat, whole: bool, scratch: int) -> list[dict[str, Any]]:
    """Parts of one device; `whole` when everyone at the maximum goes in, so that it is all allocated.

    scratch: bytes by which the compute buffer then is larger.
    """
    model, load, place = plan.model, plan.load, seat.room
    found = [_part("weights", seat.weights, 0, _basis(plan))]
    held = load.seats * (-(-model.state * seat.layers // model.layers)) if model.state else 0
    if model.kv is not None:
        size = max(0, (seat.full if whole else seat.need) - held)
        if plan.profile.budget.RESERVES and seat.pool > held + size:
            size = seat.pool - held
        error = model.kv_error * load.tokens
        found.append(_part("kv", size, error, "assumed" if error else "computed"))
    if held:
        found.append(_part("state", held, 0, "computed"))
    stated = plan.profile.stated
    for (name, rule), size, error in zip(_PART_RULES, plan.parts[:5], plan.parts.errors, strict=True):
        if name == "compute":
            size += scratch
        if size:
            found.append(_part(name, size, error, "fitted" if rule in stated else "assumed"))
    if place.other:
        found.append(_part("other", place.other, place.error, place.basis))
    used = sum(p["bytes"] for p in found)
    if used < place.total:
        found.append(_part("free", place.total - used, 0, "computed"))
    return found


def report(plan: Plan, seats: list[Seat], class_: str, arch: dict[str, Any]) -> dict[str, Any]:
    """The Fit of a plan whose devices and class are known; `assumptions` and `host` are still empty."""
    rules, model, load, layout = plan.profile, plan.model, plan.load, plan.layout
    scratch = compute_buffer.scratch(rules.of("compute-buffer"), load.seats * load.context)[0] - plan.parts.compute
    whole = all(s.pool - s.full - scratch >= s.error for s in seats)
    limit = arch.get("context") or {}
    limit = max(limit.get("native", 0), limit.get("extended", 0)) or None
    shared: dict[tuple[Any, ...], tuple[list[dict[str, Any]], int, int]] = {}
    devices = []
    parameters = rules.of(rules.budget.NAME)
    for index, seat in enumerate(seats):
        key = (seat.room, seat.layers, seat.weights)
        found = shared.get(key)
        if found is None:
            budget = rules.budget.budget(parameters, seat.room.total, seat.room.free)
            found = shared[key] = (
                _parts(plan, seat, whole, scratch if whole else 0),
                budget,
                max(0, -seat.margin),
            )
        devices.append(
            {
                "index": index,
                "device": seat.card.device,
                "name": seat.card.entry.get("name", seat.card.device),
                "capacity_bytes": seat.room.total,
                "budget_bytes": found[1],
                "layers": seat.layers,
                "parts": found[0],
                "over_bytes": found[2],
            }
        )
    tight = min(seats, key=lambda s: s.margin)
    answer = {
        "class": class_,
        "devices": devices,
        "host": None,
        "weights_bytes": model.weights.total,
        "kv_bytes_per_token": None,
        "state_bytes_per_sequence": model.state_whole,
        "kv_bytes_request": None,
        "pool_bytes": max(0, min(s.pool for s in seats)),
        "pool_tokens": None,
        "max_context": None,
        "max_concurrency": None,
        "max_concurrency_full": None,
        "headroom_bytes": max(0, tight.margin),
        "shortfall_bytes": max(0, -tight.margin) if class_ == "no" else 0,
        "error_bytes": max(s.error for s in seats),
        "offload": None,
        "assumptions": [],
        "warn_full": not whole,
        "copies": layout.dp,
        "context_total": load.seats * load.context if whole else load.tokens,
    }
    if model.kv is not None and model.whole is not None:
        answer["kv_bytes_per_token"] = model.whole.per_token()
        answer["kv_bytes_request"] = model.whole.bytes(load.context)
        answer |= _capacity(plan, seats, limit)
    return answer


def add_host(answer: dict[str, Any], moved: offload.Moved, plan: Plan, ram: int) -> None:
    """What moved to system memory: its parts, and the numbers an engine's flags want.

    cpu_moe_layers counts from the first layer, as the flag does, so dense layers in front count too.
    """
    used, error = assumed.system_bytes(ram)
    parts = [
        _part("weights", sum(moved.weights), 0, _basis(plan)),
        _part("kv", sum(moved.kv), 0, "computed"),
        _part("other", used, error, "assumed"),
        _part("free", ram - used - moved.bytes, 0, "computed"),
    ]
    answer["host"] = {"capacity_bytes": ram, "parts": [p for p in parts if p["bytes"]], "over_bytes": 0}
    count, model = sum(moved.counts), plan.model
    answer["offload"] = {
        "kind": moved.kind,
        "layers_gpu": model.layers - (count if moved.kind == "layers" else 0),
        "cpu_moe_layers": count + model.layers - model.expert_layers if moved.kind == "experts" else 0,
        "host_bytes": moved.bytes,
    }


def _capacity(plan: Plan, seats: list[Seat], limit: int | None) -> dict[str, Any]:
    """Longest context and most requests that the pools hold, over all copies."""
    model, load, layout = plan.model, plan.load, plan.layout
    cache = model.kv
    assert cache is not None
    # the compute buffer's part that grows with the context competes for the same bytes
    per_ctx = int(plan.profile.of("compute-buffer")["per_ctx_bytes"])
    longest = most = most_full = tokens = kv.NO_LIMIT
    one, one_full = cache.bytes(load.request) + model.state, cache.bytes(load.context) + model.state
    for seat in {(s.pool, s.layers): s for s in seats}.values():
        if seat.layers == 0:
            continue
        total, layers = model.layers, seat.layers
        pool = max(0, seat.pool + per_ctx * load.tokens) * total // layers  # as if it held all layers
        slope = -(-per_ctx * total // layers)
        longest = min(longest, cache.tokens(max(0, pool - model.state), slope))
        most = min(most, _times(pool, one + slope * load.request))
        most_full = min(most_full, _times(pool, one_full + slope * load.context))
        if one_full:
            tokens = min(tokens, max(0, seat.pool) * total // layers * load.context // one_full)
    copies = layout.dp
    return {
        "pool_tokens": _known(tokens, copies),
        "max_context": min(longest, limit) if limit else _known(longest, 1),
        "max_concurrency": _known(most, copies),
        "max_concurrency_full": _known(most_full, copies),
    }


def _times(pool: int, each: int) -> int:
    return pool // each if each else kv.NO_LIMIT


def _known(value: int, copies: int) -> int | None:
    return None if value >= kv.NO_LIMIT else value * copies
