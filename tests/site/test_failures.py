"""What the reader sees when the browser's Python cannot start: a sentence, a retry, the static guide."""

from __future__ import annotations

import pytest

from tests.site.conftest import FLAGS, TEAM, answered, choose, program

SENTENCE = "[data-we-failure]:visible"


def shown(page, code: str, lang: str) -> None:
    """The sentence of a failure, in the language of the page, with its ways out; answers in the form stay."""
    page.wait_for_selector("[data-we-failures]:not([hidden])", timeout=30_000)
    notes = page.locator(SENTENCE)
    assert notes.count() == 1
    assert notes.get_attribute("data-we-failure") == code
    assert page.locator("html").get_attribute("lang") == lang
    assert len(notes.inner_text()) > 40
    assert page.locator("[data-we-retry]").is_visible()
    guide = page.locator("[data-we-failures] a")
    assert guide.is_visible() and guide.get_attribute("href").endswith("#guide")


def broken(page, pattern: str, **reply) -> None:
    """Answer requests for a file in another way."""
    page.context.route(pattern, lambda route: route.fulfill(**reply))


@pytest.mark.parametrize(
    ("name", "lang"),
    [("core.json", "en"), ("core.json", "vi"), ("core.json", "ru"), ("python.zip.gz", "vi"), ("pyodide.asm.wasm", "ru"),
     ("pyodide.mjs", "en"), ("pyodide.asm.mjs", "vi"), ("text.ru.json", "ru")],
)  # fmt: skip
def test_a_missing_file(open_page, base, name, lang):
    page = open_page()
    broken(page, f"**/{name}", status=404, body="gone")
    page.goto(f"{base}{lang}/wizard/")
    choose(page, "[name=model]", "qwen3-32b")
    shown(page, "network", lang)
    assert page.input_value("[name=model]") == "qwen3-32b"
    page.context.unroute(f"**/{name}")
    choose(page, "[data-device]", "rtx-4090")
    page.click("[data-we-retry]")
    answered(page)
    assert page.locator("[data-we-failures]").is_hidden()


def test_a_wasm_that_arrives_cut(open_page, base, site):
    page = open_page()
    whole = next(site.glob("_wizard/*/pyodide.asm.wasm")).read_bytes()
    broken(page, "**/pyodide.asm.wasm", status=200, content_type="application/wasm", body=whole[:400_000])
    page.goto(f"{base}ru/wizard/{TEAM}")
    shown(page, "network", "ru")
    page.context.unroute("**/pyodide.asm.wasm")
    page.click("[data-we-retry]")
    answered(page, "vLLM")


def test_a_wasm_of_the_wrong_type_still_starts(open_page, base, site):
    page = open_page()
    whole = next(site.glob("_wizard/*/pyodide.asm.wasm")).read_bytes()
    broken(page, "**/pyodide.asm.wasm", status=200, content_type="application/octet-stream", body=whole)
    page.goto(f"{base}en/wizard/{TEAM}")
    answered(page, "vLLM")


def test_knowledge_that_python_cannot_use(open_page, base):
    page = open_page()
    broken(page, "**/core.json", status=200, content_type="application/json", body="{}")
    page.goto(f"{base}vi/wizard/{TEAM}")
    shown(page, "crash", "vi")
    page.context.unroute("**/core.json")
    page.click("[data-we-retry]")
    answered(page, "vLLM")


def test_a_policy_without_wasm(open_page, base):
    page = open_page()

    def strict(route):
        reply = route.fetch()
        policy = "script-src 'self' 'unsafe-inline' blob:"
        route.fulfill(response=reply, headers={**reply.headers, "content-security-policy": policy})

    page.context.route("**/worker.mjs", strict)
    page.goto(f"{base}vi/wizard/{TEAM}")
    shown(page, "csp", "vi")


