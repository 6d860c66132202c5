"""No engine starts: the shortfall in a sentence and the nearest engines with one change each."""

from __future__ import annotations

from .head import problems, warnings
from .view import Plain, View, esc


def nothing(view: View) -> Plain:
    """No engine starts: the shortfall in a sentence and the nearest engines with one change each."""
    near = view.decision.get("nothing_fits") or []
    rows = "".join(_near(view, item) for item in near)
    table = ""
    if rows:
        table = (
            f'<p class="we-because">{view.t("answer.nearest", n=len(near))}</p>'
            f'<table class="we-table we-near"><caption>{view.t("answer.nothing-caption")}</caption>'
            f"<tbody>{rows}</tbody></table>"
        )
    html = (
        f'<section class="we-answer" id="we-answer" aria-labelledby="we-answer-h">{problems(view)}'
        f'<h4 class="we-engine we-nothing" id="we-answer-h" aria-level="2">{view.t("answer.nothing")}</h4>'
        f'<p class="we-because">{shortfall(view)}</p>{any_format(view)}{table}{warnings(view)}</section>'
    )
    return {"id": "answer", "html": html}


def any_format(view: View) -> str:
    """What would start if the format were free, when the asked one removes every engine."""
    other = view.decision.get("auto_format")
    if not other:
        return ""
    said = view.t("answer.auto-format", engine=view.words.engine(other["engine"]))
    spec = ", ".join(x for x in (view.words.format(other.get("format")), _fit(view, other.get("fit"))) if x)
    return f'<p class="we-note">{said} {esc(spec)} {view.patch_link(other["patch"], view.t("change.try"))}</p>'


def _fit(view: View, kind: str | None) -> str:
    return view.p(f"fit.word-{kind}") if kind else ""


def shortfall(view: View) -> str:
    """Why nothing starts: memory if that is what stands in the way, else the constraints."""
    situation = view.decision["situation"]
    if not situation["devices"]:
        return view.t("answer.nothing-no-hardware")
    hardware = view.words.devices(situation["devices"])
    model = view.words.model(situation["model"])
    lacking = [o for r in view.decision["rejected"] for o in r["obstacles"] if o["clause"] == "memory"]
    sizes = [
        (o["needed"], o["yours"], _of_host(o, "ram"), _of_host(o, "usable"))
        for o in lacking
        if isinstance(o["needed"], int | float) and isinstance(o["yours"], int | float)
    ]
    if sizes and model:
        needed, yours, ram, usable = min(sizes, key=lambda s: (s[:2], s[2] is None))
        if ram is not None:
            return view.t(
                "answer.nothing-memory-host", hardware=hardware, yours=yours, model=model, needed=needed, ram=ram,
                usable=usable,
            )  # fmt: skip
        return view.t("answer.nothing-memory", hardware=hardware, yours=yours, model=model, needed=needed)
    return view.t("answer.nothing-other", hardware=hardware)


def _of_host(obstacle: Plain, name: str) -> int | None:
    """Bytes of system memory that an obstacle names, where that was too small as well."""
    return (obstacle.get("params") or {}).get(name) if obstacle.get("text", "").endswith("-host") else None


def _near(view: View, item: Plain) -> str:
    change = item.get("change")
    patch = item.get("patch") or {}
    label = view.t(change["text"], change.get("params")) if change else esc(view.words.patch(patch, view.stated))
    return (
        f"<tr><th scope=row>{view.engine_link(item['engine'], item.get('mode'))}</th><td>{label}</td>"
        f"<td class=num>{view.patch_link(patch, view.t('change.try'))}</td></tr>"
    )
