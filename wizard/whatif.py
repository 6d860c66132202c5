"""What if: verified fixes and the changes that would flip the answer, each decided anew.

Stands outside `decide`: it runs after the answer is shown, in small steps, and can be dropped at
any step when the person answers something else. A fix is kept only if it is enough by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .decide import decide
from .facts import Facts
from .kb import KB
from .situation import apply_patch, get, read
from .vocabulary import LINKS_WITHIN, NEEDS, PRIORITIES, SERVING

Plain = dict[str, Any]

# Smallest change first: the order in which fixes are tried and changes are told (design §5.2).
_WEIGHT = {
    "settings": 0,
    "context": 0,
    "traffic": 0,
    "needs": 0,
    "format": 1,
    "optional": 2,
    "serving": 2,
    "priority": 2,
    "host": 3,
    "links": 3,
    "model": 4,
    "devices": 5,
    "nodes": 6,
}
MAX_CHANGES = 8
MAX_DEVICE_TRIES = 6
NEAREST_ENGINES = 3


def explore(data: Any, kb: KB, today: str) -> Iterator[Plain]:
    """Yield partial results, one re-decision a step.

    Each result is one of {"fix": {"row": id, "patch": …}}, {"change": …} or {"nothing_fits": […]};
    steps that found nothing yield {}. `complete` collects them.
    """
    decision = decide(data, kb, today)
    stated = decision["stated"]
    if not decision["situation"]["devices"]:
        return
    start = _start(decision)
    yield {}
    yield from _changes(decision, stated, start, kb, today)
    for row in decision["rejected"]:
        if row["scope"]["kind"] == "layout" or row["group"] == "behind":
            continue
        yield from _fix(row, decision, stated, kb, today)
    if start is None:
        yield from _nothing_fits(decision, stated, kb, today)


def complete(data: Any, kb: KB, today: str) -> Plain:
    """The Decision with verified fixes, `would_change` and `nothing_fits` filled in."""
    return merge(decide(data, kb, today), explore(data, kb, today))


def merge(decision: Plain, results: Any) -> Plain:
    """Put what `explore` found into the Decision it belongs to."""
    rows = {row["id"]: row for row in decision["rejected"]}
    for row in rows.values():
        row["fix"] = row["fix"] if row["group"] == "behind" else None
    for result in results:
        if "fix" in result:
            row = rows.get(result["fix"]["row"])
            if row is not None:
                row["fix"], row["fix_verified"] = result["fix"]["patch"], True
                row["fix_needs_all"] = len(result["fix"]["patch"]) > 1
        elif "change" in result:
            decision["would_change"].append(result["change"])
        elif "nothing_fits" in result:
            decision["nothing_fits"] = result["nothing_fits"]
    decision["would_change"].sort(key=lambda c: (c["weight"], c["path"]))
    decision["would_change"] = decision["would_change"][:MAX_CHANGES]
    return decision


# ---------------------------------------------------------------------- what would change it


def _changes(decision: Plain, stated: Plain, start: Plain | None, kb: KB, today: str) -> Iterator[Plain]:
    now = _answer(start)
    for path, values in _neighbours(decision["situation"]):
        hit = None
        for value in values:
            patch = {path: value}
            other = decide(apply_patch(stated, patch), kb, today)
            then = _answer(_start(other))
            yield {}
            if then != now:
                hit = (value, patch, other)
                break
        if hit:
            value, patch, other = hit
            yield {"change": _change(decision, path, value, patch, other)}


def _neighbours(situation: Plain) -> Iterator[tuple[str, list[Any]]]:
    """Values near the person's, nearest first, for each answer that may flip the result."""
    users = situation["traffic"]["concurrency"]
    yield (
        "traffic.concurrency",
        [n for n in dict.fromkeys([users // 2, users * 2, 1, 2, 4, 16, 64]) if n >= 1 and n != users][:5],
    )
    tokens = situation["context"]["tokens"]
    yield "context.tokens", [tokens * 2, tokens * 4, max(1024, tokens // 4)]
    yield "serving", [s for s in SERVING if s != situation["serving"] and s not in ("browser", "mobile")]
    yield "priority", [p for p in PRIORITIES if p != situation["priority"]][:3]
    if situation["format"] == "auto":
        yield "format", [{"family": f, "type": None} for f in ("gguf", "fp8", "awq")]
    else:
        yield "format", ["auto"]
    system = situation["host"]["os"]
    if system in ("linux", "windows", "wsl2"):
        yield "host.os", [s for s in ("linux", "windows") if s != system]
    count = sum(d["count"] for d in situation["devices"])
    if count > 1:
        within = situation["links"]["within"]
        yield "links.within", [x for x in ("nvlink", "pcie") if x != within and x in LINKS_WITHIN]
    if len(situation["devices"]) == 1:
        device = situation["devices"][0]
        yield (
            "devices",
            [
                [{**device, "count": n}]
                for n in (device["count"] + 1, device["count"] * 2, device["count"] // 2)
                if 1 <= n != device["count"]
            ],
        )
    for need in ("structured-output", "lora"):
        if need in NEEDS and need not in situation["needs"]:
            yield "needs", [[*situation["needs"], need]]
            break


def _change(decision: Plain, path: str, value: Any, patch: Plain, other: Plain) -> Plain:
    then = _start(other)
    return {
        "id": f"change-{path.replace('.', '-')}",
        "path": path,
        "now": get(decision["situation"], path),
        "value": value,
        "patch": patch,
        "then": _brief(then),
        "weight": _WEIGHT.get(path.split(".")[0], 9),
    }


def _answer(start: Plain | None) -> Any:
    """What a person would call the answer: engine, format, layout and whether it fits."""
    if start is None:
        return None
    layout = start["layout"]
    family = start["format"]["family"] if start["format"] else None
    fit = start["fit"]["class"] if start["fit"] else None
    return (start["engine"], tuple(start["tied_with"]), family, layout["tp"], layout["pp"], layout["dp"], fit)


def _brief(start: Plain | None) -> Plain | None:
    if start is None:
        return None
    speed = (start["estimates"] or {}).get("decode_tps")
    return {
        "engine": start["engine"],
        "mode": start["mode"],
        "format": start["format"],
        "layout": {k: start["layout"][k] for k in ("tp", "pp", "ep", "dp", "nodes")},
        "fit": start["fit"]["class"] if start["fit"] else None,
        "decode_tps": speed["point"] if speed else None,
        "tied_with": start["tied_with"],
    }


def _start(decision: Plain) -> Plain | None:
    return next((r for r in decision["recommendations"] if r["role"] == "start"), None)


# ---------------------------------------------------------------------- fixes


def _fix(row: Plain, decision: Plain, stated: Plain, kb: KB, today: str) -> Iterator[Plain]:
    """Find the smallest change that admits what was rejected; each try is decided anew."""
    for patch in _patches(row, decision, kb):
        other = decide(apply_patch(stated, patch), kb, today)
        yield {}
        if admits(other, row):
            yield {"fix": {"row": row["id"], "patch": patch}}
            return


def admits(decision: Plain, row: Plain) -> bool:
    """Whether a Decision no longer finds impossible what `row` rejected."""
    if not any(r["role"] == "start" for r in decision["recommendations"]):
        return False
    engine, scope = row["engine"], row["scope"]
    for rec in decision["recommendations"]:
        if rec["engine"] == engine and scope["kind"] not in ("format", "layout"):
            return row["mode"] is None or rec["mode"] in (None, row["mode"])
        if (
            rec["engine"] == engine
            and scope["kind"] == "format"
            and rec["format"]
            and rec["format"]["family"] == scope["value"]
        ):
            return True
    for other in decision["rejected"]:
        if other["engine"] == engine and other["group"] == "behind":
            if scope["kind"] not in ("format", "layout"):
                return other["scope"]["kind"] == "engine"
            if other["scope"] == scope:
                return True
    return False


def _patches(row: Plain, decision: Plain, kb: KB) -> Iterator[Plain]:
    """Candidate changes for a rejected row, smallest first."""
    if row["fix"]:
        yield row["fix"]
    clauses = {o["clause"] for o in row["obstacles"]}
    situation = decision["situation"]
    if "memory" in clauses:
        if situation["settings"]["kv"] == "auto":
            yield {"settings.kv": "fp8"}
            yield {"settings.kv": "q8_0"}
        for tokens in (situation["context"]["tokens"] // 2, situation["context"]["tokens"] // 4):
            if tokens >= 2048:
                yield {"context.tokens": tokens}
        if isinstance(situation["format"], dict):
            yield {"format": None}
    hardware = any(c.startswith(("device.", "candidate.", "hardware.")) or c == "memory" for c in clauses)
    if hardware and len(situation["devices"]) == 1:
        device = situation["devices"][0]
        if "memory" in clauses and device["device"]:
            for count in (device["count"] * 2, device["count"] * 4):
                yield {"devices": [{**device, "count": count}]}
        yield from _other_devices(row, device, situation, kb)


def _other_devices(row: Plain, device: Plain, situation: Plain, kb: KB) -> Iterator[Plain]:
    """Devices nearest in memory on which the engine has a way to run; the same vendor first."""
    entry = kb.engines[row["engine"]]
    wanted = {line["backend"] for line in entry.get("runs_on", [])}
    mine = kb.devices.get(device["device"] or "", {})
    options = []
    for id_, other in kb.devices.items():
        if id_ == device["device"] or not wanted & set(other["backends"]):
            continue
        gib = max(other["memory"]["options"])
        same = other["vendor"] != mine.get("vendor")
        apart = abs(gib - device["memory_gib"]) / max(gib, device["memory_gib"])
        options.append((other["kind"] != mine.get("kind"), same, apart, id_, gib))
    system = situation["host"]["os"]
    for _, _, _, id_, gib in sorted(options)[:MAX_DEVICE_TRIES]:
        patch: Plain = {"devices": [{"device": id_, "count": device["count"], "memory_gib": gib}]}
        systems = kb.devices[id_].get("os")
        if systems and system not in systems:
            patch["host.os"] = systems[0]
        yield patch


# ---------------------------------------------------------------------- nothing fits


def _nothing_fits(decision: Plain, stated: Plain, kb: KB, today: str) -> Iterator[Plain]:
    """For the three nearest engines, the one change each needs; decided anew."""
    nearest = [r for r in decision["rejected"] if any(o["clause"] == "memory" for o in r["obstacles"])]
    nearest.sort(
        key=lambda r: (
            min(o["params"].get("over", 0) for o in r["obstacles"] if o["clause"] == "memory"),
            r["engine"],
        )
    )
    found: list[Plain] = []
    engines: set[str] = set()
    for row in [*nearest, *decision["rejected"]]:
        if row["engine"] in engines or row["scope"]["kind"] in ("format", "layout") or len(found) == NEAREST_ENGINES:
            continue
        for patch in [*_patches(row, decision, kb), *_smaller_models(decision, kb)]:
            other = decide(apply_patch(stated, patch), kb, today)
            yield {}
            start = _start(other)
            if start and admits(other, row):
                engines.add(row["engine"])
                found.append({"engine": row["engine"], "patch": patch, "then": _brief(start)})
                break
    yield {"nothing_fits": found}


def _smaller_models(decision: Plain, kb: KB) -> Iterator[Plain]:
    """Known chat models below the asked one, largest first."""
    facts = Facts(read(decision["stated"], kb).situation, kb)
    if facts.arch is None:
        return
    size = facts.arch["params"]["total"]
    below = [
        (m["params"]["total"], id_)
        for id_, m in kb.models.items()
        if m["params"]["total"] < size and "chat" in m["tasks"]
    ]
    for _, id_ in sorted(below, reverse=True)[:4]:
        yield {"model": {"id": id_}}
