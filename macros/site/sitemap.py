"""Sitemaps: short ones that the theme reads with every page, full ones for search engines.

The theme loads <lang>/sitemap.xml of each language when a page opens, to know where it may navigate without
loading; it needs nothing but the addresses there, and parses all that stands there. Which page is the same in
another language and when it changed stands in sitemap-<lang>.xml at the root, which the index there names.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from macros.site.paths import LANGUAGES, site_url

_LOC = re.compile(r"<loc>([^<]+)</loc>")
_ONLY_HERE = re.compile(r"\s*<lastmod>[^<]*</lastmod>|\s+(?=<)")
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def complete(site: Path, lang: str) -> None:
    """From what MkDocs wrote to site/<lang>/sitemap.xml: the full sitemap at the root, and the short one in its place."""
    file = site / lang / "sitemap.xml"
    start = f"{site_url()}{lang}/"

    def with_links(match: re.Match[str]) -> str:
        path = match[1].removeprefix(start)
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{other}" href="{site_url()}{other}/{path}"/>' for other in LANGUAGES
        )
        return match[0] + links

    plain = file.read_text(encoding="utf-8")
    full = _LOC.sub(with_links, plain)
    full = full.replace("<urlset ", '<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml" ', 1)
    (site / f"sitemap-{lang}.xml").write_text(full, encoding="utf-8")
    short = _ONLY_HERE.sub("", plain)
    file.write_text(short, encoding="utf-8")
    file.with_suffix(".xml.gz").write_bytes(gzip.compress(short.encode(), mtime=0))


def index(site: Path) -> None:
    """site/sitemap.xml: the full sitemaps of the languages."""
    rows = "".join(f"<sitemap><loc>{site_url()}sitemap-{lang}.xml</loc></sitemap>" for lang in LANGUAGES)
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {_SPACE}>{rows}</sitemapindex>\n'
    (site / "sitemap.xml").write_text(text, encoding="utf-8")
