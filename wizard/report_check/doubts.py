"""What in a report cannot be right, or means less than it seems; each doubt has its own short function.

A doubt is {"id", "kind": impossible | doubtful | note, "params", "rule"}; its sentence is `report.doubt-<id>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .bounds import Limits

Plain = dict[str, Any]

ENOUGH = 100  # requests for a 99th percentile that is not just the slowest one
WAVES = 5  # rounds of the concurrency, below which start and end weigh
SPREAD = 0.05  # share of the mean
SLACK = 1.03  # rounding of what is printed
OFF = 0.03  # by which printed figures may disagree with each other


class Seen(NamedTuple):
    """runs: each with what holds for all of them put in; whole: quantities of any run; limits: see `bounds`."""

    runs: list[Plain]
    whole: Plain
    limits: Limits | None
    form: bool


def find(seen: Seen) -> list[Plain]:
    """Every doubt once, the impossible first; the first run that shows it gives the figures."""
    found: dict[str, Plain] = {}
    for check in CHECKS:
        for doubt in check(seen):
            found.setdefault(doubt["id"], doubt)
    order = ("impossible", "doubtful", "note")
    return sorted(found.values(), key=lambda d: order.index(d["kind"]))


def _doubt(id_: str, kind: str, rule: str | None = None, /, **params: Any) -> Plain:
    return {"id": id_, "kind": kind, "params": params, "rule": rule}


def _speed_of_one(run: Plain) -> float | None:
    """Tokens per second that one request gets after its first token."""
    if run.get("decode_tps"):
        return run["decode_tps"]
    seconds = run.get("tpot.p50") or run.get("tpot.mean") or run.get("tpot") or run.get("itl.mean")
    return 1 / seconds if seconds and seconds > 1e-6 else None


def _speculates(run: Plain) -> bool:
    return bool(run.get("speculation") or run.get("acceptance"))


# ---------------------------------------------------------------------- against physics


def _bandwidth(seen: Seen) -> Iterator[Plain]:
    top = seen.limits.decode if seen.limits else None
    for run in seen.runs if top else ():
        speed = _speed_of_one(run)
        if speed and speed > top * SLACK and not _speculates(run):
            yield _doubt(
                "bandwidth", "impossible", None, tps=speed, top=top, gb=seen.limits.gb,
                gbs=seen.limits.gbs,
            )  # fmt: skip


def _sum_bandwidth(seen: Seen) -> Iterator[Plain]:
    top = seen.limits.decode if seen.limits else None
    for run in seen.runs if top else ():
        n, total = run.get("concurrency"), run.get("output_tps")
        if n and total and total > n * top * SLACK and not _speculates(run):
            yield _doubt("sum-bandwidth", "impossible", "rule-not-one-user", tps=total, top=n * top, n=n)


def _compute(seen: Seen) -> Iterator[Plain]:
    top = seen.limits.prefill if seen.limits else None
    for run in seen.runs if top else ():
        rate = run.get("prefill_tps")
        if rate and rate > top * SLACK:
            yield _doubt("compute", "impossible", "rule-cache-reuse", tps=rate, top=top)


def _expected(seen: Seen) -> Iterator[Plain]:
    """Far outside our estimate, within physics: something else than the device is the limit, or differs."""
    expected = seen.limits.expected.get("decode_tps") if seen.limits else None
    for run in seen.runs if expected else ():
        speed = _speed_of_one(run)
        alone = (run.get("concurrency") or 1) <= 1
        if speed and alone and speed < expected["low"] * 0.6:
            yield _doubt("slow", "doubtful", None, tps=speed, low=expected["low"], high=expected["high"])
        elif speed and alone and seen.limits.decode * SLACK >= speed > expected["high"] * 1.25:
            yield _doubt("fast", "doubtful", None, tps=speed, low=expected["low"], high=expected["high"])


# ---------------------------------------------------------------------- against itself


def _one_and_sum(seen: Seen) -> Iterator[Plain]:
    """A sum cannot pass the concurrency times what one request gets."""
    for run in seen.runs:
        n, total, one = run.get("concurrency"), run.get("output_tps"), _speed_of_one(run)
        if n and total and one and total > n * one * 1.1:
            yield _doubt("one-and-sum", "impossible", "rule-not-one-user", total=total, one=one, n=n)


def _tokens_and_time(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        tokens, seconds, rate = run.get("total_output"), run.get("duration"), run.get("output_tps")
        if tokens and seconds and rate and abs(tokens / seconds / rate - 1) > OFF:
            yield _doubt("tokens-and-time", "doubtful", None, computed=tokens / seconds, rate=rate)


def _percentiles(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        for name in ("ttft", "tpot", "itl", "e2e"):
            stairs = [run[key] for key in (f"{name}.{s}" for s in ("p50", "p90", "p95", "p99", "max")) if key in run]
            if any(a > b * 1.0001 for a, b in zip(stairs, stairs[1:], strict=False)):
                yield _doubt("percentiles-order", "impossible", "rule-percentiles", name=name.upper())


def _total_as_output(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        if run.get("total_tps") and not run.get("output_tps"):
            yield _doubt("total-only", "doubtful", "rule-separate-phases", tps=run["total_tps"])


def _unclear_rate(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        if run.get("some_tps"):
            yield _doubt("unclear-rate", "doubtful", "rule-not-one-user", tps=run["some_tps"])
        if run.get("mixed_tps"):
            yield _doubt("mixed-phases", "doubtful", "rule-separate-phases", tps=run["mixed_tps"])


# ---------------------------------------------------------------------- how it was run


def _warm_up(seen: Seen) -> Iterator[Plain]:
    values = [run["warmup"] for run in seen.runs if "warmup" in run]
    if values and all(str(v) in ("0", "0.0") for v in values):
        yield _doubt("no-warm-up", "doubtful", None)


def _one_run(seen: Seen) -> Iterator[Plain]:
    repeats = [run["repeats"] for run in seen.runs if "repeats" in run]
    spread = any(key.endswith("_tps.std") for run in seen.runs for key in run)
    if repeats and max(repeats) < 2 and not spread:
        yield _doubt("one-run", "doubtful", None)


def _spread(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        for name in ("decode_tps", "prefill_tps", "output_tps"):
            mean, std = run.get(name), run.get(f"{name}.std")
            if mean and std and std / mean > SPREAD:
                yield _doubt("spread", "doubtful", None, share=std / mean)


def _same_prompts(seen: Seen) -> Iterator[Plain]:
    """The cache is on, or nobody says that it is off, and a second run with the same seed meets its own prompts."""
    for run in seen.runs:
        cache = str(run.get("prefix_cache") or "").lower()
        if cache in ("off", "flushed") or run.get("shared_prefix"):
            continue
        if run.get("hit_rate", 0) > 0.05:
            yield _doubt("cache-hits", "doubtful", "rule-cache-reuse", share=min(1.0, run["hit_rate"]))
        elif cache:
            yield _doubt("cache-on", "doubtful", "rule-cache-reuse")
        elif "seed" in run:
            yield _doubt("cache-seed", "doubtful", "rule-cache-reuse", seed=int(run["seed"]))


def _few_requests(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        n, at_once = run.get("requests"), run.get("concurrency")
        if n and n < ENOUGH and any(key.endswith(".p99") for key in run):
            yield _doubt("few-for-p99", "doubtful", "rule-percentiles", n=int(n))
        if n and at_once and at_once > 1 and n < WAVES * at_once:
            yield _doubt("short-run", "doubtful", "rule-real-concurrency", n=int(n), at_once=int(at_once))


def _failed(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        bad = (run.get("failed") or 0) + (run.get("unfinished") or 0)
        every = bad + (run.get("requests") or 0)
        if bad >= 1 and every > 0:
            yield _doubt("failed", "doubtful", "rule-percentiles", n=int(bad), share=bad / every)


def _burst(seen: Seen) -> Iterator[Plain]:
    """Everything sent at once: the first token then measures the queue of the benchmark itself."""
    for run in seen.runs:
        ttft, tpot = run.get("ttft.mean") or run.get("ttft.p50"), run.get("tpot.mean") or run.get("itl.mean")
        if not run.get("concurrency") and not run.get("rate") and run.get("requests", 0) >= 8 and ttft and tpot:
            yield _doubt("burst", "doubtful", "rule-real-concurrency", n=int(run["requests"]))


def _ended_early(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        asked, n, made = run.get("output"), run.get("requests"), run.get("total_output")
        if asked and n and made and made / n < 0.9 * asked:
            yield _doubt("ended-early", "doubtful", "rule-real-lengths", asked=int(asked), made=made / n)


def _tail(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        p50, p99 = run.get("ttft.p50"), run.get("ttft.p99")
        if p50 and p99 and p99 > 5 * p50:
            yield _doubt("tail", "note", "rule-percentiles", times=p99 / p50)


def _only_one_user(seen: Seen) -> Iterator[Plain]:
    loads = {run["concurrency"] for run in seen.runs if run.get("concurrency")}
    if loads == {1} or loads == {1.0}:
        yield _doubt("one-user", "note", "rule-not-one-user")


def _empty_context(seen: Seen) -> Iterator[Plain]:
    """Decode measured on an empty context: the longest context there is, is that of the answer itself."""
    decodes = [run for run in seen.runs if run.get("decode_tps") and run.get("output")]
    if decodes and not any(run.get("depth") or run.get("input") for run in decodes):
        yield _doubt("empty-context", "note", "rule-memory-headroom")


def _short_answers(seen: Seen) -> Iterator[Plain]:
    for run in seen.runs:
        if 0 < (run.get("output") or 0) < 32 and (run.get("decode_tps") or run.get("tpot.mean")):
            yield _doubt("short-answers", "doubtful", "rule-real-lengths", n=int(run["output"]))


def _speculation(seen: Seen) -> Iterator[Plain]:
    if any(_speculates(run) for run in seen.runs):
        yield _doubt("speculation", "note", "rule-not-one-user")


CHECKS: tuple[Callable[[Seen], Iterator[Plain]], ...] = (
    _bandwidth, _sum_bandwidth, _compute, _one_and_sum, _percentiles, _expected, _tokens_and_time, _total_as_output,
    _unclear_rate, _warm_up, _one_run, _spread, _same_prompts, _few_requests, _failed, _burst, _ended_early, _tail,
    _only_one_user, _empty_context, _short_answers, _speculation,
)  # fmt: skip
