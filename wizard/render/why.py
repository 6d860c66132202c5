"""Why this one: the cause in bold, a sentence, then strength and source in two aligned columns."""

from __future__ import annotations

import re

from .marks import strength
from .view import Plain, View, heading, section
from .whynot import obstacle

_TAG = re.compile(r"<[^>]*>")


def section_(view: View, start: Plain) -> Plain | None:
    """The section, or None when there is neither a reason nor a limit to tell."""
    rows = [reason(view, r) for r in start.get("reasons") or []]
    limit = bottleneck(view)
    if limit:
        rows.append(limit)
    if not rows:
        return None
    open_ = "".join(f"<li>{obstacle(view, o)}</li>" for o in start.get("unconfirmed") or [])
    unsure = f'<p class="we-note">{view.t("why.unconfirmed")}</p><ul class="we-plain">{open_}</ul>' if open_ else ""
    already = view.decision.get("already")
    stay = f'<p class="we-note">{view.statement(already)}</p>' if already else ""
    body = f'{heading(view, "why", "why.heading")}{stay}<ul class="we-reasons">{"".join(rows)}</ul>{unsure}'
    return section("why", body)


def reason(view: View, statement: Plain) -> str:
    """One reason."""
    head = statement.get("headline")
    bold = f"<strong>{sentence(view.t(head, statement.get('params')))}</strong> " if head else ""
    mark = strength(view, statement["strength"]) if statement.get("strength") else ""
    chip = view.chip(statement["sources"], statement.get("opinion"))
    return f"<li><p>{bold}{view.statement(statement)}</p><span>{mark}</span><span>{chip}</span></li>"


def sentence(text: str) -> str:
    """A headline with its full stop."""
    return text if _TAG.sub("", text)[-1:] in ".!?…:" else f"{text}."


def bottleneck(view: View) -> str:
    """What limits the speed, linked to its page."""
    found = view.decision.get("bottleneck")
    if not found:
        return ""
    entry = view.kb.bottlenecks.get(found["is"]) or {}
    name = view.t(entry["name"]) if entry.get("name") else view.t(f"value.bottleneck.{found['is']}")
    link = view.link(f"bottlenecks/{found['is']}/", name)
    said = " ".join(view.statement(r) for r in found.get("reasons") or [])
    return f"<li><p><strong>{view.t('why.limit', name=_raw(link))}</strong> {said}</p><span></span><span></span></li>"


def _raw(markup: str) -> str:
    from ..texts import Markup

    return Markup(markup)
