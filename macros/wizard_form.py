"""The wizard's form as HTML, made from knowledge/questions/: it is there before any script runs.

Field names are paths of the Situation. Groups follow the questions: hardware, model, workload and, behind
a disclosure, operations. The failures that a browser can have stand in the page as hidden sentences, so
that they can be shown when nothing else loads.
"""

from __future__ import annotations

from html import escape
from typing import Any

from markupsafe import Markup

from macros import runtime
from macros.view import View

Entry = dict[str, Any]

GROUPS = ("hardware", "model", "workload", "operations")
FAILURES = ("csp", "no-wasm", "worker", "network", "timeout", "crash")
# Values for which a segmented control would be wider than the form in one of the languages.
_SEGMENTED_MAX = 3
_KIND_ORDER = ("gpu", "soc", "cpu", "npu", "client")


def wizard_form(view: View) -> Markup:
    """Form, place of the result, failures and the intro with worked recipes."""
    found = runtime.manifest()
    t = view.t
    paths = f'data-runtime="../{found.runtime}/" data-data="../{found.data}/"' if found else ""
    parts = [
        f'<div class="wf" data-we-wizard {paths} data-lang="{view.lang}" data-base="{escape(view.base)}" '
        f'data-copied="{escape(view.plain("wizard-page.copied"))}">',
        '<div class="wf-side"><form class="wf-form" autocomplete="off" novalidate>',
        f'<div class="wf-top"><h2 class="wf-title" id="situation">{t("wizard-page.title")}</h2>'
        f'<a href="#" data-we-copy-link>{t("wizard-page.copy-link")}</a></div>',
        "<div data-we-problems></div>",
    ]
    for group in GROUPS:
        fields = _fields(view, group)
        if not fields:
            continue
        inner = "".join(_field(view, field) for field in fields)
        title = t(f"wizard-page.group-{group}")
        if group == "operations":
            parts.append(
                f'<details class="wf-more" id="wf-operations"><summary>{title}</summary><div class="wf-grid">{inner}</div></details>'
            )
        else:
            parts.append(
                f'<fieldset class="wf-group"><legend>{title}</legend><div class="wf-grid">{inner}</div></fieldset>'
            )
    parts += [
        "</form></div>",
        '<div class="wf-main">',
        f'<p class="wf-live" role="status" aria-live="polite" data-we-live data-answer="{escape(view.raw("wizard-page.live"))}" '
        f'data-none="{escape(view.plain("wizard-page.live-none"))}"></p>',
        f'<div class="wf-progress" data-we-progress hidden><label>{t("wizard-page.loading")} <progress max="100"></progress></label></div>',
        '<div class="wf-failures" data-we-failures role="alert" hidden>',
    ]
    for code in FAILURES:
        parts.append(f'<p data-we-failure="{code}" hidden>{t(f"wizard-page.failure-{code}")}</p>')
    parts += [
        f'<p><button type="button" class="wf-button" data-we-retry>{t("wizard-page.retry")}</button> '
        f'<a href="{view.to("")}#guide">{t("wizard-page.static-guide")}</a></p></div>',
        '<div class="we" data-we-result></div>',
        f'<div data-we-intro class="wf-intro"><p class="wf-lead">{t("wizard-page.intro")}</p>{_recipes(view)}</div>',
        f'<noscript><p class="wf-noscript">{t("wizard-page.noscript")}</p></noscript>',
        "</div></div>",
    ]
    return Markup("".join(parts))


def short_form(view: View) -> Markup:
    """The short form of the home page: count, device, model, for whom, how many at once."""
    found = runtime.manifest()
    paths = f'data-runtime="../{found.runtime}/" data-data="../{found.data}/"' if found else ""
    by_path = {f["path"]: f for g in GROUPS for f in _fields(view, g)}
    fields = [by_path[p] for p in ("devices", "model", "serving", "traffic.concurrency") if p in by_path]
    inner = "".join(_field(view, field, short=True) for field in fields)
    button = f'<button type="submit" class="wf-button">{view.t("wizard-page.full-answer")}</button>'
    return Markup(
        f'<form class="wf-short" action="{view.to("wizard/")}" data-we-short {paths} data-lang="{view.lang}" novalidate>'
        f"{inner}{button}</form>"
    )


def _fields(view: View, group: str) -> list[Entry]:
    questions = [q for q in view.world.entries("question").values() if q.get("group") == group]
    questions.sort(key=lambda q: q.get("order", 0))
    return [field for q in questions for field in q.get("fields", [])]


