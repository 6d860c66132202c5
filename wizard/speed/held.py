"""Whether the devices of a question hold the model, by the memory part's own arithmetic, and what follows for speed.

The only place where `which-engine speed` decides it: a model that does not go in has no speed there; where the
engine can leave a part in system memory the estimate counts that part; of requests that do not go in together
those that do are counted, the others wait.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, NamedTuple

from wizard.kb import KB
from wizard.memory.fit import fit_on, prepare
from wizard.memory.rules import BUDGETS
from wizard.shapes import GIB, Layout, Path, Workload

from . import assumed
from .estimate import host_kind
from .load import stream_rate
from .nodes import CPU_BACKENDS

Entry = dict[str, Any]
RAM = 1 << 43  # bytes of system memory: nobody said how much, so it is never what lacks; what it must hold is told
# what an estimate takes for a fit where the size of the memory is not known
UNKNOWN: Entry = {"class": "fits", "kv_type": "f16", "offload": None, "max_concurrency": None, "devices": []}


class Held(NamedTuple):
    """fit: as `wizard.speed.estimate.estimate` takes it; moved: bytes that wait in system memory; short: bytes that
    one device lacks, 0 when the model goes in; weights: bytes of all of them; seats: requests that go in together,
    None where all do or nobody knows; raised: only when the engine gets more of the memory than it takes unasked."""

    fit: Entry
    moved: int = 0
    short: int = 0
    weights: int = 0
    seats: int | None = None
    raised: bool = False


def held(path: Path, layout: Layout, arch: Entry, work: Workload, kb: KB) -> Held:
    """How the devices hold the weights and the cache of one request, and of how many requests together.

    A device whose entry states no sizes of memory is taken to hold everything.
    """
    card = layout.cards[0]
    if not card.entry["memory"].get("options"):
        return Held(UNKNOWN)
    unified = bool(card.entry["memory"].get("unified"))
    system = "macos" if card.entry.get("vendor") == "apple" else "linux"
    apart = card.entry["kind"] == "gpu" and not unified and path.backend not in CPU_BACKENDS
    host = {"ram_bytes": RAM if apart else card.memory_bytes, "os": system, "unified": unified}
    base = prepare(path, layout, arch, "f16", host, kb)
    alone = replace(work, concurrency=1)
    one = fit_on(base, alone, None, host, detail=False)
    raised = False
    if one["class"] in ("offload", "no"):
        whole = prepare(path, layout, arch, "f16", host, _greedy(path, kb))
        more = fit_on(whole, alone, "no", host, detail=False)
        if more["class"] != "no":
            base, one, raised = whole, more, True
    moved = one["offload"]["host_bytes"] if one["offload"] else 0
    found = Held(one, moved, one["shortfall_bytes"] if one["class"] == "no" else 0, one["weights_bytes"])
    found = found._replace(raised=raised)
    if work.concurrency == 1 or one["class"] == "no":
        return found._replace(fit=one | {"max_concurrency": None})
    most = one["max_concurrency"]
    if not moved:
        half = replace(work, output=max(1, work.output // 2))
        most = fit_on(base, half, "no", host, detail=False)["max_concurrency"]
    if most is None or most >= work.concurrency:
        return found._replace(fit=one | {"max_concurrency": None})
    return found._replace(fit=one | {"max_concurrency": max(1, most)}, seats=max(1, most))


def _greedy(path: Path, kb: KB) -> KB:
    """The base with an engine that leaves no share of the memory aside."""
    own = copy.copy(kb)
    rules = [line for line in kb.engines[path.engine]["memory"] if line["rule"] not in BUDGETS]
    own.engines = kb.engines | {path.engine: kb.engines[path.engine] | {"memory": rules}}
    return own


def offload_of(family: str | None, kb: KB) -> list[Entry]:
    """The ways engines of a family leave a part of a model in system memory, for an engine nobody named."""
    alike = (entry for _, entry in sorted(kb.engines.items()) if family and entry.get("speed_family") == family)
    return [line for entry in alike for line in entry.get("offload", ()) if line["is"] == "yes"]


def host_rate(fit: Entry, entry: Entry) -> float:
    """GB/s at which what waits in system memory is taken to be read: over the link where the card computes with it,
    else by the processor."""
    streamed = fit["offload"]["kind"] == "weights"
    return (stream_rate(entry) if streamed else assumed.HOST_RATE[host_kind(entry, fit)]) / 1e9


def gib(size: int) -> float:
    """Bytes in GiB, to three digits."""
    return float(f"{size / GIB:.3g}")