def test_a_worker_that_is_blocked(open_page, base):
    page = open_page()

    def strict(route):
        reply = route.fetch()
        route.fulfill(response=reply, headers={**reply.headers, "content-security-policy": "worker-src 'none'"})

    page.context.route("**/ru/wizard/", strict)
    page.goto(f"{base}ru/wizard/{TEAM}")
    shown(page, "worker", "ru")


def test_a_worker_script_that_is_missing(open_page, base):
    page = open_page()
    broken(page, "**/worker.mjs", status=404, body="gone")
    page.goto(f"{base}en/wizard/{TEAM}")
    shown(page, "network", "en")
    page.context.unroute("**/worker.mjs")
    page.click("[data-we-retry]")
    answered(page, "vLLM")


def test_a_page_script_that_is_missing(open_page, base):
    page = open_page()
    broken(page, "**/wizard.mjs", status=404, body="gone")
    page.goto(f"{base}vi/wizard/")
    shown(page, "network", "vi")
    page.context.unroute("**/wizard.mjs")
    page.click("[data-we-retry]")
    page.wait_for_selector("[data-we-wizard][data-mounted]")
    assert page.locator("[data-we-failures]").is_hidden()


def test_the_home_page_shows_no_answer_to_another_question(open_page, base):
    page = open_page()
    broken(page, "**/core.json", status=404, body="gone")
    page.goto(f"{base}ru/")
    choose(page, "[data-we-short] [name=model]", "qwen3-8b")
    shown(page, "network", "ru")
    assert page.locator("[data-we-brief]").is_hidden()
    page.context.unroute("**/core.json")
    page.click("[data-we-retry]")
    page.locator("[data-we-brief] a.we-button[href*='qwen3-8b']").wait_for()
    assert page.locator("[data-we-failures]").is_hidden()


def changed(page, name: str, before: str, after: str) -> None:
    """Serve a script of the page with one thing changed."""

    def other(route):
        reply = route.fetch()
        body = reply.text()
        assert before in body
        route.fulfill(response=reply, body=body.replace(before, after))

    page.context.route(f"**/{name}", other)


@pytest.mark.parametrize(
    ("name", "lang"), [("pyodide.asm.wasm", "en"), ("python.zip.gz", "ru"), ("core.json", "vi"), ("text.en.json", "en")]
)
def test_a_file_that_never_comes(open_page, base, name, lang):
    page = open_page()
    changed(page, "worker.mjs", "PATIENCE_MS = 60_000", "PATIENCE_MS = 500")
    page.context.route(f"**/{name}", lambda route: None)
    page.goto(f"{base}{lang}/wizard/{TEAM}")
    shown(page, "timeout", lang)
    page.context.unroute(f"**/{name}")
    page.context.unroute("**/worker.mjs")
    page.click("[data-we-retry]")
    answered(page, "vLLM")


def test_a_question_that_is_never_answered(open_page, base):
    page = open_page()
    changed(page, "engine.mjs", "ANSWER_PATIENCE_MS = 10_000", "ANSWER_PATIENCE_MS = 2_000")
    waits = "async answer({ id, request }) {"
    changed(page, "worker.mjs", waits, f"{waits} await started; for (;;);")
    page.goto(f"{base}ru/wizard/{TEAM}")
    shown(page, "timeout", "ru")
    page.context.unroute("**/worker.mjs")
    page.click("[data-we-retry]")
    answered(page, "vLLM")


@pytest.mark.parametrize("lang", ["en", "vi", "ru"])
def test_a_browser_without_webassembly(playwright, site, base, lang):
    chromium = playwright.chromium.launch(executable_path=program(), args=[*FLAGS, "--js-flags=--jitless"])
    try:
        page = chromium.new_page()
        page.goto(f"{base}{lang}/wizard/{TEAM}")
        shown(page, "no-wasm", lang)
        page.click("[data-we-failures] a")
        page.wait_for_url(f"**/{lang}/#guide")
        page.locator("#guide").wait_for()
        page.locator(".wp-guide tbody tr >> nth=5").wait_for()
    finally:
        chromium.close()
