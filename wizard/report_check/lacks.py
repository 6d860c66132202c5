"""What a report does not say, and which of the ten rules it shows to have been kept."""

from __future__ import annotations

import re
from typing import Any

from wizard.kb import KB

from .names import Subject

Plain = dict[str, Any]

# Fields that one machine or one kind of model does not need, by what makes them needless.
_ONE_DEVICE = frozenset({"field-hardware-link", "field-engine-layout"})
_DENSE = frozenset({"field-model-active-parameters"})


def stated(fields: Plain, said: Plain, runs: list[Plain]) -> dict[str, Plain]:
    """{field id: {"value": as written}}, or {"quantity", "value"} from a run; statistics are a map."""
    found: dict[str, Plain] = {}
    for id_, field in fields.items():
        if id_ in said:
            found[id_] = {"value": said[id_]}
            continue
        for name in field.get("told_by") or ():
            value = _value(name, runs)
            if value is not None:
                found[id_] = {"quantity": name, "value": value}
                break
    return found


def _value(name: str, runs: list[Plain]) -> Any:
    for run in runs:
        stats = {key.rpartition(".")[2]: run[key] for key in run if key.startswith(f"{name}.")}
        if run.get(name) is not None:
            return run[name]
        if stats:
            return stats
    return None


def missing(fields: Plain, have: Plain, subject: Subject, kb: KB) -> list[Plain]:
    """[{"field", "essential"}] in the order of the form, the essential ones first."""
    needless: set[str] = set()
    if subject.device and subject.count == 1:
        needless |= _ONE_DEVICE
    if subject.model and kb.models[subject.model].get("kind") == "dense":
        needless |= _DENSE
    if subject.model:
        needless |= {"field-model-architecture", "field-model-parameters"}  # the name says both
    if subject.device:
        needless |= {"field-hardware-bandwidth"}
    if "field-result-ttft" in have:
        needless |= {"field-result-prefill"}
    elif "field-result-prefill" in have and "field-result-decode" in have:
        needless |= {"field-result-ttft"}  # a tool without a server
    rows = [
        {"field": id_, "essential": bool(field.get("essential"))}
        for id_, field in fields.items()
        if id_ not in have and id_ not in needless
    ]
    return sorted(rows, key=lambda row: not row["essential"])


def rules(entries: Plain, runs: list[Plain], have: Plain) -> list[Plain]:
    """[{"rule", "kept": True | False | None}]; None: only for those who use it."""
    found = []
    for id_, rule in entries.items():
        groups = rule.get("shown_by")
        if not groups:
            found.append({"rule": id_, "kept": None})
            continue
        found.append({"rule": id_, "kept": all(any(_shown(name, runs) for name in group) for group in groups)})
    return found


def _shown(name: str, runs: list[Plain]) -> bool:
    more = re.fullmatch(r"(\w+)>1", name)
    if more:
        return any(isinstance(run.get(more[1]), int | float) and run[more[1]] > 1 for run in runs)
    return _told(name, runs) is not None


def _told(name: str, runs: list[Plain]) -> Any:
    for run in runs:
        if run.get(name) is not None:
            return run[name]
        if "." not in name:
            hit = next((run[key] for key in run if key.startswith(f"{name}.")), None)
            if hit is not None:
                return hit
    return None
