"""The Situation: what a person has and wants, read leniently, normalised, defaults filled in.

Input is plain data (from YAML, JSON, a form or an address). Nothing a person writes raises: what
cannot be read becomes a problem that names the field, and the other answers are kept. A missing
answer takes the default from `knowledge/questions/` and is listed as an assumption.
"""

from __future__ import annotations

import copy
import math
import re
from dataclasses import dataclass, field
from typing import Any

from . import vocabulary as v
from .address import apply_patch, fragment, from_flat, from_fragment, to_flat  # noqa: F401 (one place to import)
from .kb import KB
from .problems import Problem, problem

Plain = dict[str, Any]

MAX_KINDS = 16  # different kinds of device in one machine; more is a typing error, not a machine


@dataclass
class Reading:
    """A normalised Situation with what was assumed, what was said, and what could not be read."""

    situation: Plain
    stated: Plain
    assumptions: list[Plain] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _Field:
    kind: str  # int | number | enum | bool | list
    low: float = 0
    high: float = 0
    values: tuple[str, ...] = ()
    nullable: bool = False


FIELDS: dict[str, _Field] = {
    "host.os": _Field("enum", values=v.OSES),
    "host.arch": _Field("enum", values=("x86_64", "aarch64")),
    "host.ram_gib": _Field("number", 0.25, 100_000),
    "host.free_vram_gib": _Field("number", 0, 10_000, nullable=True),
    "links.within": _Field("enum", values=v.LINKS_WITHIN),
    "links.between": _Field("enum", values=v.LINKS_BETWEEN),
    "nodes": _Field("int", 1, 4096),
    "context.tokens": _Field("int", 1, 100_000_000),
    "context.input": _Field("int", 1, 100_000_000),
    "context.output": _Field("int", 1, 100_000_000),
    "traffic.concurrency": _Field("int", 1, 1_000_000),
    "traffic.shared_prefix": _Field("number", 0, 1),
    "traffic.mode": _Field("enum", values=("online", "offline")),
    "needs": _Field("list", values=v.NEEDS),
    "serving": _Field("enum", values=v.SERVING),
    "priority": _Field("enum", values=v.PRIORITIES),
    "optional.exposure": _Field("enum", values=("loopback", "lan", "internet")),
    "optional.air_gapped": _Field("bool"),
}

# "32,768" is one number in every language; "32.768" is thousands only where no fraction can be meant.
_GROUPED = re.compile(r"[1-9]\d{0,2}(,\d{3})+\Z")
_POINTED = re.compile(r"\s*[1-9]\d{0,2}(\.\d{3})+\s*\Z")

# Free maps that are passed on as they are; their users read them with care.
_OPEN = {"optional.latency_target", "optional.cost", "optional.engine_versions", "settings.layout"}
_GROUPS = ("host", "links", "settings", "context", "traffic", "optional")
_TOP = {"devices", "nodes", "model", "format", "needs", "already", "serving", "priority", *_GROUPS}
_KNOWN = {
    *FIELDS, *_OPEN, "host.cpu", "settings.kv", "settings.offload",
}  # fmt: skip
# What the code can stand on when a question is absent from the knowledge base.
_LAST_RESORT: Plain = {
    "serving": "self", "priority": "latency", "host.os": "linux", "host.arch": "x86_64", "host.ram_gib": 32,
    "nodes": 1, "context.tokens": 8192, "context.input": 2000, "context.output": 500, "traffic.concurrency": 1,
    "traffic.shared_prefix": 0, "traffic.mode": "online", "needs": [], "optional.exposure": "loopback",
    "optional.air_gapped": False,
}  # fmt: skip


