"""The answer header: engine, format, layout, why in a sentence, fit, four readouts, the command; then the choices."""

from __future__ import annotations

from ..launch import posix
from .command import copy_button, opened
from .marks import STRENGTHS, glyph, status, strength
from .readouts import fullest, readouts, used_bytes
from .view import Plain, View, esc, warning

PHONES = ("ios", "android")
ROLES = ("alternative", "benchmark-against", "orchestrate-with", "convenience")


def answer(view: View, start: Plain) -> Plain:
    """The block everybody reads."""
    body = [
        problems(view),
        f'<div class="we-head"><div class="we-title">{title(view, start)}</div>{verdict(view, start)}</div>',
        readouts(view, start),
        strip(view, start),
    ]
    html = f'<section class="we-answer" id="we-answer" aria-labelledby="we-answer-h">{"".join(body)}</section>'
    return {"id": "answer", "html": html}


def more(view: View, start: Plain) -> Plain | None:
    """What belongs to the answer and may come a moment later: the other choices and the warnings."""
    html = choices(view, start) + warnings(view)
    return {"id": "choices", "html": f'<section class="we-more">{html}</section>'} if html else None


def title(view: View, start: Plain) -> str:
    """ "Start with", the engine or the tie, one line of what it is, one sentence why."""
    name = esc(view.words.engine(start["engine"], start.get("mode")))
    tied = [view.words.engine(e) for e in start.get("tied_with") or []]
    if tied:
        name += f'<span class="we-tie">{view.t("answer.tie", others=view.texts.either(tied))}</span>'
    reasons = start.get("reasons") or []
    if tied:
        because = view.t("answer.tied")
    elif reasons:
        because = view.statement(reasons[0])
    else:
        because = view.t("answer.no-rule")
    return (
        f'<p class="we-start">{view.t("answer.start-with")}</p>'
        f'<h4 class="we-engine" id="we-answer-h" aria-level="2">{name}</h4>'
        f'<p class="we-spec">{spec(view, start)}</p><p class="we-because">{because}</p>'
    )


def spec(view: View, rec: Plain) -> str:
    """Model / format / layout / version on one line."""
    words = view.words
    layout = rec.get("layout") or {}
    version = rec.get("version")
    name = words.engine(rec["engine"])
    parts = [
        words.model(view.decision["situation"]["model"]),
        words.format(rec.get("format")),
        words.layout(layout, devices_present(view)),
        words.processor_only(rec),
        f"{name} {version}" if version else "",
    ]
    if rec.get("via"):
        parts.append(view.p("answer.via", plugin=words.engine(rec["via"])))
    return '<span class="we-slash">\u00a0/ </span>'.join(esc(p) for p in parts if p)


def devices_present(view: View) -> int:
    """Devices of one machine."""
    return sum(d.get("count") or 1 for d in view.decision["situation"]["devices"])


def verdict(view: View, start: Plain) -> str:
    """Fit status, and below it how strong the reasons for this engine are."""
    lines = []
    fit = start.get("fit")
    if fit:
        lines.append(f"<p>{status(fit['class'], fit_word(view, start))}</p>")
    # the choice of the engine; format and layout have grounds of their own, told below
    reasons = [r for r in start.get("reasons") or [] if r.get("strength") and r.get("rule")]
    if reasons:
        best = min((r["strength"] for r in reasons), key=STRENGTHS.index)
        publishers = {view.kb.sources[s]["p"] for r in reasons for s in r["sources"] if s in view.kb.sources}
        rest = f", {view.t('answer.independent', n=len(publishers))}" if publishers else ""
        lines.append(f"<p>{view.t('answer.evidence')} {strength(view, best, rest)}</p>")
    return f'<div class="we-verdict">{"".join(lines)}</div>'


def fit_word(view: View, rec: Plain) -> str:
    """ "Fits on both cards": the status in words that name the hardware."""
    kind = rec["fit"]["class"]
    if rec["fit"].get("idle_gpu_bytes") is not None:
        word = view.t(f"fit.is-{kind}" if kind != "fits" else "fit.is-fits-memory")
        return f"{word}, {view.t('fit.cpu-only')}"
    if kind != "fits":
        return view.t(f"fit.is-{kind}")
    layout = rec.get("layout") or {}
    used = sum(d.get("count") or 1 for d in layout.get("devices") or []) * (layout.get("nodes") or 1)
    count = used or len(rec["fit"]["devices"])
    if view.words.device_kind(layout) != "card":
        return view.t("fit.is-fits-memory")
    return view.t(
        "fit.is-fits-card" if count == 1 else "fit.is-fits-both" if count == 2 else "fit.is-fits-all", n=count
    )


