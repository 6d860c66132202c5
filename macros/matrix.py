"""The large matrix as data and as a table: engines down, formats and kernel targets across.

matrix.json: {"engines": [...], "formats": [...], "columns": [...], "cells": {"engine|format|arch": {"k": kernel,
"n": index of a note}}, "notes": [HTML of a popover], "words": {...}}. A cell that is absent does not run.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Any

from markupsafe import Markup

from macros import kernels, words
from macros.facts import spelled
from macros.view import View
from macros.world import Entry, World

# The table as it stands before anybody chooses has to fit beside the names: pixels of a cell, of a group's gap
_WIDTH, _CELL, _GAP = 1040, 24, 10


def data(view: View) -> dict[str, Any]:
    """Everything the page and its controls need, in the language of the view."""
    key = (id(view.world), view.lang, view.page)
    if key not in _MADE:
        _MADE.clear()
        _MADE[key] = _make(view)
    return _MADE[key]


_MADE: dict[tuple[int, str, str], dict[str, Any]] = {}


def _make(view: View) -> dict[str, Any]:
    world = view.world
    table = kernels.table(world)
    columns = joined_columns(world)
    representative = {arch: column["archs"][0] for column in columns for arch in column["archs"]}
    notes: list[str] = []
    known: dict[tuple, int] = {}
    cells: dict[str, Any] = {}
    for (engine, family, arch), cell in table.items():
        if representative.get(arch) != arch or cell.kernel == kernels.NO:
            continue
        key = (engine, family, arch, cell.line)
        if key not in known:
            known[key] = len(notes)
            notes.append(note(view, engine, family, cell, arch))
        cells[f"{engine}|{family}|{arch}"] = {"k": cell.kernel, "n": known[key]}
    engines = [e for e in ordered_engines(world) if any(key[0] == e for key in table)]
    return {
        "engines": [engine_row(view, e) for e in engines],
        "formats": [{"id": f, "name": view.name(x)} for f, x in world.entries("format").items()],
        "columns": [
            {
                "group": c["group"],
                "arch": c["archs"][0],
                "archs": c["archs"],
                "label": c["label"],
                "title": title(view, c),
            }
            for c in columns
        ],
        "cells": cells,
        "notes": notes,
        "shown": usual(world),
        "words": {k: view.plain(f"words.kernel.{k}") for k in kernels.ORDER}
        | {"engine": view.plain("pages.matrix.engine")},
    }


@lru_cache(maxsize=2)
def _joined(world: World) -> tuple[dict[str, Any], ...]:
    table = kernels.table(world)
    found: list[dict[str, Any]] = []
    for column in kernels.columns(world):
        kinds = {(e, f): cell.kernel for (e, f, arch), cell in table.items() if arch == column.arch}
        if found and found[-1]["group"] == column.group and found[-1]["kinds"] == kinds:
            found[-1]["archs"].append(column.arch)
            found[-1]["generations"].append(column.generation)
            continue
        found.append(
            {"group": column.group, "archs": [column.arch], "generations": [column.generation], "kinds": kinds}
        )
    for column in found:
        column["label"] = short(column["archs"])
    return tuple(found)


def joined_columns(world: World) -> list[dict[str, Any]]:
    """Columns in which every engine and format behaves alike stand as one."""
    return list(_joined(world))


def short(archs: list[str]) -> str:
    """Head of a column: the number without its prefix; a range when several stand as one."""
    bare = [arch.rpartition("_")[2] if arch.startswith("sm_") else arch for arch in archs]
    return bare[0] if len(bare) == 1 else f"{bare[0]}–{bare[-1]}"


def title(view: View, column: dict[str, Any]) -> str:
    """What a column stands for, in full."""
    names = dict.fromkeys(words.value(view, "generation", g) for g in column["generations"])
    return f"{', '.join(names)}: {', '.join(column['archs'])}"


def usual(world: World) -> list[str]:
    """The formats shown first: those below 16 bit whose kernels differ most from target to target."""
    count: dict[str, int] = {}
    kinds: dict[str, set[str]] = {}
    for (_, family, _), cell in kernels.table(world).items():
        if cell.kernel not in (kernels.NO, kernels.UNKNOWN):
            count[family] = count.get(family, 0) + 1
            kinds.setdefault(family, set()).add(cell.kernel)
    formats = [f for f, x in world.entries("format").items() if any(t["bits"] < 16 for t in x["types"])]
    group = joined_columns(world)[0]["group"]
    width = _CELL * sum(c["group"] == group for c in joined_columns(world)) + _GAP
    chosen = sorted(formats, key=lambda f: (-len(kinds.get(f, ())), -count.get(f, 0), f))[: max(3, _WIDTH // width)]
    return [f for f in world.entries("format") if f in chosen]


def ordered_engines(world: World) -> list[str]:
    """Engines by family, the retired ones last."""
    order = {f: x["order"] for f, x in world.entries("family").items()}
    engines = world.entries("engine")
    return sorted(engines, key=lambda e: (retired(engines[e]), order.get(engines[e]["family"], 99), engines[e]["name"]))


def retired(engine: Entry) -> bool:
    """Archived or inactive."""
    return engine["status"]["is"] in ("archived", "inactive")


def engine_row(view: View, engine: str) -> dict[str, Any]:
    """Name, version or state, address."""
    entry = view.world.entries("engine")[engine]
    gone = retired(entry)
    tail = view.plain(f"words.status.{entry['status']['is']}") if gone else entry["versions"]["stable"]
    return {"id": engine, "name": entry["name"], "tail": tail, "retired": gone, "href": view.url("engine", engine)}


def note(view: View, engine: str, family: str, cell: kernels.Cell, arch: str) -> str:
    """The popover of a cell: kind, one sentence, what it needs, source, wizard, edit line."""
    entry = view.world.entries("engine")[engine]
    format_ = view.world.entries("format")[family]
    line = entry["formats"][cell.line] if cell.line is not None else {}
    kind = view.t(f"words.kernel.{cell.kernel}")
    says = view.say(line["note"]) if "note" in line else view.t(f"words.kernel-says.{cell.kernel}")
    rows = [(view.t("pages.matrix.backend"), escape(words.value(view, "backend", cell.backend)))]
    needs = words.condition(view, line.get("needs"))
    if needs:
        rows.append((view.t("pages.matrix.needs"), needs))
    if line.get("versions"):
        rows.append((view.t("pages.matrix.versions"), escape(spelled(line["versions"]))))
    if cell.via and cell.via in view.world.entries("engine"):
        rows.append((view.t("pages.matrix.via"), view.link("engine", cell.via)))
    rows.append((view.t("pages.source"), view.chip(list(cell.sources))))
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    device = view.world.entries("device")[cell.device]
    ask = view.to("wizard/") + view.fragment(
        {"devices": [{"device": cell.device, "count": 1}], "format": {"family": family}}
    )
    edit = (
        view.edit_url("engine", engine, "formats", cell.line)
        if cell.line is not None
        else view.edit_url("engine", engine)
    )
    return (
        f"<h3>{escape(entry['name'])}, {escape(view.name(format_))}<code>{escape(arch)}</code></h3>"
        f"<p><b>{kind}.</b> {says}</p><dl>{listed}</dl>"
        f'<footer><a href="{escape(ask)}">{view.t("pages.matrix.ask", device=view.name(device))}</a>'
        f'<a href="{escape(edit)}">{view.t("pages.matrix.edit", n=int(edit.rpartition("#L")[2]))}</a></footer>'
    )


def table(view: View, data_: dict[str, Any], group: str, formats: list[str]) -> Markup:
    """The table for one group of targets and some formats; the script draws others the same way."""
    columns = [c for c in data_["columns"] if c["group"] == group]
    names = {f["id"]: f["name"] for f in data_["formats"]}
    gap = '<td class="wp-gap"></td>'
    head = "".join(f'{gap}<th scope="colgroup" colspan="{len(columns)}">{escape(names[f])}</th>' for f in formats)
    archs = "".join(f'<th scope="col" title="{escape(c["title"])}">{escape(c["label"])}</th>' for c in columns)
    body = []
    for engine in data_["engines"]:
        if not any(f"{engine['id']}|{f}|{c['arch']}" in data_["cells"] for f in formats for c in columns):
            continue
        cells = []
        for family in formats:
            cells.append(gap)
            for column in columns:
                cell = data_["cells"].get(f"{engine['id']}|{family}|{column['arch']}")
                cells.append(f"<td>{_cell(cell, data_['words'])}</td>")
        mark = ' class="wp-retired"' if engine["retired"] else ""
        body.append(
            f'<tr{mark}><th scope="row"><a href="{engine["href"]}">{escape(engine["name"])}</a>'
            f"<small>{escape(engine['tail'])}</small></th>{''.join(cells)}</tr>"
        )
    return Markup(
        '<table class="wp-matrix__table"><thead>'
        f'<tr class="wp-matrix__format"><td></td>{head}</tr>'
        f'<tr class="wp-matrix__arch"><th scope="col">{escape(data_["words"]["engine"])}</th>'
        f"{(gap + archs) * len(formats)}</tr>"
        f"</thead><tbody>{''.join(body)}</tbody></table>"
    )


def _cell(cell: dict[str, Any] | None, names: dict[str, str]) -> str:
    if cell is None:
        return (
            '<span class="wp-kernel-word" aria-hidden="true">–</span><span class="wp-hide">'
            + escape(names["no"])
            + "</span>"
        )
    label = escape(names[cell["k"]])
    mark = (
        "?"
        if cell["k"] == kernels.UNKNOWN
        else f'<svg class="wp-kernel" aria-hidden="true"><use xlink:href="#k-{cell["k"]}"/></svg>'
    )
    return f'<button type="button" data-note="{cell["n"]}" aria-label="{label}" aria-haspopup="dialog">{mark}</button>'
