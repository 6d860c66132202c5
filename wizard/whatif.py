"""What if: verified fixes and the changes that would flip the answer, each decided anew.

Stands outside `decide`: it runs after the answer is shown, in small steps, and can be dropped at
any step when the person answers something else. A fix is kept only if it is enough by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from .decide import decide, decide_briefly
from .fields import FIELDS, MAX_COUNT
from .fixes import admits, most, patches, smaller_models, visitors
from .kb import KB
from .models import writes
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
MAX_CHANGES = 8  # besides those of answers that were assumed
NEAREST_CHANGES = 3
MAX_TRIES = 12  # of one kind of change
MAX_DECISIONS = 120  # of one exploration; an ordinary one takes twenty to sixty


def explore(data: Any, kb: KB, today: str, decision: Plain | None = None) -> Iterator[Plain]:
    """Yield partial results, one re-decision a step.

    decision: the Decision for `data` where it is there already. Each result is one of {"fix": {"row": id,
    "patch": …}}, {"change": …} or {"nothing_fits": […]}; steps that found nothing yield {}. `complete`
    collects them.
    """
    if decision is None:
        decision = decide(data, kb, today)
    stated = decision["stated"]
    if not decision["situation"]["devices"]:
        return
    start = _start(decision)
    again = _Again(stated, kb)
    yield {}
    yield from _changes(decision, start, again)
    if start is None:
        yield from _nothing_fits(decision, again)
    for row in decision["rejected"]:
        part = row["scope"]["kind"] == "layout" and row["scope"]["value"] is not None
        if part or row["group"] == "behind":
            continue
        yield from _fix(row, decision, again)


def complete(data: Any, kb: KB, today: str) -> Plain:
    """The Decision with verified fixes, `would_change` and `nothing_fits` filled in."""
    decision = decide(data, kb, today)
    return merge(decision, list(explore(data, kb, today, decision)))


def merge(decision: Plain, results: Any) -> Plain:
    """Put what `explore` found into the Decision it belongs to."""
    # copies: a row may stand in other decisions too
    decision["rejected"] = [
        {**row, "fix": row["fix"] if row["group"] == "behind" else None} for row in decision["rejected"]
    ]
    rows = {row["id"]: row for row in decision["rejected"]}
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
    found = sorted(decision["would_change"], key=lambda c: (c["weight"], c["path"]))
    assumed = {a["path"] for a in decision["assumptions"]}
    decision["would_change"] = [c for n, c in enumerate(found) if n < MAX_CHANGES or c["path"] in assumed]
    return decision


class _Again:
    """Decides changed situations, as far as the comparison needs it; the same change is decided once."""

    def __init__(self, stated: Plain, kb: KB) -> None:
        self.stated, self.kb = stated, kb
        self.known: dict[str, tuple[Plain | None, Callable[[], Plain]]] = {}
        self.left = MAX_DECISIONS

    def start(self, patch: Plain) -> Plain | None:
        """The recommendation to start with after a change."""
        return self._decided(patch)[0]

    def whole(self, patch: Plain) -> Plain:
        """Recommendations and rejected after a change."""
        return self._decided(patch)[1]()

    def _decided(self, patch: Plain) -> tuple[Plain | None, Callable[[], Plain]]:
        key = json.dumps(patch, sort_keys=True)
        found = self.known.get(key)
        if found is None:
            self.left -= 1
            start, rest = decide_briefly(read(apply_patch(self.stated, patch), self.kb), self.kb)
            found = self.known[key] = (start, cache(rest))
        return found


# ---------------------------------------------------------------------- what would change it


def _changes(decision: Plain, start: Plain | None, again: _Again) -> Iterator[Plain]:
    now = _answer(start)
    asked = {**decision["situation"], "traffic": _traffic(decision)}
    assumed = {a["path"] for a in decision["assumptions"]}
    for path, values in [*_neighbours(asked, again.kb), *_unsaid(asked, assumed)]:
        hit = None
        for value in values:
            patch = {path: value}
            then = again.start(patch)
            yield {}
            if _answer(then) != now:
                hit = (value, patch, then)
                break
        if hit:
            yield {"change": _change(decision, path, *hit)}


def _traffic(decision: Plain) -> Plain:
    """The load as it was asked for; the answer may hold fewer requests at once and let the others wait."""
    return {**decision["situation"]["traffic"], **(decision["stated"].get("traffic") or {})}


def _most(path: str) -> float:
    """The largest value a field may have."""
    return FIELDS[path].high


def _neighbours(situation: Plain, kb: KB) -> Iterator[tuple[str, list[Any]]]:
    """Values near the person's, nearest first, for each answer that may flip the result."""
    users, limit = situation["traffic"]["concurrency"], _most("traffic.concurrency")
    yield (
        "traffic.concurrency",
        [n for n in dict.fromkeys([users // 2, users * 2, 1, 2, 4, 16, 64]) if n != users and 1 <= n <= limit][:5],
    )
    tokens = situation["context"]["tokens"]
    yield (
        "context.tokens",
        [n for n in (tokens * 2, tokens * 4, max(1024, tokens // 4)) if n <= _most("context.tokens")],
    )
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
        room = most(kb.devices[device["device"]]) if device["device"] else 8
        yield (
            "devices",
            [
                [{**device, "count": n}]
                for n in (device["count"] + 1, device["count"] * 2, device["count"] // 2)
                if 1 <= n != device["count"] and (n < device["count"] or n <= min(room, MAX_COUNT))
            ],
        )
    for need in ("structured-output", "lora") if _writes(situation, kb) else ():
        if need in NEEDS and need not in situation["needs"]:
            yield "needs", [[*situation["needs"], need]]
            break


def _writes(situation: Plain, kb: KB) -> bool:
    """Whether the model answers with text; of one that only reads nobody wants a schema or an adapter."""
    return writes(kb.models.get((situation["model"] or {}).get("id") or ""))


def _unsaid(situation: Plain, assumed: set[str]) -> Iterator[tuple[str, list[Any]]]:
    """Values far from the defaults of questions that people seldom answer: does any of them matter here?"""
    tokens, ram = situation["context"]["tokens"], situation["host"]["ram_gib"]
    for path in ("context.input", "context.output"):
        if path in assumed:
            now = get(situation, path)
            yield path, [n for n in dict.fromkeys((min(now * 4, tokens * 3 // 4), max(1, now // 4))) if n != now]
    if "host.ram_gib" in assumed:
        yield "host.ram_gib", [n for n in (ram * 2, ram / 2) if n <= _most("host.ram_gib")]
    if "traffic.shared_prefix" in assumed:
        yield "traffic.shared_prefix", [n for n in (0.9, 0) if n != get(situation, "traffic.shared_prefix")]


def _change(decision: Plain, path: str, value: Any, patch: Plain, then: Plain | None) -> Plain:
    return {
        "id": f"change-{path.replace('.', '-')}",
        "path": path,
        "now": get({**decision["situation"], "traffic": _traffic(decision)}, path),
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
        "decode_tps": float(f"{speed['point']:.6g}") if speed else None,
        "tied_with": start["tied_with"],
    }


def _start(decision: Plain) -> Plain | None:
    return next((r for r in decision["recommendations"] if r["role"] == "start"), None)


# ---------------------------------------------------------------------- fixes


def _fix(row: Plain, decision: Plain, again: _Again) -> Iterator[Plain]:
    """Find the smallest change that admits what was rejected; each try is decided anew."""
    for patch in patches(row, decision, again.kb):
        if again.left <= 0:
            return
        if again.start(patch) is None:
            yield {}
            continue
        yield {}
        if admits(again.whole(patch), row):
            yield {"fix": {"row": row["id"], "patch": patch}}
            return


def _nothing_fits(decision: Plain, again: _Again) -> Iterator[Plain]:
    """The nearest three changes after which something starts: one per thing that can be changed.

    Where no one change helps, a change together with a smaller model.
    """
    rows = [r for r in decision["rejected"] if r["group"] == "impossible" and r["id"] == f"no-{r['engine']}"]
    rows.sort(key=_nearness)
    tries: dict[str, list[Plain]] = {}
    of_rows = (p for r in rows for p in patches(r, decision, again.kb))
    for patch in [*visitors(decision, again.kb), *of_rows, *smaller_models(decision, again.kb)]:
        ways = tries.setdefault(" ".join(patch), [])
        if patch not in ways:
            ways.append(patch)
    found: list[Plain] = []
    for _, ways in sorted(tries.items(), key=_size):
        if len(found) == NEAREST_CHANGES or again.left <= MAX_DECISIONS // 4:
            break
        for patch in ways[:MAX_TRIES]:
            start = again.start(patch)
            yield {}
            if start:
                found.append({"engine": start["engine"], "patch": patch, "then": _brief(start)})
                break
    for patch in (ways[0] for _, ways in sorted(tries.items(), key=_size)) if not found else ():
        if found or again.left <= MAX_DECISIONS // 4:
            break
        changed = {"stated": apply_patch(decision["stated"], patch)}
        for model in list(smaller_models(changed, again.kb))[:MAX_TRIES] if "model" not in patch else ():
            start = again.start({**patch, **model})
            yield {}
            if start:
                found.append({"engine": start["engine"], "patch": {**patch, **model}, "then": _brief(start)})
                break
    yield {"nothing_fits": found}


def _nearness(row: Plain) -> tuple[bool, int, int, str]:
    """What lacks only memory comes first, the least of it before more; then what fails fewest clauses."""
    memory = next((o for o in row["obstacles"] if o["clause"] == "memory"), None)
    return memory is None, memory["params"].get("over", 0) if memory else 0, len(row["obstacles"]), row["engine"]


def _size(item: tuple[str, list[Plain]]) -> tuple[int, int, str]:
    """The largest thing a change touches, and how many."""
    paths = item[0].split()
    return max(_WEIGHT.get(p.split(".")[0], 9) for p in paths), len(paths), item[0]