# ---------------------------------------------------------------------- command, choices, warnings


def strip(view: View, start: Plain) -> str:
    """The command on one line, copied as a whole."""
    command = start.get("command")
    if not command:
        return ""
    if view.decision["situation"]["host"]["os"] in PHONES and not command["processes"]:
        return opened(view, command)  # what has to be installed first goes on another machine
    if command["processes"]:
        lines = posix(command["processes"][0])
        if command["processes"][0]["files"] or len(command["processes"]) > 1:
            return f'<p class="we-strip"><a href="#we-command">{view.t("command.several")}</a></p>'
        text = " ".join(line.code.removesuffix(" \\").strip() for line in lines)
    elif command["install"]:
        text = command["install"][0]["command"]
    else:
        return ""
    return f'<div class="we-strip"><code>{esc(text)}</code>{copy_button(view)}</div>'


def choices(view: View, start: Plain) -> str:
    """This answer, then one row an alternative, its condition first."""
    rest = [r for role in ROLES for r in view.others if r["role"] == role]
    if not rest:
        return ""
    many = view.concurrency > 1
    with_model = start.get("fit") is not None
    columns = ["", view.t("answer.col-engine"), view.t("answer.col-format")]
    if with_model:
        kind = view.words.device_kind(start.get("layout") or {})
        columns += [view.t(f"answer.col-{kind}"), view.t("answer.col-one")]
        columns += [view.t("answer.col-sum", n=view.concurrency)] if many else []
    numeric = len(columns) - 3
    headers = "".join(_header(c, i > 2) for i, c in enumerate(columns))
    rows = [_choice(view, start, view.t("answer.this"), numeric, " class=we-this")]
    rows += [_choice(view, rec, condition(view, rec), numeric, "") for rec in rest]
    return (
        f'<table class="we-table we-choices"><caption>{view.t("answer.choices")}</caption>'
        f"<thead><tr>{headers}</tr></thead><tbody>{''.join(rows)}</tbody></table>{_reserved(view, [start, *rest])}"
    )


def _reserved(view: View, recs: list[Plain]) -> str:
    """Why the memory of two engines is no like for like, where one takes all at start and the other what it needs."""
    kinds = {bool(rec["fit"].get("reserves")) for rec in recs if rec.get("fit")}
    return f'<p class="we-quiet">{view.t("answer.reserved")}</p>' if len(kinds) > 1 else ""


def _header(text: str, number: bool) -> str:
    """A column head; an empty one would be announced as a heading without words."""
    return f"<th{' class=num' if number else ''} scope=col>{text}</th>" if text else "<td></td>"


def _what(view: View, rec: Plain) -> str:
    """Format and layout; for what has none of its own, the engine it stands over."""
    if not rec.get("layout") and rec.get("via"):
        return view.t("answer.over", name=view.words.engine(rec["via"]))
    return esc(view.words.spec_short(rec))


def condition(view: View, rec: Plain) -> str:
    """When to choose an alternative, or what the other role is for."""
    said = rec.get("condition")
    if rec["role"] == "alternative":
        return (
            view.statement(said)
            if said
            else view.t("answer.role-tied" if rec.get("tied_with") else "answer.role-alternative")
        )
    if rec["role"] == "orchestrate-with" and rec.get("orchestrator"):
        return view.t("answer.role-orchestrate-with")
    return view.t(f"answer.role-{rec['role']}")


def _choice(view: View, rec: Plain, label: str, numeric: int, css: str) -> str:
    fit, estimates = rec.get("fit"), rec.get("estimates") or {}
    engine = view.engine_link(rec["engine"], rec.get("mode"))
    cells = [
        f"<th scope=row>{label}</th>",
        f"<td class=we-name>{engine}</td>",
        f"<td>{_what(view, rec)}</td>",
    ]
    if numeric:
        if fit:
            word = view.p(f"fit.is-{fit['class']}" if fit["class"] != "fits" else "fit.is-fits-memory")
            size = view.gib(used_bytes(fullest(fit)))
            mark = status(fit["class"], f'<span class="we-sr">{esc(word)}</span> {size}')
        else:
            mark = "–"
        cells.append(f"<td class=num>{mark}</td>")
        keys = ["decode_tps", "throughput_tps"][: numeric - 1]
        cells += [f"<td class=num>{_tps(view, estimates.get(key))}</td>" for key in keys]
    return f"<tr{css}>{''.join(cells)}</tr>"