def _field(view: View, field: Entry, short: bool = False) -> str:
    path, widget = field["path"], field["widget"]
    id_ = "wf-" + ("short-" if short else "") + path.replace(".", "-")
    label = view.say(field["label"])
    why = "" if short else f'<p class="wf-why" id="{id_}-why">{view.say(field["why"])}</p>'
    described = "" if short else f' aria-describedby="{id_}-why"'
    options = field.get("options", [])
    wide = widget in ("devices", "model", "chips", "device") or path in ("priority", "serving", "format")
    shell = "wf-field wf-wide" if wide else "wf-field"
    assumed = f'<span class="wf-mark">{view.t("wizard-page.assumed")}</span>'
    head = f'<span class="wf-label"><label for="{id_}">{label}</label>{assumed}</span>'
    if widget == "devices":
        body = _devices(view, id_, described, short)
    elif widget == "model":
        body = _model(view, id_, described)
    elif widget == "device":
        body = _device_select(view, id_, path, described, kinds=("cpu", "soc"))
    elif widget == "chips":
        head = f'<span class="wf-label" id="{id_}">{label}</span>'
        body = (
            f'<div class="wf-chips" role="group" aria-labelledby="{id_}">'
            + "".join(
                f'<label class="wf-chip"><input type="checkbox" name="{path}" value="{escape(str(o["value"]))}"> '
                f"<span>{view.say(o['label'])}</span></label>"
                for o in options
            )
            + "</div>"
        )
    elif widget == "segmented" and 0 < len(options) <= _SEGMENTED_MAX:
        head = f'<span class="wf-label" id="{id_}">{label}{assumed}</span>'
        body = (
            f'<div class="wf-segments" role="radiogroup" aria-labelledby="{id_}">'
            + "".join(
                f'<label><input type="radio" name="{path}" value="{escape(_text(o["value"]))}"><span>{view.say(o["label"])}</span></label>'
                for o in options
            )
            + "</div>"
        )
    elif widget == "number":
        unit = f'<span class="wf-unit">{view.say(field["unit"])}</span>' if "unit" in field else ""
        example = f' placeholder="{escape(field["example"])}"' if field.get("example") else ""
        body = f'<span class="wf-number"><input type="text" inputmode="decimal" id="{id_}" name="{path}"{example}{described}>{unit}</span>'
    elif options:
        body = (
            f'<select id="{id_}" name="{path}"{described}><option value=""></option>'
            + "".join(f'<option value="{escape(_text(o["value"]))}">{_option(view, o)}</option>' for o in options)
            + "</select>"
        )
    else:
        body = f'<input type="text" id="{id_}" name="{path}"{described}>'
    return f'<div class="{shell}" data-field="{path}">{head}{body}{why}</div>'


def _option(view: View, option: Entry) -> str:
    note = f" ({view.said(option['note'])})" if "note" in option else ""
    return escape(view.said(option["label"]) + note)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _devices(view: View, id_: str, described: str, short: bool) -> str:
    t = view.plain
    row = (
        '<div class="wf-device" data-device-row>'
        f'<span class="wf-stepper"><button type="button" data-do="less" aria-label="{escape(t("wizard-page.fewer"))}">−</button>'
        f'<input type="text" inputmode="numeric" data-count value="1" aria-label="{escape(t("wizard-page.how-many"))}">'
        f'<button type="button" data-do="more" aria-label="{escape(t("wizard-page.more"))}">+</button></span>'
        f'<select id="{id_}" data-device{described}><option value="">{escape(t("wizard-page.choose-hardware"))}</option>'
        f"{_device_options(view)}</select>"
        + (
            ""
            if short
            else f'<button type="button" class="wf-remove" data-do="remove" aria-label="{escape(t("wizard-page.remove"))}">×</button>'
        )
        + "</div>"
    )
    add = (
        ""
        if short
        else f'<button type="button" class="wf-link" data-do="add">{view.t("wizard-page.add-device")}</button>'
    )
    return row + add


def _device_options(view: View, kinds: tuple[str, ...] = _KIND_ORDER) -> str:
    groups: dict[str, list[str]] = {}
    entries = view.world.entries("device")
    for kind in kinds:
        for id_, entry in sorted(entries.items(), key=lambda e: e[1]["name"]):
            if entry["kind"] != kind:
                continue
            sizes = sorted(entry["memory"]["options"], reverse=True)
            label = f"{view.plain('wizard-page.kind-' + kind)}, {view.plain('wizard-page.vendor-' + entry['vendor'])}"
            for size in sizes:
                value = id_ if len(sizes) == 1 else f"{id_}:{size:g}"
                name = f"{entry['name']}, {view.num(size)} GiB"
                groups.setdefault(label, []).append(f'<option value="{value}">{escape(name)}</option>')
    return "".join(f'<optgroup label="{escape(label)}">{"".join(rows)}</optgroup>' for label, rows in groups.items())


def _device_select(view: View, id_: str, path: str, described: str, kinds: tuple[str, ...]) -> str:
    unknown = escape(view.plain("wizard-page.unknown"))
    options = "".join(
        f'<option value="{k}">{escape(e["name"])}</option>'
        for k, e in sorted(view.world.entries("device").items(), key=lambda e: e[1]["name"])
        if e["kind"] in kinds
    )
    return f'<select id="{id_}" name="{path}"{described}><option value="">{unknown}</option>{options}</select>'


def _model(view: View, id_: str, described: str) -> str:
    unknown = escape(view.plain("wizard-page.no-model"))
    families: dict[str, list[tuple[int, str, str]]] = {}
    for model, entry in view.world.entries("model").items():
        families.setdefault(entry["publisher"], []).append((entry["params"]["total"], model, entry["name"]))
    groups = "".join(
        f'<optgroup label="{escape(publisher)}">'
        + "".join(f'<option value="{m}">{escape(name)}</option>' for _, m, name in sorted(rows))
        + "</optgroup>"
        for publisher, rows in sorted(families.items())
    )
    return f'<select id="{id_}" name="model"{described}><option value="">{unknown}</option>{groups}</select>'


def _recipes(view: View) -> str:
    items = "".join(
        f'<li><a href="{view.url("recipe", id_)}">{escape(view.name(entry))}</a></li>'
        for id_, entry in view.world.entries("recipe").items()
    )
    return f'<p class="wf-label">{view.t("wizard-page.recipes")}</p><ul class="wf-recipes">{items}</ul>'
