"""What no estimate may say: more than the memory holds, than its bandwidth carries, than the units compute."""

from __future__ import annotations

import pytest

from wizard.kb import KB
from wizard.speed import ask, peaks


@pytest.fixture(scope="module")
def base(bundle):
    return KB(bundle[0], bundle[2])


@pytest.fixture(scope="module")
def asked(base):
    def call(**flags):
        return ask.answer(ask.Question(**flags), base)

    return call


def said(found, name):
    return next((values for id_, values in found["assumptions"] if id_ == f"terminal.speed-{name}"), None)


def test_weights_that_do_not_fit_wait_in_system_memory_where_the_engine_can_leave_them_there(asked):
    r1 = {"model": "DeepSeek R1", "format": "Q4_K_M", "device": "RTX 4090"}
    for engine in (None, "llama.cpp"):
        found = asked(**r1, engine=engine)
        assert not found["missing"] and found["decode_tps"]["high"] < 40
        assert found["shares"]["host"] > 0.5
        assert 320 < said(found, "moved")["gib"] < found["resolved"]["file_gib"]
    seventy = {"model": "Llama 3.3 70B", "format": "Q4_K_M", "engine": "llama.cpp"}
    one, two = (asked(**seventy, device="RTX 4090", count=count) for count in (1, 2))
    # whole on two cards: one card's speed; nearly half of it beside one card: a small part of that
    assert said(two, "moved") is None and said(one, "moved")["gib"] == pytest.approx(17, abs=3)
    assert two["decode_tps"]["low"] > 3 * one["decode_tps"]["high"]
    # streamed over the link for every token where that is the only way
    assert said(asked(model="DeepSeek R1", format="fp8", device="RTX 4090", engine="vllm"), "moved")["gbs"] == 22


@pytest.mark.parametrize(
    ("flags", "short"),
    [
        ({"model": "Llama 3.3 70B", "format": "exl3", "device": "RTX 3090", "engine": "exllamav3"}, (1, 12)),
        ({"model": "Llama 3.3 70B", "format": "Q4_K_M", "device": "Raspberry Pi 5", "engine": "llama.cpp"}, (24, 40)),
        ({"model": "Llama 3.3 70B", "format": "bf16", "device": "M4 Max", "engine": "mlx-lm"}, (5, 60)),
        ({"model": "DeepSeek R1", "format": "fp8", "device": "H100", "engine": "tensorrt-llm"}, (500, 600)),
    ],
)  # fmt: skip
def test_what_does_not_fit_has_no_speed_and_says_what_lacks(asked, flags, short):
    found = asked(**flags)
    assert all(found[name] is None for name in ask.NUMBERS)
    (lack,) = found["missing"]
    assert lack["what"][0] == "terminal.speed-lacks-memory" and "--format" in lack["flag"]
    assert short[0] < lack["what"][1]["gib"] < short[1]


def test_requests_that_do_not_go_in_together_wait(asked):
    flags = {"model": "Llama 3.1 8B", "format": "fp8", "engine": "vllm", "batch": 256, "input": 4000, "output": 1000}
    small, large = (asked(**flags, device=name) for name in ("RTX 4090", "B300"))
    told = said(small, "waiting")
    assert told["batch"] == 256 and 10 < told["n"] < 40 and said(large, "waiting") is None
    fewer = asked(**flags | {"batch": told["n"]}, device="RTX 4090")
    assert small["throughput_tps"]["point"] == pytest.approx(fewer["throughput_tps"]["point"], rel=0.02)


def test_the_memory_part_decides_and_a_larger_share_for_the_engine_is_told(asked, base):
    # the engine leaves a tenth of the memory alone unless it is told otherwise
    flags = {"model": "Llama 3.3 70B", "format": "fp8", "device": "H100 SXM", "engine": "vllm", "depth": 0}
    found = asked(**flags, file_gib=73)
    assert said(found, "raised") == {} and said(found, "moved") is None and found["decode_tps"]
    assert said(asked(**flags, file_gib=66), "raised") is None


def test_a_device_of_unknown_memory_holds_everything(asked):
    found = asked(model="DeepSeek R1", format="Q4_K_M", bandwidth_gbs=1000, speed_class="nv-consumer")
    assert found["decode_tps"] and said(found, "moved") is None


DEVICES = (
    "Raspberry Pi 5", "RTX 4090", "M4 Max", "M1", "Tesla P40", "Tesla T4", "A100", "L40S", "H100", "Ryzen AI Max+ 395",
    "Jetson AGX Orin", "Arc B580", "MI300X", "EPYC 9554",
)  # fmt: skip


