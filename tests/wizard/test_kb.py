"""Names as people, drivers and model hubs write them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard.kb import fold


@pytest.mark.parametrize(
    ("text", "id_", "gib"),
    [
        ("rtx-4090", "rtx-4090", None), ("RTX 4090", "rtx-4090", None), ("RTX4090", "rtx-4090", None),
        ("4090", "rtx-4090", None), ("nvidia geforce rtx 4090 24GB", "rtx-4090", 24),
        ("NVIDIA GeForce RTX 3060 12 GB", "rtx-3060", 12), ("A100-SXM4-80GB", "a100", 80),
        # the same number with another size, form or cooling is another card, and drivers print its name
        ("A100 40GB", "a100-40gb", 40), ("NVIDIA A100 80GB PCIe", "a100-pcie", 80),
        ("NVIDIA GeForce RTX 3060 8GB", "rtx-3060-8gb", 8), ("RTX 4060 Ti 16GB", "rtx-4060-ti", 16),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "rtx-4090-laptop", None), ("H100 PCIe", "h100-pcie", None),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-server", None),
        ("Jetson AGX Orin 64GB", "jetson-agx-orin", 64), ("GB10 (DGX Spark)", "dgx-spark", None),
        ("A100 80GB (form factor not stated)", "a100", 80),
        ("NVIDIA H100 80GB HBM3", "h100-sxm", 80), ("Tesla V100-SXM2-32GB", "v100", 32), ("Tesla T4", "t4", None),
        ("AMD Instinct MI300X", "mi300x", None), ("Radeon RX 7900 XTX", "rx-7900-xtx", None),
        ("Strix Halo", "ryzen-ai-max-395", None), ("GB10", "dgx-spark", None), ("m4 max 64", "m4-max", 64),
        ("Raspberry Pi 4", "raspberry-pi-4", None), ("Pi 4 4GB", "raspberry-pi-4", 4),
        ("Apple M4 Max 128GB", "m4-max", 128), ("MacBook Pro M4 Max", "m4-max", None),
        ("Raspberry Pi 5", "raspberry-pi-5", None),
        ("Intel Arc B580", "arc-b580", None),
    ],
)  # fmt: skip
def test_devices(kb, text, id_, gib):
    assert kb.find_device(text) == (id_, gib)


@pytest.mark.parametrize(
    "text", ["RTX 4080 D", "RTX 4070 Ti Mobile", "H100 CNX", "M4 Ultra", "gpu", "", "🤷", "2", "24GB", "()"]
)
def test_a_device_that_is_another_one_is_not_found(kb, text):
    assert kb.find_device(text) is None


def test_a_size_that_is_not_sold_is_no_size(kb):
    assert kb.find_device("RTX 4090 48GB") == ("rtx-4090", None)


@pytest.mark.parametrize(
    ("text", "id_", "hint"),
    [
        ("Qwen3-32B", "qwen3-32b", None), ("qwen3:32b", "qwen3-32b", None), ("Qwen/Qwen3-32B", "qwen3-32b", None),
        ("Qwen/Qwen3-32B-AWQ", "qwen3-32b", ("awq", "int4-g128")), ("Qwen3-32B-GGUF", "qwen3-32b", ("gguf", None)),
        ("unsloth/Qwen3-32B-GGUF:Q4_K_M", "qwen3-32b", ("gguf", "q4_k_m")),
        ("qwen3-32b-q8_0", "qwen3-32b", ("gguf", "q8_0")),
        ("gemma-4-31B-it-UD-Q6_K", "gemma-4-31b", ("gguf", "q6_k")),
        ("GLM-4.7-Flash-UD-Q8_K_XL", "glm-4-7-flash", None),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3-1-8b", None), ("llama3.1:8b", "llama-3-1-8b", None),
        ("llama-3.3-70b-instruct-awq", "llama-3-3-70b", ("awq", None)),
        ("Mixtral 8x7B Instruct v0.1", "mixtral-8x7b", None), ("Command R", "command-r", None),
        ("Command R+", "command-r-plus", None), ("command-r+ GGUF", "command-r-plus", ("gguf", None)),
        ("google/gemma-3-27b-it-qat-q4_0-gguf", "gemma-3-27b", ("gguf", "q4_0")), ("gpt-oss:20b", "gpt-oss-20b", None),
    ],
)  # fmt: skip
def test_models(kb, text, id_, hint):
    assert kb.find_model(text) == (id_, hint)


@pytest.mark.parametrize("text", ["Qwen3-33B", "DeepSeek-R1-Distill-Qwen-3B", "70b", "-instruct", "gguf", ""])
def test_a_model_that_is_another_one_is_not_found(kb, text):
    assert kb.find_model(text) is None


@pytest.mark.parametrize(
    ("text", "id_", "mode"),
    [
        ("vLLM", "vllm", None), ("llama.cpp", "llama-cpp", None), ("TabbyAPI", "exllamav3", None),
        ("TurboMind", "lmdeploy", "turbomind"), ("trt-llm", "tensorrt-llm", None), ("LM Studio", "lm-studio", None),
        ("text-generation-inference", "tgi", None),
    ],
)  # fmt: skip
def test_engines(kb, text, id_, mode):
    assert kb.find_engine(text) == (id_, mode)


@pytest.mark.parametrize(
    ("text", "family", "type_"),
    [
        ("gguf", "gguf", None), ("Q4_K_M", "gguf", "q4_k_m"), ("q4km", "gguf", "q4_k_m"), ("GGUF Q8_0", "gguf", "q8_0"),
        ("gguf:q8_0", "gguf", "q8_0"), ("AWQ", "awq", None), ("exl3 4.0bpw", "exl3", "4_0bpw"), ("fp8", "fp8", None),
        ("bitsandbytes", "bitsandbytes", None), ("nvfp4", "nvfp4", None),
    ],
)  # fmt: skip
def test_formats(kb, text, family, type_):
    assert kb.find_format(text) == (family, type_)


@pytest.mark.parametrize("text", ["int4", "4bit", "4bpw", "w4a16"])
def test_a_type_of_several_families_is_not_guessed(kb, text):
    assert len({family for family, _ in kb.types[fold(text)]}) > 1
    assert kb.find_format(text) is None


def test_every_name_of_every_entry_leads_back_to_it(kb):
    for find, entries in (
        (kb.find_device, kb.devices), (kb.find_model, kb.models), (kb.find_engine, kb.engines),
        (kb.find_format, kb.formats),
    ):  # fmt: skip
        for id_, entry in entries.items():
            for name in [id_, entry["name"], *entry.get("aka", [])]:
                assert find(name)[0] == id_, name
    for id_, entry in kb.models.items():
        for point in entry.get("checkpoints", []):
            hit = kb.find_model(point["repository"])
            assert hit[0] == id_
            assert hit[1] is None or kb.type_of(hit[1][0], hit[1][1]) or hit[1][1] is None


@pytest.mark.parametrize(
    ("text", "kind", "near"),
    [
        ("RTX 3090x", "device", "3090"),
        ("Qwen3-33B", "model", "Qwen3-32B"),
        ("vlmm", "engine", "vLLM"),
        ("olama", "engine", "Ollama"),
    ],
)
def test_nearest_names(kb, text, kind, near):
    found = kb.nearest_names(text, kind)
    assert any(near in name for name in found)
    assert len(found) <= 3 and len(found) == len(set(found))


def test_nothing_is_near_to_nonsense(kb):
    assert kb.nearest_names("🤷", "device") == []
    assert kb.nearest_names("", "model") == []


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_any_text_can_be_looked_up(kb, text):
    device = kb.find_device(text)
    assert device is None or (
        device[0] in kb.devices and (device[1] is None or device[1] in kb.devices[device[0]]["memory"]["options"])
    )
    model = kb.find_model(text)
    assert model is None or model[0] in kb.models
    engine = kb.find_engine(text)
    assert engine is None or engine[0] in kb.engines
    format_ = kb.find_format(text)
    assert format_ is None or (format_[0] in kb.formats and (format_[1] is None or kb.type_of(*format_)))
    for kind in ("device", "model", "engine"):
        assert len(kb.nearest_names(text, kind)) <= 3


def test_folding_keeps_letters_and_digits_of_every_language():
    assert fold("RTX-4090 ") == "rtx4090"
    assert fold("Đệ quy") == "dequy"
    assert fold("Ёлка") == "елка"
