"""The form on the built site: numbers of one's own, answers taken back, options that cannot combine."""

from __future__ import annotations

import pytest

from tests.site.conftest import LANGUAGES, TEAM, answered, choose
from tests.site.test_wizard import fragment, wait_for_fragment

SAYS = {"en": "I do not know", "vi": "Tôi không biết", "ru": "Не знаю"}
MISSING = {"en": "is missing", "vi": "Thiếu", "ru": "Не хватает"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_hardware_and_a_model_by_their_numbers(wizard, lang):
    page = wizard(lang)
    choose(page, "[data-device]", "custom()")
    problem = page.locator("[data-field=devices] .wf-problem")
    problem.wait_for()
    assert MISSING[lang] in problem.inner_text()
    assert page.locator("[data-part=memory_gib]").get_attribute("aria-invalid") == "true"
    page.fill("[data-part=memory_gib]", "23,5" if lang != "en" else "23.5")
    page.fill("[data-part=bandwidth_gbs]", "fast")
    problem.filter(has_text="fast").wait_for()  # and the rest is answered
    answered(page)
    assert page.locator("[data-part=bandwidth_gbs]").get_attribute("aria-invalid") == "true"
    if lang != "en":
        wait_for_fragment(page, "custom(memory_gib=23.5")
        return
    page.fill("[data-part=bandwidth_gbs]", "900")
    page.fill("[data-part=tflops]", "70")
    choose(page, "[data-part=chip]", "nvidia:gpu:sm_86")
    page.click("[data-do=more]")
    choose(page, "[name=model]", "#")
    page.fill("[name='model.params_b']", "0")
    page.locator("[data-field='model.params_b'] .wf-problem").wait_for()
    page.fill("[name='model.params_b']", "30")
    page.fill("[name='model.active_b']", "3")
    wait_for_fragment(page, "arch=sm_86;bandwidth_gbs=900;kind=gpu;memory_gib=23.5;", "tflops=70", "vendor=nvidia")
    wait_for_fragment(page, "devices=2*custom(", "model.params_b=30", "model.active_b=3")
    assert page.locator(".wf-problem").count() == 0
    choose(page, "[data-device]", "rtx-4090")
    wait_for_fragment(page, "devices=2*rtx-4090")
    assert page.locator("[data-part]").count() == 0


def test_an_address_brings_own_numbers_back(wizard):
    name = "A%252C%20%2528new%2529%20card%252A"  # escaped once as a part of the list, and again for the address
    device = f"2*custom(arch=sm_86;bandwidth_gbs=900;kind=gpu;memory_gib=23.5;name={name};vendor=nvidia)"
    page = wizard("en", f"#v=1&devices={device}&model.active_b=3&model.params_b=30")
    answered(page)
    page.wait_for_selector("[data-part=name]")
    assert page.input_value("[data-part=name]") == "A, (new) card*"
    assert page.input_value("[data-part=chip]") == "nvidia:gpu:sm_86"
    assert page.input_value("[data-part=bandwidth_gbs]") == "900"
    assert page.input_value("[data-count]") == "2"
    assert [page.input_value(f"[name='model.{part}_b']") for part in ("params", "active")] == ["30", "3"]
    before = fragment(page)
    page.fill("[data-part=bandwidth_gbs]", "450")
    wait_for_fragment(page, "bandwidth_gbs=450")
    assert fragment(page) == before.replace("=900", "=450")  # nothing else was lost


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_answer_can_be_taken_back(wizard, lang):
    page = wizard(lang, TEAM + "&context.tokens=65536&traffic.mode=offline")
    answered(page)
    for path, default in (("context.tokens", "32768"), ("traffic.mode", "online")):
        field = page.locator(f"[data-field='{path}']")
        back = field.locator("[data-do=unknown]")
        assert back.inner_text() == SAYS[lang]
        assert back.bounding_box()["height"] >= 24
        back.click()
        page.wait_for_function("path => !location.hash.includes(path)", arg=path)
        page.wait_for_selector(f"[data-field='{path}'].wf-assumed")
        assert field.locator("input:checked, input[type=text]").input_value() == default
        assert back.is_hidden()
        assert page.evaluate("document.activeElement.name") == path
    assert fragment(page) == TEAM
    # every other question has that choice in its list, or needs none
    for field in page.locator("[data-field]").all():
        chips = field.locator("[type=checkbox]").count()
        open_choice = field.locator("select option[value='']").count()
        assert chips or open_choice or field.locator("[data-do=unknown]").count() or field.locator("[name^='model.']")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_options_that_cannot_combine_say_why(wizard, lang):
    page = wizard(lang, TEAM)
    answered(page)
    mac = page.locator("[name='host.os'] option[value=macos]")
    mac.filter(has_text="RTX 3090").wait_for(state="attached")
    note = page.locator("[data-field=needs] .wf-why")
    assert "Qwen3-32B" in note.inner_text()
    assert page.locator("[data-field=needs] .wf-cannot").count() >= 3
    choose(page, "[name=model]", "")
    note.wait_for(state="detached")  # without a model nothing stands in the way
    choose(page, "[name='host.os']", "macos")  # it can be chosen all the same, and then says so
    page.locator("[data-field='host.os'] .wf-problem").wait_for()
    answered(page)


def test_what_was_assumed_is_listed_with_what_would_change_it(wizard):
    page = wizard("en", TEAM)
    answered(page, complete=True)
    assumed = int(page.inner_text("[data-we-assumptions] b").split()[0])
    section = page.locator("[data-section=change]")
    marked = section.locator(".we-assumed").count()
    without = section.locator("p.we-quiet").text_content()
    assert marked >= 2
    assert marked + without.count(":") - 1 >= assumed - 1  # the words before the list end in a colon too