def _tps(view: View, interval: Plain | None) -> str:
    return f"<b>{view.rough(interval['point'])}</b> <i>{view.span(interval)}</i>" if interval else "–"


def warnings(view: View) -> str:
    """Warnings of the decision."""
    return "".join(warning(view, w) for w in view.decision.get("warnings") or [])


def problems(view: View) -> str:
    """What could not be read in the input, each with the field it names."""
    found = view.decision.get("problems") or []
    if not found:
        return ""
    items = "".join(f"<li>{esc(problem_text(view, p))}</li>" for p in found)
    return f'<div class="we-problems" role="group" aria-label="{view.t("answer.problems")}"><ul>{items}</ul></div>'


def problem_text(view: View, entry: Plain) -> str:
    """One problem of the input as a sentence: the field by its name, valid values and similar names by theirs."""
    params = dict(entry.get("params") or {})
    params["field"] = view.words.path(entry["path"]) if entry["path"] else view.p("problem.whole")
    if entry["path"].startswith("model.architecture."):
        params["field"] += f" ({entry['path'].removeprefix('model.architecture.')})"
    if entry["text"] == "problem.unknown-field":
        params["field"] = entry["path"].rpartition(".custom.")[2]  # as it was written
    if entry["path"] == "host.os":
        params["system"] = view.words.value("host.os", entry["value"])
    params.setdefault("value", entry["value"])
    known, near = params.get("known"), params.get("near")
    text = entry["text"]
    if near and view.texts.has(f"{text}-near"):
        text, params["near"] = f"{text}-near", view.texts.either([str(n) for n in near])
    elif known and view.texts.has(f"{text}-known"):
        text, params["known"] = f"{text}-known", view.texts.either([_typed(view, entry["path"], k) for k in known])
    said = view.p(text, params)
    return said[:1].upper() + said[1:]  # it begins with the name of the field, which stands inside sentences elsewhere


def _typed(view: View, path: str, value: Plain | str | float) -> str:
    """A possible answer as it is written in a Situation, with its name where that is another."""
    name = view.words.value(path, value)
    return name if not isinstance(value, str) or name.lower() == value else f"{value} ({name})"


def brief(view: View) -> str:
    """Glyph, engine and speed for the sticky index and the bar at the bottom of a phone."""
    start = view.start
    assert start is not None
    fit = start.get("fit")
    mark = glyph(fit["class"]) if fit else ""
    decode = (start.get("estimates") or {}).get("decode_tps")
    speed = f" <span>{view.rough(decode['point'])}&nbsp;{view.t('unit.tps')}</span>" if decode else ""
    return f'<p class="we-brief" aria-hidden="true">{mark} <b>{esc(view.words.engine(start["engine"]))}</b>{speed}</p>'


def questions(view: View) -> Plain | None:
    """The ten questions with their answers, folded; assumed ones are marked."""
    answers = sorted(view.decision.get("answers") or [], key=lambda a: a["number"])
    if not answers:
        return None
    rows = "".join(_question(view, a) for a in answers)
    html = (
        f'<details class="we-ten" id="we-ten"><summary>{view.t("answer.ten", n=len(answers))}</summary>'
        f"<ol>{rows}</ol>{assumptions(view)}</details>"
    )
    return {"id": "ten", "html": html}


def _question(view: View, answer: Plain) -> str:
    entry = view.kb.questions.get(answer["id"]) or {}
    heading = view.t(entry["heading"]) if entry.get("heading") else esc(answer["id"])
    said = view.t(answer["text"], answer.get("params"))
    mark = f' <span class="we-assumed">{view.t("wizard-page.assumed")}</span>' if answer.get("by") == "assumed" else ""
    return f'<li value="{answer["number"]}"><span>{heading}</span> {said}{mark}</li>'


def assumptions(view: View) -> str:
    """Every answer that was filled in."""
    found = view.decision.get("assumptions") or []
    if not found:
        return ""
    items = view.texts.both([f"{view.words.path(a['path'])}: {view.words.value(a['path'], a['value'])}" for a in found])
    return f'<p class="we-quiet">{view.t("answer.assumptions", n=len(found), items=items)}</p>'
