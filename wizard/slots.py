"""How requests share the cache that the command asks for, and the fit of exactly that command.

An engine with slots takes the cache at start. If its command gives every slot its part, a request of the whole
context needs slots times context; where that does not go in, the slots share one cache, or there are fewer of them.
What of this an engine does is said in its entry, under `launch.slots`. Any other engine shares one cache.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from .candidates import Candidate
from .facts import Facts
from .memory import fit, held_of
from .shapes import Entry
from .sizing import detailed, host_of, workload_of


class Told(NamedTuple):
    """What the command of one copy says, in requests and tokens. context: of one request; cache: own | shared.

    fit: the memory of exactly that, parts and all; None without a model.
    """

    slots: int
    context: int
    total: int
    cache: str
    fit: Entry | None


def told(candidate: Candidate, facts: Facts) -> Told:
    """Slots and tokens for a candidate. `fit["allocated_tokens"]` is what its command gives the caches of all
    copies, None where the engine takes memory as requests come."""
    context, traffic = facts.situation["context"], facts.situation["traffic"]
    length, usual = context["tokens"], context["input"] + context["output"]
    slots = -(-traffic["concurrency"] // candidate.layout.dp)
    brief = candidate.fit
    if not brief:
        return Told(slots, length, max(length, slots * usual), "shared", brief)
    copies = brief.get("copies") or 1
    launch = facts.kb.engines[candidate.path.engine].get("launch") or {}
    rule = launch.get("slots")
    if traffic["mode"] == "offline" and brief["max_concurrency"]:
        slots = max(1, min(slots, brief["max_concurrency"] // copies))  # the rest waits in the queue
        total = max(brief["context_total"], slots * usual)
    else:
        total = brief["context_total"]
    cache = "shared"
    if rule and slots > 1:
        most = _whole(candidate, facts, slots) if brief["class"] in ("fits", "tight") else 0
        total = max(total, most * length)
        if most >= slots:
            cache = "own"
        elif not rule.get("shared"):
            slots, cache = max(1, total // length), "own"
            total = slots * length
    if brief["pool_tokens"]:
        total = min(total, brief["pool_tokens"] // copies)  # no more than the pool of one copy holds
    if total < length and brief["max_context"]:
        total = min(total, brief["max_context"])  # whole pages
    named = bool(rule) or "launch.context_total" in repr(launch.get("processes"))
    if not named or (not rule and total == brief["context_total"]):
        shown = detailed(candidate, facts)
        if shown:
            given = total * copies if named else None
            shown["allocated_tokens"] = shown["pool_tokens"] if shown["reserves"] else given
        return Told(slots, length, total, cache, shown)
    kept = ("class", "max_context", "max_concurrency", "max_concurrency_full", "warn_full", "shortfall_bytes")
    shown = _of(candidate, facts, slots, total)
    if shown:
        shown |= {k: brief[k] for k in kept} | {"allocated_tokens": total * copies}
        if cache == "own":
            shown["warn_full"] = brief["warn_full"] and brief["class"] != "fits"
    return Told(slots, min(length, total), total, cache, shown)


def _whole(candidate: Candidate, facts: Facts, slots: int) -> int:
    """Requests of the whole context, at most `slots`, that surely go in at once."""
    assert candidate.fit
    length, copies = facts.situation["context"]["tokens"], candidate.fit.get("copies") or 1
    most = min(slots, (candidate.fit["max_concurrency_full"] or 0) // copies)
    while most > 0:
        made = _of(candidate, facts, slots, most * length, detail=False)
        if made and made["class"] == "fits":
            return most
        most -= 1
    return 0


def _of(candidate: Candidate, facts: Facts, slots: int, total: int, detail: bool = True) -> Entry | None:
    """The fit with `total` tokens of one copy divided among `slots`."""
    if candidate.fit is None or candidate.settings is None:
        return candidate.fit
    work = held_of(workload_of(facts.situation))
    each = min(work.context, total)
    copies = candidate.layout.dp
    work = replace(
        work, context=each, input=max(1, total // slots), output=0, concurrency=slots * copies, mode="online"
    )
    return fit(candidate.path, candidate.layout, facts.arch, work, candidate.settings, host_of(facts), facts.kb, detail)
