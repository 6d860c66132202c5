"""The readouts of the answer header: memory, decode for one, decode for all, first token."""

from __future__ import annotations

from . import fitbar, numbers
from .marks import mini
from .view import Plain, View


def readouts(view: View, start: Plain) -> str:
    """Memory, decode for one, decode for all (or prefill), first token; nothing without a model."""
    fit, estimates = start.get("fit"), start.get("estimates")
    if fit is None and estimates is None:
        return f'<p class="we-note">{view.t("answer.no-model")}</p>'
    cells = [memory(view, start)] if fit else []
    situation = view.decision["situation"]
    rows = [("decode_tps", "answer.readout-decode", {}, "tps")]
    if view.concurrency > 1:
        rows.append(("throughput_tps", "answer.readout-sum", {"n": view.concurrency}, "tps"))
    else:
        rows.append(("prefill_tps", "answer.readout-prefill", {}, "tps"))
    rows.append(("ttft_s", *first(view), "s"))
    if not view.writes:
        rows = [
            ("prefill_tps", "answer.readout-reads", {}, "tps"),
            ("ttft_s", "answer.readout-text", {"n": situation["context"]["input"]}, "s"),
        ]
    if estimates is None or not any(estimates.get(key) for key, *_ in rows):
        reason = (estimates or {}).get("missing") or "unknown"
        cells.append(
            f'<div class="we-cell we-none"><dt>{view.t("answer.readout-decode")}</dt>'
            f"<dd>{no_estimate(view, reason)}</dd></div>"
        )
    else:
        cells += [reading(view, estimates.get(key), text, params, unit) for key, text, params, unit in rows]
    return f'<dl class="we-readouts">{"".join(cells)}</dl>'


def first(view: View) -> tuple[str, Plain]:
    """Label of the first token, with the load that it is reckoned for, and its values."""
    label = "answer.readout-first-load" if view.concurrency > 1 else "answer.readout-first"
    return label, {"n": view.decision["situation"]["context"]["input"], "all": view.concurrency}


def no_estimate(view: View, reason: str) -> str:
    """ "No estimate." and why."""
    text = f"speed.missing-{reason.replace('_', '-')}"
    why = view.t(text if view.texts.has(text) else "speed.missing-unknown")
    return f"<strong>{view.t('speed.no-estimate')}</strong> {why}"


def fullest(fit: Plain) -> Plain:
    """The device with the smallest share of memory left."""
    return max(fit["devices"], key=lambda d: (used_bytes(d) / d["capacity_bytes"], -d["index"]))


def used_bytes(device: Plain) -> int:
    """Bytes taken on a device, other programs included; prompts that are kept only as far as there is room are not."""
    return sum(p["bytes"] for p in device["parts"] if p["name"] not in ("free", "prompts"))


def memory(view: View, start: Plain) -> str:
    """Memory of the fullest device, with its bar and what is left."""
    device = fullest(start["fit"])
    kind = view.words.device_kind(start.get("layout") or {})
    used, whole = used_bytes(device), device["capacity_bytes"]
    over = numbers.beyond(used, whole, device.get("over_bytes") or 0)
    rest = (
        view.t("fit.over", size=view.gib(over))
        if over > 0
        else view.t("answer.free", size=view.gib(max(whole - used, 0)))
    )
    unit = view.t("answer.of-gib", size=view.gib(whole))
    return _cell(view.t(f"answer.memory-{kind}"), view.gib(used), unit, fitbar.tiny(device, "we-hatch-a"), rest)


def _cell(label: str, number: str, unit: str, drawing: str, beside: str, between: str = " ") -> str:
    return (
        f'<div class="we-cell"><dt>{label}</dt><dd><span class="we-big">{number}</span>{between}'
        f'<span class="we-unit">{unit}</span><span class="we-scale">{drawing}<span>{beside}</span></span></dd></div>'
    )


def reading(view: View, interval: Plain | None, text: str, params: Plain, unit: str) -> str:
    """One estimate as a readout."""
    if not interval:
        return (
            f'<div class="we-cell we-none"><dt>{view.t(text, params)}</dt><dd>{view.t("speed.no-estimate")}</dd></div>'
        )
    number, unit = view.rough(interval["point"]), view.t(f"unit.{unit}")
    return _cell(view.t(text, params), number, unit, mini(interval), view.span(interval), between="&nbsp;")
