"""The answer as Markdown: for a terminal, an issue or a note."""

from __future__ import annotations

import re
import shlex

from ..launch import posix, powershell
from ..launch.shells import request
from . import check, fitbar, head, nothing, readouts
from .change import shown
from .numbers import date
from .view import Plain, View
from .why import sentence

_CODE = re.compile(r"</?code\b[^>]*>")
_TAG = re.compile(r"<[^>]+>")
_SPECIAL = re.compile(r"([\\`*\[\]<>|#]|(?<![^\W_])_|_(?![^\W_]))")  # an underscore inside a word is a letter


def document(view: View) -> str:
    """The whole answer; sections without data are left out."""
    start = view.start
    parts = [_answer(view, start) if start else _nothing(view)]
    if start:
        parts += [_fit(view, start), _speed(view, start), _command(view, start), _why(view, start)]
    parts += [_why_not(view), _changes(view)]
    if start:
        parts.append(_benchmark(view))
    parts += [plain(head.assumptions(view)), _sources(view)]
    return "\n\n".join(p for p in parts if p) + "\n"


def plain(markup: str) -> str:
    """HTML of a sentence as Markdown text."""
    import html

    text = _CODE.sub("\0c", markup.replace("<strong>", "\0b").replace("</strong>", "\0b"))
    text = html.unescape(_TAG.sub("", text)).replace("\n", " ")
    parts = text.split("\0c")  # odd parts are code, which stays as typed
    said = "".join(f"`{p}`" if n % 2 else _SPECIAL.sub(r"\\\1", p) for n, p in enumerate(parts))
    return said.replace("\0b", "**").strip()


def escape(text: str) -> str:
    """Plain text as Markdown text."""
    return _SPECIAL.sub(r"\\\1", text).replace("\n", " ")


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _answer(view: View, start: Plain) -> str:
    words = view.words
    name = escape(words.engine(start["engine"], start.get("mode")))
    tied = [words.engine(e) for e in start.get("tied_with") or []]
    if tied:
        name += escape(view.p("answer.tie", others=view.texts.either(tied)))
    lines = [f"# {view.p('answer.start-with')} {name}", plain(head.spec(view, start))]
    if start.get("fit"):
        lines.append(f"**{plain(head.fit_word(view, start))}.**")
    if tied:
        lines.append(plain(view.t("answer.tied")))
    lines += [f"> {plain(view.statement(w))}" for w in view.decision.get("warnings") or []]
    others = [
        f"- {plain(head.condition(view, r))}: **{escape(words.engine(r['engine'], r.get('mode')))}**"
        + (f", {escape(words.spec_short(r))}" if words.spec_short(r) else "")
        for role in head.ROLES
        for r in view.others
        if r["role"] == role
    ]
    return "\n\n".join([*lines, *(["\n".join(others)] if others else [])])


def _nothing(view: View) -> str:
    near = view.decision.get("nothing_fits") or []
    rows = [
        f"- **{escape(view.words.engine(n['engine']))}**: {escape(view.words.patch(n['patch'], view.stated))}"
        for n in near
    ]
    return "\n\n".join(
        [
            f"# {view.p('answer.nothing')}",
            plain(nothing.shortfall(view)),
            *(["\n".join([f"{view.p('answer.nothing-caption')}:", "", *rows])] if rows else []),
            *(f"> {plain(view.statement(w))}" for w in view.decision.get("warnings") or []),
        ]
    )


def _fit(view: View, start: Plain) -> str:
    from .fit import changes, part, room_rows
    from .fit import sentence as verdict

    fit = start.get("fit")
    if not fit or not fit["devices"]:
        return ""
    devices = fitbar.groups(fit)
    by_part = [{p["name"]: p["bytes"] for p in fitbar.merged(d)} for d, _ in devices]
    heads = [
        view.p("fit.col-part"),
        *(
            escape(
                f"{n} × {name}"
                if n > 1
                else view.p("fit.device-n", device=name, n=d["index"])
                if len(devices) > 1
                else name
            )
            for d, n, name in ((d, n, view.words.device(d["device"], d["name"])) for d, n in devices)
        ),
    ]
    holding = {name: d for (d, _), parts in zip(devices, by_part, strict=True) for name in parts}
    rows = [
        [part(view, name, holding[name]), *(view.gib(p[name]) if name in p else "–" for p in by_part)]
        for name in fitbar.FILLS
        if any(name in p for p in by_part)
    ]
    return "\n\n".join(
        [
            f"## {view.p('fit.heading')}",
            plain(verdict(view, fit, start)),
            _table(heads, rows),
            *_frontier(view),
            *_room(view, [*room_rows(view, fit), *changes(view, fit)]),
        ]
    )


def _frontier(view: View) -> list[str]:
    """What the page draws, as a table: requests at once by their length."""
    from .frontier import asked, rows, shown

    points = shown(view)
    if not points:
        return []
    heads = [view.p(f"fit.frontier-{name}") for name in ("tokens", "most", "sure")]
    return [f"### {view.p('fit.frontier')}", plain(asked(view)), _table(heads, rows(view, points))]


def _room(view: View, rows: list[tuple[str, str]]) -> list[str]:
    shown = [[plain(name), plain(value)] for name, value in rows]
    return [_table([view.p("fit.room"), ""], shown)] if shown else []


