"""Every rule can fire and every engine can be named by somebody's situation, or its entry says why never."""

import pytest

from knowledge.load import load
from wizard.decide import decide
from wizard.facts import Facts
from wizard.rules import fire
from wizard.situation import read

from .conftest import TODAY

# What no recipe, guide or scenario of the base has; the rule or engine that needs it stands first.
RARE = {
    "alt-aphrodite-exl3": {"devices": ["2x rtx-3090"], "model": "qwen3-32b", "format": "exl3", "serving": "team"},
    "alt-mistral-rs-adapters": {
        "devices": ["rtx-3090"], "model": "qwen3-8b", "format": "gguf", "needs": ["multi-lora"], "serving": "team",
    },
    "alt-mistral-rs-app": {"devices": ["rtx-3090"], "model": "qwen3-8b", "serving": "app"},
    "alt-mlx-app": {"devices": ["m4-max"], "model": "qwen3-8b", "serving": "app"},
    "alt-ort-browser": {"devices": ["browser-tab"], "model": "qwen3-1-7b", "serving": "browser"},
    "alt-transformers-loading": {"devices": ["rtx-3090"], "model": "qwen3-8b", "format": "bitsandbytes"},
    "battlemage-pro-vllm": {"devices": ["2x arc-pro-b60"], "model": "qwen3-32b", "serving": "team"},
    "convenience-docker-model-runner": {"devices": ["rtx-3090"], "model": "qwen3-8b", "priority": "developer-speed"},
    "gaudi-vllm": {"devices": ["8x gaudi-3"], "model": "llama-3-3-70b", "serving": "customers"},
    "intel-serving-openvino": {"devices": ["arc-b580"], "model": "qwen3-8b", "serving": "customers"},
    "many-cards-vllm": {"devices": ["6x rtx-3090"], "model": "qwen3-32b"},
    "only-in-browser": {"devices": ["rtx-3090"], "model": "qwen3-1-7b", "serving": "browser"},
    "only-on-phones": {"devices": ["rtx-3090"], "model": "qwen3-1-7b", "serving": "mobile"},
    "orchestrate-triton": {
        "devices": ["4x h100-sxm"], "nodes": 2, "serving": "fleet", "needs": ["embeddings"],
        "model": "qwen3-embedding-0-6b",
    },
    "portability-llama-cpp": {"devices": ["rtx-3090"], "priority": "portability"},
}  # fmt: skip
NEVER = ("archived", "inactive")  # and plugins, which are paths of their engine


@pytest.fixture(scope="module")
def told():
    """Situations of the base itself."""
    entries = load().entries
    found = [e["situation"] for kind in ("recipe", "scenario") for e in entries[kind].values()]
    return [*found, *(row["situation"] for guide in entries["guide"].values() for row in guide["rows"])]


def test_every_rule_about_engines_fires_for_somebody(kb, told):
    fired = set()
    for situation in [*told, *RARE.values()]:
        reading = read(situation, kb)
        if reading.situation["devices"]:
            fired |= {one.id for one in fire(Facts(reading.situation, kb))}
    silent = {id_ for id_, rule in kb.rules.items() if rule["effect"] != "warn"} - fired
    assert not silent


@pytest.mark.parametrize("rule", sorted(RARE))
def test_a_rare_situation_fires_its_rule(kb, rule):
    assert rule in {one.id for one in fire(Facts(read(RARE[rule], kb).situation, kb))}


def test_every_engine_is_named_for_somebody_or_says_why_not(kb):
    nominated = {rule["engine"] for rule in kb.rules.values() if rule["effect"] == "nominate"}
    for id_, entry in kb.engines.items():
        if entry["status"]["is"] in NEVER:
            assert entry["status"].get("source"), f"{id_} is never recommended and says why without a source"
        elif entry["layer"] != "plugin":
            assert id_ in nominated, f"no rule ever names {id_}"


def test_rarely_named_engines_are_really_named(kb):
    named = {
        r["engine"]
        for key in ("alt-aphrodite-exl3", "alt-mistral-rs-adapters", "alt-mlx-app", "alt-transformers-loading",
                    "convenience-docker-model-runner", "orchestrate-triton")
        for r in decide(RARE[key], kb, TODAY)["recommendations"]
    }  # fmt: skip
    assert {"aphrodite", "mistral-rs", "mlx", "transformers", "docker-model-runner", "triton"} <= named
