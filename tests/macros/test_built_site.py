"""The built site as files: links lead somewhere, languages agree, nothing comes from another host."""

from __future__ import annotations

import json
import posixpath
import re
from urllib.parse import unquote, urlsplit

import pytest

from macros.site.paths import LANGUAGES, SITE

# elements whose address a browser fetches by itself
FETCHED = {
    "script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "use": "href",
}  # fmt: skip
FETCHED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "manifest", "preconnect", "dns-prefetch"}


# pages that stand in for another: 404 and the one for when there is no network
STAND_INS = ("404.html", "offline.html")


def resolve(page: str, address: str) -> str:
    """Path below site/ of an address on a page; folders get their index."""
    path = unquote(urlsplit(address).path)
    if not path:
        return page
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    if path.endswith(("/", ".", "..")):
        target = posixpath.join(target, "index.html")
    return posixpath.normpath(target)


def test_every_link_inside_the_site_leads_to_a_page_and_an_anchor(site):
    broken = []
    for name, page in site.items():
        if name.endswith("404.html"):
            continue  # its links are absolute, so that they work from any address
        for tag, attributes in page.tags:
            for key in ("href", "src", "action"):
                address = attributes.get(key)
                if not address or urlsplit(address).scheme or address.startswith("//"):
                    continue
                target = resolve(name, address)
                if target not in site and not (SITE / target).is_file():
                    broken.append(f"{name}: <{tag}> {address}")
                    continue
                anchor = unquote(urlsplit(address).fragment)
                if target.endswith("wizard/index.html") and anchor.startswith(("v=", "we-")):
                    continue  # a situation, or a section of an answer that a script brings
                if anchor and target in site and anchor not in site[target].ids:
                    broken.append(f"{name}: no anchor {address}")
    assert not broken, f"{len(broken)} broken links:\n" + "\n".join(broken[:40])


def test_no_page_loads_anything_from_another_host(site):
    foreign = []
    for name, page in site.items():
        for tag, attributes in page.tags:
            address = attributes.get(FETCHED.get(tag, ""))
            if tag == "link" and FETCHED_LINKS & set(attributes.get("rel", "").split()):
                address = attributes.get("href")
            if address and urlsplit(address).netloc:
                foreign.append(f"{name}: <{tag}> {address}")
    for sheet in SITE.rglob("*.css"):
        for address in re.findall(r"(?:url\(|@import\s+)[\"']?((?:https?:)?//[^\"')\s]+)", sheet.read_text("utf-8")):
            foreign.append(f"{sheet.name}: {address}")
    assert not foreign, "\n".join(foreign[:40])


def test_languages_have_the_same_pages_with_the_same_anchors(site):
    trees = {lang: {n.partition("/")[2]: p for n, p in site.items() if n.startswith(f"{lang}/")} for lang in LANGUAGES}
    for lang in LANGUAGES[1:]:
        assert trees[lang].keys() == trees["en"].keys()
        for name, page in trees["en"].items():
            assert trees[lang][name].ids == page.ids, f"{lang}/{name}: {trees[lang][name].ids ^ page.ids}"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_page_says_its_language_and_links_the_others_to_itself(site, lang):
    for name, page in site.items():
        if not name.startswith(f"{lang}/") or name.endswith(STAND_INS):
            continue
        assert page.tags[0][1].get("lang") == lang or any(t == "html" and a.get("lang") == lang for t, a in page.tags)
        own = name.partition("/")[2].removesuffix("index.html")
        switch = {a["hreflang"]: a["href"] for t, a in page.tags if t == "a" and a.get("class") == "wp-langs__link"}
        assert set(switch) == set(LANGUAGES), name
        for other, address in switch.items():
            assert resolve(name, address) == posixpath.normpath(f"{other}/{own}/index.html"), (name, address)


def test_anchors_are_ascii_and_unique(site):
    for name, page in site.items():
        ids = [a["id"] for _, a in page.tags if "id" in a]
        assert all(i.isascii() for i in ids), name
        twice = {i for i in ids if ids.count(i) > 1}
        assert not twice, f"{name}: {sorted(twice)[:5]}"


def test_no_page_shows_the_marks_of_a_template(site):
    """What a page is made from stays behind it; code samples may show such marks."""
    for name, page in site.items():
        prose = re.sub(r"<(script|style|code|pre)\b.*?</\1>", "", page.text, flags=re.S)
        assert "{{" not in prose and "{%" not in prose, name


def test_every_page_has_one_title_and_one_main_heading(site):
    for name, page in site.items():
        if name.count("/") == 0:
            continue
        assert sum(tag == "h1" for tag, _ in page.tags) == 1, name
        assert re.search(r"<title>[^<]+</title>", page.text), name


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sitemap_lists_every_page_of_its_language(site, lang):
    pages = {n.partition("/")[2].removesuffix("index.html") for n in site if n.startswith(f"{lang}/")} - set(STAND_INS)
    full, short = (SITE / name for name in (f"sitemap-{lang}.xml", f"{lang}/sitemap.xml"))
    for file in (full, short):  # for search engines, for the theme
        found = re.findall(r"<loc>[^<]*?/" + lang + r"/([^<]*)</loc>", file.read_text("utf-8"))
        assert set(found) == pages and len(found) == len(pages)
    for other in LANGUAGES:
        linked = re.findall(rf'hreflang="{other}" href="[^"]*?/{other}/([^"]*)"', full.read_text("utf-8"))
        assert set(linked) == pages
    assert f"/{full.name}<" in (SITE / "sitemap.xml").read_text("utf-8")
    assert short.stat().st_size < 100_000  # read with every page


def test_the_root_page_leads_to_every_language_without_script(site):
    page = site["index.html"]
    assert {a["href"] for t, a in page.tags if t == "a"} == {f"{lang}/" for lang in LANGUAGES}


def test_vietnamese_search_index_has_words_without_diacritics_and_russian_without_yo():
    vi = json.loads((SITE / "vi/search/search_index.json").read_text("utf-8"))["docs"]
    text = " ".join(entry["text"] for entry in vi)
    for word in ("luong", "bang", "dinh", "nguon"):
        assert re.search(rf"\b{word}\b", text), word
    ru = json.loads((SITE / "ru/search/search_index.json").read_text("utf-8"))["docs"]
    with_yo = {w.lower() for e in ru for w in re.findall(r"\w*ё\w*", e["text"])}
    assert with_yo, "the Russian pages are expected to write ё"
    words = {w.lower() for e in ru for w in re.findall(r"\w+", e["text"])}
    assert {w.replace("ё", "е") for w in with_yo} <= words
    assert all("й" not in w or w in words for w in with_yo)


def test_the_matrix_data_names_only_known_cells():
    data = json.loads((SITE / "en/formats/matrix.json").read_text("utf-8"))
    engines = {e["id"] for e in data["engines"]}
    formats = {f["id"] for f in data["formats"]}
    archs = {c["arch"] for c in data["columns"]}
    assert data["cells"]
    for key, cell in data["cells"].items():
        engine, family, arch = key.split("|")
        assert engine in engines and family in formats and arch in archs
        assert cell["k"] in data["words"] and 0 <= cell["n"] < len(data["notes"])
