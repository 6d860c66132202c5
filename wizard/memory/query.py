"""One question about memory, answered in full: what `which-engine memory` prints.

Works on a layout of devices, or without any: then sizes per rank are told and nothing about fitting.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wizard.conditions import refuted
from wizard.refused import Refused
from wizard.shapes import GIB, Layout, Path, Workload

from . import changes, elements, extras, kv, ranks, rules, state, weights
from .fit import fit
from .need import held_of, loaded, of_request
from .rules import kv_windowed

NONE = "none"  # no engine: ideal sizes, and stand-ins where devices are given
_IDEAL: dict[str, Any] = {"name": "none", "memory": [], "versions": {"stable": "0"}}


class Asked(NamedTuple):
    """context: tokens of one request; concurrency: requests at once; dcp: decode context parallel ranks;
    fraction, chunk and sequences (requests an engine is started for) replace the engine's own; index_kv: type of an
    indexer's keys; input and output: tokens of a usual request, 0 where nobody said; switch: one the engine is
    started with, as its rules name it; asks: must-haves that take memory."""

    context: int
    concurrency: int = 1
    dcp: int = 1
    fraction: float | None = None
    chunk: int | None = None
    index_kv: str | None = None
    input: int = 0
    output: int = 0
    switch: str | None = None
    asks: extras.Asks = extras.NONE
    sequences: int | None = None


class _View:
    """The knowledge as `fit` reads it, with one engine's rules replaced for this question."""

    def __init__(self, kb: Any, engine: str, entry: dict[str, Any]) -> None:
        self.engines = {engine: entry}
        self.formats, self.models, self.type_of = kb.formats, kb.models, kb.type_of


def splits(engine: str | None, kb: Any) -> str:
    """How an engine spreads one model over devices when nobody says: "tensor" or "layers"."""
    parts = kb.engines.get(engine or "", {}).get("parallelism")
    if parts is None:
        return "tensor"
    return "tensor" if (parts.get("tp") or {}).get("is") == "yes" else "layers"


def _bare(switch: str) -> list[str]:
    """A switch without its dashes, which a command line may take for options of its own."""
    return [word.lstrip("-") for word in switch.split()]


def _engine(path: Path, asked: Asked, kb: Any) -> dict[str, Any]:
    entry = kb.engines.get(path.engine, _IDEAL)
    if asked.switch:
        known = [line["switch"] for line in entry["memory"] if line.get("switch")]
        if _bare(asked.switch) not in map(_bare, known):
            raise Refused("terminal.memory-switch", value=asked.switch, known=", ".join(known) or "–")
    elif asked.fraction is None and asked.chunk is None and asked.sequences is None:
        return entry
    lines, first = [], []
    for line in entry["memory"]:
        if asked.fraction is not None and "fraction" in line:
            line = {**line, "fraction": asked.fraction, "reserve": "", "by_ranks": ""}
        if asked.sequences is not None and line["rule"] == "activation":
            line = {**line, "requests": asked.sequences, "requests_from_70_gib": 0}
        if asked.switch and _bare(line.get("switch", "")) == _bare(asked.switch):
            first.append({k: v for k, v in line.items() if k != "switch"})
        else:
            lines.append(line)
    if asked.chunk is not None:
        first.append({"rule": "prefill-chunk", "tokens": asked.chunk})
    return {**entry, "memory": first + lines}


def _may(line: dict[str, Any], path: Path, layout: Layout, arch: dict[str, Any]) -> bool:
    """Whether nothing known about cards and model speaks against a line of the engine's entry."""
    told = {
        "candidate.backend": path.backend,
        "model.architecture": arch.get("architecture"),
        "model.attention": tuple({group["kind"] for group in arch.get("attention", ())}),
    }
    for card in layout.cards:
        device = {f"device.{name}": card.entry.get(name) for name in ("arch", "compute_capability", "kind")}
        if refuted(line.get("needs"), {**told, **device}.get):
            return False
    return True


