"""What the decision knows against a question: an engine that does not start on a device, or not so.

The same search for paths that a decision makes, asked for one engine, device, back end and format. A command
that computes a size or a speed all the same says with it what stands in the way.
"""

from __future__ import annotations

import re
from typing import Any

from . import paths
from .facts import Facts
from .kb import KB
from .obstacles import obstacle
from .situation import read

Plain = dict[str, Any]
_NUMBERED = re.compile(r"v?\d+(\.\d+)+")


def against(
    device: str, engine: str, kb: KB, *, mode: str | None = None, version: str = "", backend: str | None = None,
    family: str | None = None, type_: str | None = None, count: int = 1, model: str | None = None,
) -> list[Plain]:  # fmt: skip
    """The obstacles that a decision would name, the fewest of any system the device runs; empty when it starts
    or when that is not known.

    device, engine, model: ids of entries; family and type_: of the format, left aside where the base has none
    such; version: left aside unless it is counted as the engine's own is. An app has what is inside it.
    """
    entry = kb.engines.get(engine)
    if entry is None or device not in kb.devices:
        return []
    if entry["layer"] not in paths.RUNNABLE:
        inner = [line["engine"] for line in entry.get("over", ())]
        found = [
            against(device, name, kb, backend=backend, family=family, type_=type_, count=count, model=model)
            for name in inner
        ]
        return min(found, key=len, default=[])
    nearest: list[Plain] | None = None
    for system in kb.devices[device].get("os") or (None,):
        facts = _facts(device, engine, version, family, type_, count, model, system, kb)
        found_ = paths.find(facts, only=engine)
        options = [option.path for option in found_.options if mode in (None, option.path.mode)]
        if any(backend in (None, path.backend) for path in options):
            return []
        if options:
            here = sorted({path.backend for path in options})
            stops = [obstacle("candidate.backend", backend, here, options[0].sources)]
        else:
            refused = [refusal.obstacles for refusal in found_.refusals if mode in (None, refusal.mode)]
            stops = min(refused or [r.obstacles for r in found_.refusals], key=len, default=[])
        stops = [stop for stop in stops if stop["kind"] == "false"]
        if not stops:
            return []  # not confirmed is not known to fail
        if nearest is None or len(stops) < len(nearest):
            nearest = stops
    return nearest or []


def _facts(
    device: str, engine: str, version: str, family: str | None, type_: str | None, count: int, model: str | None,
    system: str | None, kb: KB,
) -> Facts:  # fmt: skip
    asked: Plain = {"devices": [{"device": device, "count": count}]}
    if system:
        asked["host"] = {"os": system}
    if family in kb.formats:
        asked["format"] = {"family": family} | ({"type": type_} if kb.type_of(family, type_ or "") else {})
    if model in kb.models:
        asked["model"] = model
    if _NUMBERED.fullmatch(version) and _NUMBERED.fullmatch(str(kb.engines[engine]["versions"]["stable"])):
        asked["optional"] = {"engine_versions": {engine: version}}
    return Facts(read(asked, kb).situation, kb)
