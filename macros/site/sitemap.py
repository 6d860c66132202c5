"""Sitemaps that say which pages are the same in another language, and one index over them.

The theme needs a sitemap a language, with addresses of that language only as keys; the links to the other
languages stand inside each entry, which is where search engines look for them too.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from macros.site.paths import LANGUAGES, site_url

_LOC = re.compile(r"<loc>([^<]+)</loc>")
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def complete(site: Path, lang: str) -> None:
    """Add the links between languages to site/<lang>/sitemap.xml, and to its compressed copy."""
    file = site / lang / "sitemap.xml"
    start = f"{site_url()}{lang}/"

    def with_links(match: re.Match[str]) -> str:
        path = match[1].removeprefix(start)
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{other}" href="{site_url()}{other}/{path}"/>' for other in LANGUAGES
        )
        return match[0] + links

    text = _LOC.sub(with_links, file.read_text(encoding="utf-8"))
    text = text.replace("<urlset ", '<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml" ', 1)
    file.write_text(text, encoding="utf-8")
    file.with_suffix(".xml.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def index(site: Path) -> None:
    """site/sitemap.xml: the sitemaps of the languages."""
    rows = "".join(f"<sitemap><loc>{site_url()}{lang}/sitemap.xml</loc></sitemap>" for lang in LANGUAGES)
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {_SPACE}>{rows}</sitemapindex>\n'
    (site / "sitemap.xml").write_text(text, encoding="utf-8")
