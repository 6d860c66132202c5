"""The page at the root of the site: it leads to the reader's language, with or without script."""

from __future__ import annotations

from html import escape
from pathlib import Path

from macros.site import policy
from macros.site.assets import write_named
from macros.site.paths import NAMES, write
from macros.view import View
from macros.world import LANGUAGES, World

# Kept language first, then the browser's; the query and the fragment travel along.
_SCRIPT = (
    "(function(){var l=['en','vi','ru'],w=(navigator.languages||[navigator.language||'en']),i,c;"
    "for(i=0;i<w.length;i++){c=w[i].slice(0,2).toLowerCase();"
    "if(l.indexOf(c)>=0){location.replace(c+'/'+location.search+location.hash);return}}"
    "location.replace('en/'+location.search+location.hash)})()"
)
_STYLE = (
    "body{margin:12vh auto;max-width:34rem;padding:0 1rem;font:17px/1.55 system-ui,sans-serif;color:#131d20;background:#fff}"
    "a{color:#07586f}h1{font-size:24px}@media(prefers-color-scheme:dark){body{color:#e4ecee;background:#0e1517}a{color:#7ccbe0}}"
)


def write_root(world: World, out: Path) -> None:
    """index.html and 404.html at the root, and robots.txt's neighbour for hosts that run Jekyll."""
    lines = []
    for lang in LANGUAGES:
        text = escape(View(world, lang).plain("pages.description"))
        lines.append(f'<p lang="{lang}"><a href="{lang}/" hreflang="{lang}">{NAMES[lang]}</a><br>{text}</p>')
    script = write_named(out / "assets", "root", "js", _SCRIPT, hashed=True)
    write(out / "index.html", _page("Which Engine", "".join(lines), f"assets/{script}"))
    missing = []
    for lang in LANGUAGES:
        text = escape(View(world, lang).plain("pages.missing.title"))
        missing.append(f'<p lang="{lang}">{text}. <a href="{lang}/">{NAMES[lang]}</a></p>')
    write(out / "404.html", _page("404", "".join(missing), ""))
    write(out / ".nojekyll", "")


def _page(title: str, body: str, script: str) -> str:
    script = f'<script src="{script}"></script>' if script else ""
    return policy.put(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<title>{title}</title><link rel="icon" href="assets/img/favicon.svg"><style>{_STYLE}</style>{script}'
        f"</head><body><h1>Which Engine</h1>{body}</body></html>\n",
        (),
    )
