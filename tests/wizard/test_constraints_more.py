"""Hard constraints on spreading a model, on versions, on what must not face a network, and the names of engines.

Each row was checked against the project's own pages, which the entries of the engines name. What a project changes
later changes its entry first and this table with it.
"""

import pytest

from wizard import paths
from wizard.decide import decide
from wizard.facts import Facts
from wizard.layouts import place
from wizard.situation import read

from .conftest import TODAY
from .test_constraints import NATIVE, NO, TRIAL, best_kernel

BLOCKS = {"family": "fp8", "type": "e4m3"}
APART = {"nodes": 2, "links": {"within": "nvswitch", "between": "ethernet"}}
JOINED = {"nodes": 2, "links": {"within": "nvswitch", "between": "rdma"}}
ONE_EACH = {"nodes": 2, "links": {"between": "ethernet"}}


def on(count, device, **more):
    return {"devices": [{"device": device, "count": count}], **more}


# engine, situation, degrees, whether they are laid out: "no", "yes" or "experimental"
SPREAD = [
    # heads divide, whatever the cards: 40 heads on six, 64 on three, 52 on three
    ("vllm", on(6, "t4", model="qwen2-5-14b"), {"tp": 6}, "no"),
    ("vllm", on(8, "t4", model="qwen2-5-14b"), {"tp": 8}, "yes"),
    ("vllm", on(3, "a100", model="llama-3-3-70b"), {"tp": 3}, "no"),
    ("vllm", on(3, "a100", model="llama-3-3-70b"), {"pp": 3}, "yes"),
    ("sglang", on(3, "a100", model="llama-3-3-70b"), {"tp": 3}, "no"),
    ("tensorrt-llm", on(3, "a100", model="llama-3-3-70b"), {"tp": 3}, "no"),
    ("exllamav3", on(3, "rtx-3090", model="llama-3-3-70b"), {"tp": 3}, "yes"),  # uneven shares
    # 256 experts on three cards: neither tensor nor expert ranks
    ("vllm", on(3, "b200", model="deepseek-v3"), {"tp": 3}, "no"),
    ("vllm", on(3, "b200", model="deepseek-v3"), {"pp": 3}, "yes"),
    # blocks of 128 weights: 1536 / 8 is 192, so whole experts on each rank or fewer ranks
    ("vllm", on(8, "h100-sxm", model="qwen3-235b-a22b", format=BLOCKS), {"tp": 8, "ep": 1}, "no"),
    ("vllm", on(8, "h100-sxm", model="qwen3-235b-a22b", format=BLOCKS), {"tp": 8, "ep": 8}, "yes"),
    ("vllm", on(8, "h100-sxm", model="qwen3-235b-a22b", format=BLOCKS), {"tp": 4}, "yes"),
    # KV heads replicate beyond their number
    ("vllm", on(8, "h100-sxm", model="llama-3-3-70b", **JOINED), {"tp": 16}, "yes"),
    # no tensor ranks over an ordinary network; stages cross it
    ("vllm", on(8, "h100-sxm", model="deepseek-v3", **APART), {"tp": 8, "pp": 2}, "yes"),
    ("sglang", on(8, "h100-sxm", model="deepseek-v3", **APART), {"tp": 8, "pp": 2}, "yes"),
    # weights that bitsandbytes quantized before cannot be cut
    ("vllm", on(2, "rtx-3090", model="qwen3-32b", format="bitsandbytes"), {"tp": 2}, "no"),
    ("vllm", on(2, "rtx-3090", model="qwen3-32b", format="bitsandbytes"), {"pp": 2}, "yes"),
    # layers, or tensors as an experiment that leaves many classes out
    ("llama-cpp", on(2, "rtx-3090", model="qwen3-32b"), {"pp": 2}, "yes"),
    ("llama-cpp", on(2, "rtx-3090", model="qwen3-32b"), {"tp": 2}, "experimental"),
    ("llama-cpp", on(8, "rtx-3090", model="deepseek-r1"), {"tp": 8}, "no"),
    ("llama-cpp", on(1, "rtx-3090", model="qwen3-32b", **ONE_EACH), {"pp": 2}, "experimental"),  # RPC
    ("ik-llama-cpp", on(2, "rtx-3090", model="gemma-3-27b"), {"tp": 2}, "no"),
    ("lmdeploy/turbomind", on(2, "a100", model="qwen3-32b"), {"pp": 2}, "no"),
    ("lmdeploy/turbomind", on(2, "a100", model="qwen3-32b"), {"tp": 2}, "yes"),
    ("lmdeploy", on(2, "rtx-3090", model="qwen3-32b", host={"os": "windows"}), {"tp": 2}, "no"),
    ("exllamav3", on(1, "rtx-3090", model="qwen3-32b", **ONE_EACH), {"pp": 2}, "no"),
    # two graphics cards under OpenVINO: refused as tensors, a trial as stages
    ("openvino-model-server", on(2, "arc-pro-b70", model="qwen3-32b"), {"tp": 2}, "no"),
    ("openvino-model-server", on(2, "arc-pro-b70", model="qwen3-32b"), {"pp": 2}, "experimental"),
    ("vllm", on(2, "arc-pro-b70", model="qwen3-32b"), {"tp": 2}, "yes"),
    # Gaudi: one box, no stages
    ("vllm", on(8, "gaudi-3", model="llama-3-3-70b"), {"tp": 8}, "yes"),
    ("vllm", on(8, "gaudi-3", model="llama-3-3-70b"), {"pp": 8}, "no"),
    ("vllm", on(8, "gaudi-3", model="llama-3-1-405b", nodes=2, links={"between": "rdma"}), {"tp": 16}, "no"),
    ("sglang", on(2, "radeon-ai-pro-r9700", model="qwen3-32b"), {"tp": 2}, "no"),
    # MLX shards a model over Macs joined by RDMA, not over a network
    ("mlx-lm", on(1, "m3-ultra", model="qwen3-32b", nodes=2, links={"between": "rdma"}), {"tp": 2}, "yes"),
    ("mlx-lm", on(1, "m4-pro", model="qwen3-32b", nodes=2, links={"between": "ethernet"}), {"tp": 2}, "no"),
]


