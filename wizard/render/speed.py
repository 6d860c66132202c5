"""How fast: one ruler a quantity, the nearest public measurements as letters, the basis in one line."""

from __future__ import annotations

from .compare import side_by_side
from .marks import ruler
from .numbers import date
from .readouts import no_estimate
from .shares import time_of_a_token
from .view import Plain, View, esc, heading, section


def section_(view: View, start: Plain) -> Plain | None:
    """The section, or None when no model was named."""
    estimates = start.get("estimates")
    if estimates is None:
        return None
    rows = _rows(view, estimates)
    nearest = estimates.get("nearest") or []
    if not rows:
        body = f'<p class="we-lead">{no_estimate(view, estimates.get("missing") or "unknown")}</p>' + measured(
            view, nearest
        )
        return section("speed", heading(view, "speed", "speed.heading") + body)
    lead = view.t("speed.lead-letters" if nearest else "speed.lead")
    body = (
        f'{heading(view, "speed", "speed.heading")}<p class="we-lead">{lead}</p>'
        f'<div class="we-speeds">{"".join(rows)}</div>{time_of_a_token(view, estimates)}{side_by_side(view)}'
        f"{price(view, estimates)}{measured(view, nearest)}{basis(view, estimates)}"
    )
    return section("speed", body)


def _rows(view: View, estimates: Plain) -> list[str]:
    situation = view.decision["situation"]
    context = situation["context"]
    letters = [
        (chr(65 + i), row["decode_tps"])
        for i, row in enumerate(estimates.get("nearest") or [])
        if row.get("decode_tps")
    ]
    asked = [
        ("decode_tps", "speed.decode", view.t("speed.one"), "tps", letters),
        ("throughput_tps", "speed.answers", view.t("speed.sum", n=view.concurrency), "tps", []),
        (
            "ttft_s",
            "speed.first" if view.writes else "speed.text",
            view.t("speed.first-of", n=context["input"])
            + (f", {view.t('speed.first-load', n=view.concurrency)}" if view.writes and view.concurrency > 1 else ""),
            "s",
            [],
        ),
        ("prefill_tps", "speed.prefill", view.t("speed.prefill-of", n=context["input"]), "tps", []),
    ]
    rows = []
    for key, name, detail, unit, marks in asked:
        interval = estimates.get(key)
        if interval and (key != "throughput_tps" or view.concurrency > 1):
            rows.append(_row(view, interval, name, detail, unit, marks))
    return rows


def _row(view: View, interval: Plain, name: str, detail: str, unit: str, letters: list[tuple[str, float]]) -> str:
    unit_text = view.unit(unit)
    spoken = view.p(
        "speed.spoken", name=view.p(name), point=view.rough(interval["point"]), unit=unit_text, span=view.span(interval)
    )
    return (
        f'<div class="we-speed"><p class="we-what"><b>{view.t(name)}</b> <span>{detail}</span></p>'
        f'<p class="we-value"><b>{view.rough(interval["point"])}</b>&nbsp;<span class="we-unit">{esc(unit_text)}</span>'
        f"<span>{view.span(interval)}</span></p>{ruler(view, interval, spoken, letters)}</div>"
    )


def price(view: View, estimates: Plain) -> str:
    """What a million tokens cost at the asked load; empty unless a price was given."""
    found = estimates.get("cost_per_million")
    if not found:
        return ""
    said = view.t("speed.cost", span=view.span(found), currency=found["currency"])
    return f'<p class="we-quiet">{said}</p>'


def measured(view: View, nearest: list[Plain]) -> str:
    """The nearest public measurements, each with how it differs from the answer."""
    if not nearest:
        return ""
    rows = "".join(_measured(view, chr(65 + i), row) for i, row in enumerate(nearest))
    return (
        f'<table class="we-table we-nearest"><caption>{view.t("speed.nearest-caption")}</caption><thead><tr>'
        f'<th scope=col><span class="we-sr">{view.t("speed.letter")}</span></th>'
        f"<th scope=col>{view.t('speed.nearest')}</th><th scope=col>{view.t('speed.differs')}</th>"
        f"<th scope=col class=num>{view.t('unit.tps')}</th>"
        f"<th scope=col>{view.t('speed.source')}</th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _measured(view: View, letter: str, row: Plain) -> str:
    words = view.words
    hardware = row.get("hardware") or ""
    what = [
        words.device(hardware) if hardware in view.kb.devices else hardware,
        words.model(row.get("model")),
        words.engine(row.get("engine") or ""),
    ]
    name = esc(", ".join(w for w in what if w))
    differs = ", ".join(difference(view, d) for d in row.get("differs") or []) or view.p("speed.same")
    speed = view.rough(row["decode_tps"]) if row.get("decode_tps") else "–"
    source = row.get("source")
    sources = source if isinstance(source, list) else [source] if source else []
    chip = view.chip(sources) or esc(date(row["date"], view.lang) if row.get("date") else "")
    numbers = f"<td class=num><b>{speed}</b></td><td>{chip}</td>"
    return f"<tr><th scope=row>{letter}</th><td>{name}</td><td>{esc(differs)}</td>{numbers}</tr>"


def difference(view: View, differs: object) -> str:
    """One difference: an id with a text of its own, or a path by its name."""
    if isinstance(differs, dict):
        text = f"speed.differs-{str(differs.get('id', '')).replace('_', '-')}"
        if view.texts.has(text):
            return view.p(text, {k: v for k, v in differs.items() if k != "id"})
        return str(differs.get("id", ""))
    text = f"speed.differs-{str(differs).replace('_', '-').replace('.', '-')}"
    return view.p(text) if view.texts.has(text) else str(differs)


def basis(view: View, estimates: Plain) -> str:
    """Where the estimate comes from: class, counts, held-out error, coverage."""
    found = estimates.get("basis")
    if not found:
        return ""
    name = str(found.get("class") or "all").replace("_", "-")
    texts = [id_ for id_ in (f"value.speed-class.{name}", f"words.vendor.{name}") if view.texts.has(id_)]
    params = {
        "name": view.p(texts[0]) if texts else name,
        "records": found.get("records") or 0,
        "machines": found.get("machines") or 0,
        "error": found.get("error") or 0,
        "coverage": found.get("coverage") or 0,
    }
    return f'<p class="we-quiet">{view.t("speed.basis", params)}</p>'
