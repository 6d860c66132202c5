"""What the section "Does it fit?" tells beyond the bars: where it runs, what is left, what would make it fit."""

from __future__ import annotations

import re

import pytest

from wizard.decide import decide
from wizard.kb import KB
from wizard.render import html, markdown
from wizard.texts import Texts

from .conftest import TODAY


@pytest.fixture(scope="module")
def answer(bundle):
    core, strings, measurements = bundle
    kb = KB(core, measurements)
    texts = {lang: Texts(strings[lang], lang, kb.terms, strict=True) for lang in ("en", "vi", "ru")}

    def call(lang="en", **situation):
        decision = decide(situation, kb, TODAY)
        fit = decision["recommendations"][0]["fit"]
        section = next(s["html"] for s in html(decision, texts[lang], kb, lang) if s["id"] == "fit")
        return (
            decision,
            fit,
            re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", section)),
            markdown(decision, texts[lang], kb, lang),
        )

    return call


SMALL_MAC = {
    "devices": [{"device": "m1", "memory_gib": 8}], "model": "Qwen/Qwen3-8B", "traffic": {"concurrency": 1},
    "context": {"tokens": 16384, "input": 4000, "output": 800},
}  # fmt: skip


def test_where_it_runs_when_the_gpu_is_too_small(answer):
    decision, fit, text, document = answer(**SMALL_MAC)
    assert decision["recommendations"][0]["backend"] == "cpu"
    assert fit["idle_gpu_bytes"] < 6 << 30
    for said in (text, document):
        assert "runs on the processor, not on the GPU" in said
    assert "не на GPU" in answer("ru", **SMALL_MAC)[2] and "không trên GPU" in answer("vi", **SMALL_MAC)[2]
    on_gpu = answer(devices=[{"device": "m4-max"}], model="Qwen/Qwen3-8B")
    assert on_gpu[1]["idle_gpu_bytes"] is None and "processor" not in on_gpu[2]
    on_cpu = answer(devices=[{"device": "xeon-6980p"}], model="Qwen/Qwen3-8B")
    assert on_cpu[1]["idle_gpu_bytes"] is None  # there is no GPU that stands idle


def test_what_is_left_and_what_would_make_it_fit(answer):
    decision, fit, text, document = answer(**SMALL_MAC)
    assert fit["class"] == "tight" and [c["change"] for c in fit["changes"]][:2] == ["kv", "context"]
    for said in (text, document.replace("\\", "")):
        assert "Longest single request" in said and "With the KV cache in Q8_0" in said
        assert "Requests of 16,384 tokens at once" in said
    kv = fit["changes"][0]["to"]
    format_ = decision["recommendations"][0]["format"]
    again = answer(**SMALL_MAC, settings={"kv": kv}, format=format_)[1]
    assert again["class"] == fit["changes"][0]["fit"] == "fits" and again["changes"] == []


def test_one_more_card_is_a_change_and_one_more_mac_is_not(answer):
    cards = answer(devices=[{"device": "rtx-4090"}], model="llama-3-3-70b", format={"family": "gguf", "type": "q4_k_m"})
    found = {c["change"]: c for c in cards[1]["changes"]}
    assert cards[1]["class"] == "offload" and found["devices"]["from"] == 1 and found["devices"]["to"] == 3
    assert "With 3 such devices" in cards[2]
    assert all(c["change"] != "devices" for c in answer(**SMALL_MAC)[1]["changes"])


def test_many_equal_cards_are_one_row(answer):
    alike = answer(devices=[{"device": "h200", "count": 8}], model="qwen3-32b", settings={"layout": {"tp": 8}})
    assert len(alike[1]["devices"]) == 8 and "8 × H200" in alike[2] and "Each of 8, GiB" in alike[2]
    two = answer(devices=[{"device": "rtx-3090", "count": 2}], model="qwen3-32b", serving="team")
    assert "no. 0" in two[2] and "no. 1" in two[2]
