"""What stands around the answer to take it away: copies, files, print, a kept answer beside it, recent situations.

All of it is hidden until there is an answer; a script shows it and needs no sentence of its own.
"""

from __future__ import annotations

from html import escape

from macros.view import View

_WAYS = ("link", "markdown-copy", "markdown-file", "json-file", "print", "keep")


def ways(view: View) -> str:
    """The row of buttons below the answer, and the line that is only printed."""
    copied = escape(view.plain("wizard-page.copied"))
    buttons = "".join(
        f'<li><button type="button" class="wf-link" data-way="{way}" data-copied="{copied}">'
        f"{view.t(f'out.{way}')}</button></li>"
        for way in _WAYS
    )
    return (
        f'<nav class="wf-ways" data-we-ways hidden aria-labelledby="wf-ways-h"><h2 class="wf-title" id="wf-ways-h">'
        f"{view.t('out.title')}</h2><ul>{buttons}</ul></nav>"
        f'<p class="wf-printed" data-we-printed="{escape(view.raw("out.printed"))}"></p>'
    )


def before(view: View) -> str:
    """Above the answer: what it was when an old link was made, and the answer that was kept beside it."""
    return (
        f'<p class="wf-before" data-we-before hidden></p>'
        f'<div class="wf-pair we" data-we-pair hidden><p class="wf-hint">{view.t("out.kept-hint")}</p><div></div>'
        f'<p><button type="button" class="wf-link" data-way="drop">{view.t("out.drop")}</button></p></div>'
    )


def recent(view: View) -> str:
    """Below the form: situations of this browser, and the way to forget them."""
    return (
        f'<details class="wf-more wf-recent" data-we-recent hidden><summary>{view.t("out.recent")}</summary>'
        f'<ul></ul><p class="wf-hint">{view.t("out.recent-hint")} '
        f'<button type="button" class="wf-link" data-way="forget" '
        f'data-forgotten="{escape(view.plain("out.forgotten"))}">'
        f"{view.t('out.forget')}</button></p></details>"
    )
