"""The look-up: what `decide()` says of a few hundred stated situations, for the page until Python is there.

A row is a device of a class, how many, a model of a class and for whom. A device or a model stands for those
like it: of one maker and kind, with about its memory and bandwidth; of one kind, with about its parameters. What
nothing stands for has no row, and nothing is shown for it. Every row is shown as being of a similar situation.
"""

from __future__ import annotations

import json
import math
from html import escape
from typing import Any

from markupsafe import Markup

from macros import keep
from macros.view import View
from macros.world import ROOT, Entry, World
from wizard.decide import decide_head
from wizard.render import readouts
from wizard.situation import read

# (device, GiB or None for the largest, how many)
DEVICES = (
    ("rtx-3060", None, (1,)), ("rtx-3090", None, (1, 2, 4)), ("rtx-4090", None, (1, 2, 4)), ("rtx-5090", None, (1, 2)),
    ("l40s", None, (1, 4)), ("a100", None, (1, 2, 8)), ("h100-sxm", None, (1, 2, 4, 8)), ("b200", None, (1, 8)),
    ("rx-7900-xtx", None, (1, 2)), ("mi300x", None, (1, 8)), ("m4-macbook", 24, (1,)), ("m4-max", 64, (1,)),
    ("m3-ultra", None, (1,)), ("ryzen-ai-max-395", None, (1,)), ("dgx-spark", None, (1,)),
    ("xeon-platinum-8480", None, (1,)), ("epyc-9554", None, (1,)), ("ryzen-9-7950x", None, (1,)),
)  # fmt: skip
MODELS = ("llama-3-1-8b", "qwen3-32b", "llama-3-3-70b", "qwen3-30b-a3b", "gpt-oss-120b", "deepseek-v3")
SERVING = ("self", "team")
LIKE = {"agents": "team", "customers": "team", "fleet": "team", "app": "self"}
# Farther than this, in sums of logarithms, nothing is alike any more (a factor of 2.2 in one number).
FAR = 0.8
_MOST = 1024
_BYTES = 0.56  # a weight in four bits with its scales


def situations(world: World) -> dict[str, Entry]:
    """The stated situation of every row, by its key: device, count, model (0: none) and serving by index.

    A model that four bits a weight could not bring into the memory has no row: the answer would be about offload.
    """
    found = {}
    devices, models = world.entries("device"), world.entries("model")
    for d, (device, gib, counts) in enumerate(DEVICES):
        for count in counts:
            room = (gib or max(devices[device]["memory"]["options"])) * 2**30 * count
            for m, model in enumerate((None, *MODELS)):
                if model and models[model]["params"]["total"] * _BYTES > room:
                    continue
                for s, serving in enumerate(SERVING):
                    stated: Entry = {"devices": [{"device": device, "count": count}], "serving": serving}
                    if gib:
                        stated["devices"][0]["memory_gib"] = gib
                    if model:
                        stated["model"] = {"id": model}
                    found[f"{d}.{count}.{m}.{s}"] = stated
    if len(found) > _MOST:
        raise ValueError(f"{len(found)} rows; the look-up has at most {_MOST}")
    return found


def row(decision: Entry) -> Entry:
    """What a row keeps of a decision: engine, format, fit, memory and decode of the start; {} if nothing starts."""
    start = next((r for r in decision["recommendations"] if r["role"] == "start"), None)
    if start is None:
        return {}
    found = {"engine": start["engine"], "mode": start.get("mode"), "format": start.get("format")}
    found["tied"] = start.get("tied_with") or []
    fit = start.get("fit")
    if fit:
        device = readouts.fullest(fit)
        found |= {"fit": fit["class"], "used": readouts.used_bytes(device), "of": device["capacity_bytes"]}
    decode = (start.get("estimates") or {}).get("decode_tps")
    return found | ({"decode": {key: decode[key] for key in ("low", "point", "high")}} if decode else {})


def rows(world: World) -> dict[str, Entry]:
    """Every row by key, kept on disk until knowledge or code change.

    A preview sets `frozen`: then the rows of its first build stay, as those of the wizard itself do.
    """
    if not (frozen and _made) and world not in _made:
        _made.clear()
        _made[world] = _rows(world)
    return next(iter(_made.values()))


frozen = False
_made: dict[World, dict[str, Entry]] = {}


def _rows(world: World) -> dict[str, Entry]:
    kept = keep.Keep(ROOT / ".cache" / "similar.json", world.stamp)

    def decided(stated: Entry) -> Entry:
        return row(decide_head(read(stated, world.kb), world.kb, world.today)[0])

    found = {key: kept.get(key, lambda stated=stated: decided(stated)) for key, stated in situations(world).items()}
    kept.save()
    return found


# ---------------------------------------------------------------------- what stands for what


