"""Why not the others: engine and scope, what stands in the way with its source, the smallest change."""

from __future__ import annotations

from ..decision import Settled
from ..texts import Markup
from .view import KEPT, Plain, View, esc, folded, heading, section

SHOWN = 5  # rows of each group before the rest is folded
CLAUSES = 3  # obstacles told per row


def section_(view: View) -> Plain | None:
    """Two groups; the rows beyond the first few are folded, each with its reason all the same."""
    rows = view.decision.get("rejected") or []
    if not rows:
        return None
    blocks = []
    for group in ("behind", "impossible"):
        mine = [r for r in rows if r["group"] == group]
        if mine:
            blocks.append(_group(view, group, mine))
    looked = {r["engine"] for r in rows} - {r["engine"] for r in view.decision["recommendations"]}
    lead = f'<p class="we-lead">{view.t("whynot.lead", n=len(looked))}</p>'
    return section("why-not", heading(view, "why-not", "whynot.heading") + lead + "".join(blocks))


def _group(view: View, group: str, rows: list[Plain]) -> str:
    head = (
        f"<thead><tr><th scope=col>{view.t(f'whynot.{group}')}</th><th scope=col>{view.t('whynot.col-way')}</th>"
        f"<th scope=col>{view.t('whynot.col-change')}</th></tr></thead>"
    )
    first = "".join(_row(view, r) for r in rows[:SHOWN])
    out = f'<table class="we-table we-why-not">{head}<tbody>{first}</tbody></table>'
    rest = rows[SHOWN:]
    if rest:
        more = "".join(_row(view, r) for r in rest)
        body = f'<table class="we-table we-why-not">{_hidden(head)}<tbody>{more}</tbody></table>'
        out += folded(group, view.t("whynot.more", n=len(rest)), body)
    return out


def _hidden(head: str) -> str:
    return head.replace("<thead>", '<thead class="we-sr">')


def _row(view: View, row: Plain) -> str:
    """A row of the table; what stands in several decisions and speaks of none of their facts is told once."""
    if type(row) is not Settled or view.words.called:
        return _told(view, row)[0]
    key = (view.texts, view.base, searched(view))
    found = row.shown.get(key)
    if found is None:
        found, own = _told(view, row)
        if not own:
            row.shown[key] = found
    return found


def _told(view: View, row: Plain) -> tuple[str, bool]:
    """The row, and whether it says something of this decision alone."""
    told = [_reason(view, r) for r in row.get("reasons") or []]
    false = [o for o in row.get("obstacles") or [] if o["kind"] in (False, "false")]
    own = bool(told)
    for entry in (false or row.get("obstacles") or [])[:CLAUSES]:
        said, alone = _obstacle(view, entry)
        told.append(said)
        own = own or alone
    html = (
        f"<tr><th scope=row>{name(view, row)}<small>{scope(view, row)}</small></th>"
        f'<td>{" ".join(told)}</td><td data-label="{view.t("whynot.col-change")}">{change(view, row)}</td></tr>'
    )
    return html, own


def _reason(view: View, statement: Plain) -> str:
    """A reason with its source at the end."""
    chip = view.chip(statement["sources"], statement.get("opinion"))
    said = reason_sentence(view, statement)
    return f"{said} {chip}" if chip and statement.get("rule") not in _of_start(view) else said


def _of_start(view: View) -> set[str]:
    return {r["rule"] for r in (view.start or {}).get("reasons") or [] if r.get("rule")}


def reason_sentence(view: View, statement: Plain) -> str:
    """The rule that chose the start is told in full there, here by its headline; any other in full."""
    if view.start and statement.get("headline") and statement.get("rule") in _of_start(view):
        headline = view.p(statement["headline"], statement.get("params")).rstrip(".")
        return view.t("whynot.rule", headline=headline, engine=view.words.engine(view.start["engine"]))
    return view.statement(statement)


