"""Search as you type over hardware and models: aliases, sizes, diacritics, keyboard and pointer."""

from __future__ import annotations

import pytest

from tests.site.test_pages import violations

DEVICE, MODEL = "[data-we-find=device]", "[data-we-find=model]"


@pytest.fixture
def form(wizard):
    """The wizard with its search fields ready."""
    page = wizard()
    page.wait_for_selector(DEVICE, state="visible")
    return page


def found(page, field, words):
    """Values of what the search offers, best first."""
    page.fill(field, words)
    return page.eval_on_selector_all(f"{field} + .wf-finds [role=option]", "all => all.map(one => one.dataset.value)")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("4090", "rtx-4090"), ("m4 max 64", "m4-max:64"), ("MacBook Pro M4 Max", "m4-max"), ("rtx4090", "rtx-4090"),
        ("a100 40", "a100-40gb"), ("Strix Halo", "ryzen-ai-max-395"), ("gefórce 3090", "rtx-3090"),
        ("xeon 8480", "xeon-platinum-8480"),
    ],
)  # fmt: skip
def test_hardware_is_found_by_the_names_people_write(form, words, value):
    assert found(form, DEVICE, words)[0].startswith(value)


def test_a_model_is_found_in_any_order_of_words(form):
    assert found(form, MODEL, "32b qwen3")[0] == "qwen3-32b"
    assert found(form, MODEL, "no such thing") == []
    assert form.is_visible(f"{MODEL} + .wf-finds .wf-none")


def test_by_keyboard_it_chooses_and_answers(form):
    form.focus(DEVICE)
    form.keyboard.type("3090")
    assert form.get_attribute(DEVICE, "aria-expanded") == "true"
    form.keyboard.press("ArrowDown")
    form.keyboard.press("ArrowUp")
    active = form.get_attribute(DEVICE, "aria-activedescendant")
    assert form.get_attribute(f"#{active}", "data-value") == "rtx-3090"
    form.keyboard.press("Enter")
    assert form.input_value("[data-device]") == "rtx-3090" and form.input_value(DEVICE) == ""
    form.wait_for_function("() => location.hash.includes('1*rtx-3090')")
    assert form.evaluate("document.activeElement.matches('[data-device]')")
    form.fill(MODEL, "qwen3 32b")
    form.keyboard.press("Escape")
    assert form.get_attribute(MODEL, "aria-expanded") == "false" and "model=" not in form.url


def test_every_row_has_its_own_search(form):
    form.fill(DEVICE, "4090")
    form.click(f"{DEVICE} + .wf-finds [role=option] >> nth=0")
    form.click("[data-do=add]")
    second = form.locator(DEVICE).nth(1)
    second.fill("3060")
    second.press("Enter")
    form.wait_for_function("() => location.hash.includes('1*rtx-4090') && location.hash.includes('1*rtx-3060')")


def test_an_open_list_has_no_barriers(form):
    form.set_viewport_size({"width": 320, "height": 700})
    found(form, DEVICE, "40")
    assert violations(form) == []
    assert form.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