def alike_devices(world: World) -> dict[str, int]:
    """Value of a choice in the list of devices (`id` or `id:GiB`) -> index in DEVICES."""
    entries = world.entries("device")
    found = {}
    for id_, entry in entries.items():
        sizes = sorted(entry["memory"]["options"], reverse=True)
        for size in sizes:
            scored = [
                (_apart(entry, size, entries[device], gib), index) for index, (device, gib, _) in enumerate(DEVICES)
            ]
            far, index = min(scored)
            if far <= FAR:
                found[id_ if size == sizes[0] else f"{id_}:{size:g}"] = index
    return found


def _apart(one: Entry, size: float, other: Entry, other_size: float | None) -> float:
    if (one["vendor"], one["kind"]) != (other["vendor"], other["kind"]):
        return math.inf
    speed, other_speed = _speed(one), _speed(other)
    if not speed or not other_speed:
        return math.inf
    other_size = other_size or max(other["memory"]["options"])
    old = 0.0 if one["arch"] == other["arch"] else 0.1
    return abs(math.log(size / other_size)) + abs(math.log(speed / other_speed)) + old


def _speed(entry: Entry) -> float | None:
    value = entry.get("bandwidth_gbs")
    value = value.get("is") if isinstance(value, dict) else value
    return value if isinstance(value, int | float) else None


def alike_models(world: World) -> dict[str, int]:
    """Id of a model -> index in MODELS, counted from 1."""
    entries = world.entries("model")
    found = {}
    for id_, entry in entries.items():
        if "chat" not in entry.get("tasks", []):
            continue
        scored = [(_models_apart(entry, entries[model]), index) for index, model in enumerate(MODELS, 1)]
        far, index = min(scored)
        if far <= FAR:
            found[id_] = index
    return found


def _models_apart(one: Entry, other: Entry) -> float:
    if one["kind"] != other["kind"]:
        return math.inf
    sizes = [(e["params"]["total"], e["params"].get("active") or e["params"]["total"]) for e in (one, other)]
    return sum(abs(math.log(a / b)) for a, b in zip(*sizes, strict=True)) / (1 if one["params"].get("active") else 2)


# ---------------------------------------------------------------------- on the page


def similar(view: View) -> Markup:
    """The place for a row, hidden, and the look-up itself as data of the page."""
    world, words, t = view.world, view.words, view.t
    engines: list[str] = []
    formats: list[str] = []

    def at(names: list[str], name: str) -> int:
        if name not in names:
            names.append(name)
        return names.index(name)

    packed: dict[str, Any] = {}
    for key, found in rows(world).items():
        if not found:
            packed[key] = 0
            continue
        engine = view.answers.either([words.engine(found["engine"], found["mode"]), *map(words.engine, found["tied"])])
        decode = found.get("decode")
        packed[key] = [
            at(engines, engine),
            at(formats, words.format(found["format"]) or ""),
            view.gib(found["used"]) if "used" in found else 0,
            view.gib(found["of"]) if "of" in found else 0,
            view.rough(decode["point"]) if decode else 0,
            view.interval(decode["low"], decode["high"], decode["point"]) if decode else 0,
        ]
    data = {
        "rows": packed,
        "engines": engines,
        "formats": formats,
        "devices": alike_devices(world),
        "models": alike_models(world),
        "serving": {**{name: i for i, name in enumerate(SERVING)}, **{k: SERVING.index(v) for k, v in LIKE.items()}},
        "names": {
            "devices": [words.device(device) + (f" {view.num(gib)} {view.plain('unit.gib')}" if gib else "")
                        for device, gib, _ in DEVICES],
            "models": ["", *(view.name(world.entries("model")[m]) for m in MODELS)],
            "serving": [words.value("serving", s) for s in SERVING],
        },
    }  # fmt: skip
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    source, nothing = escape(view.raw("pages.similar.from")), escape(view.plain("answer.nothing"))
    cells = _cell(t("pages.home.memory"), t("unit.gib")) + _cell(t("answer.readout-decode"), t("unit.tps"))
    return Markup(
        f'<div class="we wf-similar" data-we-similar hidden><p class="we-note" data-from="{source}"></p>'
        f'<div class="we-compact"><div class="we-cell"><p class="we-start">{t("answer.start-with")}</p>'
        f'<p class="we-engine" data-none="{nothing}"></p><p class="we-spec"></p></div>'
        f'<dl class="we-readouts">{cells}</dl></div><template>{escape(text, quote=False)}</template></div>'
    )


def _cell(label: str, unit: str) -> str:
    return (
        f'<div class="we-cell"><dt>{label}</dt><dd><span class="we-big"></span>&nbsp;'
        f'<span class="we-unit">{unit}</span> <span class="we-scale"></span></dd></div>'
    )
