"""The wizard on the built site, as people use it: pointer, keyboard, links, history, three languages."""

from __future__ import annotations

import re

import pytest

from tests.site.conftest import LANGUAGES, TEAM, answered, choose, copied, press

RESULT = "[data-we-result]"
FIRST = {"en": "Start with", "vi": "Bắt đầu với", "ru": "Начните с"}


def fragment(page) -> str:
    return page.evaluate("location.hash")


def wait_for_fragment(page, *parts: str) -> None:
    page.wait_for_function("parts => parts.every(p => location.hash.includes(p))", arg=list(parts))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_two_cards_a_model_and_a_team_by_pointer(wizard, lang):
    page = wizard(lang)
    choose(page, "[data-device]", "rtx-3090")
    page.click("[data-do=more]")
    choose(page, "[name=model]", "qwen3-32b")
    choose(page, "[name=serving]", "team")
    page.fill("[name='traffic.concurrency']", "4")
    wait_for_fragment(page, "2*rtx-3090", "qwen3-32b", "team", "concurrency=4")
    answered(page, "vLLM", complete=True)
    assert FIRST[lang] in page.text_content(RESULT)
    sections = page.eval_on_selector_all(f"{RESULT} > [data-section]", "all => all.map(e => e.dataset.section)")
    wanted = ["answer", "choices", "ten", "index", "fit", "speed"]
    wanted += ["command", "why", "why-not", "change", "check", "sources"]
    assert sections == wanted
    assert "Qwen/Qwen3-32B" in page.text_content("[data-section=command]")
    assert page.locator("[data-section=why] .we-reasons li").count() >= 1
    assert page.locator("[data-section=why-not] tbody tr").count() >= 3
    assert page.locator("[data-section=fit] .we-bars svg").count() >= 2
    assert page.locator("[data-section=speed] .we-ruler").count() >= 2
    assert page.locator("[data-section=check] tbody tr").count() >= 2
    assert page.locator("html").get_attribute("lang") == lang


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_same_by_keyboard_alone(wizard, lang):
    page = wizard(lang)
    page.focus("[data-do=less]")
    page.keyboard.press("Tab")
    page.keyboard.type("2")  # the count is selected when reached by Tab
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.input_value("[data-count]") == "3"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")  # one fewer
    assert page.input_value("[data-count]") == "2"
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.type("RTX 3090")
    tab_to(page, "model")
    page.keyboard.type("Qwen3-32B")
    tab_to(page, "serving")
    for _ in range(4):  # from "I do not know", or from the default that an answer has put there
        if page.input_value("[name=serving]") != "team":
            page.keyboard.press("ArrowDown")
    assert page.input_value("[name=serving]") == "team"
    tab_to(page, "traffic.concurrency")
    page.keyboard.type("4")
    wait_for_fragment(page, "2*rtx-3090", "qwen3-32b", "team", "concurrency=4")
    answered(page, "vLLM", complete=True)
    # from the form the answer can be reached, and each of its sections by the index
    page.focus("[data-we-assumptions] button")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "we-change"
    page.focus(".we-index a[href='#we-command']")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "we-command"
    assert fragment(page).startswith("#v=")


