"""The report checker on the built site: a paste is read by the browser's Python and doubted; nothing leaves the page."""

from __future__ import annotations

import pytest

from tests.wizard import report_samples as sample

FOUND = "[data-report-found]"
DOUBTS = {"en": "What to doubt", "vi": "Điều đáng ngờ", "ru": "Что вызывает сомнения"}


@pytest.mark.parametrize("lang", DOUBTS)
def test_a_pasted_result_is_checked(page, base, lang, watch):
    page.goto(f"{base}{lang}/benchmarking/report/")
    page.fill("#report-text", sample.VLLM)
    page.wait_for_selector(f"{FOUND} h4")
    assert DOUBTS[lang] in page.text_content(FOUND)
    assert "p99" in page.text_content(f"{FOUND} .we-doubts")
    assert page.text_content("[data-report-live]")
    links = page.eval_on_selector_all(f"{FOUND} a", "all => all.map(a => new URL(a.href).pathname)")
    assert links and all(f"/{lang}/benchmarking/rule-" in link for link in links)
    watch.assert_clean()


def test_the_example_is_impossible_and_the_form_is_empty(page, base):
    page.goto(f"{base}en/benchmarking/report/")
    page.click("[data-report-put=example]")
    page.wait_for_selector(f"{FOUND} .we-doubts")
    assert "Cannot be." in page.text_content(f"{FOUND} .we-doubts")
    page.click("[data-report-put=form]")
    assert "- Warm-up: " in page.input_value("#report-text")
    page.click("[data-report-run]")
    page.wait_for_function("() => document.querySelector('[data-report-found] h4') === null")
