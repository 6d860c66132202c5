"""Values for the placeholders of launch templates: what the answer chose, as words for a command.

The placeholders are listed in `wizard.vocabulary.LAUNCH_PLACEHOLDERS`; every condition path of the
candidate may be used as well ("{candidate.tp}"). A placeholder without a value leaves its argument
out, so nothing here invents one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ..kb import KB

Plain = dict[str, Any]

LOOPBACK = "127.0.0.1"
ANYWHERE = "0.0.0.0"
DEFAULT_PORT = 8000

# A dotted name in braces; braces of JSON and of programming languages are left alone.
PLACEHOLDER = re.compile(r"\{([a-z]+(?:\.[a-z0-9_]+)+)\}")


def values(candidate: Plain, situation: Plain, kb: KB) -> Plain:
    """Every known placeholder of this candidate; names without a value are absent.

    candidate: the fields of a recommendation (engine, mode, backend, format, checkpoint, layout,
    version, fit, settings). Tokens are whole numbers, memory shares are rounded to GiB.
    """
    entry = kb.engines[candidate["engine"]]
    launch = entry.get("launch") or {}
    settings = candidate.get("settings") or {}
    format_ = candidate.get("format") or {}
    layout = candidate.get("layout") or {}
    point = candidate.get("checkpoint") or {}
    model_id = (situation.get("model") or {}).get("id")
    model = kb.models.get(model_id, {}) if model_id else {}
    type_ = kb.type_of(format_.get("family", ""), format_.get("type", "")) or {}
    context = settings.get("context") or situation["context"]["tokens"]
    slots = settings.get("slots") or situation["traffic"]["concurrency"]
    name = model.get("name")
    shared = round(situation["context"]["input"] * (situation["traffic"].get("shared_prefix") or 0))
    found: Plain = {
        "launch.model": _model(point, model_id, format_, kb),
        "launch.file": None if point.get("repository") else _model(point, model_id, format_, kb),
        "launch.context": context,
        "launch.context_total": settings.get("context_total") or context * slots,
        "launch.slots": slots,
        "launch.host": settings.get("host") or host(situation),
        "launch.port": settings.get("port") or launch.get("port") or DEFAULT_PORT,
        "launch.kv_type": _kv_flag(entry, settings.get("kv_type"), candidate.get("mode")),
        "launch.gpu_layers": settings.get("gpu_layers"),
        "launch.cpu_moe_layers": settings.get("cpu_moe_layers"),
        "launch.tensor_split": _shares(candidate),
        "launch.threads": _threads(situation, kb),
        "launch.served_name": name,
        "checkpoint.repository": point.get("repository"),
        "checkpoint.file": point.get("file"),
        "checkpoint.revision": point.get("revision"),
        "model.name": name,
        "model.id": model_id,
        "model.repository": model.get("repository"),
        "format.name": type_.get("name"),
        "format.type": format_.get("type"),
        "format.family": format_.get("family"),
        "format.nominal": nominal(format_.get("type")),
        "engine.version": candidate.get("version") or (entry.get("versions") or {}).get("stable"),
        "input.tokens": situation["context"]["input"],
        "output.tokens": situation["context"]["output"],
        "input.before": situation["context"]["input"],
        "input.shared": shared or None,
        "input.own": situation["context"]["input"] - shared,
        "situation.traffic.concurrency": situation["traffic"]["concurrency"],
        "situation.context.tokens": situation["context"]["tokens"],
        "candidate.tp": layout.get("tp"),
        "candidate.pp": layout.get("pp"),
        "candidate.ep": layout.get("ep"),
        "candidate.dp": layout.get("dp"),
        "candidate.nodes": layout.get("nodes"),
        "candidate.device_count": device_count(layout),
        "candidate.backend": candidate.get("backend"),
        "candidate.kv_type": settings.get("kv_type"),
    }
    return {key: value for key, value in found.items() if value is not None and value != ""}


def nominal(type_: str | None) -> str | None:
    """Bits a weight in the name of a type, as converters take them: int4-g128 is 4, 4_0bpw is 4.0."""
    found = re.search(r"(\d+)(?:_(\d+)bpw)?", type_ or "")
    return None if not found else f"{found[1]}.{found[2]}" if found[2] else found[1]


def host(situation: Plain) -> str:
    """Address to bind: loopback unless the person asked for more."""
    return LOOPBACK if (situation.get("optional") or {}).get("exposure") in (None, "loopback") else ANYWHERE


def device_count(layout: Plain) -> int | None:
    """Devices of one machine that the layout uses."""
    devices = layout.get("devices")
    return sum(d.get("count") or 1 for d in devices) if devices else None


def extra(candidate: Plain, kb: KB) -> Plain:
    """Condition paths of the candidate, its engine and its format, for `Facts.check`."""
    entry = kb.engines[candidate["engine"]]
    format_ = candidate.get("format") or {}
    layout = candidate.get("layout") or {}
    settings = candidate.get("settings") or {}
    type_ = kb.type_of(format_.get("family", ""), format_.get("type", "")) or {}
    fit = candidate.get("fit") or {}
    offload = fit.get("offload") or {}
    return {
        "engine.version": candidate.get("version") or (entry.get("versions") or {}).get("stable"),
        "engine.layer": entry.get("layer"),
        "engine.mode": candidate.get("mode") or "none",
        "format.family": format_.get("family"),
        "format.type": format_.get("type"),
        "format.bits": type_.get("bits"),
        "candidate.backend": candidate.get("backend"),
        "candidate.kernel": candidate.get("kernel"),
        "candidate.device_count": device_count(layout),
        "candidate.nodes": layout.get("nodes") or 1,
        "candidate.tp": layout.get("tp") or 1,
        "candidate.pp": layout.get("pp") or 1,
        "candidate.ep": layout.get("ep") or 1,
        "candidate.dp": layout.get("dp") or 1,
        "candidate.fit": fit.get("class"),
        "candidate.kv_type": settings.get("kv_type") or "f16",
        "candidate.offload": offload.get("kind") or "none",
        "candidate.cache": settings.get("cache") or "shared",
        "candidate.checkpoint": (candidate.get("checkpoint") or {}).get("status") or "unknown",
    }


def fill(template: Any, known: Plain) -> tuple[str | None, list[str]]:
    """A template with its placeholders filled, and the names that had no value (then the text is None)."""
    text = str(template)
    if "{" not in text:
        return text, []
    out: list[str] = []
    missing: list[str] = []
    for index, part in enumerate(_parts(text)):
        if not index % 2:
            out.append(part)
        elif known.get(part) is None:
            missing.append(part)
        else:
            out.append(word(known[part]))
    return (None if missing else "".join(out)), missing


@lru_cache(4096)
def _parts(template: str) -> list[str]:
    """What stands between the placeholders of a template, and their names, in turn."""
    return PLACEHOLDER.split(template)


def word(value: Any) -> str:
    """A value as a command word: no exponent, no ".0", no language marks."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def used(template: Any, known: Plain) -> Plain:
    """The values a template took, for the sentence that explains it."""
    text = str(template)
    return {name: known[name] for name in _parts(text)[1::2] if name in known} if "{" in text else {}