def laid_out(kb, engine, situation, degrees):
    """Whether an engine (or "engine/mode") is laid out with these degrees, and whether only as an experiment."""
    engine, _, mode = engine.partition("/")
    facts = Facts(read({**situation, "settings": {"layout": degrees}}, kb).situation, kb)
    placed = [
        one
        for option in paths.find(facts).options
        if option.path.engine == engine and mode in ("", option.path.mode)
        for one in place(option, facts).placed
    ]  # fmt: skip
    return "no" if not placed else "experimental" if all(p.experimental for p in placed) else "yes"


@pytest.mark.parametrize(("engine", "situation", "degrees", "expected"), SPREAD)
def test_a_model_is_spread_as_the_project_says(kb, engine, situation, degrees, expected):
    assert laid_out(kb, engine, situation, degrees) == expected


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm", "lmdeploy", "exllamav3", "llama-cpp", "mlc-llm"])
def test_unequal_cards_are_never_tensor_ranks(kb, engine):
    mixed = {"devices": [{"device": "rtx-4090", "count": 1}, {"device": "rtx-3060", "count": 1}], "model": "qwen3-32b"}
    assert laid_out(kb, engine, mixed, {"tp": 2}) == "no"


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm"])
def test_ranks_cross_machines_only_by_rdma(kb, engine):
    """Nobody is sent into it: without RDMA no proposed layout has more ranks than a machine has cards."""
    facts = Facts(read(on(8, "h100-sxm", model="deepseek-v3", **APART), kb).situation, kb)
    options = [o for o in paths.find(facts).options if o.path.engine == engine]
    assert options and all(p.layout.tp <= 8 for o in options for p in place(o, facts).placed)


VERSIONS = [
    ("vllm", "v100", "0.19.0", {}, NATIVE),
    ("vllm", "v100", "0.20.0", {}, NO),
    ("vllm", "t4", "0.33.0", {}, NATIVE),
    ("vllm", "rtx-4090", "0.23.0", {"format": "gguf"}, TRIAL),  # in vLLM itself, from 0.24 on a plugin
    ("vllm", "rtx-4090", "0.24.0", {"format": "gguf"}, TRIAL),
    ("mlx-lm", "m4-max", "0.30.0", {"format": "awq"}, NO),
    ("tensorrt-llm", "h100-sxm", "1.2.1", {"needs": ["embeddings"]}, NO),
    ("tensorrt-llm", "h100-sxm", "1.3.0", {"needs": ["embeddings"]}, NATIVE),
]


