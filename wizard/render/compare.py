"""The engines side by side: fit, format and the interval of the speed, all on one ruler."""

from __future__ import annotations

from .marks import mini_on, scale, status
from .view import Plain, View, esc

_ROLES = ("start", "alternative", "benchmark-against")


def chosen(view: View) -> list[Plain]:
    """Recommendations with an estimate of their own, the start first; fewer than two are no comparison."""
    found = [r for r in view.decision["recommendations"] if r["role"] in _ROLES and _interval(view, r)]
    return found if len(found) > 1 else []


def _key(view: View) -> str:
    return "throughput_tps" if view.concurrency > 1 else "decode_tps"


def _interval(view: View, rec: Plain) -> Plain | None:
    return (rec.get("estimates") or {}).get(_key(view))


def side_by_side(view: View) -> str:
    """One row an engine; the rulers share their scale, the numbers stand beside them."""
    found = chosen(view)
    if not found:
        return ""
    top, _ = scale(max(_interval(view, r)["high"] for r in found) * 1.02)  # type: ignore[index]
    rows = "".join(_row(view, rec, top) for rec in found)
    unit = view.t("speed.sum", n=view.concurrency) if view.concurrency > 1 else view.t("speed.one")
    heads = (
        f"<th scope=col>{view.t('answer.col-engine')}</th><th scope=col>{view.t('answer.col-format')}</th>"
        f"<th scope=col>{view.t('fit.heading')}</th>"
        f"<th scope=col class=num>{view.t('unit.tps')}, {unit}</th><td></td>"
    )
    return (
        f'<table class="we-table we-side"><caption>{view.t("speed.side")}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(view: View, rec: Plain, top: float) -> str:
    interval, fit = _interval(view, rec), rec.get("fit")
    assert interval
    word = view.t(f"fit.word-{fit['class']}") if fit else "–"
    mark = status(fit["class"], word) if fit else word
    name = esc(view.words.engine(rec["engine"], rec.get("mode")))
    return (
        f"<tr{' class=we-this' if rec['role'] == 'start' else ''}><th scope=row>{name}</th>"
        f"<td>{esc(view.words.format(rec.get('format'), True))}</td><td>{mark}</td>"
        f"<td class=num><b>{view.rough(interval['point'])}</b> <i>{view.span(interval)}</i></td>"
        f"<td>{mini_on(interval, top)}</td></tr>"
    )


def lines(view: View) -> list[list[str]]:
    """The same as plain text: engine, format, fit, speed with its interval."""
    rows = []
    for rec in chosen(view):
        interval, fit = _interval(view, rec), rec.get("fit")
        assert interval
        rows.append(
            [
                view.words.engine(rec["engine"], rec.get("mode")),
                view.words.format(rec.get("format"), True),
                view.p(f"fit.word-{fit['class']}") if fit else "–",
                f"{view.rough(interval['point'])} ({view.span(interval)})",
            ]
        )
    return rows