def answer(
    path: Path, layout: Layout | None, degrees: tuple[int, int, int], arch: dict[str, Any], asked: Asked,
    kv_type: str | None, host: dict[str, Any], kb: Any,
) -> dict[str, Any]:  # fmt: skip
    """Everything the command tells. degrees: tp, pp, ep; sizes in bytes; None where there is no device."""
    tp, pp, ep = degrees
    heads = changes.undivided(arch, tp)
    if heads:
        raise Refused("terminal.memory-heads", heads=heads, tp=tp)
    if pp > arch["layers"]:
        raise Refused("terminal.memory-stages", pp=pp, layers=arch["layers"])
    entry = _engine(path, asked, kb)
    view = _View(kb, path.engine, entry)
    card = layout.cards[0] if layout else None
    unified = bool(card and card.entry["memory"].get("unified"))
    profile = rules.profile(
        entry,
        path.mode,
        path.backend,
        path.version,
        unified,
        card.memory_bytes if card else 24 * GIB,
        card.device if card else "",
        (card.entry.get("arch") or "") if card else "",
    )
    kv_type = kv_type or profile.of("kv-type")["type"] or None
    held = weights.build(arch, path, view)
    stages = ranks.even_stages(arch["layers"], pp)
    per_rank = ranks.stage_bytes(held, stages, tp, ep)
    more = loaded(arch, path, tp, profile)
    per_rank = tuple(size + -(-more * n // arch["layers"]) for size, n in zip(per_rank, stages, strict=True))
    whole = kv.build(arch, kv_type, 1, profile, asked.index_kv)
    rank = kv.build(arch, kv_type, tp, profile, asked.index_kv)
    slots = profile.of("state-slots")
    grown, here = _drafting(arch, path, layout or Layout((), tp, pp, ep), kv_type, asked, profile, held, view)
    request = grown.bytes(asked.context) + here
    share = -(-rank.per_token() * max(stages) // arch["layers"])
    found: dict[str, Any] = {
        "model": arch["name"], "parameters": arch["params"]["total"],
        "format": {"family": path.family, "type": path.type},
        "engine": None if path.engine == NONE else path.engine, "version": path.version or None,
        "kv_type": kv_type or elements.DEFAULT, "tp": tp, "pp": pp, "context": asked.context,
        "concurrency": asked.concurrency,
        "weights_bytes": held.total, "weights_by_group": dict(held.groups), "weights_bytes_per_device": max(per_rank),
        "kv_bytes_per_token": whole.per_token(), "kv_bytes_per_token_per_device": -(-share // asked.dcp),
        "state_bytes_per_sequence": state.sequence_bytes(arch["attention"], 1, slots),
        "kv_bytes": whole.bytes(asked.context), "kv_layers": _layers(arch, profile),
        "request_bytes_per_device": -(-request * max(stages) // arch["layers"] // asked.dcp),
        "page_bytes_per_device": grown.granule * grown.full if not grown.windows else 1,
        "parts": [], "pool_bytes": None, "pool_tokens": None, "max_concurrency": None, "max_context": None,
        "fit": None, "headroom_bytes": None, "shortfall_bytes": None, "error_bytes": None, "offload": None,
        "budget_bytes": None, "waiting": 0, "changes": [], "assumptions": [],
    }  # fmt: skip
    if held.towers_apart:
        found["assumptions"].append("memory.towers-apart")
    if held.uncounted:
        found["assumptions"].append("memory.towers-uncounted")
    if layout is None:
        return found
    work = held_of(Workload(asked.context, asked.input, asked.output, asked.concurrency), profile.queues())
    settings = {"kv_type": kv_type, "asks": asked.asks}
    result = fit(path, layout, arch, work, settings, host, view)
    assert result is not None
    found["fit"] = result["class"]
    narrower = [line["type"] for line in entry.get("kv_types", ()) if _may(line, path, layout, arch)]
    types = [type_["id"] for type_ in kb.formats.get(path.family, {}).get("types", ())]
    may = changes.Open(tuple(narrower), tuple(types), splits(path.engine, kb) == "layers")
    case = changes.Case(path, layout, arch, work, settings, host, view)
    found["changes"] = changes.find(case, result["class"], may)
    for name in (
        "pool_bytes",
        "pool_tokens",
        "max_context",
        "headroom_bytes",
        "shortfall_bytes",
        "error_bytes",
        "offload",
    ):
        found[name] = result[name]
    requests = result.get("requests_full")
    found["max_concurrency"] = None if requests is None else _short(requests * asked.dcp)
    if requests is not None and requests * asked.dcp >= 1 and result["class"] != "no":  # none goes in: none waits
        found["waiting"] = max(0, asked.concurrency - int(requests * asked.dcp))
    if asked.dcp > 1 and found["pool_tokens"]:
        found["pool_tokens"] *= asked.dcp
    other = "kept" if unified else "other"  # of memory that the processor shares, what the GPU may not take
    found["parts"] = [
        {"device": f"{device['name']} #{device['index']}", "name": other if part["name"] == "other" else part["name"],
         "bytes": part["bytes"], "error_bytes": part["error_bytes"], "basis": part["basis"]}
        for device in result["devices"]
        for part in device["parts"]
    ]  # fmt: skip
    held_back = [d for d in result["devices"] if d["over_bytes"] and any(p["name"] == "free" for p in d["parts"])]
    if held_back:  # too little, though not all is taken: the engine leaves a share of the memory alone
        found["budget_bytes"] = held_back[0]["budget_bytes"]
    if result["host"]:
        found["parts"] += [
            {"device": "system", "name": part["name"], "bytes": part["bytes"], "error_bytes": part["error_bytes"],
             "basis": part["basis"]}
            for part in result["host"]["parts"]
        ]  # fmt: skip
    found["weights_bytes_per_device"] = max(
        (p["bytes"] for p in found["parts"] if p["name"] == "weights" and p["device"] != "system"),
        default=max(per_rank),
    )
    found["assumptions"] += result["assumptions"]
    return found


def _drafting(
    arch: dict[str, Any], path: Path, layout: Layout, kv_type: str | None, asked: Asked, profile: rules.Profile,
    held: weights.Weights, view: Any,
) -> tuple[kv.KV, int]:  # fmt: skip
    """(cache, bytes of states) of one request on one rank that holds all layers, with those of a draft."""
    needs = tuple(need for need in asked.asks.needs if need == "speculative")
    added = extras.build(arch, path, layout, kv_type, asked.asks._replace(needs=needs), profile, held, view)
    return of_request(arch, kv_type, layout.tp, profile, added, asked.index_kv)


def requests_in(told: dict[str, Any], pool: int) -> float:
    """Requests of the asked context that a pool of so many bytes per device holds, not rounded down."""
    page = told["page_bytes_per_device"]
    return pool // page * page / told["request_bytes_per_device"]


def _short(value: float) -> float | int:
    """Two decimals, as engines print it; whole above a size at which they say nothing."""
    return round(value, 2) if value < 1024 else int(value)


def _layers(arch: dict[str, Any], profile: rules.Profile) -> list[dict[str, Any]]:
    """How each kind of layer counts: its layers and the tokens it holds at most."""
    found = []
    for group in arch["attention"]:
        cap = None
        if group["kind"] in ("swa", "chunked"):
            held = kv_windowed.cap(profile.of("kv-windowed"), group["window"], profile.chunk, profile.granule)
            cap = held[0] if held else None
        found.append({"kind": group["kind"], "layers": group["layers"], "tokens_at_most": cap})
    return found