@pytest.mark.parametrize(("engine", "device", "version", "more", "kernel"), VERSIONS)
def test_a_version_can_what_it_could(kb, engine, device, version, more, kernel):
    assert best_kernel(kb, engine, device, optional={"engine_versions": {engine: version}}, **more) == kernel


AUTH = [
    ("ollama", "no"), ("mlx-lm", "no"), ("mistral-rs", "no"), ("exo", "no"), ("vllm", "partial"),
    ("openvino-model-server", "partial"), ("tensorrt-llm", "external"), ("llama-cpp", "yes"), ("sglang", "yes"),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "auth"), AUTH)
def test_who_asks_for_a_key(kb, engine, auth):
    assert kb.engines[engine]["production"]["auth"]["is"] == auth
    assert kb.engines[engine]["production"]["auth"].get("source")


ADVISED_AGAINST = ("mlx-lm", "exllamav3", "ik-llama-cpp", "foundry-local", "tgi", "ipex-llm")
ENDED = {"tgi": "archived", "ipex-llm": "archived", "exllamav2": "inactive"}


@pytest.mark.parametrize("engine", ADVISED_AGAINST)
def test_what_its_project_keeps_from_the_public(kb, engine):
    assert kb.engines[engine]["production"]["advised"]["is"] == "no"
    for devices in ([{"device": "rtx-3090", "count": 2}], [{"device": "m3-ultra", "count": 1}]):
        decision = decide({"devices": devices, "model": "qwen3-32b", "serving": "customers"}, kb, TODAY)
        named = {r["engine"] for r in decision["recommendations"] if r["role"] in ("start", "alternative")}
        assert named and engine not in named


@pytest.mark.parametrize(("engine", "status"), ENDED.items())
def test_what_has_ended_names_what_follows(kb, engine, status):
    assert kb.engines[engine]["status"]["is"] == status
    assert kb.engines[engine]["status"]["successor"] in kb.engines


@pytest.mark.parametrize(
    ("situation", "warning"),
    [
        (on(1, "rtx-4090", model="qwen3-8b", optional={"exposure": "internet"}), "warn-exposed"),
        (
            on(1, "rtx-4090", model="qwen3-8b", already="ollama", optional={"exposure": "internet"}),
            "warn-exposed",
        ),
        (on(2, "rtx-3090", model="qwen3-32b", already="exllamav3", serving="customers"), "warn-tabbyapi-production"),
        (on(1, "rtx-3090", model="qwen3-32b", format="gguf", **ONE_EACH), "warn-rpc"),
    ],
)
def test_what_must_not_face_a_network_is_said(kb, situation, warning):
    decision = decide(situation, kb, TODAY)
    assert f"rule-{warning}" in [w["id"] for w in decision["warnings"]]


# as threads write them: what a person types has to reach the entry and its mode
NAMES = {
    "vllm": "vllm", "vllm-metal": "vllm-metal", "sglang": "sglang", "tensorrt-llm": "tensorrt-llm", "dynamo": "dynamo",
    "llama.cpp": "llama-cpp", "ik_llama.cpp": "ik-llama-cpp", "ktransformers": "ktransformers", "ollama": "ollama",
    "lm-studio": "lm-studio", "exllamav2": "exllamav2", "exllamav3-tabbyapi": "exllamav3",
    "lmdeploy-turbomind": ("lmdeploy", "turbomind"), "lmdeploy-pytorch": ("lmdeploy", "pytorch"), "mlx-lm": "mlx-lm",
    "exo": "exo", "mlc-llm": "mlc-llm", "web-llm": "webllm", "openvino-genai": "openvino-genai",
    "openvino-model-server": "openvino-model-server", "onnxruntime-genai": "onnxruntime-genai",
    "tei": "text-embeddings-inference", "tgi": "tgi", "ipex-llm": "ipex-llm",
    "transformers-bitsandbytes": "transformers", "TabbyAPI": "exllamav3", "llama-server": "llama-cpp",
    "vLLM-Gaudi": "vllm-gaudi", "OVMS": "openvino-model-server", "text-generation-inference": "tgi",
}  # fmt: skip


@pytest.mark.parametrize(("name", "entry"), NAMES.items())
def test_names_of_engines_are_understood(kb, name, entry):
    found = kb.find_engine(name)
    assert found is not None, kb.nearest_names(name, "engine")
    assert (found if isinstance(entry, tuple) else found[0]) == entry
