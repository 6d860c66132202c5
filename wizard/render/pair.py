"""Two answers side by side: one that was kept, and the present one."""

from __future__ import annotations

from . import around, head, readouts
from .marks import status
from .view import View, esc


def table(kept: View, now: View) -> str:
    """A row a subject, the kept answer first; what differs is bold."""
    ours, theirs = _rows(now), _rows(kept)
    body = ""
    for id_ in dict.fromkeys([*theirs, *ours]):
        label, mine = ours.get(id_) or (theirs[id_][0], "–")
        other = theirs[id_][1] if id_ in theirs else "–"
        cells = f"<td>{other}</td><td>{mine if mine == other else f'<b>{mine}</b>'}</td>"
        body += f"<tr><th scope=row>{label}</th>{cells}</tr>"
    link = f'<a href="{esc(kept.wizard + _fragment(kept))}">{now.t("answer.kept")}</a>'
    heads = f"<td></td><th scope=col>{link}</th><th scope=col>{now.t('answer.now')}</th>"
    return (
        f'<table class="we-table we-pair"><caption>{now.t("answer.kept-caption")}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )


def _fragment(view: View) -> str:
    from ..situation import fragment

    return fragment(view.stated)


def _rows(view: View) -> dict[str, tuple[str, str]]:
    hardware, load = around.summary(view)
    rows = {
        "hardware": (view.t("wizard-page.group-hardware"), esc(hardware)),
        "load": (view.t("wizard-page.group-workload"), esc(load)),
    }
    start = view.start
    if start is None:
        rows["start"] = (view.t("answer.start-with"), view.t("answer.nothing"))
        return rows
    rows["start"] = (view.t("answer.start-with"), esc(view.words.engine(start["engine"], start.get("mode"))))
    rows["format"] = (view.t("answer.col-format"), esc(view.words.spec_short(start)))
    fit, estimates = start.get("fit"), start.get("estimates") or {}
    if fit:
        used = view.gib(readouts.used_bytes(readouts.fullest(fit)))
        whole = view.t("answer.of-gib", size=view.gib(readouts.fullest(fit)["capacity_bytes"]))
        rows["fit"] = (view.t("fit.heading"), status(fit["class"], head.fit_word(view, start)))
        kind = view.words.device_kind(start.get("layout") or {})
        rows["memory"] = (view.t(f"answer.memory-{kind}"), f"{used} {whole}")
    asked = [("decode_tps", "answer.readout-decode", {}, "tps")]
    if view.concurrency > 1:
        asked.append(("throughput_tps", "answer.readout-sum", {"n": view.concurrency}, "tps"))
    asked.append(("ttft_s", *readouts.first(view), "s"))
    for key, text, params, unit in asked:
        interval = estimates.get(key)
        if interval:
            number = f"{view.rough(interval['point'])} {view.t(f'unit.{unit}')} ({view.span(interval)})"
            rows[key] = (view.t(text, params), number)
    return rows
