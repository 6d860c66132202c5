"""The same site below a path, as a project page of a host has it."""

from __future__ import annotations

from tests.site.conftest import TEAM, answered
from tests.site.test_search import found


def test_home_wizard_switch_and_search_below_a_path(page, below):
    assert below.endswith("/which-engine/")
    page.goto(below)
    page.wait_for_url("**/which-engine/en/")
    page.click("[data-we-brief] a.we-button")
    page.wait_for_url("**/which-engine/en/wizard/#v=1*")
    answered(page)
    page.goto(f"{below}en/wizard/{TEAM}")
    answered(page, "vLLM", complete=True)
    page.click(".wp-langs a[hreflang=vi]")
    page.wait_for_url("**/which-engine/vi/wizard/#v=1*")
    page.wait_for_selector("[data-lang=vi] [data-we-result] .we-engine")  # not that of the page before
    answered(page, "vLLM", complete=True)
    page.evaluate("window.same = true")
    page.click(".we-choices .we-name a >> nth=0")
    page.wait_for_url("**/which-engine/vi/engines/*/")
    assert page.evaluate("window.same") is True  # instant navigation works below a path too
    hrefs = found(page, "3090")
    assert hrefs and all(href.startswith("/which-engine/vi/") for href in hrefs)


def test_a_page_that_is_not_there(open_page, below):
    page = open_page()
    reply = page.goto(f"{below}ru/engines/no-such-engine/")
    assert reply.status == 404
    assert page.locator("html").get_attribute("lang") == "ru"
    home = page.locator(".md-content a").first
    home.click()
    page.wait_for_url("**/which-engine/ru/")
