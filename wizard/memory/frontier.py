"""How many requests of one length run at once, for many lengths: the curve of context against concurrency.

The model and the devices are worked out once, as `fit` does it; a point of the curve is then a few
divisions, so a picture may ask for hundreds.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isqrt
from typing import Any, NamedTuple

from wizard.shapes import Layout, Path, Workload

from . import extras, kv
from .fit import prepare, settle
from .need import Plan, Seat, as_whole
from .rules import state_slots

_FIRST = 1024  # tokens of the shortest context shown where nobody says which


class Point(NamedTuple):
    """context: tokens of every request, prompt and answer together; most: requests of that length at once,
    over all copies of the model; sure: the same with the stated errors to spare. None: nothing limits it."""

    context: int
    most: int | None
    sure: int | None


def frontier(
    path: Path, layout: Layout, arch: dict[str, Any] | None, work: Workload, settings: dict[str, Any],
    host: dict[str, Any], kb: Any, contexts: Iterable[int] | None = None,
) -> list[Point]:  # fmt: skip
    """Points of the curve by rising context; empty without a model or without anything known of its KV.

    Arguments as for `wizard.memory.fit`. What moves to system memory is settled for the load in `work` and
    stays the same along the curve, as an engine that has started keeps its layers where they are.
    contexts: tokens; None takes powers of two and the steps half-way between them, from 1,024 to the
    longest context that one request can have, and that longest one. `most` never rises with the context.
    """
    if arch is None:
        return []
    base = prepare(path, layout, arch, settings.get("kv_type"), host, kb, settings.get("asks", extras.NONE))
    found = settle(base, work, settings.get("offload"), host)
    plan = found.plan
    if plan.model.kv is None:
        return []
    seats = list({id(seat): seat for seat in found.seats if seat.layers}.values())
    wanted = sorted(set(contexts)) if contexts is not None else steps(_longest(plan, seats))
    return [_point(plan, seats, tokens) for tokens in wanted]


def steps(longest: int) -> list[int]:
    """1,024, 1,536, 2,048, 3,072, … and `longest`, tokens; empty when not even one token goes in."""
    found = []
    tokens = _FIRST
    while tokens < longest:
        found.append(tokens)
        if tokens * 3 // 2 < longest:
            found.append(tokens * 3 // 2)
        tokens *= 2
    return [*found, longest] if longest > 0 else []


def _longest(plan: Plan, seats: list[Seat]) -> int:
    """Tokens of the longest single request: what memory holds, at most what the model takes."""
    cache, limit = plan.model.kv, plan.model.limit
    assert cache is not None
    found = kv.NO_LIMIT
    for seat in seats:
        pool, slope, _ = as_whole(plan, seat)
        room = state_slots.cache_room(plan.profile.of("state-slots"), pool, plan.model.state)
        found = min(found, cache.tokens(room, slope))
    if limit:
        return min(found, limit)
    return found if found < kv.NO_LIMIT else max(_FIRST, plan.load.context)


def _point(plan: Plan, seats: list[Seat], tokens: int) -> Point:
    model = plan.model
    assert model.kv is not None
    one = state_slots.joined(plan.profile.of("state-slots"), model.kv.bytes(tokens), model.state)
    most = sure = kv.NO_LIMIT
    for seat in seats:
        pool, slope, _ = as_whole(plan, seat)
        error = isqrt(plan.parts.error**2 + seat.room.error**2) * model.layers // seat.layers
        each = one + slope * tokens
        if each:
            most = min(most, pool // each)
        if each + model.kv_error:
            sure = min(sure, max(0, pool - error) // (each + model.kv_error * tokens))
    return Point(tokens, _over_copies(most, plan), _over_copies(sure, plan))


def _over_copies(requests: int, plan: Plan) -> int | None:
    return None if requests >= kv.NO_LIMIT else requests * plan.layout.dp
