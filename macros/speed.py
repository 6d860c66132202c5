"""Numbers of the speed model inside hand-written pages: constants, tables of error, worked examples.

The prose stays in docs/<language>/; whatever is a number comes from the same constants and the same estimate
as an answer, so no page can say another number than the wizard.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from macros.view import View
from macros.world import Entry, World, load_world
from wizard.speed import ask, lookup


@lru_cache(maxsize=64)
def _answer(world: World, question: ask.Question) -> Entry:
    return ask.answer(question, world.kb)


def constant(view: View, path: str, form: str = "number") -> str:
    """A number of `knowledge/constants/speed.json` by dotted path; form: number, rough or percent."""
    found: Any = lookup.constants_of(view.world.kb)
    for part in path.split("."):
        found = found[part]
    return percent(view, found) if form == "percent" else view.rough(found) if form == "rough" else view.num(found)


def percent(view: View, share: float, rough: bool = False) -> str:
    """A share as percent: whole from ten on, one decimal below; rough: as many decimals as two or three digits take."""
    space = "" if view.lang == "en" else "\N{NO-BREAK SPACE}" if view.lang == "ru" else ""
    shown = view.rough(100 * share) if rough else view.num(100 * share, 1 if share < 0.1 else 0)
    return f"{shown}{space}%"


def worked(view: View, **flags: Any) -> Entry:
    """An example as the formatted pieces of its arithmetic; flags as in `which-engine speed`.

    Keys: gb, kv, bandwidth, floor_ms, floor_tps, layers, step_ms, tps, span, shares (weights, kv, overhead, ...),
    first_s, prompt_tps, total_tps, file. Numbers are strings in the language of the page.
    """
    found = _answer(view.world, ask.Question(**flags))
    if found["missing"]:
        raise ValueError(f"worked example without {found['missing'][0]['flag']}: {flags}")
    reads, decode, total = found["reads"], found["decode_tps"], found["throughput_tps"]
    return {
        "gb": view.rough(reads["weights_gb"]),
        "kv": view.rough(reads["kv_gb"]),
        "bandwidth": view.num(found["resolved"]["bandwidth_gbs"]),
        "floor_ms": view.rough(1e3 * reads["floor_s"]),
        "floor_tps": view.rough(1 / reads["floor_s"]),
        "layers": view.num(found["resolved"]["layers"]),
        "file": view.rough(found["resolved"]["file_gib"]),
        "step_ms": view.rough(1e3 / decode["point"]),
        "tps": view.rough(decode["point"]),
        "span": view.interval(decode["low"], decode["high"]),
        "shares": {name: percent(view, share) for name, share in found["shares"].items()},
        "total_tps": view.rough(total["point"]),
        "total_span": view.interval(total["low"], total["high"]),
        "prompt_tps": view.rough(found["prefill_tps"]["point"]) if found["prefill_tps"] else "–",
        "first_s": view.rough(found["ttft_s"]["point"]) if found["ttft_s"] else "–",
    }


def class_rows(view: View) -> str:
    """Markdown rows, one a class of device: name, records, machines, median error of pages left out, share held."""
    fitted = lookup.constants_of(view.world.kb)
    rows = []
    for name, node in fitted["nodes"].items():
        plain = name.removesuffix("@cpu")
        id_ = f"value.speed-class.{plain}"
        if "/" in name or not view.has(id_) or plain == "global":
            continue
        title = view.plain(id_) + (" (CPU)" if name != plain else "")
        rows.append(
            f"| {title} | {view.num(node['records'])} | {view.num(node['machines'])} "
            f"| {percent(view, node['error'])} | {percent(view, node['coverage'])} |"
        )
    return "\n".join(rows)


def macros(env: Any) -> dict[str, Any]:
    """The macros that hand-written pages call, by name."""

    def view() -> View:
        return View(load_world(), env.conf["theme"]["language"], env.page.url, env.conf["extra"])

    return {
        "speed_constant": lambda path, form="number": constant(view(), path, form),
        "speed_example": lambda **flags: worked(view(), **flags),
        "speed_classes": lambda: class_rows(view()),
    }
