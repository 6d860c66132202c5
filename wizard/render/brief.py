"""The short form: one box for the home page, and cells for tables of answers."""

from __future__ import annotations

from . import head, readouts
from .marks import status
from .nothing import shortfall
from .view import Plain, View, esc


def block(view: View) -> str:
    """Engine with format and layout, memory, decode for one and the sum, link to the full answer."""
    start = view.start
    target = esc(view.wizard + _fragment(view))
    button = f'<a class="we-button" href="{target}">{view.t("answer.full")}</a>'
    if start is None:
        return (
            f'<div class="we-compact"><div class="we-cell"><p class="we-start">{view.t("answer.nothing")}</p>'
            f"<p>{shortfall(view)}</p></div><div class=we-cell>{button}</div></div>"
        )
    name = esc(view.words.engine(start["engine"], start.get("mode")))
    layout = start.get("layout") or {}
    spec = ", ".join(
        x for x in (view.words.format(start.get("format")), view.words.layout(layout, head.devices_present(view))) if x
    )
    cells = []
    if start.get("fit"):
        cells.append(readouts.memory(view, start))
    estimates = start.get("estimates") or {}
    if estimates.get("decode_tps"):
        cells.append(readouts.reading(view, estimates["decode_tps"], "answer.readout-decode", {}, "tps"))
    if view.concurrency > 1 and estimates.get("throughput_tps"):
        cells.append(
            readouts.reading(view, estimates["throughput_tps"], "answer.readout-sum", {"n": view.concurrency}, "tps")
        )
    numbers = f'<dl class="we-readouts">{"".join(cells)}</dl>' if cells else "<span></span>"
    return (
        f'<div class="we-compact"><div class="we-cell"><p class="we-start">{view.t("answer.start-with")}</p>'
        f'<p class="we-engine">{name}{tie(view, start)}</p><p class="we-spec">{esc(spec)}</p></div>'
        f'{numbers}<div class="we-cell we-go">{button}</div></div>'
    )


def _fragment(view: View) -> str:
    from ..situation import fragment

    return fragment(view.stated)


def tie(view: View, start: Plain) -> str:
    """ "tied with vLLM", or under which orchestrator it runs."""
    tied = [view.words.engine(e) for e in start.get("tied_with") or []]
    if tied:
        return f" <small>{view.t('answer.tied-with', others=view.texts.both(tied))}</small>"
    if start.get("orchestrator"):
        return f" <small>{view.t('answer.under', name=view.words.engine(start['orchestrator']))}</small>"
    return ""


def row(view: View) -> Plain:
    """HTML pieces for a table of answers; an absent number is an en dash."""
    start = view.start
    if start is None:
        nothing = view.t("answer.nothing")
        return {
            "start": nothing,
            "spec": "",
            "fit": status("no", view.t("fit.word-no")),
            "memory": "–",
            "decode": "–",
            "interval": "",
            "link": "",
        }
    fit, estimates = start.get("fit"), start.get("estimates") or {}
    decode = estimates.get("decode_tps")
    engine = f"<b>{view.engine_link(start['engine'], start.get('mode'))}</b>{tie(view, start)}"
    return {
        "start": engine,
        "spec": esc(view.words.spec_short(start)),
        "fit": status(fit["class"], view.t(f"fit.word-{fit['class']}")) if fit else "–",
        "memory": view.gib(readouts.used_bytes(readouts.fullest(fit))) if fit else "–",
        "decode": f"<b>{view.rough(decode['point'])}</b>" if decode else "–",
        "interval": view.span(decode) if decode else "",
        "link": esc(view.wizard + _fragment(view)),
    }
