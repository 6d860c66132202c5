"""What would change it: the answer, what it is now, what it would have to be, and what would follow."""

from __future__ import annotations

from ..hardware import systems
from .view import Plain, View, esc, heading, section


def change_section(view: View) -> Plain | None:
    """The section; None until what-if has found something."""
    changes = view.decision.get("would_change") or []
    if not changes:
        return None
    rows = "".join(_row(view, c) for c in changes)
    body = (
        f'{heading(view, "change", "change.heading")}<table class="we-table we-changes"><thead><tr>'
        f"<th scope=col>{view.t('change.col-answer')}</th><th scope=col>{view.t('change.col-now')}</th>"
        f"<th scope=col>{view.t('change.col-if')}</th><th scope=col>{view.t('change.col-then')}</th>"
        f'<th scope=col><span class="we-sr">{view.t("change.try")}</span></th></tr></thead>'
        f"<tbody>{rows}</tbody></table>{_without(view, changes)}"
    )
    return section("change", body)


def _without(view: View, changes: list[Plain]) -> str:
    """What was assumed and of which no tried value changes the answer."""
    told = {change["path"] for change in changes}
    if len(systems(view.decision["situation"]["devices"], view.kb)) == 1:
        told.add("host.os")  # follows from the hardware
    rest = [a for a in view.decision["assumptions"] if a["path"] not in told]
    if not rest:
        return ""
    items = view.texts.both([f"{view.words.path(a['path'])}: {shown(view, a['path'], a['value'])}" for a in rest])
    return f'<p class="we-quiet">{view.t("change.without", n=len(rest), items=items)}</p>'


def _row(view: View, item: Plain) -> str:
    path = item["path"]
    now, value = shown(view, path, item["now"]), shown(view, path, item["value"])
    label = view.t("change.try")
    link = view.patch_link(
        item["patch"], f'{label}<span class="we-sr">: {esc(view.words.path(path))} {esc(value)}</span>'
    )
    name = view.words.path(path)
    assumed = any(a["path"] == path for a in view.decision["assumptions"])
    mark = f' <span class="we-assumed">{view.t("wizard-page.assumed")}</span>' if assumed else ""
    return (
        f"<tr><th scope=row>{esc(name[:1].upper() + name[1:])}</th><td>{esc(now)}{mark}</td>"
        f"<td><b>{esc(value)}</b></td><td>{then(view, item['then'])}</td><td class=num>{link}</td></tr>"
    )


def shown(view: View, path: str, value: object) -> str:
    """A value of the Situation in a cell."""
    if path == "devices" and isinstance(value, list):
        return view.words.devices(value)
    if path == "format" and value == "auto":
        return view.p("value.format.auto")
    if path == "needs" and not value:
        return view.p("value.nothing")
    return view.words.value(path, value)


def then(view: View, brief: Plain | None) -> str:
    """The answer that would follow, in a line."""
    if brief is None:
        return view.t("change.nothing")
    words = view.words
    start = view.start
    engine = words.engine(brief["engine"], brief.get("mode"))
    parts = [engine, words.format(brief.get("format"), True), words.layout_short(brief.get("layout") or {})]
    text = ", ".join(p for p in parts if p)
    fit = brief.get("fit")
    if fit in ("tight", "offload"):
        text += f", {view.p(f'fit.is-{fit}')}"
    decode = ((start or {}).get("estimates") or {}).get("decode_tps")
    if (
        start
        and brief.get("decode_tps")
        and decode
        and brief["engine"] == start["engine"]
        and _moved(decode["point"], brief["decode_tps"])
    ):
        text += f", {view.rough(decode['point'])} → {view.rough(brief['decode_tps'])}\u00a0{view.unit('tps')}"
    return esc(text)


def _moved(now: float, then_: float) -> bool:
    return abs(then_ - now) >= 0.05 * now
