"""The devices of a Situation: names as people write them, own devices, equal ones counted together."""

from __future__ import annotations

import copy
import re
from difflib import get_close_matches
from typing import Any

from . import vocabulary as v
from .fields import MAX_COUNT, Field, number, tidy, value
from .kb import KB
from .problems import Problem, printable, problem
from .series import plain, relative

Plain = dict[str, Any]

MAX_KINDS = 16  # different kinds of device in one machine; more is a typing error, not a machine
_CUSTOM = ("memory_gib", "bandwidth_gbs", "tflops", "vendor", "kind", "name", "arch", "compute_capability")
_SM = re.compile(r"^sm[ _-]?(\d+)")  # "sm86", "SM_86"
_CAPABILITY = re.compile(r"\d{1,2}(\.\d)?\Z")
_COUNTED = re.compile(
    r"^\s*(\d{1,3})\s*[x×*]\s*(?=[A-Za-z]|\d{4}\b)|(?:(?<=\d)|\s+)[x×]\s*(\d{1,3})\s*$|\s+X\s+(\d{1,3})\s*$"
)
_COUNT_WORD = re.compile(r"^\s*(dual|twin|two|triple|three|quad|four|eight)[ -]+(?!channel|core)", re.I)
_COUNT_WORDS = {"dual": 2, "twin": 2, "two": 2, "triple": 3, "three": 3, "quad": 4, "four": 4, "eight": 8}


def counted(text: str) -> tuple[int | None, str]:
    """(how many of a device a text names, the text without it): "2x3090", "dual 3090", "RTX 3090 + RTX 3090"."""
    same = [part.strip() for part in text.split(" + ")]
    if len(same) > 1 and len(set(same)) == 1:
        return len(same), same[0]
    word = _COUNT_WORD.match(text)
    if word:
        return _COUNT_WORDS[word[1].lower()], text[word.end() :]
    found = _COUNTED.search(text)
    return (int(found[1] or found[2] or found[3]), _COUNTED.sub(" ", text)) if found else (None, text)


def devices(raw: Any, kb: KB, problems: list[Problem]) -> list[Plain]:
    """The devices, normalised: [{"device", "custom", "count", "memory_gib"}], equal ones in one entry."""
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
        device = _one(item, f"devices.{index}", kb, problems)
        same = device and next((d for d in found if {**d, "count": 0} == {**device, "count": 0}), None)
        if same:
            same["count"] = min(MAX_COUNT, same["count"] + device["count"])
        elif device:
            found.append(device)
    return found


def _one(item: Any, path: str, kb: KB, problems: list[Problem]) -> Plain | None:
    if isinstance(item, str):
        many, bare = (None, item) if kb.find_device(item[:120]) else counted(item)
        item = {"device": bare.strip(), "count": many} if many is not None else {"device": item}
    if not isinstance(item, dict):
        problems.append(problem(path, item, "not-a-map"))
        return None
    count = 1
    if item.get("count") not in (None, ""):
        count = value(f"{path}.count", item["count"], Field("int", 1, MAX_COUNT), problems) or 1
    if item.get("custom") or isinstance(item.get("custom"), dict):
        custom = _custom(item["custom"], path, problems)
        if not custom:
            return None
        return {"device": None, "custom": custom, "count": count, "memory_gib": custom["memory_gib"]}
    name = item.get("device")
    if isinstance(name, dict):  # an own device under the name of the known ones
        return _one({**item, "device": None, "custom": name}, path, kb, problems)
    if name in (None, ""):
        return None
    hit = kb.find_device(str(name)[:120]) or _relative(str(name)[:120], f"{path}.device", kb, problems)
    if not hit:
        near = kb.nearest_names(str(name)[:120], "device")
        problems.append(problem(f"{path}.device", name, "unknown-device", near=near))
        return None
    id_, option = hit
    options = kb.devices[id_]["memory"]["options"]
    asked = number(item.get("memory_gib")) if item.get("memory_gib") not in (None, "") else option
    if asked is not None and asked not in options:
        # cards of one name whose sizes differ in more than the size are entries of their own
        other = kb.find_device(f"{str(name)[:100]} {asked:g} GB")
        if other and asked in kb.devices[other[0]]["memory"]["options"]:
            return {"device": other[0], "custom": None, "count": count, "memory_gib": tidy(asked)}
        problems.append(problem(f"{path}.memory_gib", asked, "not-an-option", known=options))
        asked = None
    gib = asked if asked is not None else max(options)
    return {"device": id_, "custom": None, "count": count, "memory_gib": tidy(gib)}


def _relative(name: str, path: str, kb: KB, problems: list[Problem]) -> tuple[str, float | None] | None:
    """A processor of a known series stands for one that is not listed, and the answer says so."""
    printed = kb.find_device(plain(name))
    if printed:
        return printed
    id_ = relative(name, kb)
    if id_ is None:
        return None
    problems.append(problem(path, name, "relative", near=kb.devices[id_]["name"]))
    return id_, None


