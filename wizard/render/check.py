"""Check it yourself: each predicted number, the tool or log that measures it, the trap; rules and report fields."""

from __future__ import annotations

import shlex

from .numbers import DASH
from .view import Plain, View, esc, folded, heading, section


def section_(view: View) -> Plain | None:
    """The section, or None when nothing was predicted."""
    plan = view.decision.get("benchmark")
    if not plan or not plan["predictions"]:
        return None
    rows, traps = "", set()
    for item in plan["predictions"]:
        rows += _row(view, item, item["trap"] not in traps)
        traps.add(item["trap"])
    body = (
        f'{heading(view, "check", "check.heading")}<p class="we-lead">{view.t("check.lead")}</p>'
        f'<table class="we-table we-check"><thead><tr><th scope=col>{view.t("check.col-predicted")}</th>'
        f"<th scope=col>{view.t('check.col-with')}</th><th scope=col>{view.t('check.col-mind')}</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>{rules(view, plan)}{fields(view, plan)}"
        f'<p class="we-note">{view.link("benchmarking/report/", view.t("check.report"))}</p>'
    )
    return section("check", body)


def _row(view: View, item: Plain, mind: bool) -> str:
    number, span = value(view, item)
    if item.get("same_as"):
        how = view.t("check.same-run", what=what(view, item["same_as"])) + _shown(view, item)
    elif item["command"]:
        text = " ".join(shlex.quote(w) for w in item["command"])
        tool = (view.kb.benchmarking.get(item["tool"]) or {}).get("name")
        link = view.link(page(item["tool"]), view.t(tool)) if tool else ""
        how = f"{link}<code>{esc(text)}</code>{_shown(view, item)}"
    elif item["tool"]:
        entry = view.kb.benchmarking[item["tool"]]
        how = view.link(page(item["tool"]), view.t(entry["name"]))
    else:
        how = f'<span class="we-quiet">{view.t("check.no-tool")}</span>'
    trap = view.t(item["trap"]) if item.get("trap") and mind else ""  # one trap is told once
    said = esc(what(view, item["quantity"])) + (f", {span}" if span else "")
    return f"<tr><th scope=row>{number}<small>{said}</small></th><td>{how}</td><td>{trap}</td></tr>"


def what(view: View, quantity: str) -> str:
    """The name of a predicted quantity as plain text; of the first token with the load that it is predicted for."""
    name = "ttft-load" if quantity == "ttft_s" and view.concurrency > 1 else quantity.replace("_", "-")
    return view.p(f"check.what-{name}", n=view.concurrency)


def _shown(view: View, item: Plain) -> str:
    return f"<small>{shows(view, item)}</small>" if item.get("shows") else ""


def shows(view: View, item: Plain) -> str:
    """What the tool prints if the estimate is right, in its own words and unit, as HTML."""
    printed = item["shows"]
    middle = (printed["low"] + printed["high"]) / 2
    return view.t("check.shows", label=printed["label"], span=view.span({**printed, "point": middle}))


def value(view: View, item: Plain) -> tuple[str, str]:
    """(number with unit, interval), both plain HTML."""
    unit = {"tok/s": "tps", "GiB": "gib", "s": "s", "tokens": "tokens"}[item["unit"]]
    if unit == "gib":
        span = f"{view.num(item['low'], 1)}{DASH}{view.num(item['high'], 1)}"
        return f"{view.num(item['point'], 1)}&nbsp;{view.t('unit.gib')}", span
    if unit == "tokens":
        if item["low"] == item["high"]:  # what the command names, to the token
            return view.t("unit.n-tokens", n=int(item["point"])), ""
        return view.t(
            "unit.n-tokens", n=view.rough(item["point"])
        ), f"{view.rough(item['low'])}{DASH}{view.rough(item['high'])}"
    return f"{view.rough(item['point'])}&nbsp;{view.t(f'unit.{unit}')}", view.span(item)


def page(id_: str) -> str:
    """Address of a benchmarking entry's page."""
    return f"benchmarking/{id_}/"


def rules(view: View, plan: Plain) -> str:
    """The rules that apply to this case, folded; each page says why."""
    if not plan["rules"]:
        return ""
    items = "".join(f"<li>{view.link(page(rule['id']), view.t(rule['name']))}</li>" for rule in plan["rules"])
    return folded("rules", view.t("check.rules", n=len(plan["rules"])), f'<ul class="we-plain">{items}</ul>')


def fields(view: View, plan: Plain) -> str:
    """Every field a report has to state, folded."""
    entries = view.kb.benchmarking
    groups: dict[str, list[str]] = {}
    for id_ in plan["fields"]:
        entry = entries.get(id_)
        if entry:
            groups.setdefault(entry.get("group") or "run", []).append(view.t(entry["name"]))
    if not groups:
        return ""
    items = "".join(f"<li><b>{view.t(f'check.group-{g}')}</b> {', '.join(names)}</li>" for g, names in groups.items())
    return folded("fields", view.t("check.fields", n=len(plan["fields"])), f'<ul class="we-plain">{items}</ul>')
