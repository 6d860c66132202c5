"""The Situation in an address: a short, readable, versioned fragment that servers never see.

`#v=1&devices=2*rtx-3090&model=qwen3-32b&serving=team&traffic.concurrency=4`. Keys are the paths of
the Situation, so that a form field of that name and the address say the same.
"""

from __future__ import annotations

import copy
import json
from typing import Any
from urllib.parse import parse_qsl, quote

from .problems import Problem, problem

Plain = dict[str, Any]
VERSION = "1"
MAX_LENGTH = 16_384  # characters; a longer fragment was not made here

_PLAIN_PATHS = (
    "model", "format", "serving", "priority", "traffic.concurrency", "traffic.shared_prefix", "traffic.mode",
    "context.tokens", "context.input", "context.output", "needs", "host.os", "host.arch", "host.ram_gib",
    "host.cpu", "host.free_vram_gib", "links.within", "links.between", "nodes", "already", "settings.kv",
    "settings.layout", "settings.offload", "optional.exposure", "optional.air_gapped", "optional.latency_target",
    "optional.cost", "optional.engine_versions",
)  # fmt: skip


def to_flat(stated: Plain) -> dict[str, str]:
    """Flat path -> text of what was said; the order is fixed so that equal situations have equal links."""
    flat: dict[str, str] = {}
    devices = stated.get("devices") or []
    if devices:
        flat["devices"] = ",".join(_device(d) for d in devices)
    for path in _PLAIN_PATHS:
        value: Any = stated
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value in (None, "", "auto", [], {}):
            continue
        if path == "model" and isinstance(value, dict) and "id" in value:
            value = value["id"]
        if path == "format" and isinstance(value, dict):
            value = value["family"] + (f":{value['type']}" if value.get("type") else "")
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, list):
            value = ",".join(map(str, value))
        elif isinstance(value, dict):
            value = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        flat[path] = str(value)
    return flat


def fragment(stated: Plain) -> str:
    """The fragment of a Situation, with its leading "#"."""
    parts = [f"v={VERSION}"]
    parts += [f"{key}={quote(text, safe='*,:/~.-_')}" for key, text in to_flat(stated).items()]
    return "#" + "&".join(parts)


def from_fragment(text: str) -> tuple[Plain, list[Problem]]:
    """The Situation in a fragment. Anything may stand there; what is not understood is a problem."""
    text = text.lstrip("#")
    if len(text) > MAX_LENGTH:
        return {}, [problem("address", text[:40], "address-too-long", high=MAX_LENGTH)]
    if not text:
        return {}, []
    pairs = (
        dict(parse_qsl(text, keep_blank_values=False, max_num_fields=200, errors="replace"))
        if text.count("&") < 200
        else {}
    )
    if not pairs:
        return {}, [problem("address", text[:40], "address-unreadable")]
    version = pairs.pop("v", VERSION)
    data, problems = from_flat(pairs)
    if version != VERSION:
        problems.insert(0, problem("v", version, "address-version", known=[VERSION]))
    return data, problems


def from_flat(flat: dict[str, Any]) -> tuple[Plain, list[Problem]]:
    """Nested data from flat fields (a form or an address); values are checked later by `situation.read`."""
    data: Plain = {}
    problems: list[Problem] = []
    for key, value in flat.items():
        if value is None or value == "":
            continue
        if key == "devices":
            data["devices"] = _parse_devices(value, problems) if isinstance(value, str) else value
            continue
        if key not in _PLAIN_PATHS:
            problems.append(problem(str(key)[:60], value, "unknown-field", known=[]))
            continue
        if isinstance(value, str) and value[:1] == "{":
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                problems.append(problem(key, value, "not-a-map"))
                continue
        *way, last = key.split(".")
        here = data
        for step in way:
            here = here.setdefault(step, {})
        here[last] = value
    return data, problems


def apply_patch(stated: Plain, patch: Plain) -> Plain:
    """A copy of what was said with the patch's dotted paths set; None takes an answer back."""
    changed = copy.deepcopy(stated)
    for path, value in patch.items():
        *way, last = path.split(".")
        here = changed
        for step in way:
            inner = here.get(step)
            if not isinstance(inner, dict):
                inner = here[step] = {}
            here = inner
        if value is None:
            here.pop(last, None)
        else:
            here[last] = copy.deepcopy(value)
    return changed


def _device(device: Plain) -> str:
    count = device.get("count", 1)
    if device.get("custom"):
        parts = ";".join(f"{k}={_escape(x)}" for k, x in sorted(device["custom"].items()))
        return f"{count}*custom({parts})"
    size = device.get("memory_gib")
    return f"{count}*{device['device']}" + (f":{size}" if size else "")


def _escape(value: Any) -> str:
    return quote(str(value), safe=" .-_/")


def _parse_devices(text: str, problems: list[Problem]) -> list[Plain]:
    from urllib.parse import unquote

    found: list[Plain] = []
    for part in text.split(",")[:64]:
        part = part.strip()
        if not part:
            continue
        count, star, name = part.partition("*")
        if not star:
            count, name = "1", part
        item: Plain = {"count": count}
        if name.startswith("custom(") and name.endswith(")"):
            fields = dict(f.partition("=")[::2] for f in name[7:-1].split(";") if "=" in f)
            item["custom"] = {k: unquote(x) for k, x in fields.items()}
        else:
            name, colon, size = name.rpartition(":") if ":" in name else (name, "", "")
            item["device"] = name
            if colon:
                item["memory_gib"] = size
        found.append(item)
    return found
