"""The Content-Security-Policy of the pages: what the site needs works, what somebody slips in does not."""

from __future__ import annotations

import pytest

from macros.site import policy
from tests.site.conftest import LANGUAGES, TEAM, answered
from tests.site.test_search import found


@pytest.fixture(scope="module")
def pages(site):
    """Text of every page of the site by address."""
    return {f.relative_to(site).as_posix(): f.read_text(encoding="utf-8") for f in site.rglob("*.html")}


def test_every_page_has_the_policy_before_anything_it_speaks_of(pages):
    assert len(pages) > 1000
    for address, text in pages.items():
        at = text.find('<meta http-equiv="Content-Security-Policy"')
        assert 0 < at < min(text.find(tag) for tag in ("<link", "<script", "<style") if tag in text), address
    scripts = {s for text in pages.values() for s in policy.inline(text)}
    for script in scripts:
        assert any(known.fullmatch(script) for known in policy.theme())
    # wherever a visit begins, the scripts of the pages it goes on to may run
    for lang in LANGUAGES:
        for script in policy.inline(pages[f"{lang}/engines/vllm/index.html"]):
            assert f"'{policy.digest(script)}'" in pages[f"{lang}/404.html"]


@pytest.mark.parametrize(
    "markup",
    ["<script>alert(1)</script>", '<p style="color:red">x</p>', '<img src="x" onerror="alert(1)">', "<style>p{}</style>",
     '<a href="javascript:alert(1)">x</a>'],
)  # fmt: skip
def test_the_build_refuses_what_the_policy_would_block(tmp_path, markup):
    page = '<html><head><meta charset="utf-8"></head><body><p title="style = one">{}</p></body></html>'
    (tmp_path / "index.html").write_text(page.format("fine"))
    policy.complete(tmp_path)
    (tmp_path / "index.html").write_text(page.format(markup))
    with pytest.raises(policy.Refused, match="index.html"):
        policy.complete(tmp_path)


def test_a_visit_over_kinds_of_pages_breaks_no_rule(page, base):
    """Home, search, matrix, scheme, wizard, a page that is missing: the console stays empty (fixture `page`)."""
    page.goto(base)
    page.wait_for_url("**/en/")
    assert found(page, "3090")
    page.keyboard.press("Escape")
    page.goto(f"{base}vi/formats/")
    page.locator("[data-matrix] button[data-note]").first.click()
    page.locator(".wp-pop:visible").wait_for()
    page.locator("[data-we-scheme]").click()
    page.goto(f"{base}ru/accuracy/")
    assert page.locator("td[align=right]").first.evaluate("e => getComputedStyle(e).textAlign") == "end"
    page.goto(f"{base}ru/wizard/{TEAM}")
    answered(page, "vLLM", complete=True)


def test_a_script_that_was_slipped_in_does_not_run(open_page, base):
    page = open_page()
    page.goto(f"{base}en/wizard/{TEAM}")
    answered(page)
    page.evaluate(
        """() => {
             const script = document.createElement('script');
             script.textContent = 'window.hurt = 1';
             document.body.append(script);
             const box = document.querySelector('[data-we-result]');
             box.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.hurt = 2">');
             const other = document.createElement('script');
             other.src = 'http://127.0.0.2:9/x.js';
             document.body.append(other);
           }"""
    )
    refused = page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
    page.wait_for_timeout(200)
    assert refused == "refused"
    assert page.evaluate("window.hurt") is None
