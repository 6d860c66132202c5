"""The Situation: what a person has and wants, read leniently, normalised, defaults filled in.

Input is plain data (from YAML, JSON, a form or an address). Nothing a person writes raises: what
cannot be read becomes a problem that names the field, and the other answers are kept. A missing
answer takes the default from `knowledge/questions/` and is listed as an assumption.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from . import hardware
from .address import apply_patch, fragment, from_flat, from_fragment, to_flat  # noqa: F401 (one place to import)
from .defaults import fill
from .fields import FIELDS, Field, get, number, put, raw, tidy, value  # noqa: F401
from .kb import KB, fold
from .problems import Problem, printable, problem

Plain = dict[str, Any]


@dataclass
class Reading:
    """A normalised Situation with what was assumed, what was said, and what could not be read."""

    situation: Plain
    stated: Plain
    assumptions: list[Plain] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


# Free maps that are passed on as they are; their users read them with care.
_OPEN = {"optional.latency_target", "optional.cost", "optional.engine_versions", "settings.layout"}
_GROUPS = ("host", "links", "settings", "context", "traffic", "optional")
_TOP = {"devices", "nodes", "model", "format", "needs", "already", "serving", "priority", *_GROUPS}
_KNOWN = {*FIELDS, *_OPEN, "host.cpu", "settings.kv", "settings.offload"}
# A version stands in commands that people paste: letters, digits and the marks of versions, nothing else.
_VERSION = re.compile(r"(?=.*\d)[0-9A-Za-z][0-9A-Za-z.+_-]{0,39}\Z")


def read(data: Any, kb: KB) -> Reading:
    """Normalise anything into a Situation.

    data: a mapping shaped like the published schema; anything else is a problem, not an error.
    Returns a Reading whose situation has every field; devices and models are ids of the knowledge.
    """
    problems: list[Problem] = []
    if not isinstance(data, dict):
        problems.append(problem("", data, "not-a-map"))
        data = {}
    said = _fields(data, problems)
    _unknown(data, problems)
    host = data.get("host") if isinstance(data.get("host"), dict) else {}
    devices, processor = hardware.processor(hardware.devices(data.get("devices"), kb, problems), kb)
    if not hardware.system(devices, said.get("host.os"), kb, problems):
        del said["host.os"]
    processor = hardware.host_processor(host.get("cpu"), kb, problems) or processor
    if not devices and processor and not problems:
        devices = [hardware.alone(processor, kb)]  # nothing but a processor was named
    model, hinted = _model(data.get("model"), kb, problems)
    format_ = _format(data.get("format"), kb, problems) or hinted
    situation: Plain = {"devices": devices, "model": model, "format": format_ or "auto"}
    stated: Plain = {}
    if devices:
        stated["devices"] = [hardware.said(device, kb) for device in devices]
    if model:
        stated["model"] = model
    if format_:
        stated["format"] = format_
    _settings(data, situation, stated, kb, problems)
    _optional(data, situation, stated, kb, problems)
    put(situation, "host.cpu", processor)
    if processor:
        put(stated, "host.cpu", processor)
    situation["already"] = _engine("already", data.get("already"), kb, problems)
    if situation["already"]:
        stated["already"] = situation["already"]
    assumptions = fill(situation, said, stated, problems, kb)
    return Reading(situation, stated, assumptions, problems)


def _fields(data: Plain, problems: list[Problem]) -> Plain:
    """What was said in the plain fields."""
    said: Plain = {}
    for path, spec in FIELDS.items():
        written = raw(data, path, problems)
        if written is None:
            continue
        found = value(path, written, spec, problems)
        if found is not None and found != []:
            said[path] = found
    return said


def _unknown(data: Plain, problems: list[Problem]) -> None:
    """Fields that do not exist."""
    for key in data:
        if key not in _TOP and key != "v":
            inside = [path for path in sorted(_KNOWN) if path.rpartition(".")[2] == key]  # os: it is host.os
            near = inside[:1] or get_close_matches(str(key)[:60], sorted(_TOP), 1)
            problems.append(problem(str(key), data[key], "unknown-field", near=near))
    for group in _GROUPS:
        inner = data.get(group)
        if isinstance(inner, dict):
            for key in inner:
                if f"{group}.{key}" not in _KNOWN:
                    here = [p.removeprefix(f"{group}.") for p in sorted(_KNOWN) if p.startswith(f"{group}.")]
                    near = get_close_matches(str(key)[:60], here, 1)
                    problems.append(problem(f"{group}.{key}", inner[key], "unknown-field", near=near))
        elif inner is not None and not any(p.path == group for p in problems):
            problems.append(problem(group, inner, "not-a-map"))


def _engine(path: str, written: Any, kb: KB, problems: list[Problem]) -> str | None:
    if written in (None, ""):
        return None
    name = str(written)[:120]
    found = kb.find_engine(name)
    if found:
        return found[0]
    problems.append(problem(path, written, "unknown-engine", near=kb.nearest_names(name, "engine")))
    return None


# ---------------------------------------------------------------------- model, format


def _model(written: Any, kb: KB, problems: list[Problem]) -> tuple[Plain | None, Plain | None]:
    """The model, and the format when the name was that of a quantized checkpoint."""
    if written in (None, "", {}):
        return None, None
    if isinstance(written, str):
        written = {"id": written}
    if not isinstance(written, dict):
        problems.append(problem("model", written, "not-a-map"))
        return None, None
    if written.get("id"):
        name = str(written["id"])[:200]
        hit = kb.find_model(name)
        if not hit:
            problems.append(problem("model", name, "unknown-model", near=kb.nearest_names(name, "model")))
            return None, None
        hint = {"family": hit[1][0], "type": hit[1][1]} if hit[1] else None
        return {"id": hit[0]}, hint
    if written.get("architecture") is not None:
        from .models import check_architecture

        entry, found = check_architecture(written["architecture"])
        problems.extend(found)
        return ({"architecture": entry}, None) if entry else (None, None)
    if written.get("params_b") not in (None, ""):
        return _by_size(written, problems), None
    problems.append(problem("model", sorted(map(str, written))[:5], "model-empty"))
    return None, None


def _by_size(written: Plain, problems: list[Problem]) -> Plain | None:
    spec = Field("number", 0.001, 100_000)
    params = value("model.params_b", written["params_b"], spec, problems)
    if params is None:
        return None
    model: Plain = {"params_b": params}
    if written.get("active_b") not in (None, ""):
        active = value("model.active_b", written["active_b"], spec, problems)
        if active is not None and active > params:
            problems.append(problem("model.active_b", active, "out-of-range", low=spec.low, high=params))
        elif active is not None:
            model["active_b"] = active
    if written.get("kind") not in (None, ""):
        kind = value("model.kind", written["kind"], Field("enum", values=("dense", "moe")), problems)
        if kind:
            model["kind"] = kind
    return model


def _format(written: Any, kb: KB, problems: list[Problem]) -> Plain | None:
    if written in (None, "", "auto", {}):
        return None
    if isinstance(written, dict):
        family, type_name = written.get("family"), written.get("type")
        name = f"{family}:{type_name}" if type_name else str(family)
    else:
        name = str(written)
    family, _, type_name = name[:80].partition(":")
    hit = kb.find_format(family)
    if hit and type_name:
        wanted = [t["id"] for f, t in kb.types.get(fold(type_name), []) if f == hit[0]]
        if wanted:
            return {"family": hit[0], "type": wanted[0]}
        known = [t["id"] for t in kb.formats[hit[0]]["types"]]
        problems.append(problem("format.type", type_name, "not-one-of", known=known))
        return {"family": hit[0], "type": None}
    if hit:
        return {"family": hit[0], "type": hit[1]}
    problems.append(problem("format", name, "not-one-of", known=sorted(kb.formats)))
    return None


# ---------------------------------------------------------------------- settings, operations


def _settings(data: Plain, situation: Plain, stated: Plain, kb: KB, problems: list[Problem]) -> None:
    written = data.get("settings") if isinstance(data.get("settings"), dict) else {}
    settings: Plain = {"kv": "auto", "layout": "auto", "offload": "auto"}
    kv_known = sorted({k["type"] for e in kb.engines.values() for k in e.get("kv_types", [])} | {"auto", "f16"})
    if written.get("kv") not in (None, ""):
        settings["kv"] = value("settings.kv", written["kv"], Field("enum", values=tuple(kv_known)), problems) or "auto"
    if written.get("offload") not in (None, ""):
        offload = written["offload"]
        offload = ("yes" if offload else "no") if isinstance(offload, bool) else offload
        spec = Field("enum", values=("auto", "yes", "no"))
        settings["offload"] = value("settings.offload", offload, spec, problems) or "auto"
    layout = written.get("layout")
    if isinstance(layout, dict):
        wanted = {}
        for key, degree in layout.items():
            path = f"settings.layout.{key}"
            if key not in ("tp", "pp", "ep", "dp"):
                problems.append(problem(path, degree, "unknown-field", known=["tp", "pp", "ep", "dp"]))
            elif degree not in (None, ""):
                found = value(path, degree, Field("int", 1, 4096), problems)
                if found:
                    wanted[key] = found
        settings["layout"] = wanted or "auto"
    elif layout not in (None, "", "auto"):
        problems.append(problem("settings.layout", layout, "not-a-map"))
    situation["settings"] = settings
    changed = {k: x for k, x in settings.items() if x != "auto"}
    if changed:
        stated["settings"] = changed


def _optional(data: Plain, situation: Plain, stated: Plain, kb: KB, problems: list[Problem]) -> None:
    optional = data.get("optional") if isinstance(data.get("optional"), dict) else {}
    for key in ("latency_target", "cost", "engine_versions"):
        path = f"optional.{key}"
        written = optional.get(key)
        kept: Plain | None = None
        if isinstance(written, dict):
            read_ = _versions if key == "engine_versions" else _open_map
            kept = read_(path, written, kb, problems) or None
        elif written not in (None, ""):
            problems.append(problem(path, written, "not-a-map"))
        put(situation, path, kept)
        if kept:
            put(stated, path, kept)


def _open_map(path: str, written: Plain, kb: KB, problems: list[Problem]) -> Plain:
    """Numbers and short texts by name; anything else is left out."""
    kept: Plain = {}
    for key, found in list(written.items())[:64]:
        figure = number(found)
        if figure is not None:
            kept[printable(key, 60)] = tidy(figure)
        elif isinstance(found, str) and len(found) <= 200:
            kept[printable(key, 60)] = printable(found, 200)
    return kept


def _versions(path: str, written: Plain, kb: KB, problems: list[Problem]) -> Plain:
    """Engine id to version; anything that is not a version is refused, as it would stand in a command."""
    kept: Plain = {}
    for name, version in list(written.items())[:64]:
        here = f"{path}.{str(name)[:60]}"
        if version in (None, ""):
            continue
        engine = _engine(here, name, kb, problems)
        if engine is None:
            continue
        text = str(version).strip() if isinstance(version, str | int | float) else ""
        if _VERSION.match(text) and not isinstance(version, bool):
            kept[engine] = text
        else:
            problems.append(problem(here, version, "not-a-version"))
    return kept
