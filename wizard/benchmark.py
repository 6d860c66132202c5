"""How to check the answer: which public tool measures which predicted number, and what to mind.

Tools, rules and report fields are entries of `knowledge/benchmarking/`; this module picks the ones
that fit and fills in the person's own lengths and load. A single-stream number is measured with
one request at a time, a sum with the person's concurrency: the two are never mixed.
"""

from __future__ import annotations

import math
from typing import Any

from .facts import Facts
from .kb import KB
from .launch import values as v
from .models import writes

Plain = dict[str, Any]

ANY_OPENAI = "any-openai"
# The unit of each predicted quantity, and whether one request runs at a time while it is measured. The first token is
# predicted with the others' prompts in the way, so it is measured among them.
QUANTITIES: dict[str, tuple[str, bool]] = {
    "decode_tps": ("tok/s", True),
    "throughput_tps": ("tok/s", False),
    "ttft_s": ("s", False),
    "prefill_tps": ("tok/s", True),
    "pool_tokens": ("tokens", False),
    "memory": ("GiB", False),
    "input_s": ("s", True),
}
# Models that write nothing have no decode, no first token and no cache to speak of: one text is the measure.
ONE_TEXT = {"ttft_s": "input_s", "prefill_tps": "prefill_tps"}
_CROWD = "{situation.traffic.concurrency}"
RUN_S = 120  # seconds of a run of a tool that stops by the clock
SHARED = 0.1  # share of the prompt from which a common beginning is put into the load


def plan(
    recommendation: Plain,
    situation: Plain,
    kb: KB,
    bottleneck: str | None = None,
    facts: Facts | None = None,
) -> Plain:
    """The benchmark part of a Decision for one recommendation.

    recommendation: with fit and estimates, either may be None. bottleneck: its id, for rules that
    depend on it. Returns {"predictions", "rules", "fields"}; a prediction whose run is that of an
    earlier one names it in `same_as`, one that no known tool measures has tool None. `shows` is what that run
    prints if the estimate is right: {"label", "low", "high"}, or None.
    """
    known = v.values(recommendation, situation, kb)
    known["launch.asked_name"] = _asked(recommendation, known)
    known["run.seconds"] = _seconds(recommendation.get("estimates") or {}, situation)
    predictions = []
    runs: dict[tuple[str, ...], str] = {}
    case = _case(situation, kb)
    for quantity, low, point, high in _predicted(recommendation, situation):
        if case:
            if quantity not in (*ONE_TEXT, "memory"):
                continue
            quantity = ONE_TEXT.get(quantity, quantity)
        unit, single = QUANTITIES[quantity]
        crowd = quantity == "ttft_s" and situation["traffic"]["concurrency"] > 1
        # predicted for a prompt of which nothing is cached
        single = single or (quantity == "ttft_s" and not crowd)
        tool = tool_of(quantity, recommendation["engine"], kb, case, crowd)
        words = command_of(tool, known, single, case)
        same_as = runs.get(tuple(words)) if words else None
        if words and not same_as:
            runs[tuple(words)] = quantity
        predictions.append(
            {
                "id": f"predicted-{quantity.replace('_', '-')}",
                "quantity": quantity,
                "point": point,
                "low": low,
                "high": high,
                "unit": unit,
                "concurrency": 1 if single else situation["traffic"]["concurrency"],
                "tool": tool[0] if tool else None,
                "command": words,
                "same_as": same_as,
                "trap": tool[1].get("trap") if tool and not case else None,
                "shows": _shows(tool, quantity, (low, high), known) if words else None,
            }
        )
    return {
        "predictions": predictions,
        "rules": _rules(recommendation, situation, kb, bottleneck, facts),
        "fields": [id_ for id_, entry in _of_type(kb, "field")],
    }