def tab_to(page, name: str) -> None:
    """Press Tab until the field has the focus."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == name:
            return
    raise AssertionError(f"Tab never reached {name}")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_shared_link_shows_the_answer_and_fills_the_form(wizard, lang):
    page = wizard(lang, TEAM)
    answered(page, "vLLM")
    assert page.input_value("[data-count]") == "2"
    assert page.input_value("[data-device]") == "rtx-3090"
    assert page.input_value("[name=model]") == "qwen3-32b"
    assert page.input_value("[name=serving]") == "team"
    assert fragment(page) == TEAM
    # what nobody answered is shown with its default, dashed and with the word
    field = page.locator("[data-field='host.ram_gib']")
    assert "wf-assumed" in field.get_attribute("class")
    assert field.locator(".wf-mark").is_visible()
    assert page.input_value("[name='host.ram_gib']") == "32"
    page.fill("[name='host.ram_gib']", "128")
    wait_for_fragment(page, "host.ram_gib=128")
    assert "wf-assumed" not in field.get_attribute("class")


def test_the_language_switch_keeps_the_state(page, base, wizard_address):
    page.goto(wizard_address(base, "en"))
    answered(page, "vLLM")
    page.fill("[name='traffic.concurrency']", "6")
    wait_for_fragment(page, "concurrency=6")
    for lang in ("vi", "ru"):
        page.click(f".wp-langs a[hreflang={lang}]")
        page.wait_for_url(f"**/{lang}/wizard/#v=1*concurrency=6")
        answered(page, "vLLM")
        assert FIRST[lang] in page.text_content(RESULT)
        assert page.input_value("[name='traffic.concurrency']") == "6"


def test_problems_stand_beside_their_fields_and_the_rest_is_answered(wizard):
    state = "#v=1&devices=2*rtx-3090&model=qwen3-32x&traffic.concurrency=many&colour=blue"
    page = wizard("vi", state)
    answered(page)
    beside = page.locator("[data-field='model'] .wf-problem")
    assert "Qwen3-32B" in beside.inner_text()  # the nearest name that is known
    assert page.locator("[data-field='traffic.concurrency'] .wf-problem").count() == 1
    assert page.locator("[name='traffic.concurrency']").get_attribute("aria-invalid") == "true"
    assert "colour" in page.inner_text("[data-we-problems]")
    assert page.input_value("[data-device]") == "rtx-3090"
    choose(page, "[name=model]", "qwen3-32b")
    page.fill("[name='traffic.concurrency']", "4")
    answered(page, "vLLM")
    page.wait_for_function("() => !document.querySelector('[data-field=model] .wf-problem')")


def test_hostile_addresses_stay_text(page, base):
    markup = "<img src=x onerror=alert(1)>"
    page.goto(f"{base}en/wizard/#v=1&devices=1*{markup}&model=%22{markup}%5C&already={markup}&{markup}=1")
    page.wait_for_selector(".wf-problem")
    assert page.locator("[data-we-wizard] img").count() == 0
    page.goto("about:blank")
    page.goto(f"{base}en/wizard/#v=7&model={{&settings.layout={{%22tp%22:&optional.cost=1&devices=," + "9" * 50)
    page.wait_for_selector(".wf-problem")
    choose(page, "[data-device]", "rtx-4090")
    answered(page)


def test_rows_of_mixed_cards(wizard):
    page = wizard()
    choose(page, "[data-device]", "rtx-4090")
    page.click("[data-do=add]")
    assert page.evaluate("document.activeElement.matches('[data-device]')")
    choose(page, "[data-device] >> nth=1", "rtx-3060")
    wait_for_fragment(page, "1*rtx-4090,1*rtx-3060")
    page.locator("[data-do=remove]").first.click()
    wait_for_fragment(page, "devices=1*rtx-3060")
    assert page.locator("[data-device-row]").count() == 1


def test_what_the_form_has_no_field_for_is_kept(wizard):
    state = "#v=1&devices=1*custom(memory_gib=24;name=My%20card)&model.params_b=13&settings.kv=f16"
    page = wizard("en", state)
    answered(page)
    assert "My card" in page.locator("[data-device] option:checked").inner_text()
    assert page.input_value("[data-part=memory_gib]") == "24"
    assert page.input_value("[name='model.params_b']") == "13"
    page.fill("[name='traffic.concurrency']", "3")
    wait_for_fragment(page, "custom(memory_gib=24;name=My", "model.params_b=13", "settings.kv=f16", "concurrency=3")
    choose(page, "[name=model]", "qwen3-8b")
    wait_for_fragment(page, "model=qwen3-8b", "settings.kv=f16")
    assert "params_b" not in fragment(page)
    assert page.locator("[name='model.params_b']").is_hidden()


def test_links_of_the_answer_are_steps_in_the_history(wizard):
    page = wizard("en", TEAM)
    answered(page, complete=True)
    page.evaluate("window.scrollTo(0, 300)")
    link = "[data-section=change] a.we-patch"
    wanted = page.locator(link).first.get_attribute("href")
    press(page, link)
    page.wait_for_function("hash => location.hash === hash", arg=wanted)
    assert page.locator("[data-section=answer]").count() == 1
    page.wait_for_function("() => document.activeElement.id === 'we-answer'")  # the link may be gone
    page.go_back()
    page.wait_for_function("hash => location.hash === hash", arg=TEAM)
    page.wait_for_function("() => document.querySelector('[data-count]').value === '2'")
    page.go_forward()
    page.wait_for_function("hash => location.hash === hash", arg=wanted)
    page.evaluate("location.hash = '#v=1&devices=1*rtx-4090&model=qwen3-8b'")
    page.wait_for_function("() => document.querySelector('[data-device]').value === 'rtx-4090'")


def test_back_undoes_one_answer_after_the_other_and_stays_in_the_wizard(page, base):
    page.goto(f"{base}en/engines/")
    page.goto(f"{base}en/wizard/")
    page.evaluate("document.querySelector('[data-we-wizard]').id = 'same'")
    choose(page, "[data-device]", "rtx-3090")
    wait_for_fragment(page, "devices=1*rtx-3090")
    choose(page, "[name=model]", "qwen3-32b")
    wait_for_fragment(page, "model=qwen3-32b")
    page.focus("[name='context.input']")
    page.keyboard.press("Control+a")
    for digit in "6000":  # one number is one step, whatever was answered while it was typed
        page.keyboard.type(digit)
        page.wait_for_timeout(150)
    wait_for_fragment(page, "context.input=6000")
    page.go_back()
    page.wait_for_function("() => document.querySelector('[name=\"context.input\"]').value === '4000'")
    assert "context.input" not in fragment(page) and page.input_value("[name=model]") == "qwen3-32b"
    page.go_back()
    page.wait_for_function("() => document.querySelector('[name=model]').value === ''")
    assert fragment(page) == "#v=1&devices=1*rtx-3090"
    page.go_back()  # to the form that nobody had answered
    page.wait_for_selector("[data-we-intro]:not([hidden])")
    assert fragment(page) == "" and page.input_value("[data-device]") == ""
    assert page.locator("#same [data-we-result] [data-section]").count() == 0  # nothing was loaded again
    assert page.locator("#same").count() == 1
    page.go_forward()
    answered(page)
    assert page.input_value("[data-device]") == "rtx-3090"
    page.go_back()
    page.go_back()
    page.wait_for_url("**/en/engines/")


def test_a_recipe_fills_the_form(wizard):
    page = wizard()
    preset = page.locator("[data-we-intro] [data-we-preset]").first
    state = preset.get_attribute("data-we-preset")
    preset.click()
    answered(page)
    assert fragment(page) == state
    assert page.input_value("[name=model]") in state


def test_an_update_keeps_what_the_reader_opened_and_speaks_once(wizard):
    page = wizard("en", TEAM)
    answered(page, "vLLM", complete=True)
    press(page, "#we-ten summary")
    press(page, "label[for=we-tab-powershell]")
    said = page.evaluate(
        """() => { const live = document.querySelector('[data-we-live]'); window.said = [];
             new MutationObserver(() => window.said.push(live.textContent)).observe(live, {childList: true});
             return live.textContent; }"""
    )
    assert "vLLM" in said
    page.evaluate("window.scrollTo(0, 900)")
    before = page.evaluate("window.scrollY")
    page.evaluate("document.querySelector('[name=\"context.input\"]').focus({preventScroll: true})")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("6000")
    wait_for_fragment(page, "context.input=6000")
    page.wait_for_timeout(1500)  # long enough for what-if to be shown too
    assert page.evaluate("document.activeElement.name") == "context.input"
    assert page.input_value("[name='context.input']") == "6000"
    assert page.locator("#we-ten").get_attribute("open") is not None
    assert page.is_checked("#we-tab-powershell")
    assert abs(page.evaluate("window.scrollY") - before) < 200
    assert len(page.evaluate("window.said")) == 1


def test_the_newest_question_wins(wizard):
    page = wizard("en", TEAM)
    answered(page)
    page.evaluate(
        """() => { const field = document.querySelector('[name="traffic.concurrency"]');
             for (let n = 1; n <= 40; n++) {
               field.value = String(n);
               field.dispatchEvent(new Event('input', {bubbles: true}));
             } }"""
    )
    wait_for_fragment(page, "concurrency=40")
    page.wait_for_timeout(300)
    assert "concurrency=40" in fragment(page)
    assert "40" in page.inner_text(RESULT), "how many were asked for stands among the warnings"


def test_copy_buttons(wizard):
    page = wizard("ru", TEAM)
    answered(page, "vLLM")
    button = page.locator(".we-strip [data-copy]")
    word = button.inner_text()
    text = copied(page, ".we-strip [data-copy]")
    page.wait_for_selector(".we-strip .we-copied")
    assert button.inner_text() != word
    assert text.startswith("vllm serve") and "\n" not in text
    page.wait_for_selector(".we-strip .we-copied", state="detached")
    assert button.inner_text() == word
    assert copied(page, "[data-section=command] .we-panel-posix [data-copy]").count("\\\n") >= 3
    assert copied(page, "[data-we-copy-link]").startswith(page.url + "&at=")


# The theme follows a link within the page once it knows the site; it learns that after the answer.
MAPPED = "() => performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/sitemap.xml')).length >= 4"


def test_instant_navigation_keeps_the_worker(page, base, wizard_address):
    workers = []
    page.on("worker", lambda worker: workers.append(worker.url))
    page.goto(wizard_address(base))
    answered(page, "vLLM")
    page.evaluate("window.same = true")
    page.wait_for_function(MAPPED)
    page.click(".md-tabs a[href$='engines/']")
    page.wait_for_url("**/engines/")
    page.go_back()
    answered(page, "vLLM")
    assert page.input_value("[name=model]") == "qwen3-32b"
    page.click(".md-tabs a[href$='/wizard/'], .md-tabs a[href='./']")
    page.wait_for_timeout(300)
    page.fill("[name='traffic.concurrency']", "9")
    wait_for_fragment(page, "concurrency=9")
    assert page.evaluate("window.same") is True
    assert sum(url.endswith("/worker.mjs") for url in workers) == 1


def test_a_similar_situation_answers_until_python_does(open_page, base, watch):
    page = open_page()
    held = []
    page.context.route("**/core.json", lambda route: held.append(route))
    page.goto(f"{base}ru/wizard/#v=1&devices=2*rtx-3090&model=qwen2-5-32b&serving=team")
    box = page.locator("[data-we-similar]")
    box.locator(".we-engine:visible").wait_for()
    assert "vLLM" in box.inner_text() and "AWQ" in box.inner_text()
    assert "2 × RTX 3090, Qwen3-32B" in box.inner_text()  # which situation it is of
    assert page.locator(RESULT).inner_text() == ""
    page.wait_for_timeout(500)
    for route in held:
        route.continue_()
    answered(page, "vLLM")
    assert box.is_hidden()
    watch.assert_clean()


def test_a_link_to_the_wizard_starts_the_worker_on_any_page(page, base):
    page.goto(f"{base}en/engines/")
    with page.expect_worker(lambda worker: worker.url.endswith("/worker.mjs")):
        page.hover(".md-tabs a[href$='wizard/']")
    page.click(".md-tabs a[href$='wizard/']")
    choose(page, "[data-device]", "rtx-4090")
    answered(page)


def test_without_scripts_the_form_is_there(open_page, base):
    """Without scripts the form, the recipes and a sentence are there."""
    page = open_page(java_script_enabled=False)
    page.goto(f"{base}ru/wizard/")
    assert page.locator("[name=serving] option").count() > 4
    assert page.locator(".wf-noscript").is_visible()
    href = page.locator("[data-we-preset]").first.get_attribute("href")
    assert page.goto(page.url + href).ok if not href.startswith("http") else page.goto(href).ok


def test_the_short_form_answers_on_the_home_page(page, base):
    page.goto(f"{base}vi/")
    brief = page.locator("[data-we-brief]")
    assert "vLLM" in brief.inner_text()  # made with the page
    page.hover("[data-we-short]")
    choose(page, "[data-we-short] [data-device]", "m4-max:36")
    page.wait_for_function("() => !document.querySelector('[data-we-brief]').textContent.includes('vLLM')")
    link = brief.locator("a.we-button")
    assert re.search(r"wizard/#v=1&devices=2\*m4-max:36", link.get_attribute("href"))
    link.click()
    page.wait_for_url("**/vi/wizard/#v=1*")
    answered(page)
    assert page.input_value("[data-device]") == "m4-max:36"


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_short_form_answers_before_python_does(open_page, base, watch, lang):
    page = open_page()
    held = []
    page.context.route("**/core.json", lambda route: held.append(route))
    page.goto(f"{base}{lang}/")
    page.hover("[data-we-short]")
    choose(page, "[data-we-short] [data-device]", "rtx-4090")
    box = page.locator("[data-we-short] [data-we-similar]")
    box.locator(".we-engine:visible").wait_for()
    assert "2 × RTX 4090, Qwen3-32B" in box.inner_text()
    assert page.locator("[data-we-brief]").is_hidden()
    for route in held:
        route.continue_()
    page.locator("[data-we-brief] a.we-button[href*='2*rtx-4090']").wait_for()
    assert box.is_hidden()
    watch.assert_clean()


def test_an_answer_given_before_the_address_was_read_comes_on_top_of_it(open_page, base):
    page = open_page()
    page.goto(f"{base}en/wizard/{TEAM}", wait_until="domcontentloaded")
    page.wait_for_function("() => document.querySelector('[data-we-wizard]')")
    page.wait_for_timeout(300)  # the scripts are there, Python is not
    choose(page, "[name='host.os']", "windows")
    answered(page)
    page.wait_for_function("() => location.hash.includes('host.os=windows')")
    assert "2*rtx-3090" in fragment(page) and "qwen3-32b" in fragment(page)
    assert page.input_value("[name=model]") == "qwen3-32b"
