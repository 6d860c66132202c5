"""Copies of a model as processes of their own, and runs that are kept to some of the devices."""

from __future__ import annotations

from typing import Any

from . import values as v

Plain = dict[str, Any]

WHY = "command.visible"  # the reason beside the variable
SHOWN = 16  # copies of one machine that are written down
# How a run is kept to some of the devices; the variable belongs to the vendor's runtime, not to an engine.
# https://docs.nvidia.com/cuda/cuda-c-programming-guide/ (CUDA_VISIBLE_DEVICES),
# https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html (HIP_VISIBLE_DEVICES),
# https://github.com/vllm-project/vllm-gaudi docs/getting_started/installation.md (HABANA_VISIBLE_DEVICES)
_VISIBLE = {"cuda": "CUDA_VISIBLE_DEVICES", "rocm": "HIP_VISIBLE_DEVICES", "hpu": "HABANA_VISIBLE_DEVICES"}


def one(candidate: Plain, entry: Plain) -> tuple[int, Plain]:
    """Copies of one machine that are processes of their own, and the candidate as each of them sees it.

    An engine that starts its copies itself, or has only one, is left as it is.
    """
    layout = candidate.get("layout") or {}
    copies, nodes = layout.get("dp") or 1, layout.get("nodes") or 1
    own = ((entry.get("parallelism") or {}).get("dp") or {}).get("is") in ("yes", "partial", "experimental")
    if own or copies < 2 or copies % nodes:
        return 1, candidate
    width = layout["tp"] * layout["pp"]
    devices = [{**d, "count": min(d.get("count") or 1, width)} for d in layout["devices"][:1]]
    fit = candidate.get("fit")
    alone = {**layout, "dp": 1, "nodes": 1, "devices": devices}
    shown = {**fit, "devices": fit["devices"][:width]} if fit and fit.get("devices") else fit
    return copies // nodes, {**candidate, "layout": alone, "fit": shown}


def name(
    processes: list[Plain], copy: int, nodes: int, before: list[Plain], workers: frozenset[str] = frozenset()
) -> list[Plain]:
    """Names, files and machines of one of several copies; the ports already differ.

    before: processes of earlier copies; what would only be done again (a download) is left out, unless
    it is one of the workers, which are told apart by their devices alone.
    """
    kept = []
    for process in processes:
        if not process["files"] and process["id"] not in workers and any(_same(process, p) for p in before):
            continue
        kept.append(process)
        process["repeat"] = nodes
        if copy == 0:
            continue
        process["id"] = f"{process['id']}-{copy + 1}"
        for file in process["files"]:
            if not any(file["path"] == f["path"] for p in before for f in p["files"]):
                continue  # its path already names the copy
            stem, dot, ending = file["path"].rpartition(".")
            path = f"{stem}-{copy + 1}{dot}{ending}" if dot else f"{ending}-{copy + 1}"
            for arg in process["args"]:
                arg |= {k: path for k in ("flag", "value") if arg[k] == file["path"]}
            file["path"] = path
    return kept


def _same(one_: Plain, other: Plain) -> bool:
    """Whether two processes do the same, on whichever device."""
    env = [[e for e in p["env"] if e["name"] not in _VISIBLE.values()] for p in (one_, other)]
    return one_["program"] == other["program"] and one_["args"] == other["args"] and env[0] == env[1]


def visible(processes: list[Plain], candidate: Plain, situation: Plain, copy: int | None) -> None:
    """When only some of the devices are used, keep the run to them. copy: which of several copies it is."""
    variable = _VISIBLE.get(candidate.get("backend") or "")
    used = v.device_count(candidate.get("layout") or {})
    present = sum(d.get("count") or 1 for d in situation.get("devices") or [])
    fit = (candidate.get("fit") or {}).get("devices") or []
    if not variable or not used or used >= present:
        return
    if len(fit) == used:
        first = [d["index"] for d in fit]
    elif copy is not None:
        first = list(range(used))
    else:
        return
    numbers = ",".join(str(index + (copy or 0) * used) for index in first)
    for process in processes:
        if not any(e["name"] == variable for e in process["env"]):
            process["env"].append({"name": variable, "value": numbers, "why": WHY, "bind": False})
