"""What lets the site be installed and work without a network: service worker, manifests, a page that says so.

The service worker is `wizard/web/offline/sw.js` with the lists of what it keeps before it. Its version is the
hash of the kept files, so it changes when and only when one of them does.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from macros import runtime
from macros.site.paths import ROOT, write
from macros.view import View
from macros.world import LANGUAGES, World

WORKER = ROOT / "wizard" / "web" / "offline" / "sw.js"
PAGES = ("", "wizard/")  # of a language; the page for when there is no network comes with them
ICONS = (("icon-192.png", "192x192", "any"), ("icon-512.png", "512x512", "any"),
         ("icon-maskable-512.png", "512x512", "maskable"))  # fmt: skip


def manifest(view: View) -> str:
    """The web manifest of a language, at `<language>/manifest.webmanifest`. One application in all languages."""
    found = {
        "name": "Which Engine",
        "short_name": "Which Engine",
        "description": view.plain("pages.description"),
        "lang": view.lang,
        "id": "../",
        "scope": "../",
        "start_url": "wizard/",
        "display": "minimal-ui",
        "background_color": "#ffffff",
        "theme_color": "#ffffff",
        "icons": [
            {"src": f"../assets/img/{name}", "sizes": sizes, "type": "image/png", "purpose": purpose}
            for name, sizes, purpose in ICONS
        ],
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def install(world: World, site: Path, preload: dict[str, list[str]], languages: tuple[str, ...] = LANGUAGES) -> None:
    """Write manifests and service worker into a finished site.

    preload: typefaces that each language reads with, from the root. Nothing is kept for a site that was built
    without the browser's Python.
    """
    for lang in languages:
        write(site / lang / "manifest.webmanifest", manifest(View(world, lang)))
    found = runtime.manifest()
    if found is None:
        return
    lists = listed(site, found, preload, languages)
    write(site / "sw.js", f"self.lists = {json.dumps(lists)};\n{WORKER.read_text(encoding='utf-8')}")


# parts of the search library that the theme loads for a language
STEMMERS = {"en": (), "vi": (), "ru": ("stemmer.support", "ru")}


def listed(site: Path, made: runtime.Manifest, preload: dict[str, list[str]], languages: tuple[str, ...]) -> dict:
    """{"version", "shell", "languages": {lang: names}, "python"}: names from the root, a page by its folder."""

    def names(*patterns: str) -> list[str]:
        return sorted(file.relative_to(site).as_posix() for pattern in patterns for file in site.glob(pattern))

    data = f"_wizard/{made.data}"
    lists = {
        "shell": [
            *names("assets/*.css", "assets/*.js", "assets/img/favicon.svg", f"_wizard/{made.app}/*"),
            *names("assets/fonts/ibm-plex-mono-latin-[456]00-normal.woff2"),
        ],
        "languages": {
            lang: [
                *names(f"{lang}/assets/stylesheets/*.css", f"{lang}/assets/javascripts/bundle*.js"),
                *preload[lang],
                *names(f"{data}/text.{lang}.json", f"{lang}/manifest.webmanifest", f"{lang}/sitemap.xml"),
                # what the search loads when somebody turns to it
                *names(f"{lang}/search/search_index.json", f"{lang}/assets/javascripts/workers/search*.js"),
                *(names(*(f"{lang}/assets/javascripts/lunr/min/lunr.{part}.min.js" for part in STEMMERS[lang]))),
                *[f"{lang}/{page}" for page in (*PAGES, "offline.html")],
            ]
            for lang in languages
        },
        "python": [
            *(name for name in names(f"_wizard/{made.runtime}/*") if not name.endswith(".txt")),
            *names(f"{data}/core.json", f"{data}/measurements.json"),
        ],
    }
    total = hashlib.sha256(WORKER.read_bytes())
    for name in [*lists["shell"], *lists["python"], *(n for part in lists["languages"].values() for n in part)]:
        file = site / name
        total.update(name.encode() + b"\0" + (file / "index.html" if file.is_dir() else file).read_bytes())
    return {"version": total.hexdigest()[:12], **lists}
