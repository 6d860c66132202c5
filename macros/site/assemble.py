"""From the catalog of pages to what MkDocs builds: a configuration and a folder of stubs per language.

A stub is a few lines: title, settings, and the call of its page's macro. It carries the hash of the
page it stands for and is rewritten only when that changes, so a dirty build renders just what an edit
touched. Hand-written pages are copied; where a language has none, the English one with a notice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from macros import adapter, catalog, matrix
from macros.site import nav, search
from macros.site.paths import BUILD, DOCS, NAMES, ROOT, SITE, site_url, write
from macros.site.prose import hand_written
from macros.view import View
from macros.wizard_form import early
from macros.world import LANGUAGES, World

MATRIX = "formats/matrix.json"


def assemble(
    world: World, lang: str, assets: dict[str, Any], site: Path = SITE
) -> tuple[Path, list[search.Entry]]:
    """Write build/<lang>; returns its mkdocs.yml and the search entries of its generated pages.

    assets: css, js and preload addresses from the site root.
    site: folder of the finished site, below which the language gets its own.
    """
    base = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    view = View(world, lang, "", base["extra"])
    docs = BUILD / lang / "docs"
    kept: set[Path] = set()
    pages = list(catalog.pages(world))
    found: list[search.Entry] = []
    for page in pages:
        markdown = catalog.markdown(page, view)
        adapter.rendered[lang, page.path] = markdown
        title = page.title(view)
        write(docs / page.path, stub(page, title, markdown))
        found += search.entries(page, title, markdown)
        kept.add(docs / page.path)
    matrix_file = docs / MATRIX
    write(matrix_file, json.dumps(matrix.data(view.at("formats/")), ensure_ascii=False, separators=(",", ":")))
    kept.add(matrix_file)
    prose = hand_written(view)
    for name, text in prose.items():
        write(docs / name, text)
        kept.add(docs / name)
    for old in docs.rglob("*"):
        if old.is_file() and old not in kept:
            old.unlink()
    config = BUILD / lang / "mkdocs.yml"
    write(config, json.dumps(configuration(view, pages, prose, assets, site), ensure_ascii=False, indent=1))
    return config, found


def refresh(world: World, lang: str, wanted: Callable[[catalog.Page], bool]) -> int:
    """Write the stubs of some pages again, for a preview that shows the edited page first; returns how many."""
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["extra"]
    view = View(world, lang, "", site)
    changed = 0
    for page in catalog.pages(world):
        if wanted(page):
            adapter.rendered[lang, page.path] = markdown = catalog.markdown(page, view)
            changed += write(BUILD / lang / "docs" / page.path, stub(page, page.title(view), markdown))
    return changed


def stub(page: catalog.Page, title: str, markdown: str) -> str:
    """The file MkDocs reads for a generated page; its search entries are made by us."""
    meta: dict[str, Any] = {"title": title, "render_macros": True, "search": {"exclude": True}}
    if page.hide:
        meta["hide"] = list(page.hide)
    meta |= dict(page.meta)
    meta["state"] = hashlib.sha256(markdown.encode()).hexdigest()[:16]
    front = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in meta.items())
    return f"---\n{front}---\n\n{{{{ {page.kind}_page({json.dumps(page.id)}) }}}}\n"


def configuration(
    view: View, pages: list[catalog.Page], prose: dict[str, str], assets: dict[str, list[str]], site: Path
) -> dict:
    """The language's own part of the configuration."""
    lang = view.lang
    ui = {name: view.plain(f"pages.ui.{name}") for name in ("search.result.initializer", "tabs") if lang != "en"}
    return {
        "INHERIT": "../../mkdocs.yml",
        "site_description": view.plain("pages.description"),
        "site_url": f"{site_url()}{lang}/",
        "docs_dir": "docs",
        "site_dir": str(site / lang),
        "nav": nav.tree(view, pages, prose),
        "theme": {
            "language": lang,
            "custom_dir": "../../overrides",
            "palette": {"scheme": "default", "primary": "custom", "accent": "custom"},
        },
        "extra": {
            "alternate": [{"name": NAMES[code], "link": f"../{code}/", "lang": code} for code in LANGUAGES],
            "ui": ui,
            "footer": [
                {"text": view.plain("pages.foot.knowledge", day=view.world.date)},
                {"text": view.plain("pages.foot.licence")},
                {"text": view.plain("pages.foot.code"), "href": view.site["repository"]},
            ],
            "python": early(),
            "away": {name: view.plain(f"pages.away.{name}") for name in ("title", "text")},
            "missing": {
                "title": view.plain("pages.missing.title"),
                "text": view.plain("pages.missing.text"),
                "links": [
                    {"text": view.plain(f"pages.nav.{name}"), "href": href}
                    for name, href in (("guide", "."), ("wizard", "wizard/"), ("engines", "engines/"))
                ],
            },
            "preload": [f"../{name}" for name in assets["preload"][lang]],
            "head": [f"../{name}" for name in assets["head"]],
            "before": [f"../{name}" for name in assets["before"]],
            # what the switch of the colour scheme would do in each
            "switch": {"default": view.plain("pages.ui.dark"), "slate": view.plain("pages.ui.light")},
        },
        "extra_css": [f"../{name}" for name in assets["css"]],
        "extra_javascript": [f"../{name}" for name in assets["js"]],
        "markdown_extensions": {"toc": {"permalink_title": view.plain("pages.ui.permalink")}},
    }  # fmt: skip


def watched() -> list[Path]:
    """What a preview looks at: a change of any of these may change a page."""
    return [ROOT / name for name in ("knowledge", "wizard", "macros", "overrides", "mkdocs.yml")] + [DOCS]
