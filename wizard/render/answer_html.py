"""The sections of an answer, in reading order; a section without data is absent."""

from __future__ import annotations

from . import check, command, head, nothing, sources, speed, why, whynot
from .change import change_section
from .fit import fit_section
from .view import Plain, View

# Section id -> text id of its anchor in the section index.
INDEX = {
    "fit": "answer.index-fit",
    "speed": "answer.index-speed",
    "command": "answer.index-command",
    "why": "answer.index-why",
    "why-not": "answer.index-why-not",
    "change": "answer.index-change",
    "check": "answer.index-check",
    "sources": "answer.index-sources",
}


def first(view: View) -> Plain:
    """The block everybody reads."""
    return head.answer(view, view.start) if view.start else nothing.nothing(view)


def sections(view: View) -> list[Plain]:
    """[{"id", "html"}]: the answer, its index, then one block a topic."""
    start = view.start
    if start is None:
        rest = [whynot.section_(view), sources.section_(view)]
    else:
        rest = [
            fit_section(view, start),
            speed.section_(view, start),
            command.section_(view, start),
            why.section_(view, start),
            whynot.section_(view),
            change_section(view),
            check.section_(view),
            sources.section_(view),
        ]
    present = [s for s in rest if s]
    top = [head.more(view, start) if start else None, head.questions(view)]
    return [first(view), *(s for s in top if s), index(view, present), *present]


def index(view: View, present: list[Plain]) -> Plain:
    """Anchors to the sections; glyph, engine and speed stand at its left once it sticks."""
    links = "".join(
        f'<li><a href="#we-{s["id"]}">{view.t(INDEX[s["id"]])}</a></li>' for s in present if s["id"] in INDEX
    )
    brief = head.brief(view) if view.start else ""
    html = f'<nav class="we-index" id="we-index" aria-label="{view.t("answer.index")}">{brief}<ul>{links}</ul></nav>'
    return {"id": "index", "html": html}
