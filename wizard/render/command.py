"""Run it: the command in shells and as files of service managers, each with the reason beside each line.

A radio button per shell shows its panel; on a phone a select does (`:has(option:checked)`). Copying
needs a script: a button with `data-copy` copies the `code` lines of its parent.
"""

from __future__ import annotations

from ..launch import Line, compose, docker, manifest, posix, powershell, unit
from .view import Plain, View, esc, heading, section, warning

FORMS = {"kubernetes": manifest, "systemd": unit}


def section_(view: View, start: Plain) -> Plain | None:
    """The section, or None when the entry does not say how to start the engine."""
    command = start.get("command")
    if not command:
        return None
    parts = [
        heading(view, "command", "command.heading"),
        opened(view, command),
        install(view, command),
        convert(view, command, start),
        tabs(view, command) if command["processes"] else "",
        "".join(code(view, snippet, i) for i, snippet in enumerate(command["code"])),
        expose(view, command),
        check(view, command),
        left_out(view, command),
        *(above(view, rec) for rec in view.others if rec["role"] == "orchestrate-with"),
        "".join(warning(view, c) for c in start.get("cautions") or []),
    ]
    return section("command", "".join(parts))


def install(view: View, command: Plain) -> str:
    """The ways to install, folded behind the first one."""
    ways = command["install"]
    if not ways:
        return ""
    rows = "".join(f"<li><code>{esc(w['command'])}</code> {view.chip(w['sources'])}{_note(view, w)}</li>" for w in ways)
    return f'<details class="we-install"><summary>{view.t("command.install")}</summary><ul>{rows}</ul></details>'


def opened(view: View, command: Plain) -> str:
    """Apps and pages for phones and browser tabs."""
    links = [
        f'<a href="{esc(item["url"])}" rel="noopener">{esc(item["name"])}</a> {view.chip(item["sources"])}'
        for item in command.get("open", ())
    ]
    return f'<p class="we-note">{view.t("command.open")} {", ".join(links)}</p>' if links else ""


def _note(view: View, way: Plain) -> str:
    return f"<br>{view.t(way['note'])}" if way.get("note") else ""


def convert(view: View, command: Plain, start: Plain) -> str:
    """Weights nobody published in this format: how to make them first."""
    status = (start.get("checkpoint") or {}).get("status")
    if status == "published" or not command["convert"]:
        return ""
    rows = "".join(f"<li><code>{esc(c['command'])}</code> {view.chip(c['sources'])}</li>" for c in command["convert"])
    return f'<p class="we-note">{view.t("command.convert")}</p><ul class="we-plain">{rows}</ul>'


# ---------------------------------------------------------------------- shells


def panels(command: Plain) -> list[tuple[str, list[tuple[Plain | None, list[Line]]]]]:
    """(shell, [(process or None, lines)]) of every shell that has something to show."""
    processes = command["processes"]
    found: list[tuple[str, list[tuple[Plain | None, list[Line]]]]] = [
        ("posix", [(p, posix(p)) for p in processes]),
        ("powershell", [(p, powershell(p)) for p in processes]),
    ]
    images = [(p, docker(p, command)) for p in processes if p["image"]]
    if images:
        found.append(("docker", images))
    file = compose(command)
    if file:
        found.append(("compose", [(None, file)]))
    for item in command.get("forms", ()):
        file = FORMS[item["form"]](command)
        if file:
            found.append((item["form"], [(None, file)]))
    return found


def tabs(view: View, command: Plain) -> str:
    """The command block."""
    system = view.decision["situation"]["host"]["os"]
    if view.forms:
        shown = panels(command)
        if system == "windows":
            shown.sort(key=lambda item: item[0] != "powershell")
    else:
        name, lines = ("powershell", powershell) if system == "windows" else ("posix", posix)
        shown = [(name, [(p, lines(p)) for p in command["processes"]])]
    first = shown[0][0]
    radios = "".join(
        f'<input type="radio" name="we-shell" id="we-tab-{name}" value="{name}"{" checked" if name == first else ""}>'
        f'<label for="we-tab-{name}">{view.t(f"command.tab-{name}")}</label>'
        for name, _ in shown
    )
    options = "".join(f'<option value="{name}">{view.t(f"command.tab-{name}")}</option>' for name, _ in shown)
    known = view.named(command["values"])
    name_ = view.t("command.shell")
    bodies = "".join(panel(view, name, blocks, command, known, name == first) for name, blocks in shown)
    return (
        f'<div class="we-run"><fieldset class="we-tabs"><legend class="we-sr">{name_}</legend>{radios}</fieldset>'
        f'<select class="we-pick" aria-label="{name_}">{options}</select>{bodies}</div>'
    )


