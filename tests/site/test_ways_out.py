"""What a reader takes away from an answer, in a real browser: links, files, paper, comparison, recent situations."""

from __future__ import annotations

import json
import re

import pytest

from tests.site.conftest import TEAM, answered, copied, press
from tests.site.test_pages import violations

PAIR, RECENT = "[data-we-pair]", "[data-we-recent]"


def shown(page, base, fragment=TEAM, lang="en"):
    page.goto(f"{base}{lang}/wizard/{fragment}")
    answered(page, complete=True)
    page.wait_for_selector("[data-we-ways]:not([hidden])")


def test_a_copied_link_remembers_its_answer(open_page, base, watch):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    shown(page, base)
    link = copied(page, "[data-way=link]")
    assert re.search(r"&at=\d{4}-\d\d-\d\d&was=vllm,", link) and len(link) < 250
    page.goto("about:blank")
    page.goto(link.replace("was=vllm", "was=llama-cpp"))
    answered(page)
    page.wait_for_selector("[data-we-before]:not([hidden])")
    assert "llama.cpp" in page.text_content("[data-we-before]")
    assert "was=" not in page.url  # the address is that of the situation again
    page.fill("[name='traffic.concurrency']", "2")
    page.wait_for_selector("[data-we-before]", state="hidden")
    watch.assert_clean()


def test_files_hold_the_answer(wizard):
    page = wizard("en", TEAM)
    answered(page, complete=True)
    with page.expect_download() as markdown:
        press(page, "[data-way=markdown-file]")
    assert markdown.value.path().read_text(encoding="utf-8").startswith("# Start with vLLM")
    with page.expect_download() as data:
        press(page, "[data-way=json-file]")
    assert json.loads(data.value.path().read_text(encoding="utf-8"))["recommendations"][0]["engine"] == "vllm"


def test_an_answer_is_kept_beside_the_next(open_page, base, watch):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    shown(page, base)
    press(page, "[data-way=keep]")
    assert page.is_visible(f"{PAIR} .wf-hint")
    page.fill("[name='traffic.concurrency']", "1")
    page.wait_for_selector(f"{PAIR} table")
    assert page.locator(f"{PAIR} tbody tr").count() >= 8
    link = copied(page, "[data-way=link]")
    page.evaluate("sessionStorage.clear()")
    page.goto("about:blank")
    page.goto(link)  # the link holds both
    page.wait_for_selector(f"{PAIR} table")
    assert "4 requests at once" in page.text_content(f"{PAIR} table")
    press(page, "[data-way=drop]")
    assert page.is_hidden(PAIR)
    watch.assert_clean()


def test_recent_situations_stay_in_the_browser_until_forgotten(page, base):
    shown(page, base)
    page.wait_for_selector(RECENT, state="visible", timeout=10_000)
    page.reload()
    page.click(f"{RECENT} summary")
    link = page.locator(f"{RECENT} li a")
    assert link.count() == 1 and "RTX 3090" in link.text_content()
    page.goto(f"{base}en/wizard/")
    page.click(f"{RECENT} summary")
    link.click()
    answered(page, "vLLM")
    press(page, "[data-way=forget]")
    assert page.is_hidden(RECENT)
    assert page.evaluate("localStorage.length") == 0 or "recent" not in page.evaluate("JSON.stringify(localStorage)")


def test_a_hostile_memory_does_no_harm(page, base):
    page.goto(f"{base}en/wizard/")
    bad = [{"fragment": "javascript:alert(1)", "lines": ["x"]}, {"fragment": "#v=1&x=<img>", "lines": []}, None, 7]
    page.evaluate("bad => localStorage.setItem('which-engine.recent', JSON.stringify(bad))", bad)
    page.evaluate("sessionStorage.setItem('which-engine.kept', '{')")
    shown(page, base)
    assert page.locator(f"{RECENT} a[href^=javascript]").count() == 0
    assert page.is_hidden(PAIR)


def test_an_answer_fits_on_two_sheets(wizard, tmp_path):
    page = wizard("en", TEAM)
    answered(page, complete=True)
    page.wait_for_selector("[data-we-ways]:not([hidden])")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert TEAM in page.text_content("[data-we-printed]")
    sheets = page.pdf(format="A4", path=str(tmp_path / "answer.pdf")).count(b"/Type /Page\n")
    assert 1 <= sheets <= 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barriers_with_everything_open(page, base, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 800})
    shown(page, base)
    press(page, "[data-way=keep]")
    page.evaluate("document.querySelector('.wf').classList.remove('wf-folded')")
    page.fill("[name='traffic.concurrency']", "1")
    page.wait_for_selector(f"{PAIR} table")
    assert violations(page) == []
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
