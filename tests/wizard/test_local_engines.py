"""Forks, apps and libraries around the large engines: offered where they help, silent elsewhere."""

import pytest

from wizard.decide import decide

from .conftest import TODAY

ALONE = {"serving": "self", "traffic": {"concurrency": 1}}
CARD = [{"device": "rtx-4090", "count": 1}]
MAC = [{"device": "m4-max", "count": 1}]
GGUF = {"family": "gguf"}
SERVER = {"os": "linux", "ram_gib": 768, "cpu": "xeon-6980p"}
R1 = {"devices": CARD, "host": SERVER, "model": {"id": "deepseek-r1"}, "context": {"tokens": 8192}, **ALONE}
SMALL = {"devices": CARD, "host": {"os": "linux"}, "model": {"id": "qwen3-8b"}, **ALONE}


def roles(situation, kb):
    """{engine or orchestrator: role} of the answer."""
    decision = decide(situation, kb, TODAY)
    assert not decision["problems"]
    assert not decision["evidence"]["undeclared_ties"]
    return {part["orchestrator"] or part["engine"]: part["role"] for part in decision["recommendations"]}


@pytest.mark.parametrize(
    ("situation", "engine", "role"),
    [
        (R1, "ik-llama-cpp", "alternative"),
        (R1, "ktransformers", "alternative"),
        ({**SMALL, "devices": [{"device": "xeon-6980p", "count": 1}]}, "ik-llama-cpp", "alternative"),
        ({**SMALL, "serving": "team", "needs": ["multi-lora"], "format": GGUF}, "mistral-rs", "alternative"),
        ({**SMALL, "devices": MAC, "host": {"os": "macos"}, "serving": "app"}, "mlx", "alternative"),
        ({**SMALL, "format": {"family": "bitsandbytes"}}, "transformers", "alternative"),
        ({**SMALL, "optional": {"air_gapped": True}}, "llamafile", "convenience"),
        ({**SMALL, "optional": {"air_gapped": True}}, "koboldcpp", "convenience"),
        ({**SMALL, "priority": "developer-speed"}, "docker-model-runner", "convenience"),
        ({**SMALL, "devices": [{"device": "ryzen-ai-max-395", "count": 1}]}, "lemonade", "convenience"),
        ({**SMALL, "host": {"os": "windows"}, "serving": "app"}, "foundry-local", "convenience"),
        (
            {"devices": [{"device": "m3-ultra", "count": 1}], "nodes": 2, "model": {"id": "deepseek-v3-1"}, **ALONE},
            "exo",
            "orchestrate-with",
        ),
    ],
)  # fmt: skip
def test_it_is_offered_in_its_own_case(situation, engine, role, kb):
    assert roles(situation, kb).get(engine) == role


@pytest.mark.parametrize("serving", ["app", "browser", "mobile", "customers", "fleet"])
def test_a_fork_built_by_hand_is_not_shipped_or_sold(serving, kb):
    assert "ik-llama-cpp" not in roles({**R1, "serving": serving}, kb)


@pytest.mark.parametrize(
    "change",
    [
        {"devices": [{"device": "rx-7900-xtx", "count": 1}]},  # no NVIDIA card
        {"host": {**SERVER, "os": "windows"}},
        {"host": {"os": "linux", "ram_gib": 768}},  # the processor's instructions are not known
        {"model": {"id": "llama-3-3-70b"}},  # dense
    ],
)
def test_experts_on_the_processor_need_card_system_processor_and_experts(change, kb):
    assert "ktransformers" not in roles({**R1, **change}, kb)


def test_a_server_without_a_card_gains_nothing_from_hybrid_experts(kb):
    alone = {**R1, "devices": [{"device": "xeon-6980p", "count": 1}]}
    assert "ktransformers" not in roles(alone, kb)
    rejected = {row["engine"]: row for row in decide(alone, kb, TODAY)["rejected"]}
    assert rejected["ktransformers"]["group"] == "impossible"


@pytest.mark.parametrize("serving", ["self", "team", "customers"])
def test_the_archived_intel_library_is_refused_with_its_successor(serving, kb):
    intel = {"devices": [{"device": "arc-b580", "count": 1}], "model": {"id": "qwen3-8b"}, "serving": serving}
    decision = decide({**intel, "already": "bigdl-llm"}, kb, TODAY)
    row = next(row for row in decision["rejected"] if row["engine"] == "ipex-llm")
    assert row["obstacles"][0]["clause"] == "engine.status"
    assert "rule-warn-ipex-llm-in-use" in {warning["id"] for warning in decision["warnings"]}


def test_experts_left_in_memory_are_written_into_the_command(kb):
    decision = decide(R1, kb, TODAY)
    part = next(part for part in decision["recommendations"] if part["engine"] == "ik-llama-cpp")
    assert part["fit"]["class"] == "offload"
    argv = [word for process in part["command"]["processes"] for arg in process["args"] for word in arg.values()]
    assert "--n-cpu-moe" in argv
