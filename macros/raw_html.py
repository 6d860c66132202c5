"""A Markdown extension that takes our finished HTML as it is.

Between `<!--raw-->` and `<!--/raw-->`, each on a line of its own, stands HTML that our templates made
(`<!--raw:quiet-->` when the search need not know it, see `macros.site.search`).
It is stashed verbatim, so Markdown neither parses it nor pays for it. Without this extension the same
file renders the same page, only slower: to Markdown these are blocks of HTML between comments.
"""

from __future__ import annotations

from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

OPEN = "<!--raw-->"
QUIET = "<!--raw:quiet-->"
CLOSE = "<!--/raw-->"


class _Stash(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        out: list[str] = []
        block: list[str] | None = None
        for line in lines:
            mark = line.strip()
            if block is None:
                if mark in (OPEN, QUIET):
                    block = []
                else:
                    out.append(line)
            elif mark == CLOSE:
                out += ["", self.md.htmlStash.store("\n".join(block)), ""]
                block = None
            else:
                block.append(line)
        if block is not None:
            raise ValueError(f"a block of raw HTML is never closed by {CLOSE}")
        return out


class RawHtml(Extension):
    """Registers the preprocessor after the text was cleaned (30) and before fences are read (25)."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name is Markdown's)
        """Hook of Python-Markdown."""
        md.preprocessors.register(_Stash(md), "which_engine_raw_html", 28)


def makeExtension(**settings: Any) -> RawHtml:  # noqa: N802 (the name is Markdown's)
    """Entry point by which Python-Markdown finds the extension."""
    return RawHtml(**settings)
