"""The report checker: a text field, the empty form, and the place where the browser's Python puts what it found."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from markupsafe import Markup

from macros.catalog import Page
from macros.raw_html import CLOSE, OPEN
from macros.view import View
from macros.wizard_form import where
from macros.world import World
from wizard.report_check import show


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("benchmarking/report.md", "report", title=lambda v: v.plain("report.title"))


def render(view: View, id_: str) -> str:
    """Title and checker."""
    return f"# {view.plain('report.title')} {{ #report .wp-h1 }}\n\n{OPEN}\n{checker(view)}\n{CLOSE}\n"


def checker(view: View) -> Markup:
    """Everything but the findings, which need the browser's Python; without a script the form can be copied."""
    t = view.t
    entries = view.world.entries("benchmarking")
    read = [e for e in entries.values() if e.get("output")]
    named = ", ".join(view.said(e["name"]) for e in sorted(read, key=lambda e: e["order"]))
    sample = next((e["example"] for e in read if e.get("example")), "")
    form = show.form(view.answers, view.world.bundle.report[view.lang], view.world.kb)
    return Markup(
        f'<div class="wr" data-we-report {where(view)}><p class="wp-lead">{t("report.lead")}</p>'
        f'<label class="wr-label" for="report-text">{t("report.label")}</label>'
        f'<textarea id="report-text" rows="12" spellcheck="false" autocomplete="off" aria-describedby="report-hint">'
        f'</textarea><p class="wp-quiet" id="report-hint">{t("report.hint", tools=named)}</p>'
        f'<p class="wr-do"><button type="button" class="wf-button" data-report-run>{t("report.run")}</button>'
        f'<button type="button" class="wf-link" data-report-put="example">{t("report.example")}</button>'
        f'<button type="button" class="wf-link" data-report-put="form">{t("report.form")}</button></p>'
        f'<p class="wf-live" role="status" aria-live="polite" data-report-live></p>'
        f'<p class="wp-warn" data-report-failed hidden>{t("report.failed")}</p>'
        f'<div class="we" data-report-found></div><noscript><p>{t("report.noscript")}</p></noscript>'
        f'<details class="wr-form"><summary>{t("report.form")}</summary><pre tabindex="0" data-report-form>'
        f"{escape(form)}</pre></details><template data-report-example>{escape(sample)}</template></div>"
    )
