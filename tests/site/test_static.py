"""The files of the built site, without a browser: links, languages, heading ids, and pages as the renderer says."""

from __future__ import annotations

import html
import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from knowledge.bundle import load_for_cli
from macros.world import newest_day
from tests.site.conftest import LANGUAGES, ROOT
from wizard import render
from wizard.decide import decide
from wizard.kb import KB
from wizard.texts import Texts

_REFERENCE = re.compile(r'\s(?:href|src)="([^"]*)"')
_ID = re.compile(r'\sid="([^"]*)"')
_HEADING = re.compile(r'<h[1-6][^>]*\sid="([^"]*)"')
# The language links of the page. (Those in its head name the start page of each language: the theme finds the
# sitemaps by them. Which pages belong together stands in the sitemaps, see tests/macros/test_built_site.py.)
_LANGUAGE_LINK = re.compile(r'<a class="wp-langs__link" hreflang="([^"]*)"[^>]*?\shref="([^"]*)"', re.S)


@cache
def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def ids(file: Path) -> frozenset[str]:
    return frozenset(map(html.unescape, _ID.findall(text(file))))


def pages(site: Path, lang: str) -> dict[str, Path]:
    """{address below the language: file} of every page."""
    found = {}
    for file in sorted((site / lang).rglob("index.html")):
        address = file.parent.relative_to(site / lang).as_posix()
        found["" if address == "." else address + "/"] = file
    return found


def target(site: Path, page: str, reference: str) -> tuple[Path, str]:
    """(file, anchor) that a reference on a page leads to; addresses are from the root of the site."""
    parts = urlsplit(urljoin(f"http://site/{page}", html.unescape(reference)))
    file = site / unquote(parts.path).lstrip("/")
    return (file / "index.html" if parts.path.endswith("/") else file), unquote(parts.fragment)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_link_and_file_is_there(site, lang):
    broken = []
    for address, file in pages(site, lang).items():
        for reference in set(_REFERENCE.findall(text(file))):
            if urlsplit(reference).scheme:
                continue
            found, anchor = target(site, f"{lang}/{address}", reference)
            if not found.is_file():
                broken.append(f"{lang}/{address}: {reference}")
            elif anchor and not anchor.startswith("v=") and found.suffix == ".html" and anchor not in ids(found):
                broken.append(f"{lang}/{address}: {reference} (no such place)")
    assert not broken, "\n".join(broken[:20])


def test_the_root_page_leads_to_every_language(site):
    for name in ("index.html", "404.html"):
        for lang in LANGUAGES:
            assert f'href="{lang}/"' in text(site / name)


def test_every_page_exists_in_every_language_and_names_the_others(site):
    english = pages(site, "en")
    for lang in LANGUAGES:
        mine = pages(site, lang)
        assert mine.keys() == english.keys()
        for address, file in mine.items():
            alternates = dict(_LANGUAGE_LINK.findall(text(file)))
            assert alternates.keys() == set(LANGUAGES), f"{lang}/{address}"
            for code, href in alternates.items():
                assert target(site, f"{lang}/{address}", href)[0] == pages(site, code)[address]
            assert f'<html lang="{lang}"' in text(file)


def test_heading_ids_are_ascii_and_equal_in_all_languages(site):
    for address, file in pages(site, "en").items():
        english = _HEADING.findall(text(file))
        assert all(re.fullmatch(r"[a-z0-9][a-z0-9._-]*", id_) or id_.startswith("we-") for id_ in english), address
        assert len(set(english)) == len(english), f"{address}: an id twice"
        for lang in ("vi", "ru"):
            assert _HEADING.findall(text(pages(site, lang)[address])) == english, f"{lang}/{address}"


def test_ids_are_unique_on_every_page(site):
    for lang in LANGUAGES:
        for address, file in pages(site, lang).items():
            found = _ID.findall(text(file))
            assert len(set(found)) == len(found), f"{lang}/{address}: {sorted({i for i in found if found.count(i) > 1})}"


def test_nothing_on_a_page_comes_from_another_host(site):
    loading = re.compile(r'<(?:script|img|iframe|source|video|audio)\b[^>]*\ssrc="(?:https?:)?//', re.I)
    style = re.compile(r'<link\b[^>]*rel="(?:stylesheet|preload|modulepreload|icon|preconnect|dns-prefetch)"[^>]*href="(?:https?:)?//')
    for lang in LANGUAGES:
        for address, file in pages(site, lang).items():
            assert not loading.search(text(file)) and not style.search(text(file)), f"{lang}/{address}"
    for sheet in site.glob("assets/*.css"):
        assert not re.search(r"url\(\s*['\"]?(?:https?:)?//", text(sheet))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_recipe_pages_say_what_the_renderer_says(site, lang):
    core, texts, measurements = load_for_cli()
    kb = KB(core, measurements)
    words = Texts(texts[lang], lang, kb.terms)
    recipes = sorted(core["recipes"])
    assert recipes
    for id_ in recipes:
        decision = json.loads(render.to_json(decide(core["recipes"][id_]["situation"], kb, newest_day())))
        page = text(site / lang / "recipes" / id_ / "index.html")
        for section in render.html(decision, words, kb, lang, base="../../", wizard="../../wizard/"):
            assert section["html"] in page, f"{lang}/recipes/{id_}/: section {section['id']} differs"


def test_sizes_of_what_the_browser_loads(site):
    """The budget of the design: 6.0 MB for a first answer, 200 kB of facts, 80 kB of text, compressed."""
    import gzip

    def packed(file: Path) -> int:
        data = file.read_bytes()
        return len(data) if file.suffix == ".gz" else len(gzip.compress(data, 9))

    core = packed(next(site.glob("_wizard/*/core.json")))
    texts = [packed(file) for file in site.glob("_wizard/*/text.*.json")]
    runtime = sum(packed(f) for f in next(site.glob("_wizard/*/pyodide.asm.wasm")).parent.iterdir() if f.suffix != ".txt")
    assert core <= 200_000
    assert len(texts) == 3 and max(texts) <= 80_000
    assert runtime + core + max(texts) <= 6_000_000


def test_no_page_names_a_file_that_is_not_there(site):
    """Scripts and data named by the forms."""
    for lang in LANGUAGES:
        for address in ("", "wizard/"):
            page = text(site / lang / address / "index.html")
            for key, name in (("runtime", "pyodide.asm.wasm"), ("data", "core.json")):
                folder = re.search(rf'data-{key}="\.\./([^"]+)"', page)[1]
                assert (site / "_wizard" / folder / name).is_file()
    assert (ROOT / "build" / "wizard" / "manifest.json").is_file()
