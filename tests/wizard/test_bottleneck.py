"""What limits a candidate: each bottleneck in a case where it plainly is the one."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from wizard import bottleneck, memory, speed
from wizard.vocabulary import BOTTLENECKS

from .entries_memory import LINUX, MODELS, QWEN3_30B_A3B, QWEN3_32B, Layout, base, path, work
from .test_speed import CONSTANTS, LINKS, known

KB = base(CONSTANTS)


def find(p, layout, arch, load, links=LINKS):
    fit = memory.fit(p, layout, arch, load, {"kv_type": "f16"}, LINUX, KB)
    estimates = speed.estimate(p, layout, arch, load, fit, links, KB)
    return bottleneck.find(arch, layout, load, fit, estimates)


def name(*args, **kwargs):
    found = find(*args, **kwargs)
    assert found["is"] in BOTTLENECKS and len(found["reasons"]) == 1
    assert found["reasons"][0]["text"] == f"bottleneck.{found['is']}"
    assert sum(found["shares"].values()) == pytest.approx(1)
    return found["is"]


def test_one_person_reads_weights():
    assert name(path("needs"), Layout(known(48)), QWEN3_32B, work(8192, 500, 500)) == "decode-bandwidth"


def test_long_prompts_and_short_answers():
    assert name(path("needs"), Layout(known(80)), QWEN3_32B, work(65536, 40000, 50)) == "prefill-compute"


def test_one_prompt_delays_the_others():
    load = work(16384, 8000, 800, 4)
    found = find(path("fraction", "awq", "int4-g128"), Layout(known(48)), QWEN3_32B, load)
    assert found["is"] == "scheduler"
    params = found["reasons"][0]["params"]
    assert params["steps"] > bottleneck.STEPS_PER_PROMPT and params["seconds"] > 1
    offline = replace(load, mode="offline")
    assert name(path("fraction", "awq", "int4-g128"), Layout(known(48)), QWEN3_32B, offline) != "scheduler"


def test_system_memory():
    found = find(path("needs"), Layout(known(12)), QWEN3_32B, work())
    assert found["is"] == "host-offload" and found["reasons"][0]["params"]["host"] > 0


def test_slow_links_between_ranks():
    small = MODELS["llama-8b"]
    cards = known(48, 4)
    links = {"within": "pcie", "between": "ethernet"}
    load = work(4096, 200, 400)
    assert (
        name(path("fraction", "awq", "int4-g128"), Layout(cards, tp=8, nodes=2), small, load, links) == "interconnect"
    )


def test_a_small_model_on_a_fast_card_waits_for_launches():
    tiny = MODELS["gemma3-270m"]
    layout = Layout(known(80, bandwidth=3350.0, speed_class="nv-datacenter"))
    assert name(path("needs", "gguf", "q8_0"), layout, tiny, work(4096, 200, 400)) == "runtime-overhead"


def test_many_requests_on_a_mixture_read_its_experts():
    layout = Layout(known(48, bandwidth=900.0))
    load = work(4096, 100, 1000, 16)
    assert name(path("fraction", "awq", "int4-g128"), layout, QWEN3_30B_A3B, load) == "expert-routing"


def test_a_pool_that_is_too_small():
    found = find(path("fraction", "awq", "int4-g128"), Layout(known(27)), QWEN3_32B, work(16384, 12000, 2000, 2))
    assert found is None or found["is"] in BOTTLENECKS
    load = work(32768, 1000, 1000, 24)
    layout = Layout(known(48, bandwidth=8000.0, speed_class="nv-datacenter"))
    fit = memory.fit(path("fraction", "awq", "int4-g128"), layout, QWEN3_32B, load, {"kv_type": "f16"}, LINUX, KB)
    estimates = speed.estimate(path("fraction", "awq", "int4-g128"), layout, QWEN3_32B, load, fit, LINKS, KB)
    tight = bottleneck.find(QWEN3_32B, layout, replace(load, concurrency=200), fit, estimates)
    assert tight["is"] == "kv-capacity"
    assert tight["reasons"][0]["params"]["most"] == fit["max_concurrency"] < 200


def test_nothing_to_tell_it_from():
    assert bottleneck.find(None, Layout(known(48)), work(), None, None) is None
    fit = memory.fit(path("needs"), Layout(known(4)), QWEN3_32B, work(), {"offload": "no"}, LINUX, KB)
    nothing = speed.estimate(path("needs"), Layout(known(4)), QWEN3_32B, work(), fit, LINKS, KB)
    assert bottleneck.find(QWEN3_32B, Layout(known(4)), work(), fit, nothing) is None


def test_every_bottleneck_has_its_sentence():
    from pathlib import Path

    texts = yaml.safe_load((Path(__file__).parents[2] / "knowledge/text/bottleneck.yml").read_text())["texts"]
    assert set(texts) == set(BOTTLENECKS)
    assert all(set(text) == {"en", "vi", "ru"} for text in texts.values())
