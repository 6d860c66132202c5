"""Hand-written pages: docs/<language>/**.md, English where a language has none."""

from __future__ import annotations

from html import escape

from macros.raw_html import CLOSE, OPEN
from macros.site.paths import DOCS
from macros.view import View


def hand_written(view: View) -> dict[str, str]:
    """{file below docs: text} for one language, every page of the English tree."""
    found: dict[str, str] = {}
    for file in sorted((DOCS / "en").rglob("*.md")):
        name = file.relative_to(DOCS / "en").as_posix()
        own = DOCS / view.lang / name
        if own.exists():
            found[name] = own.read_text(encoding="utf-8")
        else:
            found[name] = with_notice(view, file.read_text(encoding="utf-8"))
    return found


def with_notice(view: View, text: str) -> str:
    """An English page in another language: a notice after the title, and `lang` on what follows."""
    head, _, body = text.partition("\n# ")
    title, _, rest = body.partition("\n")
    notice = escape(view.plain("pages.page-untranslated"))
    block = f'{OPEN}\n<div class="wp-notice"><p><strong>{notice}</strong></p></div>\n{CLOSE}'
    return f'{head}\n# {title}\n\n{block}\n\n<div lang="en" markdown="1">\n{rest}\n</div>\n'
