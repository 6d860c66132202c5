"""Weights of a severe loss: named with a warning where nothing better starts, and never before anything better."""

import pytest

from wizard.decide import decide
from wizard.memory import assumed
from wizard.render import html, markdown, problems
from wizard.texts import Texts

from .conftest import TODAY

GIB = 1024**3


def asked(device, ram, model, kb, **more):
    return decide({"devices": [{"device": device}], "host": {"ram_gib": ram}, "model": model, **more}, kb, TODAY)


@pytest.mark.parametrize(
    ("device", "ram", "model"),
    [("rx-7900-xtx", 96, "qwen3-235b-a22b"), ("rtx-4060", 16, "qwen3-32b"), ("rtx-3090", 32, "glm-4-5-air")],
)
def test_what_starts_with_few_bits_alone_is_named_with_its_loss(kb, device, ram, model):
    found = asked(device, ram, model, kb)
    start = found["recommendations"][0]
    assert start["role"] == "start" and start["format"]["type"] == "q2_k"
    assert found["warnings"][0]["id"] == "severe-loss"
    same = asked(device, ram, model, kb, format="q2_k")["recommendations"][0]
    assert same["engine"] == start["engine"] and same["command"]["processes"] == start["command"]["processes"]


def test_three_bits_come_before_two(kb):
    found = asked("rx-7900-xtx", 112, "qwen3-235b-a22b", kb)
    assert found["recommendations"][0]["format"]["type"] == "q3_k_m"
    assert not [w for w in found["warnings"] if w["id"] == "severe-loss"]


def test_where_nothing_starts_the_memory_that_the_system_keeps_is_told(kb):
    found = asked("rx-7900-xtx", 48, "qwen3-235b-a22b", kb)
    stop = next(o for r in found["rejected"] for o in r["obstacles"] if o["text"] == "decision.obstacle-memory-host")
    assert not found["recommendations"]
    assert stop["params"]["usable"] == assumed.host_room(48 * GIB) < 48 * GIB


def test_an_accelerator_told_by_numbers_is_never_the_processor_beside_it(kb):
    own = {"custom": {"memory_gib": 24, "bandwidth_gbs": 900}}
    for model in ("qwen3-8b", "qwen3-32b", None):
        asked = {"devices": [own], **({"model": model} if model else {})}
        start = decide(asked, kb, TODAY)["recommendations"][0]
        assert start["backend"] not in assumed.CPU_BACKENDS
        assert start["unconfirmed"] and any(c["id"] == "caution-unconfirmed" for c in start["cautions"])


def test_weights_of_another_release_are_told(kb):
    asked = {"devices": [{"device": "h100-sxm", "count": 8}], "model": "deepseek-r1", "serving": "customers"}
    start = decide(asked, kb, TODAY)["recommendations"][0]
    assert "0528" in start["checkpoint"]["repository"]
    told = next(c for c in start["cautions"] if c["id"] == "caution-release")
    assert told["params"] == {"release": "DeepSeek-R1-0528", "model": "DeepSeek-R1"}
    own = decide({**asked, "format": "fp8"}, kb, TODAY)["recommendations"]
    assert not [c for r in own for c in r["cautions"] if c["id"] == "caution-release"]


def test_a_server_is_not_taken_to_have_the_memory_of_a_desktop(kb):
    def ram(device, count):
        found = decide({"devices": [{"device": device, "count": count}]}, kb, TODAY)
        return next(a["value"] for a in found["assumptions"] if a["path"] == "host.ram_gib")

    assert ram("h100-sxm", 8) == 1024
    assert ram("rtx-4090", 1) == ram("l4", 2) == 32


def test_the_markdown_lists_what_was_assumed(kb, bundle):
    found = decide({"devices": [{"device": "rtx-3090"}], "model": "qwen3-8b"}, kb, TODAY)
    said = markdown(found, Texts(bundle[1]["en"], "en", kb.terms, strict=True), kb, "en")
    line = next(text for text in said.splitlines() if "32,768" in text and "32 GiB" in text)
    assert str(len(found["assumptions"])) in line


def test_a_driver_alone_is_no_other_program(kb, bundle):
    texts = Texts(bundle[1]["en"], "en", kb.terms, strict=True)
    for free, told in ((79.6, False), (60, True)):
        asked = {"devices": [{"device": "h100-sxm"}], "model": "qwen3-8b", "host": {"free_vram_gib": free}}
        said = html(decide(asked, kb, TODAY), texts, kb, "en")
        assert ("other programs use it too" in str(said)) == told


def test_what_may_be_answered_is_told_as_it_is_typed(kb, bundle):
    found = decide({"devices": [{"device": "rtx-3090"}], "serving": "personal", "host": {"os": "Debian"}}, kb, TODAY)
    told = problems(found, Texts(bundle[1]["en"], "en", kb.terms, strict=True), kb, "en")
    said = {p["path"]: p["text"] for p in told}
    assert "self (yourself)" in said["serving"] and "team (" in said["serving"]
    assert "wsl2" in said["host.os"].lower() and "linux" in said["host.os"].lower()
