"""The wizard page: the form is `macros.wizard_form`, the answer comes from the browser's Python."""

from __future__ import annotations

from collections.abc import Iterator

from macros.catalog import Page
from macros.raw_html import CLOSE, QUIET
from macros.view import View
from macros.wizard_form import early, wizard_form
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page(
        "wizard.md", "wizard", title=lambda v: v.plain("pages.nav.wizard"), hide=("navigation", "toc"),
        meta=(("wide", True), ("early", early())),
    )  # fmt: skip


def render(view: View, id_: str) -> str:
    """A title that only screen readers hear, then the form."""
    title = view.plain("pages.wizard.title")
    return f"# {title} {{ #wizard .wp-hide }}\n\n{QUIET}\n{wizard_form(view)}\n{CLOSE}\n"
