"""The dialogs that fill the form: pasted outputs, dropped files, a public model by its id, in a real browser."""

from __future__ import annotations

import json

import pytest

from tests.site.conftest import LANGUAGES, TEAM, answered
from tests.site.test_pages import violations
from tests.wizard import pastes
from tests.wizard.shapes_of_models import QWEN3_32B
from tests.wizard.test_gguf import header, small

HARDWARE, MODEL = "[data-we-dialog=hardware]", "[data-we-dialog=model]"


def opened(page, group):
    """The page of the wizard with one of the dialogs open."""
    page.click(f"[data-we-intake={group}]")
    page.wait_for_selector(f"[data-we-dialog={group}][open]")
    return page


def paste(page, text):
    page.fill(f"{HARDWARE} textarea", text)
    page.click(f"{HARDWARE} [data-act=read]")
    page.wait_for_selector(f"{HARDWARE} [data-found]:not(:empty)", timeout=20_000)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_outputs_fill_the_form_after_they_were_shown(wizard, lang):
    page = opened(wizard(lang), "hardware")
    paste(page, pastes.NVIDIA_SMI + pastes.TOPO_BRIDGES.replace("\x1b", "") + pastes.LSCPU + pastes.FREE + "what is this?\n")
    shown = page.text_content(f"{HARDWARE} [data-found]")
    assert "2 × GeForce RTX 3090" in shown and "Xeon Platinum 8480+" in shown
    assert "what is this?" in page.text_content(f"{HARDWARE} .wf-unread")
    assert "#v=" not in page.url  # nothing is filled before it was confirmed
    free = page.locator(f"{HARDWARE} .wf-row", has=page.locator("[data-fields*=free_vram]")).locator("input")
    free.uncheck()
    page.click(f"{HARDWARE} [data-act=use]")
    page.wait_for_function("() => location.hash.includes('rtx-3090')")
    answered(page)
    address = page.evaluate("location.hash")
    for part in ("devices=2*rtx-3090", "host.cpu=xeon-platinum-8480", "host.ram_gib=125.7", "host.os=linux"):
        assert part in address
    assert "free_vram" not in address
    assert page.input_value("[data-device]") == "rtx-3090" and page.input_value("[data-count]") == "2"
    assert page.evaluate("document.activeElement.dataset.weIntake") == "hardware"  # focus is where it was


def test_what_was_answered_before_stays_and_back_undoes(wizard):
    page = wizard("en", TEAM)
    answered(page)
    opened(page, "hardware")
    paste(page, pastes.NVIDIA_SMI_WINDOWS)
    page.click(f"{HARDWARE} [data-act=use]")
    page.wait_for_function("() => location.hash.includes('rtx-4090') && location.hash.includes('qwen3-32b')")
    page.go_back()
    page.wait_for_function("() => location.hash.includes('2*rtx-3090') && !location.hash.includes('windows')")


def test_markup_in_a_paste_is_text(wizard):
    page = opened(wizard(), "hardware")
    paste(page, pastes.NVIDIA_SMI + "<img src=x onerror=alert(1)>\n")
    assert page.locator(f"{HARDWARE} [data-found] img").count() == 0
    assert "<img src=x" in page.text_content(f"{HARDWARE} .wf-unread")
    paste(page, "nothing of use")
    assert page.locator(f"{HARDWARE} [data-act=use]").is_hidden()
    page.keyboard.press("Escape")
    assert page.locator(f"{HARDWARE}[open]").count() == 0


def test_files_of_a_model_are_read_and_a_link_carries_an_own_one(wizard, tmp_path):
    own = tmp_path / "config.json"
    own.write_text(json.dumps(QWEN3_32B | {"num_hidden_layers": 61, "torch_dtype": "bfloat16"}))
    page = opened(wizard("en", "#v=1&devices=2*rtx-3090"), "model")
    page.set_input_files(f"{MODEL} input[type=file]", str(own))
    page.wait_for_selector(f"{MODEL} .wf-row", timeout=20_000)
    page.click(f"{MODEL} [data-act=use]")
    page.wait_for_function("() => location.hash.includes('model=')")
    answered(page)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    answered(page)
    assert page.evaluate("document.querySelector('[name=model]').selectedOptions[0].textContent") == "qwen3"


def test_of_a_gguf_only_the_header_is_read(wizard, tmp_path):
    file = tmp_path / "big.gguf"
    with file.open("wb") as out:
        out.write(header(*small()))
        out.truncate(3 << 30)  # a file with a hole takes no room
    page = opened(wizard(), "model")
    page.set_input_files(f"{MODEL} input[type=file]", str(file))
    page.wait_for_selector(f"{MODEL} .wf-row", timeout=20_000)
    (tmp_path / "no.gguf").write_bytes(b"GGUF" + b"\x03\x00\x00\x00" + b"\x00" * 4)
    page.set_input_files(f"{MODEL} input[type=file]", str(tmp_path / "no.gguf"))
    page.wait_for_function(f"() => document.querySelector('{MODEL} .wf-problem')?.textContent.includes('no.gguf')")


def test_a_public_model_is_asked_for_on_its_click_only(open_page, base):
    asked = []

    def hub(route):
        asked.append(route.request.url)
        status = {"missing": 404, "closed": 401}.get(route.request.url.split("/")[4], 200)
        headers = {"access-control-allow-origin": "*"}
        route.fulfill(status=status, headers=headers, json=QWEN3_32B if status == 200 else {})

    page = open_page()
    page.context.route("https://huggingface.co/**", hub)
    page.goto(f"{base}en/wizard/")
    opened(page, "model")
    page.fill(f"{MODEL} input[type=text]", "owner/model")
    assert asked == []
    button = page.locator(f"{MODEL} [data-act=fetch]")
    assert "huggingface.co" in button.text_content()
    button.click()
    page.wait_for_selector(f"{MODEL} .wf-row", timeout=20_000)
    assert asked == ["https://huggingface.co/owner/model/resolve/main/config.json"]
    for name, says in (("no-slash", "owner/model"), ("owner/missing", "no config.json"), ("owner/closed", "signing in")):
        page.fill(f"{MODEL} input[type=text]", name)
        button.click()
        page.wait_for_function(
            "([at, says]) => document.querySelector(at)?.textContent.includes(says)", arg=[f"{MODEL} .wf-problem", says]
        )


def test_the_dialogs_pass_axe_and_fit_a_phone(wizard):
    page = wizard()
    page.set_viewport_size({"width": 320, "height": 640})
    for group in ("hardware", "model"):
        opened(page, group)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
        page.keyboard.press("Escape")