def read(data: Any, kb: KB) -> Reading:
    """Normalise anything into a Situation.

    data: a mapping shaped like the published schema; anything else is a problem, not an error.
    Returns a Reading whose situation has every field; devices and models are ids of the knowledge.
    """
    problems: list[Problem] = []
    if not isinstance(data, dict):
        problems.append(problem("", data, "not-a-map"))
        data = {}
    said: Plain = {}
    for key in data:
        if key not in _TOP and key != "v":
            problems.append(problem(str(key), data[key], "unknown-field", known=sorted(_TOP)))
    for path, spec in FIELDS.items():
        raw = _raw(data, path, problems)
        if raw is None:
            continue
        value = _value(path, raw, spec, problems)
        if value is not None and value != []:
            said[path] = value
    for group in _GROUPS:
        inner = data.get(group)
        if isinstance(inner, dict):
            for key in inner:
                if f"{group}.{key}" not in _KNOWN:
                    problems.append(problem(f"{group}.{key}", inner[key], "unknown-field", known=[]))
    devices = _devices(data.get("devices"), kb, problems)
    model, hinted = _model(data.get("model"), kb, problems)
    format_ = _format(data.get("format"), kb, problems) or hinted
    situation: Plain = {"devices": devices, "model": model, "format": format_ or "auto"}
    stated: Plain = {}
    if devices:
        stated["devices"] = [_said(device, kb) for device in devices]
    if model:
        stated["model"] = model
    if format_:
        stated["format"] = format_
    _settings(data, situation, stated, kb, problems)
    already = data.get("already")
    situation["already"] = None
    if already not in (None, ""):
        found = kb.find_engine(str(already))
        if found:
            situation["already"] = stated["already"] = found[0]
        else:
            problems.append(
                problem("already", already, "unknown-engine", near=kb.nearest_names(str(already), "engine"))
            )
    assumptions = _fill(situation, said, stated, kb)
    return Reading(situation, stated, assumptions, problems)


def get(data: Plain, path: str) -> Any:
    """The value at a dotted path, or None."""
    here: Any = data
    for key in path.split("."):
        if not isinstance(here, dict):
            return None
        here = here.get(key)
    return here


def put(data: Plain, path: str, value: Any) -> None:
    """Set the value at a dotted path, making the maps on the way."""
    *way, last = path.split(".")
    for key in way:
        data = data.setdefault(key, {})
    data[last] = value


# ---------------------------------------------------------------------- fields


def _raw(data: Plain, path: str, problems: list[Problem]) -> Any:
    group, _, key = path.partition(".")
    if not key:
        return data.get(path)
    inner = data.get(group)
    if inner is None:
        return None
    if not isinstance(inner, dict):
        if not any(p.path == group for p in problems):
            problems.append(problem(group, inner, "not-a-map"))
        return None
    return inner.get(key)


def _number(raw: Any) -> float | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, str):
        text = "".join(raw.split()).replace("_", "")
        if not 0 < len(text) <= 20:
            return None
        if _GROUPED.match(text):
            text = text.replace(",", "")
        text = text.replace(",", ".")
        try:
            raw = float(text)
        except ValueError:
            return None
    if isinstance(raw, int) and abs(raw) > 10**15:
        return None
    if isinstance(raw, int | float) and math.isfinite(raw):
        return float(raw)
    return None


def _value(path: str, raw: Any, spec: _Field, problems: list[Problem]) -> Any:
    if raw == "":
        return None
    if spec.kind in ("int", "number"):
        if spec.kind == "int" and isinstance(raw, str) and _POINTED.match(raw):
            raw = raw.replace(".", "")
        number = _number(raw)
        if number is None:
            problems.append(problem(path, raw, "not-a-number", low=spec.low, high=spec.high))
            return None
        if not spec.low <= number <= spec.high:
            problems.append(problem(path, raw, "out-of-range", low=spec.low, high=spec.high))
            return None
        if spec.kind == "int":
            if number != int(number):
                problems.append(problem(path, raw, "not-whole", low=spec.low, high=spec.high))
                return None
            return int(number)
        return int(number) if number == int(number) else number
    if spec.kind == "bool":
        if isinstance(raw, bool):
            return raw
        text = str(raw).lower()
        if text in ("true", "1", "yes"):
            return True
        if text in ("false", "0", "no"):
            return False
        problems.append(problem(path, raw, "not-one-of", known=["true", "false"]))
        return None
    if spec.kind == "list":
        items = raw.split(",") if isinstance(raw, str) else raw
        if not isinstance(items, list | tuple):
            problems.append(problem(path, raw, "not-a-list", known=list(spec.values)))
            return None
        kept = []
        for item in items[:64]:
            if item == "":
                continue
            if isinstance(item, str) and item in spec.values:
                if item not in kept:
                    kept.append(item)
            else:
                problems.append(problem(path, item, "not-one-of", known=list(spec.values)))
        return sorted(kept, key=spec.values.index) or None
    if isinstance(raw, str) and raw in spec.values:
        return raw
    problems.append(problem(path, raw, "not-one-of", known=list(spec.values)))
    return None


# ---------------------------------------------------------------------- devices, model, format


