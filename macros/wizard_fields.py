"""The controls of the wizard's form, made from knowledge/questions/.

Field names are paths of the Situation. A list offers "I do not know" where leaving it open means something
else than its first value.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from macros import wizard_own
from macros.view import View

Entry = dict[str, Any]

# Options up to this number stand side by side; more would be wider than the form in one of the languages.
_SEGMENTED_MAX = 3
_KIND_ORDER = ("gpu", "soc", "cpu", "npu", "client")
_SIGNS = re.compile(r"[\W_]+")
_OPEN = (None, "auto")  # values that mean the same as no answer
# Columns of ten that a field takes; the others take half a row.
_WIDTH = {
    "devices": 10, "links.within": 10, "host.cpu": 10, "model": 10, "format": 10, "context.tokens": 10,
    "traffic.mode": 10, "priority": 10, "needs": 10, "already": 10, "optional.exposure": 10,
    "optional.air_gapped": 10, "serving": 6, "traffic.concurrency": 4, "traffic.shared_prefix": 10,
}  # fmt: skip


def of_group(view: View, group: str) -> list[Entry]:
    """The fields of a group of questions, in their order."""
    questions = [q for q in view.world.entries("question").values() if q.get("group") == group]
    ids = {id(q): id_ for id_, q in view.world.entries("question").items()}
    questions.sort(key=lambda q: q.get("order", 0))
    return [{**field, "question": ids[id(q)]} for q in questions for field in q.get("fields", [])]


def field(view: View, spec: Entry, short: bool = False) -> str:
    """Label, mark for an assumed value, control, and the place for a note on what was chosen.

    short: for the home page, where nothing is described and no row can be added.
    """
    path, widget = spec["path"], spec["widget"]
    id_ = field_id(path, short)
    label = str(view.say(spec["label"]))
    described = "" if short else f' aria-describedby="{id_}-why"'
    options = spec.get("options", [])
    grouped = widget == "chips" or (widget == "segmented" and 0 < len(options) <= _SEGMENTED_MAX)
    if widget == "devices":
        body = _devices(view, id_, label, described, short)
    elif widget == "model":
        body = "" if short else finder(view, "model")
        own = "" if short else f'<option value="#">{escape(view.plain("form.own-model"))}</option>'
        body += _select(id_, "model", described, _unknown(view, "no-model") + own) + _later(_models(view))
        body += "" if short else wizard_own.model(view)
    elif widget == "device":
        body = _select(id_, path, described, _unknown(view)) + _later(_processors(view))
    elif widget == "chips":
        body = _chips(view, id_, path, options)
    elif grouped:
        body = _segments(view, id_, path, options)
    elif widget == "number":
        body = _number(view, id_, spec, described)
    elif options:
        body = _select(id_, path, described, _options(view, options))
    else:
        body = f'<input type="text" id="{id_}" name="{path}"{described}>'
    name = f'<span id="{id_}">{label}</span>' if grouped else f'<label for="{id_}" id="{id_}-label">{label}</label>'
    mark = "" if widget == "chips" else f'<span class="wf-mark">{view.t("wizard-page.assumed")}</span>'
    if not short and (widget == "number" or (grouped and widget != "chips")):
        # a list has a choice for it
        mark += f'<button type="button" class="wf-unknown" data-do="unknown">{view.t("wizard-page.unknown")}</button>'
    width = _WIDTH.get(path, 5)
    return (
        f'<div class="wf-field wf-w{width}" data-field="{path}"><span class="wf-label">{name}{mark}</span>'
        f'{body}<p class="wf-note" hidden></p></div>'
    )


def field_id(path: str, short: bool = False) -> str:
    """Id of a control; the short form and the wizard may never share one."""
    return "wf-" + ("short-" if short else "") + path.replace(".", "-").replace("_", "-")


# ---------------------------------------------------------------------- one control each


def _select(id_: str, path: str, described: str, options: str) -> str:
    return f'<select id="{id_}" name="{path}"{described}>{options}</select>'


def _later(options: str) -> str:
    """What a long list offers besides its first options; a script puts it in (lists.mjs)."""
    return f"<template data-we-list>{options}</template>"


def _unknown(view: View, text: str = "unknown") -> str:
    return f'<option value="">{escape(view.plain(f"wizard-page.{text}"))}</option>'


def _options(view: View, options: list[Entry]) -> str:
    found = "" if any(o["value"] in _OPEN for o in options) else _unknown(view)
    for option in options:
        value = "" if option["value"] in _OPEN else _text(option["value"])
        note = f' data-note="{escape(view.said(option["note"]))}"' if "note" in option else ""
        found += f'<option value="{escape(value)}"{note}>{escape(view.said(option["label"]))}</option>'
    return found


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _chips(view: View, id_: str, path: str, options: list[Entry]) -> str:
    boxes = "".join(
        f'<label class="wf-chip"><input type="checkbox" name="{path}" value="{escape(_text(o["value"]))}"> '
        f"<span>{view.say(o['label'])}</span></label>"
        for o in options
    )
    return f'<div class="wf-chips" role="group" aria-labelledby="{id_}" aria-describedby="{id_}-why">{boxes}</div>'


def _segments(view: View, id_: str, path: str, options: list[Entry]) -> str:
    boxes = "".join(
        f'<label><input type="radio" name="{path}" value="{escape(_text(o["value"]))}">'
        f"<span>{view.say(o['label'])}</span></label>"
        for o in options
    )
    return (
        f'<div class="wf-segments" role="radiogroup" aria-labelledby="{id_}" aria-describedby="{id_}-why">{boxes}</div>'
    )


def _number(view: View, id_: str, spec: Entry, described: str) -> str:
    mode = "numeric" if float(spec.get("step", 1)).is_integer() else "decimal"
    unit = f'<span class="wf-unit">{view.say(spec["unit"])}</span>' if "unit" in spec else ""
    css = "wf-number wf-measured" if unit else "wf-number"
    control = f'<input type="text" inputmode="{mode}" id="{id_}" name="{spec["path"]}" placeholder=" "{described}>'
    return f'<span class="{css}">{control}{unit}</span>'


def finder(view: View, what: str) -> str:
    """A field that searches the list behind it as one types; hidden until a script makes it work."""
    label = escape(view.plain(f"form.find-{what}"))
    return (
        f'<input type="search" class="wf-find" data-we-find="{what}" hidden role="combobox" aria-expanded="false" '
        f'aria-autocomplete="list" aria-label="{label}" placeholder="{label}" autocomplete="off" autocapitalize="off" '
        f'spellcheck="false" data-none="{escape(view.plain("form.found-none"))}">'
    )


def _named(entry: Entry, *shown: str) -> str:
    """The other names of an entry, for the search; it reads signs as spaces, and itself what is `shown`."""
    seen = {_SIGNS.sub(" ", text.lower()) for text in shown}
    names = []
    for name in (entry["name"], *map(str, entry.get("aka", []))):
        folded = _SIGNS.sub(" ", name.lower())
        if folded not in seen:
            seen.add(folded)
            names.append(name)
    return f' data-find="{escape("|".join(names))}"' if names else ""


def _devices(view: View, id_: str, label: str, described: str, short: bool) -> str:
    def said(text: str) -> str:
        return escape(view.plain(f"wizard-page.{text}"))

    remove = f'<button type="button" class="wf-remove" data-do="remove" aria-label="{said("remove")}">×</button>'
    own = "" if short else f'<option value="custom()">{escape(view.plain("form.own-device"))}</option>'
    row = (
        f'<div class="wf-device" data-device-row>{"" if short else finder(view, "device")}'
        f'<span class="wf-stepper"><button type="button" data-do="less" aria-label="{said("fewer")}">−</button>'
        f'<input type="text" inputmode="numeric" data-count value="1" aria-label="{said("how-many")}">'
        f'<button type="button" data-do="more" aria-label="{said("more")}">+</button></span>'
        f'<select id="{id_}" data-device{described}><option value="">{said("choose-hardware")}</option>{own}'
        f"</select>{'' if short else remove}</div>"
    )
    cards = _later(_cards(view))
    add = f'<button type="button" class="wf-link" data-do="add">{view.t("wizard-page.add-device")}</button>'
    return row + cards if short else row + cards + add + wizard_own.device(view)


# ---------------------------------------------------------------------- what lists offer


def _cards(view: View) -> str:
    """Every device by kind and maker, with a choice for each size of its memory; the largest is the default."""
    groups: dict[str, list[str]] = {}
    entries = sorted(view.world.entries("device").items(), key=lambda e: e[1]["name"])
    for kind in _KIND_ORDER:
        for id_, entry in entries:
            if entry["kind"] != kind:
                continue
            kind_name, maker = (
                view.plain(f"wizard-page.kind-{kind}"),
                view.plain(f"wizard-page.vendor-{entry['vendor']}"),
            )
            rows = groups.setdefault(f"{kind_name}, {maker}", [])
            sizes = sorted(entry["memory"]["options"], reverse=True)
            for size in sizes:
                value = id_ if size == sizes[0] else f"{id_}:{size:g}"
                memory = f"{view.num(size)} {view.plain('unit.gib')}"
                name = view.words.device(id_)
                find = _named(entry, name, id_) if size == sizes[0] else ""
                rows.append(f'<option value="{value}"{find}>{escape(name)} · {memory}</option>')
    return "".join(f'<optgroup label="{escape(name)}">{"".join(rows)}</optgroup>' for name, rows in groups.items())


def _processors(view: View) -> str:
    return "".join(
        f'<option value="{id_}">{escape(entry["name"])}</option>'
        for id_, entry in sorted(view.world.entries("device").items(), key=lambda e: e[1]["name"])
        if entry["kind"] in ("cpu", "soc")
    )


def _models(view: View) -> str:
    """Every model by publisher, small to large; the note says what memory depends on."""
    publishers: dict[str, list[tuple[int, str]]] = {}
    for id_, entry in view.world.entries("model").items():
        note = escape(_anatomy(view, entry))
        name = entry["name"]
        option = f'<option value="{id_}" data-note="{note}"{_named(entry, name, id_)}>{escape(name)}</option>'
        publishers.setdefault(entry["publisher"], []).append((entry["params"]["total"], option))
    return "".join(
        f'<optgroup label="{escape(name)}">{"".join(option for _, option in sorted(rows))}</optgroup>'
        for name, rows in sorted(publishers.items())
    )


def _anatomy(view: View, entry: Entry) -> str:
    """Kind, parameters, layers, KV heads of a model in a line."""
    params = entry["params"]
    total = view.billions(params["total"])
    if params.get("active"):
        total = view.plain("wizard-page.active", total=total, active=view.billions(params["active"]))
    parts = [view.words.value("model.kind", entry["kind"]), total]
    if entry.get("layers"):
        parts.append(view.plain("wizard-page.layers", n=entry["layers"]))
    heads = {a["kv_heads"] for a in entry.get("attention") or [] if a.get("kv_heads")}
    if len(heads) == 1:
        parts.append(view.plain("wizard-page.kv-heads", n=heads.pop()))
    return ", ".join(parts)
