"""A Decision in a language: as HTML sections, as Markdown, as JSON.

Everything shown comes from the Decision, the sentences and the names of the knowledge base; nothing
is decided or computed here beyond where a bar ends. Pages, browser and command line use the same
functions, so that they say the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..decision import to_json

if TYPE_CHECKING:
    from ..kb import KB
    from ..texts import Texts

Plain = dict[str, Any]
__all__ = ["cells", "compact", "first", "html", "markdown", "pair", "problems", "to_json"]


def html(
    decision: Plain, texts: Texts, kb: KB, lang: str, base: str = "", wizard: str = "", forms: bool = True
) -> list[dict[str, str]]:
    """The answer as sections [{"id", "html"}] in reading order; each block stands by itself.

    base: path from the page to the root of its language, with a trailing slash ("../", or "").
    wizard: address of the wizard page, put before the fragment of every link that changes the
    Situation; empty on the wizard page itself. A section whose data is not known yet is absent.
    forms: False leaves the command in the person's own shell alone.
    """
    from .answer_html import sections
    from .view import View

    return sections(View(decision, texts, kb, lang, base, wizard, forms))


def first(decision: Plain, texts: Texts, kb: KB, lang: str, base: str = "", wizard: str = "") -> list[dict[str, str]]:
    """The first section alone, for a Decision of which only the head was made."""
    from . import answer_html
    from .view import View

    return [answer_html.first(View(decision, texts, kb, lang, base, wizard))]


def compact(decision: Plain, texts: Texts, kb: KB, lang: str, base: str = "", wizard: str = "") -> str:
    """The short answer of the home page: engine, memory, speed for one and for all."""
    from .brief import block
    from .view import View

    return block(View(decision, texts, kb, lang, base, wizard))


def pair(kept: Plain, now: Plain, texts: Texts, kb: KB, lang: str, base: str = "") -> str:
    """Two Decisions as a table with a column each."""
    from .pair import table
    from .view import View

    return table(View(kept, texts, kb, lang, base), View(now, texts, kb, lang, base))


def cells(decision: Plain, texts: Texts, kb: KB, lang: str, base: str = "", wizard: str = "") -> dict[str, str]:
    """Pieces of HTML for a row of a table of answers: start, spec, fit, memory, decode, interval, condition."""
    from .brief import row
    from .view import View

    return row(View(decision, texts, kb, lang, base, wizard))


def problems(decision: Plain, texts: Texts, kb: KB, lang: str) -> list[dict[str, str]]:
    """What could not be read, [{"path", "text"}]: the path names the field, the text is plain."""
    from .head import problem_text
    from .view import View

    view = View(decision, texts, kb, lang)
    return [{"path": p["path"], "text": problem_text(view, p)} for p in decision.get("problems") or []]


def markdown(decision: Plain, texts: Texts, kb: KB, lang: str, base: str = "") -> str:
    """The answer as Markdown, for a terminal or an issue."""
    from .document import document
    from .view import View

    return document(View(decision, texts, kb, lang, base))