def _devices(raw: Any, kb: KB, problems: list[Problem]) -> list[Plain]:
    if raw in (None, "", []):
        return []
    if isinstance(raw, str | dict):
        raw = [raw]
    if not isinstance(raw, list | tuple):
        problems.append(problem("devices", raw, "not-a-list", known=[]))
        return []
    if len(raw) > MAX_KINDS:
        problems.append(problem("devices", len(raw), "too-many", high=MAX_KINDS))
        raw = raw[:MAX_KINDS]
    found: list[Plain] = []
    for index, item in enumerate(raw):
        path = f"devices.{index}"
        if isinstance(item, str):
            item = {"device": item}
        if not isinstance(item, dict):
            problems.append(problem(path, item, "not-a-map"))
            continue
        count = 1
        if item.get("count") not in (None, ""):
            count = _value(f"{path}.count", item["count"], _Field("int", 1, 4096), problems) or 1
        if item.get("custom"):
            custom = _custom(item["custom"], path, problems)
            if custom:
                found.append({"device": None, "custom": custom, "count": count, "memory_gib": custom["memory_gib"]})
            continue
        name = item.get("device")
        if name in (None, ""):
            continue
        hit = kb.find_device(str(name)[:120])
        if not hit:
            near = kb.nearest_names(str(name)[:120], "device")
            problems.append(problem(f"{path}.device", name, "unknown-device", near=near))
            continue
        id_, option = hit
        options = kb.devices[id_]["memory"]["options"]
        asked = _number(item.get("memory_gib")) if item.get("memory_gib") not in (None, "") else option
        if asked is not None and asked not in options:
            problems.append(problem(f"{path}.memory_gib", asked, "not-an-option", known=options))
            asked = None
        gib = asked if asked is not None else max(options)
        found.append({"device": id_, "custom": None, "count": count, "memory_gib": _tidy(gib)})
    return found


def _said(device: Plain, kb: KB) -> Plain:
    """A device as it was said: its memory only where it is not the largest there is, which is the default."""
    said = copy.deepcopy(device)
    if device["device"] and device["memory_gib"] == max(kb.devices[device["device"]]["memory"]["options"]):
        del said["memory_gib"]
    return said


def _custom(raw: Any, path: str, problems: list[Problem]) -> Plain | None:
    if not isinstance(raw, dict):
        problems.append(problem(f"{path}.custom", raw, "not-a-map"))
        return None
    gib = _value(f"{path}.custom.memory_gib", raw.get("memory_gib", ""), _Field("number", 0.25, 10_000), problems)
    if gib is None:
        if not raw.get("memory_gib"):
            problems.append(problem(f"{path}.custom.memory_gib", None, "missing"))
        return None
    custom: Plain = {"memory_gib": gib}
    if raw.get("bandwidth_gbs") not in (None, ""):
        band = _value(f"{path}.custom.bandwidth_gbs", raw["bandwidth_gbs"], _Field("number", 0.1, 100_000), problems)
        if band is not None:
            custom["bandwidth_gbs"] = band
    for key, values in (("vendor", v.VENDORS), ("kind", v.DEVICE_KINDS)):
        if raw.get(key) not in (None, ""):
            value = _value(f"{path}.custom.{key}", raw[key], _Field("enum", values=values), problems)
            if value:
                custom[key] = value
    for key in ("name", "arch", "compute_capability"):
        if raw.get(key) not in (None, ""):
            custom[key] = str(raw[key])[:60]
    return custom


def _model(raw: Any, kb: KB, problems: list[Problem]) -> tuple[Plain | None, Plain | None]:
    """The model, and the format when the name was that of a quantized checkpoint."""
    if raw in (None, "", {}):
        return None, None
    if isinstance(raw, str):
        raw = {"id": raw}
    if not isinstance(raw, dict):
        problems.append(problem("model", raw, "not-a-map"))
        return None, None
    if raw.get("id"):
        name = str(raw["id"])[:200]
        hit = kb.find_model(name)
        if not hit:
            problems.append(problem("model", name, "unknown-model", near=kb.nearest_names(name, "model")))
            return None, None
        hint = {"family": hit[1][0], "type": hit[1][1]} if hit[1] else None
        return {"id": hit[0]}, hint
    if raw.get("architecture") is not None:
        from .models import check_architecture

        entry, found = check_architecture(raw["architecture"])
        problems.extend(found)
        return ({"architecture": entry}, None) if entry else (None, None)
    if raw.get("params_b") not in (None, ""):
        spec = _Field("number", 0.001, 100_000)
        params = _value("model.params_b", raw["params_b"], spec, problems)
        if params is None:
            return None, None
        model: Plain = {"params_b": params}
        if raw.get("active_b") not in (None, ""):
            active = _value("model.active_b", raw["active_b"], spec, problems)
            if active is not None and active > params:
                problems.append(problem("model.active_b", active, "out-of-range", low=spec.low, high=params))
            elif active is not None:
                model["active_b"] = active
        if raw.get("kind") in ("dense", "moe"):
            model["kind"] = raw["kind"]
        return model, None
    problems.append(problem("model", sorted(map(str, raw))[:5], "model-empty"))
    return None, None