def _speed(view: View, start: Plain) -> str:
    estimates = start.get("estimates")
    if estimates is None:
        return ""
    asked = (
        ("decode_tps", "decode_tps", "tps"),
        ("throughput_tps", "throughput_tps", "tps"),
        ("ttft_s", "ttft_s" if view.writes else "input_s", "s"),
    )
    lines = [
        f"- {escape(check.what(view, name))}: "
        f"**{view.rough(estimates[key]['point'])} {view.unit(unit)}** ({view.span(estimates[key])})"
        for key, name, unit in asked
        if estimates.get(key) and (key != "throughput_tps" or view.concurrency > 1)
    ]
    if not lines:
        lines = [plain(readouts.no_estimate(view, estimates.get("missing") or "unknown"))]
    return "\n\n".join([f"## {view.p('speed.heading')}", "\n".join(lines), *_side_by_side(view)])


def _side_by_side(view: View) -> list[str]:
    from .compare import lines

    rows = [[escape(cell) for cell in row] for row in lines(view)]
    heads = [view.p("answer.col-engine"), view.p("answer.col-format"), view.p("fit.heading"), view.p("unit.tps")]
    return [f"### {view.p('speed.side')}", _table(heads, rows)] if rows else []


def _command(view: View, start: Plain) -> str:
    command = start.get("command")
    if not command:
        return ""
    windows = view.decision["situation"]["host"]["os"] == "windows"
    lines, shell = (powershell, "powershell") if windows else (posix, "sh")
    blocks = [f"## {view.p('command.heading')}"]
    for item in command.get("open", ()):
        blocks.append(f"{view.p('command.open')} [{escape(item['name'])}]({item['url']})")
    for process in command["processes"]:
        blocks.append(_fence("\n".join(line.code for line in lines(process)), shell))
    for snippet in command["code"]:
        blocks.append(_fence("\n".join(snippet["lines"]), snippet["language"]))
    for way in command.get("convert") or []:
        blocks.append(_fence(way["command"], "sh"))
    if command["check"]:
        line = request(command["check"], view.decision["situation"]["host"]["os"])
        blocks.append(f"{view.p('command.check')} `{line}`")
    if command["expose"]:
        blocks.append(f"> **{view.p('command.expose')}** {plain(view.t(command['expose']))}")
    for rec in view.others:
        over = rec.get("command") if rec["role"] == "orchestrate-with" else None
        if over and over["processes"]:
            names = {"name": view.words.engine(rec["engine"]), "engine": view.words.engine(rec["via"])}
            blocks.append(f"### {view.p('command.above', **names)}")
            blocks += [_fence("\n".join(line.code for line in lines(p)), shell) for p in over["processes"]]
    blocks += [f"> {plain(view.statement(c))}" for c in start.get("cautions") or []]
    return "\n\n".join(blocks) if len(blocks) > 1 else ""


def _fence(text: str, language: str) -> str:
    mark = "```"
    while mark in text:
        mark += "`"
    return f"{mark}{language}\n{text}\n{mark}"


def _why(view: View, start: Plain) -> str:
    rows = []
    for reason in start.get("reasons") or []:
        head_ = reason.get("headline")
        bold = f"**{plain(sentence(view.t(head_, reason.get('params'))))}** " if head_ else ""
        mark = view.p(f"answer.{reason['strength']}") if reason.get("strength") else ""
        strength = f" ({view.p('answer.evidence-of', word=mark)})" if mark else ""
        rows.append(f"- {bold}{plain(view.statement(reason))}{strength}")
    return "\n\n".join([f"## {view.p('why.heading')}", "\n".join(rows)]) if rows else ""


def _why_not(view: View) -> str:
    from .whynot import CLAUSES, name, obstacle_sentence, reason_sentence

    rows = []
    for row in view.decision.get("rejected") or []:
        told = [plain(reason_sentence(view, r)) for r in row.get("reasons") or []]
        told += [plain(obstacle_sentence(view, o)) for o in (row.get("obstacles") or [])[:CLAUSES]]
        rows.append(f"- **{plain(name(view, row))}**: {' '.join(told)}")
    return "\n\n".join([f"## {view.p('whynot.heading')}", "\n".join(rows)]) if rows else ""


def _changes(view: View) -> str:
    from .change import then

    changes = view.decision.get("would_change") or []
    if not changes:
        return ""
    heads = [view.p(f"change.col-{c}") for c in ("answer", "now", "if", "then")]
    rows = [
        [
            escape(view.words.path(c["path"])),
            escape(shown(view, c["path"], c["now"])),
            escape(shown(view, c["path"], c["value"])),
            plain(then(view, c["then"])),
        ]
        for c in changes
    ]
    return "\n\n".join([f"## {view.p('change.heading')}", _table(heads, rows)])


def _benchmark(view: View) -> str:
    plan = view.decision.get("benchmark")
    if not plan or not plan["predictions"]:
        return ""
    lines = []
    for item in plan["predictions"]:
        number, span = check.value(view, item)
        how = (
            f": `{' '.join(shlex.quote(w) for w in item['command'])}`"
            if item["command"] and not item.get("same_as")
            else ""
        )
        what = escape(check.what(view, item["quantity"]))
        shown_ = f" ({plain(check.shows(view, item))})" if item.get("shows") else ""
        lines.append(f"- {plain(number)}{f' ({plain(span)})' if span else ''}, {what}{how}{shown_}")
    return "\n\n".join([f"## {view.p('check.heading')}", "\n".join(lines)])


def _sources(view: View) -> str:
    knowledge = view.decision.get("knowledge") or {}
    ids = (view.decision.get("evidence") or {}).get("sources") or []
    if not ids:
        return ""
    lines = [f"- {s} ({date(view.kb.sources[s]['d'], view.lang)})" for s in ids if s in view.kb.sources]
    stand = view.p(
        "source.knowledge", date=date(knowledge.get("date") or "", view.lang), version=knowledge.get("version") or ""
    )
    return "\n\n".join([f"## {view.p('source.heading')}", "\n".join(lines), plain(stand)])
