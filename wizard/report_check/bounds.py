"""What physics allows and what our estimate expects, for the model and hardware a report names.

Decode of one request reads the active weights and its KV cache once a token: tokens per second x bytes read
cannot pass the memory bandwidth of all devices together. Prefill computes 2 operations per active parameter and
token: it cannot pass their peak rate. Both limits are taken at their most generous: all devices at once, the
highest rate of any number format, an empty context unless a depth is given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from wizard.kb import KB
from wizard.shapes import GIB
from wizard.speed import ask, names

from .names import Subject

Plain = dict[str, Any]

# a name that says that only part of the weights is read: the size of the file is not the bound then
_MIXTURE = re.compile(r"moe|\ba\d+(\.\d+)?b\b|\d+x\d+b", re.I)


@dataclass
class Limits:
    """decode: most tokens per second of one request; prefill: most prompt tokens per second, None when unknown;
    expected: our estimate {"decode_tps", "prefill_tps": {point, low, high}}; gb: read per token; gbs: bandwidth."""

    decode: float
    prefill: float | None
    expected: Plain
    gb: float
    gbs: float


def limits(subject: Subject, known: Plain, kb: KB) -> Limits | None:
    """None when model, weights or bandwidth are not known well enough."""
    size = known.get("weight_bytes")
    size = size if isinstance(size, int | float) and 1e7 < size < 1e14 else None
    params = known.get("params")
    alone = not subject.model and size and params and not _MIXTURE.search(str(known.get("model_type") or ""))
    if not subject.device or not (alone or subject.model and (subject.format or size)):
        return None
    if known.get("gpu_layers") not in (None, "-1") and _partly(known):
        return None  # some layers on the processor: this card's bandwidth is not the limit
    question = ask.Question(
        model=kb.models[subject.model]["name"] if subject.model else None,
        params_b=params / 1e9 if alone else None,
        format=subject.format,
        file_gib=size / GIB if size else None,
        device=kb.devices[subject.device]["name"],
        count=min(subject.count, 64),
        split="tensor",
        engine=subject.engine,
        depth=_tokens(known.get("depth"), 0),
        input=_tokens(known.get("input"), 512) or 512,
        output=_tokens(known.get("output"), 128) or 128,
    )
    found = ask.answer(question, kb)
    if found["missing"] or not found["reads"] or not found["reads"]["floor_s"]:
        return None
    machine = names.hardware(kb.devices[subject.device]["name"], kb)
    arch = kb.models[subject.model]["params"] if subject.model else {"total": params}
    active = arch.get("active") or arch["total"]
    rates = [line["tflops"] for line in (machine.entry.get("compute") or ())] if machine else []
    count = max(1, subject.count)
    # a 4-bit kernel may compute in 8 bits, at up to twice the 16-bit rate
    top = max(rates) * 1e12 * count * (1 if len(rates) > 1 else 2) if rates else None
    reads = found["reads"]
    return Limits(
        1 / reads["floor_s"],
        top / (2 * active) if top else None,
        {name: found[name] for name in ("decode_tps", "prefill_tps") if found.get(name)},
        reads["weights_gb"] + reads["kv_gb"],
        found["resolved"]["bandwidth_gbs"] * count,
    )


def _partly(known: Plain) -> bool:
    try:
        return 0 <= int(float(str(known["gpu_layers"]))) < 30
    except ValueError:
        return True


def _tokens(value: Any, default: int) -> int:
    return int(value) if isinstance(value, int | float) and 0 <= value <= 10_000_000 else default