def panel(
    view: View,
    name: str,
    blocks: list[tuple[Plain | None, list[Line]]],
    command: Plain,
    known: Plain,
    explained: bool,
) -> str:
    """One shell: its processes with a copy button each."""
    many = len(command["processes"]) > 1
    out = []
    for index, (process, lines) in enumerate(blocks):
        id_ = f"we-{name}" if not index else f"we-{name}-{index}"
        title = f'<p class="we-where">{where(view, process, command)}</p>' if many and process else ""
        rows = "".join(_line(view, line, known, explained) for line in lines)
        out.append(f'{title}<div class="we-block">{copy_button(view)}{_lines(id_, rows)}</div>')
    words = [w for p in command["processes"] for a in p["args"] for w in (a["flag"], a["value"] or "x")]
    note = ""
    if name == "powershell" and any('"' in w or not w for w in words):
        note = f'<p class="we-quiet">{view.t("command.powershell-quotes")}</p>'
    return f'<div class="we-panel we-panel-{name}">{"".join(out)}{note}</div>'


def copy_button(view: View) -> str:
    """A button that copies the code beside it; hidden by the style where no script runs."""
    done = esc(view.p("wizard-page.copied"))
    return f'<button type="button" class="we-copy" data-copy data-copied="{done}">{view.t("command.copy")}</button>'


def where(view: View, process: Plain, command: Plain) -> str:
    """On which machine a process runs."""
    nodes = int(command["values"].get("candidate.nodes") or 1)
    if nodes == 1:
        return view.t("command.process", name=process["id"])
    if process["repeat"] == nodes:
        return view.t("command.every-machine", n=nodes)
    if process["node"] == 0:
        return view.t("command.first-machine")
    return view.t("command.other-machines", n=process["repeat"])


def _line(view: View, line: Line, known: Plain, explained: bool) -> str:
    """A line with its reason; the tabs after the first repeat only what is new in them."""
    told = line.why if explained or (line.why or "").startswith("command.") else None
    why = f"<span>{view.texts.html(told, known) if told else ''}</span>" if told or explained else ""
    return f"<div><code>{esc(line.code)}</code>{why}</div>"


def _lines(id_: str, rows: str) -> str:
    """Lines that can be scrolled sideways, with the keyboard too."""
    return f'<div class="we-lines" id="{id_}" tabindex="0">{rows}</div>'


def code(view: View, snippet: Plain, index: int) -> str:
    """Embedding code of a library."""
    id_ = f"we-code-{index}"
    rows = "".join(f"<div><code>{esc(line)}</code></div>" for line in snippet["lines"])
    title = view.t("command.embed", language=view.p(f"words.language.{snippet['language']}"))
    return (
        f'<div class="we-run"><p class="we-where">{title} {view.chip(snippet["sources"])}</p>'
        f'<div class="we-block we-code">{copy_button(view)}{_lines(id_, rows)}</div></div>'
    )


def above(view: View, rec: Plain) -> str:
    """The same engine under an orchestrator, folded; empty when its entry does not say how."""
    command = rec.get("command")
    if not command or not command["processes"]:
        return ""
    known = view.named(command["values"])
    blocks = []
    for index, process in enumerate(command["processes"]):
        rows = "".join(_line(view, line, known, True) for line in posix(process))
        id_ = f"we-above-{rec['engine']}-{index}"
        blocks.append(
            f'<p class="we-where">{where(view, process, command)}</p>'
            f'<div class="we-block">{copy_button(view)}{_lines(id_, rows)}</div>'
        )
    names = {"name": view.words.engine(rec["engine"]), "engine": view.words.engine(rec["via"])}
    return (
        f'<details class="we-install"><summary>{view.t("command.above", **names)}</summary>'
        f"{install(view, command)}{''.join(blocks)}{expose(view, command)}</details>"
    )


# ---------------------------------------------------------------------- around it


def expose(view: View, command: Plain) -> str:
    """What has to stand in front before others may reach it."""
    if not command["expose"]:
        return ""
    return f'<p class="we-warn"><strong>{view.t("command.expose")}</strong> {view.t(command["expose"])}</p>'


def check(view: View, command: Plain) -> str:
    """A request that shows it works."""
    if not command["check"]:
        return ""
    from ..launch.shells import request

    text = request(command["check"], view.decision["situation"]["host"]["os"])
    return f'<p class="we-note">{view.t("command.check")} <code>{esc(text)}</code></p>'


def left_out(view: View, command: Plain) -> str:
    """Arguments without a value: nothing is invented for them."""
    flags = list(dict.fromkeys(item["flag"] for item in command["left_out"] if item["flag"].startswith("-")))
    if not flags:
        return ""
    return f'<p class="we-quiet">{view.t("command.left-out", flags=view.texts.both(flags))}</p>'