def name(view: View, row: Plain) -> str:
    """The engine, with what of it was rejected: "vLLM with FP8"."""
    kind, value = row["scope"]["kind"], row["scope"]["value"]
    engine = esc(view.words.engine(row["engine"], row.get("mode")))
    if kind == "format" and value:
        what = view.words.value("format.family", value)
        return view.t("whynot.with", engine=Markup(engine), what=what)
    if kind == "layout" and value:
        return view.t("whynot.with", engine=Markup(engine), what=str(value))
    return engine


def scope(view: View, row: Plain) -> str:
    """What the rejection is about: engine, format, hardware …"""
    return view.t(f"whynot.scope-{row['scope']['kind']}")


def change(view: View, row: Plain) -> str:
    """The smallest change as a link that applies it; "none" when it was looked for and not found."""
    fix = row.get("fix")
    if fix and (row.get("fix_verified") or row["group"] == "behind"):
        return view.patch_link(fix, esc(view.words.patch(fix, view.stated)))
    if row["group"] == "impossible" and searched(view):
        return f'<span class="we-quiet">{view.t("whynot.none")}</span>'
    return ""


def searched(view: View) -> bool:
    """Whether what-if has looked at this decision."""
    return bool(view.decision.get("would_change")) or view.decision.get("nothing_fits") is not None


def obstacle(view: View, entry: Plain) -> str:
    """An obstacle as a sentence with its source at the end."""
    return _obstacle(view, entry)[0]


def _obstacle(view: View, entry: Plain) -> tuple[str, bool]:
    """The sentence, and whether it speaks of this decision's own facts.

    One decision after another meets the same obstacles: what does not is kept.
    """
    kept, key = view.texts.kept, f"{view.base} {entry!r}"
    found = kept.get(key)
    if found is not None:
        return found, False
    (text, values), note = _filled(view, entry), entry.get("note")
    chip = view.chip(entry.get("sources") or [])
    found = " ".join(part for part in (view.t(text, values), note and view.t(note), chip) if part)
    asked = view.texts.placeholders(text) | (view.texts.placeholders(note) if note else frozenset())
    inner = any(isinstance(value, dict) for value in values.values())
    own = inner or bool(view.words.called) or not asked <= values.keys()
    if not own:
        if len(kept) >= KEPT:
            kept.clear()
        kept[key] = found
    return found, own


def obstacle_sentence(view: View, entry: Plain) -> str:
    """The obstacle's own text, the text of its clause, or the general form."""
    return view.t(*_filled(view, entry))


def obstacle_text(view: View, entry: Plain) -> str:
    """The same sentence as plain text."""
    return view.p(*_filled(view, entry))


def _filled(view: View, entry: Plain) -> tuple[str, Plain]:
    """Id of an obstacle's text, and the values for it."""
    clause, words = entry["clause"], view.words
    text = entry.get("text")
    if not text:
        kind = "not" if entry.get("negated") else "unknown" if entry["kind"] == "unknown" else "needs"
        own = f"obstacle.{kind}-{clause.replace('_', '-')}"
        text = own if view.texts.has(own) else f"obstacle.{kind}"
    told = view.texts.placeholders(text)
    values = {k: _named(view, k, v) for k, v in (entry.get("params") or {}).items() if k in told}
    if "path" in told:
        values["path"] = words.path(clause)
    if "needed" in told:
        values.setdefault("needed", words.needed(clause, entry["needed"]))
    if "yours" in told:
        yours = entry["yours"]
        shown = (
            view.texts.both([words.value(clause, y) for y in yours])
            if isinstance(yours, list)
            else words.value(clause, yours)
        )
        values.setdefault("yours", shown)
    return text, values


def _named(view: View, key: str, value: object) -> object:
    """Names for the ids that obstacles carry."""
    words = view.words
    if key == "format" and value in view.kb.formats:
        return view.kb.formats[value]["name"]
    if key == "feature":
        return words.value("needs", value)
    if key == "successor":
        return words.engine(str(value)) if value else view.p("value.nothing")
    if key == "how":
        return view.p(f"words.parallel.{str(value).replace('_', '-')}")
    if key == "part":
        return view.p(f"words.params.{value}")
    if key in ("mode", "device"):
        return words.device("", str(value)) if key == "device" else value
    return value
