"""The Situation in an address: a short, readable, versioned fragment that servers never see.

`#v=1&devices=2*rtx-3090&model=qwen3-32b&serving=team&traffic.concurrency=4`. Keys are the paths of
the Situation, so that a form field of that name and the address say the same. An open map has a key
for each of its values: `optional.cost.watts=300`, `model.params_b=32`.
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any

from .problems import Problem, problem

Plain = dict[str, Any]
VERSION = "1"
MAX_LENGTH = 16_384  # characters; a longer fragment was not made here
MAX_FIELDS = 200
MAX_DEVICES = 64

_PLAIN_PATHS = (
    "model", "format", "serving", "priority", "traffic.concurrency", "traffic.shared_prefix", "traffic.mode",
    "context.tokens", "context.input", "context.output", "needs", "host.os", "host.arch", "host.ram_gib",
    "host.cpu", "host.free_vram_gib", "links.within", "links.between", "nodes", "already", "settings.kv",
    "settings.layout", "settings.offload", "optional.exposure", "optional.air_gapped", "optional.latency_target",
    "optional.cost", "optional.engine_versions",
)  # fmt: skip
# Maps whose keys are not fixed here; in the last one a number is a version and stays text.
_OPEN = ("model", "settings.layout", "optional.latency_target", "optional.cost", "optional.engine_versions")
_NAMED_VERSIONS = "optional.engine_versions"

# What a link may carry besides a Situation: what it answered when it was made (see `stamp`), another to compare with.
_BESIDE = ("at", "was", "vs")

_KEY = re.compile(r"[A-Za-z0-9_-]{1,60}\Z")
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?\Z")
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_UNSAFE = re.compile(r"[^A-Za-z0-9*,:;=()/~._-]+")
_INSIDE = re.compile(r"[^A-Za-z0-9 ./_-]+")


# ---------------------------------------------------------------------- out


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
        if isinstance(value, dict):
            flat.update(_map(path, value))
        elif isinstance(value, list):
            flat[path] = ",".join(map(str, value))
        else:
            flat[path] = _text(value)
    return flat


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _map(path: str, value: Plain) -> dict[str, str]:
    """A map by its keys if they are plain, else as JSON."""
    if all(_KEY.match(str(k)) and isinstance(x, str | int | float) and x != "" for k, x in value.items()):
        return {f"{path}.{key}": _text(value[key]) for key in sorted(value)}
    return {path: json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)}


def fragment(stated: Plain) -> str:
    """The fragment of a Situation, with its leading "#"."""
    parts = [f"v={VERSION}"]
    parts += [f"{key}={_quote(text, _UNSAFE)}" for key, text in to_flat(stated).items()]
    return "#" + "&".join(parts)


def _device(device: Plain) -> str:
    count = device.get("count", 1)
    if device.get("custom"):
        parts = ";".join(f"{k}={_quote(str(x), _INSIDE)}" for k, x in sorted(device["custom"].items()))
        return f"{count}*custom({parts})"
    size = device.get("memory_gib")
    return f"{count}*{device['device']}" + (f":{size}" if size else "")


def _quote(text: str, unsafe: re.Pattern[str]) -> str:
    """Percent escapes of the UTF-8 bytes; written here because urllib.parse takes long to import in a browser."""
    return unsafe.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode("utf-8", "replace")), text)


def _unquote(text: str) -> str:
    return _ESCAPED.sub(lambda m: bytes.fromhex(m[0].replace("%", "")).decode("utf-8", "replace"), text)


# ---------------------------------------------------------------------- in


def from_fragment(text: str) -> tuple[Plain, list[Problem]]:
    """The Situation in a fragment. Anything may stand there; what is not understood is a problem."""
    text = text.lstrip("#")
    if len(text) > MAX_LENGTH:
        return {}, [problem("address", text[:40], "address-too-long", high=MAX_LENGTH)]
    if not text:
        return {}, []
    parts = text.split("&")
    pairs = {}
    if len(parts) <= MAX_FIELDS:
        for part in parts:
            key, _, value = part.partition("=")
            if value:
                pairs[_unquote(key)] = _unquote(value.replace("+", " "))
    if not pairs:
        return {}, [problem("address", text[:40], "address-unreadable")]
    version = pairs.pop("v", VERSION)
    for key in _BESIDE:
        pairs.pop(key, None)
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
            data["devices"] = _parse_devices(value) if isinstance(value, str) else value
            continue
        parent, _, last = key.rpartition(".")
        if key not in _PLAIN_PATHS and (parent not in _OPEN or not _KEY.match(last)):
            problems.append(problem(key[:60], value, "unknown-field", known=[]))
            continue
        if isinstance(value, str) and value[:1] == "{":
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                problems.append(problem(key, value, "not-a-map"))
                continue
        elif parent in _OPEN and parent != _NAMED_VERSIONS and isinstance(value, str) and _NUMBER.match(value):
            value = float(value) if "." in value else int(value)
        if not _put(data, key, value):
            problems.append(problem(key, value, "not-a-map"))
    return data, problems


def _put(data: Plain, path: str, value: Any) -> bool:
    """Set a dotted path; False if a part of the way is already something else than a map."""
    *way, last = path.split(".")
    for step in way:
        data = data.setdefault(step, {})
        if not isinstance(data, dict):
            return False
    data[last] = value
    return True


def _parse_devices(text: str) -> list[Plain]:
    found: list[Plain] = []
    for part in text.split(",")[:MAX_DEVICES]:
        part = part.strip()
        if not part:
            continue
        count, star, name = part.partition("*")
        if not star:
            count, name = "1", part
        item: Plain = {"count": count}
        if name.startswith("custom(") and name.endswith(")"):
            fields = dict(f.partition("=")[::2] for f in name[7:-1].split(";") if "=" in f)
            item["custom"] = {k: _unquote(x) for k, x in fields.items()}
        else:
            name, colon, size = name.rpartition(":") if ":" in name else (name, "", "")
            item["device"] = name
            if colon:
                item["memory_gib"] = size
        found.append(item)
    return found


# ---------------------------------------------------------------------- change


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
