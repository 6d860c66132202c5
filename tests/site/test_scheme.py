"""The colour scheme: what the system wants until somebody chooses, then that, in every language and from the first paint."""

from __future__ import annotations

SCHEME = "document.body.dataset.mdColorScheme"


def test_the_scheme_of_the_system_until_another_is_chosen(browser, base):
    context = browser.new_context(color_scheme="dark", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{base}en/engines/")
    assert page.evaluate(SCHEME) == "slate"
    assert page.get_attribute("meta[name=theme-color]", "content") == "#0e1517"
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"() => {SCHEME} === 'default'")
    switch = page.locator("[data-we-scheme]")
    before = switch.get_attribute("aria-label")
    switch.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => {SCHEME} === 'slate'")
    assert switch.get_attribute("aria-label") not in (before, "", None)
    assert switch.evaluate("e => e === document.activeElement")
    page.goto(f"{base}vi/formats/")
    assert page.evaluate(SCHEME) == "slate"
    context.close()


def test_a_page_is_drawn_in_its_scheme_at_once(browser, base):
    """No moment of light on a dark screen: the first style that anything sees is the right one."""
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.add_init_script(
        f"(function look() {{ if (document.querySelector('.md-header')) window.seen ??= {SCHEME}; "
        "else requestAnimationFrame(look) })()"
    )
    page.goto(f"{base}ru/")
    assert page.evaluate("window.seen") == "slate"
    context.close()


def test_the_scheme_without_storage(browser, base):
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied') }})")
    page.goto(f"{base}en/wizard/")
    page.locator("[data-we-scheme]").click()
    assert page.evaluate(SCHEME) == "slate"
    context.close()


def test_style_sheets_are_loaded_once(browser, base):
    """Also when the page is changed without a new document: what both have stays."""
    context = browser.new_context(service_workers="block", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    loaded = []
    page.on("request", lambda request: request.resource_type == "stylesheet" and loaded.append(request.url))
    page.goto(f"{base}en/engines/")
    page.wait_for_selector("html.js")
    page.wait_for_timeout(500)
    page.evaluate("window.same = 1")
    sheets = page.evaluate("[...document.styleSheets].map(s => s.href)")
    there = page.locator(".md-tabs__link[href$='formats/']").first
    with page.expect_response("**/en/sitemap.xml"):
        there.hover()
    page.wait_for_timeout(500)
    there.click()
    page.wait_for_url("**/en/formats/")
    page.wait_for_selector("[data-matrix]")
    assert page.evaluate("window.same") == 1
    assert page.evaluate("[...document.styleSheets].map(s => s.href)") == sheets
    assert len(loaded) == len(set(loaded))
    context.close()