def _format(raw: Any, kb: KB, problems: list[Problem]) -> Plain | None:
    if raw in (None, "", "auto", {}):
        return None
    if isinstance(raw, dict):
        name, type_ = raw.get("family"), raw.get("type")
        name = f"{name}:{type_}" if type_ else name
    else:
        name = str(raw)
    name = str(name)[:80]
    family, _, type_name = name.partition(":")
    hit = kb.find_format(family)
    if hit and type_name:
        wanted = [t["id"] for f, t in kb.types.get(_fold(type_name), []) if f == hit[0]]
        if wanted:
            return {"family": hit[0], "type": wanted[0]}
        known = [t["id"] for t in kb.formats[hit[0]]["types"]]
        problems.append(problem("format.type", type_name, "not-one-of", known=known))
        return {"family": hit[0], "type": None}
    if hit:
        return {"family": hit[0], "type": hit[1]}
    problems.append(problem("format", name, "not-one-of", known=sorted(kb.formats)))
    return None


def _fold(text: str) -> str:
    from .kb import fold

    return fold(text)


def _settings(data: Plain, situation: Plain, stated: Plain, kb: KB, problems: list[Problem]) -> None:
    raw = data.get("settings") if isinstance(data.get("settings"), dict) else {}
    settings: Plain = {"kv": "auto", "layout": "auto", "offload": "auto"}
    kv_known = sorted({k["type"] for e in kb.engines.values() for k in e.get("kv_types", [])} | {"auto", "f16"})
    if raw.get("kv") not in (None, "", "auto"):
        if str(raw["kv"]) in kv_known:
            settings["kv"] = str(raw["kv"])
        else:
            problems.append(problem("settings.kv", raw["kv"], "not-one-of", known=kv_known))
    if raw.get("offload") not in (None, "", "auto"):
        text = {True: "yes", False: "no"}.get(raw["offload"], str(raw["offload"]))
        if text in ("yes", "no"):
            settings["offload"] = text
        else:
            problems.append(problem("settings.offload", raw["offload"], "not-one-of", known=["auto", "yes", "no"]))
    layout = raw.get("layout")
    if layout not in (None, "", "auto"):
        if isinstance(layout, dict):
            wanted = {}
            for key in ("tp", "pp", "ep", "dp"):
                if layout.get(key) not in (None, ""):
                    value = _value(f"settings.layout.{key}", layout[key], _Field("int", 1, 4096), problems)
                    if value:
                        wanted[key] = value
            settings["layout"] = wanted or "auto"
        else:
            problems.append(problem("settings.layout", layout, "not-a-map"))
    situation["settings"] = settings
    changed = {k: x for k, x in settings.items() if x != "auto"}
    if changed:
        stated["settings"] = changed
    optional = data.get("optional") if isinstance(data.get("optional"), dict) else {}
    for path in ("latency_target", "cost", "engine_versions"):
        value = optional.get(path)
        kept = (
            {str(k)[:60]: x for k, x in list(value.items())[:64] if isinstance(x, str | int | float) and not _wild(x)}
            if isinstance(value, dict)
            else None
        )
        if value not in (None, "") and not isinstance(value, dict):
            problems.append(problem(f"optional.{path}", value, "not-a-map"))
        put(situation, f"optional.{path}", kept)
        if kept:
            put(stated, f"optional.{path}", kept)
    host = data.get("host") if isinstance(data.get("host"), dict) else {}
    put(situation, "host.cpu", None)
    if host.get("cpu") not in (None, ""):
        hit = kb.find_device(str(host["cpu"])[:120])
        if hit and kb.devices[hit[0]]["kind"] in ("cpu", "soc"):
            put(situation, "host.cpu", hit[0])
            put(stated, "host.cpu", hit[0])
        else:
            near = kb.nearest_names(str(host["cpu"])[:120], "device")
            problems.append(problem("host.cpu", host["cpu"], "unknown-device", near=near))


def _wild(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value) or (isinstance(value, str) and len(value) > 200)


