"""Numbers of the page on memory arithmetic, each computed by `wizard.memory` when the page is built.

A name such as "llama-3-1-8b.kv_per_token" is looked up in `NUMBERS`; the page's sentences hold the names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from statistics import fmean, median
from typing import Any

from knowledge import memory_accuracy
from macros.sizes import kv_per_token, kv_sizes, state_bytes, weight_bytes
from macros.view import View
from macros.world import Entry, World
from wizard.memory import kv, mixture
from wizard.memory.rules import draft_model, lora_slots, profile
from wizard.memory.rules.base import complete
from wizard.shapes import GIB

_LONG = 131072
_PLAIN = {"memory": [], "versions": {"stable": "0"}}


def _rank(model: Entry, ranks: int) -> int:
    return kv.build(model, "f16", ranks, profile(_PLAIN, None, "cuda", "0", False, 24 * GIB)).per_token()


def _weights(world: World, model: Entry, family: str, type_: str) -> int:
    entry = world.kb.type_of(family, type_)
    return weight_bytes(model, entry, world.kb.formats[family].get("container", ""))


def _adapters(model: Entry, count: int) -> int:
    """Bytes of `count` adapters of rank 16 on one card."""
    rule = complete(lora_slots.PARAMETERS, {"slots": count})
    return lora_slots.held(rule, mixture.derive(model) or (), 1, False, (model.get("experts") or {}).get("count", 1))


# name after the model's id: (what is computed, how it is shown)
NUMBERS: dict[str, tuple[Callable[[World, Entry], float], str]] = {
    "params": (lambda w, m: m["params"]["total"], "whole"),
    "bf16": (lambda w, m: _weights(w, m, "safetensors", "bf16"), "gib"),
    "fp8": (lambda w, m: _weights(w, m, "fp8", "e4m3"), "gib"),
    "awq": (lambda w, m: _weights(w, m, "awq", "int4-g128"), "gib"),
    "q4_k_m": (lambda w, m: _weights(w, m, "gguf", "q4_k_m"), "gib"),
    "half_byte": (lambda w, m: m["params"]["total"] / 2, "gib"),
    "kv_per_token": (lambda w, m: kv_per_token(m, "f16"), "whole"),
    "kv_per_token_q8_0": (lambda w, m: kv_per_token(m, "q8_0"), "whole"),
    "kv_long": (lambda w, m: kv_sizes(m, "f16", [_LONG])[0], "gib"),
    "kv_long_q8_0": (lambda w, m: kv_sizes(m, "q8_0", [_LONG])[0], "gib"),
    "kv_rank_4": (lambda w, m: _rank(m, 4), "whole"),
    "kv_rank_8": (lambda w, m: _rank(m, 8), "whole"),
    "adapter": (lambda w, m: _adapters(m, 1) / 1024**2, "mib"),
    "adapters": (lambda w, m: _adapters(m, 4) / 1024**2, "mib"),
    "prediction_layer": (lambda w, m: sum(draft_model.prediction_layer(m)[1].values()), "gib"),
    "tower": (lambda w, m: 2 * sum(g["params"] for g in m["groups"] if g["group"] == "vision"), "gib"),
    "checkpoints": (lambda w, m: 32 * state_bytes(m), "gib"),
    "state": (lambda w, m: state_bytes(m) / 1024**2, "mib"),
    "naive_long": (
        lambda w, m: 2 * m["layers"] * m["attention"][-1]["kv_heads"] * m["attention"][-1]["head_dim"] * 2 * _LONG,
        "gib",
    ),
}


def number(name: str, view: View) -> str:
    """One number of the page, in the form of its language."""
    id_, _, what = name.rpartition(".")
    compute, form = NUMBERS[what]
    value = compute(view.world, view.world.kb.models[id_])
    if form == "whole":
        return view.num(value, 0)
    return view.plain(f"pages.memory.{form}", n=view.num(value / GIB if form == "gib" else value, 2))


@lru_cache(maxsize=1)
def _points(world: World) -> list[Any]:
    return memory_accuracy.points(world.knowledge, world.kb)


def accuracy(view: View) -> str:
    """The table of errors against printed sizes, as Markdown."""
    points = _points(view.world)
    t = view.plain
    head = [t(f"pages.memory.{name}") for name in ("size", "records", "exact", "median", "mean", "worst")]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * 5]
    for kind in memory_accuracy.KINDS:
        rows = [p for p in points if p.kind == kind and not p.outside]
        if not rows:
            continue
        off = [100 * abs(p.error) for p in rows]
        space = "\u00a0" if view.lang == "ru" else ""
        shares = [f"{view.num(value, 2)}{space}%" for value in (median(off), fmean(off), max(off))]
        exact = sum(p.exact for p in rows)
        lines.append(
            f"| {t(f'pages.memory.{kind}')} | {view.num(len(rows), 0)} | {view.num(exact, 0)} | {' | '.join(shares)} |"
        )
    apart = sum(bool(p.outside) for p in points)
    return "\n".join(lines) + "\n\n" + t("pages.memory.apart", n=apart, date=view.date(view.world.date)) + "\n"
