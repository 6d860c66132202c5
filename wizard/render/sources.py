"""Sources: what was read for this answer, by publisher, with the day it was read."""

from __future__ import annotations

from .numbers import date
from .view import Plain, View, esc, heading, section

SHOWN = 3  # readings named per publisher; its page has all of them


def section_(view: View) -> Plain | None:
    """The section; one row a publisher, its readings as links."""
    ids = [s for s in (view.decision.get("evidence") or {}).get("sources") or [] if s in view.kb.sources]
    knowledge = view.decision.get("knowledge") or {}
    if not ids:
        return None
    by_publisher: dict[str, list[str]] = {}
    for id_ in ids:
        by_publisher.setdefault(view.kb.sources[id_]["p"], []).append(id_)
    rows = "".join(_kept(view, publisher, readings) for publisher, readings in sorted(by_publisher.items()))
    stand = ""
    if knowledge.get("date"):
        day = date(knowledge["date"], view.lang)
        said = view.t("source.knowledge", date=day, version=knowledge.get("version") or "")
        stand = f'<p class="we-quiet">{said}</p>'
    body = (
        f'{heading(view, "sources", "source.heading")}<p class="we-lead">{view.t("source.lead", n=len(ids))}</p>'
        f'<table class="we-table we-sources"><tbody>{rows}</tbody></table>{stand}'
    )
    return section("sources", body)


def _kept(view: View, publisher: str, readings: list[str]) -> str:
    """The row of a publisher; answers one after another cite the same readings."""
    named = "\n".join(readings[:SHOWN])
    newest = max(view.kb.sources[r]["d"] for r in readings)
    key = f"sources {len(readings)} {newest} {publisher}\n{named}"
    return view.keep(key, lambda: _row(view, publisher, readings, newest))


def _row(view: View, publisher: str, readings: list[str], newest: str) -> str:
    links = ", ".join(_link(view, publisher, r) for r in readings[:SHOWN])
    if len(readings) > SHOWN:
        links += f" +{len(readings) - SHOWN}"
    name = view.kb.core.get("publishers", {}).get(publisher, publisher)
    if isinstance(name, dict):  # a description, in the words of each language
        name = name.get(view.lang) or name["en"]
    return (
        f"<tr><th scope=row>{view.link(f'sources/{publisher}/', esc(name))}</th><td>{links}</td>"
        f"<td class=num>{view.t('source.read', date=date(newest, view.lang))}</td></tr>"
    )


def _link(view: View, publisher: str, reading: str) -> str:
    entry = view.kb.sources[reading]
    short = entry.get("t") or reading.removeprefix(f"{publisher}-").replace("-", " ")
    return f'<a href="{esc(view.base)}sources/{esc(publisher)}/#{esc(reading)}">{esc(short)}</a>'
