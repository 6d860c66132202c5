"""Everything an estimate needs, fitted and held out: the content of `knowledge/constants/speed.json`."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np

from . import holdout, spread
from .fit import Fitted, fit, predict
from .holdout import summary
from .prefill import (
    CHUNKS,
    fit_bare,
    fit_prefill,
    held_out_bare,
    held_out_prefill,
    predict_prefill,
    summary_of,
    usable,
)
from .rows import Row, chosen, rows_of

SCHEMA = 1
POWERS = (8, 9, 10, 11, 12, 13, 14, 15, 16)  # sixteenths tried for the experts read by a batch
LEAST_PROMPTS = 0.75  # of the prompts of every node are to be inside intervals made without them
MIN_BATCHED = 10  # batched rows of a node from which the spread of batches is the whole spread
MIN_ROWS = 4  # a node with fewer single-stream rows is not listed; its parent speaks for it


def compute(measurements: dict[str, Any], devices: dict[str, Any], date: str) -> dict[str, Any]:
    """The constants. measurements and devices: entries by id; date: the newest day anything was read."""
    every = rows_of(measurements, devices)
    rows = chosen(every)
    fitted = _with_powers(rows)
    single = {p for p, r in enumerate(rows) if r.single}
    batched = [p for p, r in enumerate(rows) if not r.single]
    power = fitted.expert_power
    pages = holdout.held_out(rows, power, lambda p, r: r.page, fitted, single)
    folds = holdout.held_out(
        rows, power, lambda p, r: holdout.by_fold(p, r) if p in single else "batched", fitted, single
    )
    # a class that one page alone describes cannot be judged without that page: there a part of it is left out
    lone = sorted(single - holdout.comparable(rows, lambda r: r.page))
    unseen = pages.copy()
    unseen[lone] = folds[lone]
    tail, wider, held, seen = spread.choose_tail(rows, unseen, single, [r.page for r in rows], tenths=folds)
    return rounded(
        {
            "schema": SCHEMA,
            "date": date,
            "counts": _counts(rows, single, every),
            "nodes": _nodes(rows, fitted, single, unseen, (tail, wider), held),
            "fallback": _fallback(rows, fitted, single, tail),
            **_globals(fitted),
            "devices": _devices(rows, fitted),
            "batched": _batched(rows, fitted, batched),
            "prefill": _prefill(every, fitted),
            "errors": _errors(rows, fitted, single, pages, folds, held) | {"coverage_row": seen},
        }
    )


def _with_powers(rows: list[Row]) -> Fitted:
    """The fit with the best power of the batch for each family that has batched mixtures of experts."""
    families = sorted({r.family for r in rows if not r.single and r.experts})
    power = dict.fromkeys(families, 12)
    fitted = fit(rows, power)
    for family in families:
        scored = []
        for tried in POWERS:
            trial = fit(rows, power | {family: tried}, fitted)
            errors = [abs(np.log(predict(r, trial) / r.time)) for r in rows if not r.single and r.family == family]
            scored.append((round(float(np.mean(errors)), 4), tried))
        power[family] = min(scored)[1]
    return fit(rows, power)


def _counts(rows: list[Row], single: set[int], every: list[Row]) -> dict[str, int]:
    return {
        "single_stream": len(single),
        "batched": len(rows) - len(single),
        "prefill": len(usable(every)),
        "machines": len({holdout.hardware(r) for r in rows}),
        "pages": len({r.page for r in rows}),
    }


def _nodes(
    rows: list[Row], fitted: Fitted, single: set[int], unseen: np.ndarray,
    cut: tuple[float, dict[str, float]], held: dict[int, bool],
) -> dict[str, Any]:  # fmt: skip
    below: dict[str, list[int]] = defaultdict(list)
    parent: dict[str, tuple[str, ...]] = {}
    for position, row in enumerate(rows):
        for depth, node in enumerate(row.path):
            below[node].append(position)
            parent[node] = row.path[: depth + 1]
    pools = spread.by_node(rows, unseen, single)
    found = {}
    for node in sorted(below):
        own = [p for p in below[node] if p in single]
        if len(own) < MIN_ROWS and not (len(below[node]) >= MIN_ROWS and node in pools):
            continue
        low, high = spread.widened(*spread.quantiles(pools[node], cut[0]), spread.width_of(node, cut[1]))
        known = [p for p in own if not np.isnan(unseen[p])]
        found[node] = {
            "overhead_us": 1e6 * np.exp(fitted.sum([f"overhead {n}" for n in parent[node]])),
            "efficiency": np.exp(-fitted.sum([f"efficiency {n}" for n in parent[node]])),
            "low": low,
            "high": high,
            "records": len(own),
            "machines": len({holdout.hardware(rows[p]) for p in own}),
            "error": float(np.median(np.abs(np.expm1(unseen[known])))),
            "coverage": spread.share(held[p] for p in own if p in held),
        }
    return found


def _fallback(rows: list[Row], fitted: Fitted, single: set[int], tail: float) -> dict[str, Any]:
    """Spread of estimates from the constants of a vendor (whole classes left out) and of everybody."""
    found = {}
    for level, depth in (("vendor", 2), ("global", 1)):

        def key(position: int, row: Row, depth: int = depth) -> str:
            return row.path[min(depth, len(row.path) - 1)]

        errors = holdout.held_out(rows, fitted.expert_power, key, fitted, single)
        low, high = spread.quantiles(spread.pool_of(rows, errors, sorted(single)), tail)
        off = np.abs(np.expm1(errors[sorted(single)]))
        found[level] = {"low": low, "high": high, "error": float(np.median(off))}
    return found


def _yearly(fitted: Fitted) -> dict[str, float]:
    """By what factor overheads were longer a year earlier, by family; "" is for a family without dated records."""
    common = fitted.values.get("age", 0.0)
    own = {n.partition(" ")[2]: v for n, v in fitted.values.items() if n.startswith("age ")}
    return {"": float(np.exp(common))} | {family: float(np.exp(common + v)) for family, v in sorted(own.items())}


def _devices(rows: list[Row], fitted: Fitted) -> dict[str, float]:
    """What the time of a step on a device is of the time its class suggests, where that is more than noise."""
    found = {key: float(np.exp(fitted.values[f"device {key}"])) for key in sorted({r.key for r in rows})}
    return {key: factor for key, factor in found.items() if abs(factor - 1) >= 0.005}


def _globals(fitted: Fitted) -> dict[str, Any]:
    def table(word: str, sign: float = 1.0, scale: float = 1.0) -> dict[str, float]:
        names = [n for n in fitted.values if n.startswith(f"{word} ")]
        return {n.partition(" ")[2]: scale * float(np.exp(sign * fitted.values[n])) for n in names}

    return {
        "moe": table("moe"),
        "moe_integers": table("moe-integers"),
        "age": {n.partition(" ")[2]: v for n, v in fitted.values.items() if n.partition(" ")[0] == "age"},
        "yearly": _yearly(fitted),
        "unpacking": table("unpacking"),
        "weight_ops": table("weight"),
        "weight_engine": {name: factor for name, factor in table("weight-engine").items() if abs(factor - 1) >= 0.005},
        "kv_efficiency": table("kv", sign=-1),
        "plain_attention": table("plain"),
        "state_passes": table("state"),
        "sequence_us": table("sequence", scale=1e6),
        "compute": table("compute", sign=-1),
        "prompts": table("prefill", sign=-1),
        "expert_power": fitted.expert_power,
        "link_us": table("link", scale=1e6),
        "link_sequence_us": table("link-sequence", scale=1e6),
    }


def _batched(rows: list[Row], fitted: Fitted, batched: list[int]) -> dict[str, Any]:
    """Spread of batched steps, each predicted without the rows of its model."""
    wanted = set(batched)
    errors = holdout.held_out(
        rows, fitted.expert_power, lambda p, r: (r.model, p not in wanted or None), fitted, wanted
    )
    models = [r.model for r in rows]
    best = None
    for tail in spread.TAILS:
        hits = []
        for model in sorted({models[p] for p in batched}):
            others = [p for p in batched if models[p] != model]
            low, high = spread.quantiles(spread.pool_of(rows, errors, others), tail)
            hits += [low <= np.exp(errors[p]) <= high for p in batched if models[p] == model]
        distance = abs(spread.share(hits) - spread.TARGET)
        if best is None or distance < best[0] - 1e-9:
            best = (distance, tail, spread.share(hits))
    assert best is not None
    low, high = spread.quantiles(spread.pool_of(rows, errors, batched), best[1])
    training = np.array([np.log(predict(rows[p], fitted) / rows[p].time) for p in batched])
    count = Counter(rows[p].path[-1] for p in batched)
    return {
        # where batches were measured often enough for this interval to be the whole one
        "nodes": sorted(node for node, n in count.items() if n >= MIN_BATCHED),
        "low": low, "high": high, "coverage": best[2],
        "records": len(batched), "machines": len({holdout.hardware(rows[p]) for p in batched}),
        "training": summary(training), "model_out": summary(errors[batched]),
    }  # fmt: skip


def _prefill(every: list[Row], fitted: Fitted) -> dict[str, Any]:
    """Prompts: the fit, its errors held out in tenths, by hardware and by page, and intervals by node.

    An estimate for a device with prompts of its own gets the spread of tenths left out, by node; another one
    the spread of hardware left out; one without a peak that of bandwidth alone. Of servers the time to the
    first token is known; their rows are counted apart.
    """
    use = usable(every)
    values = fit_prefill(use, fitted)
    bare = fit_bare(use, fitted, values)
    training = np.array([np.log(predict_prefill(r, fitted, values) / r.prefill_time) for r in use])
    rows = held_out_prefill(use, fitted, values, holdout.by_fold)
    machines = held_out_prefill(use, fitted, values, lambda p, r: holdout.hardware(r))
    pages = held_out_prefill(use, fitted, values, lambda p, r: r.page)
    only = held_out_bare(use, fitted, values, lambda p, r: holdout.hardware(r))
    seen, ends = _intervals(use, rows, [f"{r.page} {r.machine}" for r in use])
    unseen, wide = _intervals(use, machines, [holdout.hardware(r) for r in use])
    low, high = spread.quantiles(spread.pool_of(use, only, range(len(use))), 0.10)
    models = held_out_prefill(use, fitted, values, lambda p, r: r.model if r.family in CHUNKS else "")
    served = [p for p, r in enumerate(use) if r.family in CHUNKS]
    alone = [p for p, r in enumerate(use) if r.family not in CHUNKS]
    kinds = {"prompts": alone, "first_token": served}
    return {
        **summary_of(values, bare),
        "nodes": ends, "unseen": wide, "unpeaked": {"low": low, "high": high},
        "records": len(use), "machines": len({holdout.hardware(r) for r in use}),
        **{
            kind: {
                "training": summary(training[own]), "row_out": summary(rows[own]),
                "hardware_out": summary(machines[own]), "source_out": summary(pages[own]),
                **({"model_out": summary(models[own])} if kind == "first_token" else {}),
                "coverage": spread.share(seen[p] for p in own if p in seen),
                "coverage_hardware": spread.share(unseen[p] for p in own if p in unseen),
            }
            for kind, own in kinds.items()
        },
    }  # fmt: skip


def _intervals(
    use: list[Row], errors: np.ndarray, groups: list[Any]
) -> tuple[dict[int, bool], dict[str, dict[str, float]]]:
    """(which rows intervals made without their group hold, the ends of the interval by node)."""
    every = set(range(len(use)))
    tail, wider, held, _ = spread.choose_tail(use, errors, every, groups, LEAST_PROMPTS)
    pools = spread.by_node(use, errors, every)
    return held, {node: _ends(pools[node], tail, spread.width_of(node, wider)) for node in sorted(pools)}


def _ends(pool: spread.Pool, tail: float, power: float) -> dict[str, float]:
    low, high = spread.widened(*spread.quantiles(pool, tail), power)
    return {"low": low, "high": high}


def _errors(
    rows: list[Row], fitted: Fitted, single: set[int], pages: np.ndarray, folds: np.ndarray, held: dict[int, bool]
) -> dict[str, Any]:
    power, order = fitted.expert_power, sorted(single)
    training = np.array([np.log(predict(rows[p], fitted) / rows[p].time) for p in order])
    machines = holdout.held_out(rows, power, lambda p, r: holdout.hardware(r), fitted, single)
    by_machine = sorted(holdout.comparable(rows, holdout.hardware))
    by_page = sorted(holdout.comparable(rows, lambda r: r.page))
    return {
        "training": summary(training),
        "row_out": summary(folds[order]),
        "hardware_out": summary(machines[by_machine]),
        "source_out": summary(pages[by_page]),
        "coverage": spread.share(held.values()),
    }


def rounded(value: Any) -> Any:
    """Numbers to five significant digits, so that the last bits of a linear algebra library do not matter."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(f"{float(value):.4g}")
    return int(value) if isinstance(value, np.integer) else value
