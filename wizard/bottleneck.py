"""What limits a candidate: one of the known bottlenecks, from shares of time and of memory.

Order of questions: is a part in system memory; do the requests that were asked for fit into the KV pool;
does a prompt outlast many decode steps of the others; then the largest share of a decode step. A share has
to be large to be named for what it is; otherwise decode is bound by memory bandwidth, which is the rule.
"""

from __future__ import annotations

from typing import Any

from .decision import statement
from .shapes import Layout, Workload

# Shares of a decode step from which a cause other than bandwidth is named.
HOST_SHARE = 0.35
LINK_SHARE = 0.30
OVERHEAD_SHARE = 0.45
COMPUTE_SHARE = 0.45
# Decode steps of the others that one prompt may take before the scheduler is what people feel.
STEPS_PER_PROMPT = 40
# Share of a request's whole time spent on its prompt from which prefill is the limit.
PROMPT_SHARE = 0.5
# Experts are what is read when so much of the bytes is routed experts beyond one token's own.
EXPERTS_SHARE = 0.60


def find(
    arch: dict[str, Any] | None, layout: Layout, work: Workload, fit: dict[str, Any] | None,
    estimates: dict[str, Any] | None,
) -> dict[str, Any] | None:  # fmt: skip
    """{"is", "shares", "reasons"} for a candidate, or None when there is nothing to tell it from.

    shares: those of the decode step at the asked concurrency. Every reason is a Statement with the numbers
    that led there; percentages are shares from 0 to 1, times in seconds.
    """
    if not arch or not fit or not estimates or not estimates.get("shares"):
        return None
    shares = estimates["shares"]
    name, params = _choose(arch, layout, work, fit, estimates, shares)
    reason = statement(f"bottleneck-{name}", f"bottleneck.{name}", **params)
    return {"is": name, "shares": shares, "reasons": [reason]}


def _choose(
    arch: dict[str, Any], layout: Layout, work: Workload, fit: dict[str, Any], estimates: dict[str, Any],
    shares: dict[str, float],
) -> tuple[str, dict[str, Any]]:  # fmt: skip
    if shares["host"] >= HOST_SHARE:
        return "host-offload", {"share": shares["host"], "host": (fit["offload"] or {}).get("host_bytes", 0)}
    most = fit["max_concurrency"]
    asked = work.concurrency
    if most is not None and asked > 1 and fit.get("copies", 1) and most * _copies(layout, fit) < asked:
        return "kv-capacity", {"most": most * _copies(layout, fit), "asked": asked}
    if most is not None and asked > 1 and fit["warn_full"] and shares["kv"] >= shares["weights"]:
        full = (fit["max_concurrency_full"] or 0) * _copies(layout, fit)
        return "kv-capacity", {"most": full, "asked": asked}
    prompt, step = _prompt(work, estimates), estimates["tpot_s"]["point"]
    if prompt:
        steps = prompt / step
        if asked > 1 and work.mode != "offline" and steps > STEPS_PER_PROMPT and work.shared_prefix < 1:
            return "scheduler", {"steps": round(steps), "seconds": prompt}
        whole = prompt + work.output * step
        if prompt / whole > PROMPT_SHARE:
            return "prefill-compute", {"share": prompt / whole, "seconds": prompt}
    if shares["communication"] >= LINK_SHARE:
        return "interconnect", {"share": shares["communication"], "ranks": layout.tp * layout.pp}
    if shares["overhead"] >= OVERHEAD_SHARE:
        return "runtime-overhead", {"share": shares["overhead"], "layers": arch["layers"]}
    if shares["compute"] >= COMPUTE_SHARE:
        return "prefill-compute", {"share": shares["compute"], "seconds": prompt or 0.0}
    if arch["kind"] == "moe" and asked > 1 and shares["weights"] >= EXPERTS_SHARE:
        return "expert-routing", {"share": shares["weights"], "asked": asked}
    return "decode-bandwidth", {"share": shares["weights"] + shares["kv"]}


def _copies(layout: Layout, fit: dict[str, Any]) -> int:
    """Copies of the layout that the fit does not already count."""
    return max(1, layout.dp // max(1, fit.get("copies", 1)))


def _prompt(work: Workload, estimates: dict[str, Any]) -> float | None:
    """Seconds one prompt keeps the engine busy: what of it is not shared, at the rate of one prompt alone."""
    rate = estimates.get("prefill_tps")
    return work.input * (1 - work.shared_prefix) / rate["point"] if rate else None