def systems(found: list[Plain], kb: KB) -> list[str]:
    """The systems that run on all of these devices; empty where that is not known, or where there is none."""
    known = [own for own in (_systems(device, kb) for device in found) if own]
    common = set.intersection(*known) if known else set()
    return [o for o in v.OSES if o in common]


def _systems(device: Plain, kb: KB) -> set[str]:
    """Those of a device; of an own one, those of any known device of its maker and kind."""
    if device["device"]:
        return set(kb.devices[device["device"]].get("os", ()))
    vendor, kind = device["custom"].get("vendor"), device["custom"].get("kind")
    found = {o for d in kb.devices.values() if (d["vendor"], d["kind"]) == (vendor, kind) for o in d.get("os", ())}
    # an ARM processor may be that of a phone without a usable GPU
    return found | {"android"} if found and (vendor, kind) == ("arm", "cpu") else found


def system(found: list[Plain], said: Any, kb: KB, problems: list[Problem]) -> bool:
    """Whether the system that was named runs on these devices; if not, a problem says which do."""
    common = systems(found, kb)
    if said is None or said in common or not common:
        return True
    problems.append(problem("host.os", said, "not-its-system", known=common))
    return False


def processor(found: list[Plain], kb: KB) -> tuple[list[Plain], str | None]:
    """A processor listed beside graphics cards is the machine's processor, not one more card.

    Returns the devices without it, and its id.
    """
    cpus = [d for d in found if d["device"] and kb.devices[d["device"]]["kind"] == "cpu"]
    others = [d for d in found if d not in cpus]
    return (others, cpus[0]["device"]) if cpus and others else (found, None)


def host_processor(raw: Any, kb: KB, problems: list[Problem]) -> str | None:
    """The id of the processor that was named, or None."""
    if raw in (None, ""):
        return None
    name = str(raw)[:120]
    hit = kb.find_device(name) or _relative(name, "host.cpu", kb, problems)
    if hit and kb.devices[hit[0]]["kind"] in ("cpu", "soc"):
        return hit[0]
    problems.append(problem("host.cpu", raw, "unknown-device", near=kb.nearest_names(name, "device")))
    return None


def alone(processor: str, kb: KB) -> Plain:
    """A machine that has only this processor: it is the device."""
    gib = tidy(max(kb.devices[processor]["memory"]["options"]))
    return {"device": processor, "custom": None, "count": 1, "memory_gib": gib}


def said(device: Plain, kb: KB) -> Plain:
    """A device as it was said: its memory only where it is not the largest there is, which is the default."""
    kept = copy.deepcopy(device)
    if device.get("device") and device["memory_gib"] == max(kb.devices[device["device"]]["memory"]["options"]):
        del kept["memory_gib"]
    return kept


def _custom(raw: Any, path: str, problems: list[Problem]) -> Plain | None:
    if not isinstance(raw, dict):
        problems.append(problem(f"{path}.custom", raw, "not-a-map"))
        return None
    gib = value(f"{path}.custom.memory_gib", raw.get("memory_gib", ""), Field("number", 0.25, 10_000), problems)
    if gib is None:
        if raw.get("memory_gib") in (None, ""):
            problems.append(problem(f"{path}.custom.memory_gib", None, "missing"))
        return None
    for key in raw:
        if key not in _CUSTOM:
            near = get_close_matches(str(key)[:60], _CUSTOM, 1)
            problems.append(problem(f"{path}.custom.{key}", raw[key], "unknown-field", near=near))
    custom: Plain = {"memory_gib": gib}
    for key in ("bandwidth_gbs", "tflops"):
        if raw.get(key) not in (None, ""):
            rate = value(f"{path}.custom.{key}", raw[key], Field("number", 0.1, 100_000), problems)
            if rate is not None:
                custom[key] = rate
    for key, values in (("vendor", v.VENDORS), ("kind", v.DEVICE_KINDS)):
        if raw.get(key) not in (None, ""):
            chosen = value(f"{path}.custom.{key}", raw[key], Field("enum", values=values), problems)
            if chosen:
                custom[key] = chosen
    if raw.get("name") not in (None, ""):
        custom["name"] = printable(raw["name"], 60)
    if raw.get("arch") not in (None, ""):
        custom["arch"] = _SM.sub(r"sm_\1", printable(raw["arch"], 60).strip().lower())
    if raw.get("compute_capability") not in (None, ""):
        text = str(raw["compute_capability"]).strip()
        if _CAPABILITY.match(text):
            custom["compute_capability"] = text
        else:
            problems.append(problem(f"{path}.custom.compute_capability", text, "not-a-number", low=5, high=12.1))
    return custom
