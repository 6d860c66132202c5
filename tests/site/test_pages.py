"""Pages of the built site in a browser: every kind opens clean, without barriers, and fits a phone."""

from __future__ import annotations

import pytest

from tests.site.conftest import LANGUAGES, ROOT, SITE, TEAM, Watch, answered

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"


def kinds() -> list[str]:
    """Addresses of one page of each kind: every folder's own page and the first below it, except the wizard."""
    english = SITE / "en"
    found = [""]
    for folder in sorted(p for p in english.glob("*/") if (p / "index.html").exists() and p.name != "wizard"):
        found.append(f"{folder.name}/")
        below = sorted(p for p in folder.glob("*/") if (p / "index.html").exists())
        found += [f"{folder.name}/{below[0].name}/"] if below else []
    return found


def violations(page, rules: list[str] | None = None) -> list[str]:
    """What axe finds on the page: "rule: element"."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    found = page.evaluate("options => axe.run(document, {...options, resultTypes: ['violations']})", options)
    return [f"{v['id']}: {n['html'][:160]}" for v in found["violations"] for n in v["nodes"]]


def test_there_is_a_page_of_every_kind(site):
    known = """engines devices models formats recipes scenarios mistakes bottlenecks workloads benchmarking sources
        claims measurements rules glossary guides contribute method"""
    assert {f"{name}/" for name in known.split()} <= set(kinds())
    assert len(kinds()) >= 30


def too_wide(page) -> int:
    """Pixels by which the page could be scrolled sideways; a column may scroll by itself, the page may not."""
    return page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth")


@pytest.fixture(scope="module")
def visitor(browser):
    """One page that goes from address to address, and what it did."""
    watch = Watch()
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce", service_workers="block")
    watch.over(context)
    yield context.new_page(), watch
    context.close()


@pytest.mark.parametrize(("index", "address"), list(enumerate(kinds())))
def test_every_kind_of_page(visitor, base, index, address):
    """Opens clean, without barriers in both schemes, and never wider than a phone. Kinds take turns in language."""
    page, watch = visitor
    lang = LANGUAGES[index % 3]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    assert page.goto(f"{base}{lang}/{address}").ok
    assert page.locator("h1").count() == 1
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, ["color-contrast"]) == []
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert too_wide(page) <= 0, f"{width} px"
    watch.assert_clean()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_barriers_in_the_wizard_with_an_answer(wizard, lang):
    page = wizard(lang)
    page.emulate_media(reduced_motion="reduce")
    assert violations(page) == []
    page = wizard(lang, TEAM + "&context.tokens=lots")
    page.emulate_media(reduced_motion="reduce")
    answered(page, complete=True)
    for summary in page.locator("[data-we-wizard] summary").all():
        if summary.is_visible():  # there is nothing recent yet
            summary.click()
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    page.reload()  # the theme looks at the scheme when a page opens
    answered(page, complete=True)
    assert violations(page, ["color-contrast"]) == []
    page.set_viewport_size({"width": 320, "height": 800})
    assert violations(page) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_barriers_on_a_narrow_screen(visitor, base, lang):
    page, watch = visitor
    page.set_viewport_size({"width": 320, "height": 800})
    for address, scheme in (("", "dark"), ("engines/vllm/", "light")):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{base}{lang}/{address}")
        assert violations(page) == []
    watch.assert_clean()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_wizard_does_not_scroll_sideways_on_a_phone(wizard, lang):
    page = wizard(lang, TEAM, "phone")
    answered(page, complete=True)
    page.click("[data-we-summary] [data-we-change]")
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert too_wide(page) <= 0, f"{width} px"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_wizard_does_not_scroll_sideways_in_a_narrow_window(open_page, base, lang):
    page = open_page(viewport=(390, 800))  # a window does not shrink what is too wide, as a phone does
    page.goto(f"{base}{lang}/wizard/")
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert too_wide(page) <= 0, f"{width} px"


def test_targets_are_large_enough_for_a_finger(wizard):
    page = wizard("ru", TEAM, "phone")
    answered(page)
    page.click("[data-we-summary] [data-we-change]")
    small = page.evaluate(
        """() => [...document.querySelectorAll('.wf :is(button, select, input)')].filter(e => e.offsetParent).map(e => {
             const box = (e.closest('label') ?? e).getBoundingClientRect();
             return [e.name || e.className || e.dataset.do, Math.round(box.width), Math.round(box.height)];
           }).filter(([, width, height]) => width < 24 || height < 24)"""
    )
    assert small == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_answer_of_a_phone_is_first_and_stays_in_sight(wizard, lang):
    page = wizard(lang, TEAM, "phone")
    answered(page, "vLLM", complete=True)  # the page has its whole length
    assert page.locator("[data-we-result] .we-engine").bounding_box()["y"] < 400
    assert "RTX 3090" in page.inner_text("[data-we-summary]")
    assert page.locator("[data-we-bar]").is_hidden()
    page.evaluate("window.scrollTo(0, 1600)")
    page.wait_for_selector("[data-we-bar]:not([hidden])")
    assert "vLLM" in page.inner_text("[data-we-bar]")
    page.click("[data-we-bar] [data-we-change]")
    assert page.locator("[name=model]").is_visible()
    page.click("[data-we-bar] button[data-we-reveal]")  # "Change" leads here, this one back
    page.wait_for_selector("[data-we-bar]", state="hidden")


def test_print_shows_the_situation_and_the_whole_command(wizard):
    page = wizard("en", TEAM)
    answered(page, "vLLM")
    page.emulate_media(media="print")
    assert page.locator("[data-we-summary]").is_visible()
    for hidden in ("[data-we-wizard] form", ".md-header", ".we-strip", "[data-we-bar]"):
        assert page.locator(hidden).first.is_hidden(), hidden
    assert page.locator("[data-section=command] .we-lines").first.is_visible()


def test_the_root_leads_to_the_language_of_the_reader(open_page, base):
    for locale, lang in (("vi-VN", "vi"), ("ru", "ru"), ("de-DE", "en")):
        page = open_page(locale=locale)
        page.goto(base)
        page.wait_for_url(f"**/{lang}/")