# ---------------------------------------------------------------------- defaults


def _fill(situation: Plain, said: Plain, stated: Plain, kb: KB) -> list[Plain]:
    """Put in what was said, and the default of every question that was not answered."""
    assumptions: list[Plain] = []
    for path, value in said.items():
        put(situation, path, value)
        put(stated, path, value)
    defaults = _defaults(kb)
    order = ["serving", "nodes", *[p for p in FIELDS if p not in ("serving", "nodes")]]
    for path in order:
        if path in said:
            continue
        value = _derived(path, situation, kb)
        if value is None:
            value = _default(path, situation, defaults)
        if path == "host.free_vram_gib":
            put(situation, path, None)
            continue
        put(situation, path, value)
        if path in ("needs", "optional.exposure", "optional.air_gapped") or _moot(path, situation):
            continue  # nothing asked, nothing assumed
        assumptions.append({"id": path.replace(".", "-"), "path": path, "value": value})
    return assumptions


def _moot(path: str, situation: Plain) -> bool:
    count = sum(d["count"] for d in situation["devices"])
    if path == "links.within":
        return count <= 1
    if path in ("links.between",):
        return situation["nodes"] <= 1
    return path in ("nodes", "traffic.mode", "host.arch")


def _defaults(kb: KB) -> dict[str, Plain]:
    cached = getattr(kb, "_defaults", None)
    if cached is None:
        cached = {f["path"]: f for q in kb.questions.values() for f in q.get("fields", [])}
        kb._defaults = cached  # type: ignore[attr-defined]
    return cached


def _default(path: str, situation: Plain, defaults: dict[str, Plain]) -> Any:
    spec = defaults.get(path, {})
    by = spec.get("default_by")
    if by:
        value = spec.get("defaults", {}).get(str(get(situation, by.removeprefix("situation."))))
        if value is not None:
            return value
    value = spec.get("default")
    if value is None or (isinstance(value, dict)):
        value = _LAST_RESORT.get(path)
    if path in ("context.input", "context.output"):
        # a typical request never exceeds the longest one the person named
        return max(1, min(value, get(situation, "context.tokens") // (2 if path == "context.input" else 4) or 1))
    return list(value) if isinstance(value, list) else value


def _derived(path: str, situation: Plain, kb: KB) -> Any:
    """What follows from the hardware: a Mac runs macOS, one device has no link, a SoC shares memory."""
    devices = [kb.devices[d["device"]] for d in situation["devices"] if d["device"]]
    if path == "host.os" and devices:
        systems = [set(d.get("os", [])) for d in devices if d.get("os")]
        common = set.intersection(*systems) if systems else set()
        default = _default(path, situation, _defaults(kb))
        if common and default not in common:
            return next(s for s in v.OSES if s in common)
        return None
    if path == "host.arch" and devices:
        arches = {d["arch"] for d in devices if d["kind"] in ("soc", "cpu", "client")}
        if any(a.startswith(("apple", "arm")) or a in ("sm_110", "sm_121", "sm_87") for a in arches):
            return "aarch64"
        return None
    if path == "host.ram_gib" and devices:
        shared = [d for d in situation["devices"] if d["device"] and kb.devices[d["device"]]["memory"]["unified"]]
        if shared:
            return _tidy(max(d["memory_gib"] for d in shared))
        cpus = [d for d in situation["devices"] if d["device"] and kb.devices[d["device"]]["kind"] == "cpu"]
        if cpus and len(cpus) == len(devices):
            return _tidy(max(d["memory_gib"] for d in cpus))
        return None
    if path == "links.within":
        count = sum(d["count"] for d in situation["devices"])
        if count <= 1:
            return "none"
        kinds = {link["kind"] for d in devices for link in d.get("links", [])}
        if devices and all(any(link["kind"] == "nvswitch" for link in d.get("links", [])) for d in devices):
            return "nvswitch" if count > 2 else "nvlink"
        if "infinity-fabric" in kinds and all(d["segment"] == "datacenter" for d in devices):
            return "nvlink"  # a direct fabric between accelerators of the same class
        if devices and all(d["kind"] == "soc" for d in devices):
            return "thunderbolt"
        return "pcie"
    if path == "links.between":
        return "none" if situation["nodes"] <= 1 else "ethernet"
    if path == "nodes":
        return 1
    if path == "traffic.concurrency" and situation["model"] is None and situation["serving"] in ("browser", "mobile"):
        return 1
    return None


def _tidy(number: float) -> float | int:
    return int(number) if number == int(number) else number