def _predicted(recommendation: Plain, situation: Plain) -> list[tuple[str, float, float, float]]:
    """(quantity, low, point, high) of what the answer predicts, in the order it is shown."""
    found = []
    estimates = recommendation.get("estimates") or {}
    for quantity in ("decode_tps", "throughput_tps", "ttft_s", "prefill_tps"):
        value = estimates.get(quantity)
        if value and (quantity != "throughput_tps" or situation["traffic"]["concurrency"] > 1):
            found.append((quantity, value["low"], value["point"], value["high"]))
    fit = recommendation.get("fit") or {}
    tokens, per_token = fit.get("allocated_tokens"), fit.get("kv_bytes_per_token")
    if tokens:  # what the command names is no estimate
        spread = int((fit.get("error_bytes") or 0) // per_token) if per_token and fit.get("reserves") else 0
        found.append(("pool_tokens", max(0, tokens - spread), tokens, tokens + spread))
    used = [_used(d) for d in fit.get("devices") or []]
    if used:
        size, error = max(used)
        gib = 1024**3
        found.append(("memory", max(0, size - error) / gib, size / gib, (size + error) / gib))
    return found


def _seconds(estimates: Plain, situation: Plain) -> int:
    """How long a run has to last: two rounds of requests at the slow end of the estimates, at least two minutes."""
    load, users = situation["context"], situation["traffic"]["concurrency"]
    rates = [
        estimates[key]["low"] / n for key, n in (("decode_tps", 1), ("throughput_tps", users)) if estimates.get(key)
    ]
    if not rates or min(rates) <= 0:
        return RUN_S
    wait = estimates["ttft_s"]["high"] if estimates.get("ttft_s") else 0.0
    return max(RUN_S, 10 * math.ceil(2 * (wait + load["output"] / min(rates)) / 10))


def _used(device: Plain) -> tuple[int, int]:
    """Bytes an engine holds on one device, and their stated error."""
    own = [p for p in device["parts"] if p["name"] not in ("free", "other", "prompts")]
    return sum(p["bytes"] for p in own), sum(p.get("error_bytes") or 0 for p in own)


def _asked(recommendation: Plain, known: Plain) -> str:
    """The name a client has to ask for: the one the command serves the model under, else that of the weights."""
    served = known.get("launch.served_name")
    processes = (recommendation.get("command") or {}).get("processes") or ()
    given = any(arg["value"] == served for process in processes for arg in process["args"])
    return served if served and given else known["launch.model"]


def _case(situation: Plain, kb: KB) -> str | None:
    """ "embeddings" or "rerank" for a model that only reads; None for one that writes, or none."""
    model = kb.models.get((situation.get("model") or {}).get("id") or "") or {}
    return None if writes(model) else next((c for c in ("rerank", "embeddings") if c in model["tasks"]), None)


def _shows(tool: tuple[str, Plain] | None, quantity: str, ends: tuple[float, float], known: Plain) -> Plain | None:
    """What the tool prints for a prediction, in the unit it prints."""
    line = next((s for s in (tool[1].get("shows", ()) if tool else ()) if s["quantity"] == quantity), None)
    label = v.fill(line["label"], known)[0] if line else None
    if line is None or label is None or min(ends) <= 0:
        return None
    low, high = ends
    form = line.get("as", "same")
    if form == "ms-per-token":
        low, high = 1000 / high, 1000 / low
    elif form == "ms":
        low, high = low * 1000, high * 1000
    return {"label": label, "low": low, "high": high}


def tool_of(
    quantity: str, engine: str, kb: KB, case: str | None = None, crowd: bool = False
) -> tuple[str, Plain] | None:
    """The engine's own tool if one measures the quantity, else one for any OpenAI-compatible server.

    crowd: it has to be able to send several requests at once.
    case: of a model without decode; then a tool is one that has a command for it, and memory is read as always.
    """
    server = ((kb.engines[engine].get("launch") or {}).get("kind")) == "server"
    general = None
    for id_, entry in _of_type(kb, "tool"):
        if case and quantity != "memory":
            if not any(other["for"] == case for other in entry.get("instead", ())):
                continue
        elif quantity not in entry.get("measures", ()) or (crowd and not any(_CROWD in w for w in entry["command"])):
            continue
        if engine in entry.get("engines", ()):
            return id_, entry
        if general is None and server and ANY_OPENAI in entry.get("engines", ()):
            general = (id_, entry)
    return general


def command_of(tool: tuple[str, Plain] | None, known: Plain, single: bool, case: str | None = None) -> list[str]:
    """The tool's words with the person's numbers; a word that has no value takes its flag with it.

    A common beginning of the prompts belongs to the load; one request alone is measured without it.
    """
    if not tool:
        return []
    here = {"run.seconds": RUN_S, **known, "launch.host": v.LOOPBACK}
    if single:
        here["situation.traffic.concurrency"] = here["launch.slots"] = 1
    shared = known.get("input.shared", 0) >= SHARED * known.get("input.tokens", 1)
    wanted = case or ("shared-prefix" if shared and not single else None)
    others = {other["for"]: other["command"] for other in tool[1].get("instead", ())}
    words: list[str] = []
    for template in others.get(wanted) or tool[1].get("command", ()):
        text, missing = v.fill(template, here)
        if text is not None:
            words.append(text)
        elif missing and words and words[-1].startswith("-") and not template.startswith("-"):
            words.pop()
    return words


def _rules(recommendation: Plain, situation: Plain, kb: KB, bottleneck: str | None, facts: Facts | None) -> list[Plain]:
    """The benchmarking rules that apply to this case, with the reason for each."""
    facts = facts or Facts(situation, kb)
    chosen = {d.get("device") or "custom" for d in (recommendation.get("layout") or {}).get("devices") or []}
    kinds = [k for k in facts.kinds if not chosen or k.device in chosen]
    extra = {**v.extra(recommendation, kb), "bottleneck.is": bottleneck}
    return [
        {"id": id_, "why": entry["text"], "name": entry["name"]}
        for id_, entry in _of_type(kb, "rule")
        if facts.holds(entry.get("when"), kinds, extra)
    ]


def _of_type(kb: KB, type_: str) -> list[tuple[str, Plain]]:
    found = kb.kept.get(("benchmarking", type_))
    if found is None:
        mine = [(id_, entry) for id_, entry in kb.benchmarking.items() if entry["type"] == type_]
        mine.sort(key=lambda item: (item[1].get("order", 0), item[0]))
        found = kb.kept["benchmarking", type_] = mine
    return found