@pytest.mark.parametrize("device", DEVICES)
def test_no_end_of_an_interval_passes_memory_or_arithmetic(asked, base, device):
    for type_, engine in (("Q4_K_M", "llama.cpp"), ("Q8_0", None), ("bf16", "vllm")):
        for count, split, batch in ((1, None, 1), (2, "layer", 4), (4, "tensor", 16)):
            for size in ("Qwen3 0.6B", "Llama 3.1 8B"):
                found = asked(
                    model=size, format=type_, device=device, engine=engine, count=count, split=split, batch=batch,
                    depth=1024,
                )  # fmt: skip
                if found["missing"]:
                    continue
                least = found["reads"]["floor_s"]
                assert found["decode_tps"]["high"] <= 1.001 / least
                assert found["decode_tps"]["low"] < found["decode_tps"]["point"] <= found["decode_tps"]["high"]
                # a batch reads the weights once and the cache of each of its requests
                reads = found["reads"]
                cache = reads["kv_gb"] / (reads["weights_gb"] + reads["kv_gb"]) * least
                stages = count if split == "layer" else 1
                assert found["tpot_s"]["low"] * stages >= 0.999 * (least + (batch / stages - 1) * cache) * (1 / stages)
                entry = base.devices.get(found["resolved"]["device"])
                top = peaks.most(entry, None, found["resolved"]["backend"], type_ != "bf16") if entry else None
                if top:
                    params = base.models[base.find_model(size)[0]]["params"]["total"]
                    # half of the small one is its table of tokens, which a prompt only looks up
                    used = (0.5 if size == "Qwen3 0.6B" else 0.85) * params
                    assert found["prefill_tps"]["high"] * 2 * used <= 1.001 * top * count
                    assert found["prefill_tps"]["low"] < found["prefill_tps"]["point"] <= found["prefill_tps"]["high"]


def test_peaks_that_no_kernel_passes():
    card = {"kind": "gpu", "compute": [{"type": "fp32", "tflops": 10}, {"type": "int8", "tflops": 40}]}
    old = card | {"compute_capability": "6.1"}
    # no 16-bit units: 32-bit ones do that work, integer ones what is unpacked; how fast matrix units are is not known
    assert peaks.most(card, None) is None
    assert peaks.most(old, None) == 10e12 and peaks.most(old, None, "cuda", unpacked=True) == 40e12
    assert (
        peaks.most(card | {"compute": [{"type": "fp16", "tflops": 100}, {"type": "fp8", "tflops": 200}]}, "fp8") == 2e14
    )
    assert peaks.most({"kind": "gpu"}, None) is None
    assert peaks.most({"kind": "cpu", "compute": [{"type": "fp32", "tflops": 1}]}, None) is None


def test_the_length_of_the_answer_does_not_move_the_first_token(asked):
    for flags in (
        {"model": "Llama 3.1 8B", "format": "Q4_K_M", "device": "RTX 3090", "engine": "llama.cpp"},
        {"model": "Llama 3.1 70B", "format": "fp8", "device": "H100", "count": 4, "engine": "vllm", "batch": 16},
    ):
        first = [asked(**flags, input=2000, output=n)["ttft_s"] for n in (1, 128, 1500)]
        assert first[0] == first[1] == first[2]
        longer = asked(**flags, input=4000)["ttft_s"]
        assert longer["point"] > 1.5 * first[0]["point"]


def test_integers_for_experts_mean_all_layers_of_a_model_without_experts(asked):
    dense, kimi = (asked(model=name, format="int4-g32", device="H200", count=8, engine="vllm")["resolved"]["file_gib"]
                   for name in ("Llama 3.1 70B", "Kimi K2 Thinking"))  # fmt: skip
    assert 36 < dense < 45 and 540 < kimi < 600
    giant = asked(model="Llama 3.1 405B", format="mxfp4", device="MI355X", engine="vllm")
    assert 190 < giant["resolved"]["file_gib"] < 225


def test_a_system_chip_answers_with_its_graphics_part(asked):
    flags = {"model": "Qwen3 8B", "device": "Core Ultra 9 285H"}
    found = asked(**flags, format="openvino int4", engine="openvino-genai")
    assert found["resolved"]["backend"] == "openvino-gpu"
    assert asked(**flags, format="Q4_K_M", engine="llama.cpp", backend="cpu")["resolved"]["backend"] == "cpu"
    assert asked(model="Qwen3 4B", format="Q4_0", device="Raspberry Pi 5")["resolved"]["backend"] == "cpu"


def test_bits_with_an_underscore_are_read(asked):
    found = asked(model="Llama 2 7B", format="4_0bpw", device="RTX 3090 Ti", engine="exllamav2", depth=0)
    assert 3.1 < found["resolved"]["file_gib"] < 3.8
