"""Search in each language: with and without diacritics, by the beginning of an inflected word."""

from __future__ import annotations

import pytest


def found(page, query: str) -> list[str]:
    """Addresses that the search of the page offers for a query."""
    page.fill(".md-search__input", query)
    for _ in range(240):  # the theme looks at the field on key presses, and may be loading its index
        page.press(".md-search__input", "End")
        page.wait_for_timeout(250)
        if page.locator(".md-search-result__link").count():
            break
    return page.eval_on_selector_all(".md-search-result__link", "all => all.map(a => new URL(a.href).pathname)")


@pytest.mark.parametrize(
    ("lang", "query", "wanted"),
    [
        ("en", "quantization", "/en/"),
        ("en", "RTX 3090", "/en/devices/rtx-3090/"),
        ("vi", "lượng tử hóa", "/vi/"),
        ("vi", "luong tu hoa", "/vi/"),
        ("vi", "bang thong", "/vi/"),
        ("ru", "квантизац", "/ru/"),
        ("ru", "движк", "/ru/"),
        ("ru", "Qwen3-32B", "/ru/models/qwen3-32b/"),
    ],
)
def test_search_finds(page, base, lang, query, wanted):
    page.goto(f"{base}{lang}/engines/")
    assert any(address.startswith(wanted) for address in found(page, query))


@pytest.mark.parametrize(
    ("lang", "query", "first"), [("en", "rtx4090", "/en/devices/rtx-4090/"), ("en", "qwen3 32b", "/en/models/qwen3-32b/")]
)
def test_the_page_of_that_name_comes_first(page, base, lang, query, first):
    page.goto(f"{base}{lang}/engines/")
    assert found(page, query)[0] == first


def test_without_diacritics_the_same_pages_are_found_first(page, base):
    first = []
    for query in ("bo nho", "bộ nhớ"):
        page.goto(f"{base}vi/engines/")
        first.append(found(page, query)[:3])
    assert first[0] == first[1]


def test_the_index_is_loaded_once_somebody_turns_to_the_search(page, base):
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("search_index.json") else None)
    page.goto(f"{base}en/engines/")
    page.wait_for_load_state("networkidle")
    assert not asked
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.matches('.md-search__input')")
    page.fill(".md-search__input", "vllm")
    page.wait_for_selector(".md-search-result__link")
    assert len(asked) == 1


def test_the_maps_of_the_site_are_loaded_once_somebody_turns_to_a_link(page, base):
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("sitemap.xml") else None)
    page.goto(f"{base}en/engines/")
    page.wait_for_load_state("networkidle")
    assert not asked
    page.hover("h1")
    assert not asked
    page.evaluate("window.same = true")
    with page.expect_response("**/en/sitemap.xml"):
        page.hover(".md-tabs a[href$='devices/']")
    page.wait_for_timeout(300)
    page.click(".md-tabs a[href$='devices/']")
    page.wait_for_url("**/en/devices/")
    assert page.evaluate("window.same") is True


def test_a_result_opened_in_a_new_tab_has_its_words_marked(page, base):
    page.goto(f"{base}en/engines/vllm/?h=vllm")
    page.wait_for_selector("mark[data-md-highlight]", state="attached")