def _model(point: Plain, model_id: str | None, format_: Plain, kb: KB) -> str:
    """The repository, or a local path to fill with the converted weights."""
    if point.get("repository"):
        return point["repository"]
    stem = "-".join(str(part) for part in (model_id or "model", format_.get("type")) if part)
    container = (kb.formats.get(format_.get("family", "")) or {}).get("container")
    return f"./{stem}.gguf" if container == "gguf" else f"./{stem}"


def _kv_flag(entry: Plain, kv_type: str | None, mode: str | None) -> str | None:
    """How the engine writes the type of the KV cache; None when it is the default."""
    for line in entry.get("kv_types", []):
        if line["type"] == kv_type and line.get("mode") in (None, mode):
            return line.get("flag")
    return None


def _shares(candidate: Plain) -> str | None:
    """Memory of each device as whole GiB, comma separated: how a split by layer is weighted."""
    devices = (candidate.get("fit") or {}).get("devices") or []
    if len(devices) < 2:
        return None
    return ",".join(str(max(1, round(d["capacity_bytes"] / 1024**3))) for d in devices)


def _threads(situation: Plain, kb: KB) -> int | None:
    """Physical cores of the stated processor, or of the CPU or SoC the model runs on."""
    names = [(situation.get("host") or {}).get("cpu"), *(d.get("device") for d in situation.get("devices") or [])]
    for name in names:
        cpu = (kb.devices.get(name) or {}).get("cpu") if name else None
        if cpu and cpu.get("cores"):
            return cpu["cores"]
    return None
