"""KV cache and state against published values and against what engines logged, byte for byte.

Each row names where the number was printed. A row is exact, except where the log itself rounds: then the
last argument is half a unit of what it prints.
"""

from __future__ import annotations

import pytest

from wizard.memory import kv, rules, state

from .entries_memory import (
    DEEPSEEK_V3,
    FRACTION,
    GEMMA3_270M,
    GEMMA4_26B,
    GEMMA4_31B,
    GIB,
    GPT_OSS_20B,
    GPT_OSS_120B,
    KIMI_K3,
    LLAMA_8B,
    MIB,
    NEEDS,
    NEMOTRON3_NANO,
    QWEN3_30B_A3B,
    QWEN3_32B,
    QWEN36_27B,
    delta,
    full,
    mla,
    model,
    rule,
    swa,
)

PLAIN: list[dict] = []  # no engine rule: the ideal allocation
FITLLM = "https://github.com/click6067-ship-it/fitllm-engine"
KVCACHE = "https://github.com/kvcache-ai/kvcache-blog"
ECO = "https://github.com/Eco-Sphere/kv-cache-calculator"
IK = "https://github.com/ikawrakow/ik_llama.cpp"
XD = "https://github.com/XiongjieDai/GPU-Benchmarks-on-LLM-Inference"
UNSLOTH = "https://github.com/unslothai/unsloth/pull/5225"
UNSLOTH_7530 = "https://github.com/unslothai/unsloth/pull/7530"
UNSLOTH_4757 = "https://github.com/unslothai/unsloth/pull/4757"
OLLAMA = "https://github.com/ollama/ollama/issues/6348"
IPEX = "https://github.com/intel/ipex-llm"
PYTHON_66 = "https://github.com/abetlen/llama-cpp-python/issues/66"
HF_MEM_60 = "https://github.com/alvarobartt/hf-mem/issues/60"
HF_MEM_61 = "https://github.com/alvarobartt/hf-mem/pull/61"
LOFT = "https://loftllc.dev/en/docs/tech/llm-research/llama-4-scout-17b-16e-cpu-vs-gpu-benchmark/"
VLLM_21348 = "https://github.com/vllm-project/vllm/issues/21348"
SGLANG_15464 = "https://github.com/sgl-project/sglang/pull/15464"
RECIPES = "https://github.com/vllm-project/recipes"
DSTACK = "https://github.com/dstackai/benchmarks, 4161 blocks of 16 in 4 GiB"
TRT_4275 = "https://github.com/NVIDIA/TensorRT-LLM/issues/4275"
LMDEPLOY_3950 = "https://github.com/InternLM/lmdeploy/issues/3950"
MLC_2026 = "https://github.com/mlc-ai/mlc-llm/issues/2026"
THOR_EACH = 51.62 * GIB / 33.42
THOR = "log of a Jetson AGX Thor: 33.42x of 131,072 tokens in 51.62 GiB"
LMSTUDIO = "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1862"
HF6 = "https://huggingface.co/dranger003/c4ai-command-r-v01-iMat.GGUF/discussions/6"


def profile(lines, backend="cuda", gib=24):
    return rules.profile({"memory": lines}, None, backend, "1.0", False, gib * GIB)


def cache(arch, kv_type="f16", tp=1, lines=PLAIN, index_type=None):
    return kv.build(arch, kv_type, tp, profile(lines), index_type)


QWEN3_06B = model([full(28, 8, 128)], heads=16)
LLAMA_70B = model([full(80, 8, 128)], heads=64)
GEMMA4_12B = model([swa(40, 8, 256, 1024), full(8, 1, 512)])
GLM47_FLASH = model([mla(47, 20)])
GLM5 = model([mla(78, 64, indexer=128)])
GLM52 = model([mla(78, 64, indexer=128, indexer_layers=21)])
GEMMA3_27B = model([swa(52, 16, 128, 1024), full(10, 16, 128)])
MHA_7B = model([full(32, 32, 128)])
KIMI_K2 = model([mla(61, 64)])
MINIMAX_M2 = model([full(62, 8, 128)], heads=48)
MINIMAX_M3 = model([full(3, 4, 128), full(57, 4, 128, indexer=128)], heads=64)
HY3 = model([full(80, 8, 128)], heads=64)
MIMO = model([swa(39, 8, 192, 128, v_head_dim=128), full(9, 4, 192, v_head_dim=128)], heads=64)
SCOUT = model([{"kind": "chunked", "layers": 36, "kv_heads": 8, "head_dim": 128, "window": 8192}, full(12, 8, 128)])
QWEN35_9B = model([full(8, 4, 256), delta(24, 32, 16)], heads=16)
QWEN3_235B = model([full(94, 4, 128)], heads=64)
LLAMA_405B = model([full(126, 8, 128)], heads=128)
K = 131072
M = 1048576

# (id, where it is printed, model, KV type, tokens, bytes)
IDEAL = [
    ("gemma-4-31b-262k", FITLLM, GEMMA4_31B, "bf16", 262144, 22_313_697_280),
    ("gemma-4-31b-131k-8bit", FITLLM, GEMMA4_31B, "fp8", K, 5_788_139_520),
    ("qwen3.6-27b-131k-8bit", FITLLM, QWEN36_27B, "fp8", K, 4_294_967_296),
    # no config.json was read for this one: eight global layers of one 512-wide head is what its number says
    ("gemma-4-12b-262k", FITLLM, GEMMA4_12B, "bf16", 262144, 4_630_511_616),
    ("glm-4.7-flash-token", FITLLM, GLM47_FLASH, "bf16", 1, 54_144),
    ("glm-5.2-latent-token", FITLLM, model([mla(78, 64)]), "bf16", 1, 89_856),
    ("hy3-262k", FITLLM, HY3, "bf16", 262144, 85_899_345_920),
    ("qwen3-32b-token", KVCACHE, QWEN3_32B, "bf16", 1, 262_144),
    ("qwen3-32b-128000", KVCACHE, QWEN3_32B, "bf16", 128000, 31 * GIB + GIB // 4),
    ("kimi-k3-fp8-token", KVCACHE, KIMI_K3, "fp8", 1, 13_824),
    ("glm-5.1-latent-and-index-token", ECO, GLM5, "bf16", 1, 89_856 + 19_968),
    ("minimax-m2.7-token", ECO, MINIMAX_M2, "bf16", 1, 253_952),
    ("llama-3.1-8b-128k", "config.json", LLAMA_8B, "bf16", K, 16 * GIB),
    ("llama-3.1-70b-128k", "config.json", LLAMA_70B, "bf16", K, 40 * GIB),
    ("qwen3-0.6b-128k", "config.json", QWEN3_06B, "bf16", K, 14 * GIB),
    ("qwen3-30b-a3b-128k", "config.json", QWEN3_30B_A3B, "bf16", K, 12 * GIB),
    ("deepseek-v3-128k", "config.json", DEEPSEEK_V3, "bf16", K, 61 * 576 * 2 * K),
    ("glm-5-128k", "config.json", GLM5, "bf16", K, 78 * (576 + 128) * 2 * K),
    ("qwen3.5-27b-128k", "config.json", QWEN36_27B, "bf16", K, 8 * GIB),
    ("nemotron-3-nano-128k", "config.json", NEMOTRON3_NANO, "bf16", K, 3 * GIB // 4),
    ("kimi-k3-128k", "config.json", KIMI_K3, "bf16", K, 24 * 576 * 2 * K),
    ("gemma-4-31b-128k", "config.json", GEMMA4_31B, "bf16", K, 10 * 8192 * K + 50 * 16384 * 1024),
    ("gpt-oss-120b-128k", "config.json", GPT_OSS_120B, "bf16", K, 18 * 2048 * (K + 128)),
    ("deepseek-v3.1-163840", UNSLOTH_4757, DEEPSEEK_V3, "bf16", 163840, 11_513_364_480),
]  # fmt: skip


@pytest.mark.parametrize(("name", "link", "arch", "kv_type", "tokens", "expected"), IDEAL, ids=[r[0] for r in IDEAL])
def test_published_ideal_bytes(name, link, arch, kv_type, tokens, expected):
    assert cache(arch, kv_type).bytes(tokens) == expected


# GiB of one sequence of 131,072 tokens at 16 bit, as a survey of calculators prints what is right
PRINTED = [
    (LLAMA_8B, PLAIN, "16.0"), (LLAMA_70B, PLAIN, "40.0"), (QWEN3_06B, PLAIN, "14.0"), (QWEN3_30B_A3B, PLAIN, "12.0"),
    (DEEPSEEK_V3, PLAIN, "8.58"), (KIMI_K2, PLAIN, "8.58"), (DEEPSEEK_V3, [rule("kv-mla", store="full-heads")], "610"),
    (GLM5, PLAIN, "13.41"), (model([mla(78, 64)]), PLAIN, "10.97"), (QWEN36_27B, PLAIN, "8.0"),
    (NEMOTRON3_NANO, PLAIN, "0.75"), (KIMI_K3, PLAIN, "3.38"), (GEMMA4_31B, PLAIN, "10.78"),
    (GPT_OSS_120B, PLAIN, "4.50"), (GPT_OSS_120B, [rule("kv-windowed", charge="full")], "9.0"),
]  # fmt: skip


@pytest.mark.parametrize(("arch", "lines", "printed"), PRINTED)
def test_the_table_of_what_calculators_should_say(arch, lines, printed):
    decimals = len(printed.partition(".")[2])
    assert f"{cache(arch, lines=lines).bytes(K) / GIB:.{decimals}f}" == printed


def test_a_token_past_the_window_costs_only_the_full_layers():
    # gpt-oss-20b past its window: 24,576 bytes per token (FitLLM vectors)
    whole = cache(GPT_OSS_20B)
    assert whole.bytes(4097) - whole.bytes(4096) == 24_576
    assert whole.per_token() == 49_152


def test_indexer_keys_may_have_another_type():
    # GLM-5.2 with fp8 latent and fp4 index (kvcache.ai), MiniMax-M3 with fp8 KV and a 16-bit index
    assert cache(GLM52, "fp8", index_type="fp4").bytes(1) == 46_272
    assert cache(GLM52, "fp8", index_type="fp4").bytes(128000) / GIB == 5.51605224609375
    assert cache(MINIMAX_M3, "fp8", index_type="bf16").bytes(M) == 74 * GIB + GIB // 4


def test_bytes_per_rank():
    # Eco-Sphere: MiniMax-M3 TP4 44.25 MiB and Qwen3.6-27B TP4 52.94 MiB per device at 1,024 tokens
    assert cache(MINIMAX_M3, "bf16", tp=4).bytes(1024) == int(44.25 * MIB)
    kept = profile([rule("state-slots", conv_dtype_bytes=2, conv_full=True)]).of("state-slots")
    held = cache(QWEN36_27B, tp=4).bytes(1024) + state.sequence_bytes(QWEN36_27B["attention"], 4, kept)
    assert abs(held - 52.94 * MIB) < 0.005 * MIB
    # a latent is the same on every rank, KV heads divide and then replicate (BLIS kv_capacity_test)
    assert cache(DEEPSEEK_V3, tp=8).bytes(1000) == cache(DEEPSEEK_V3).bytes(1000)
    assert cache(LLAMA_8B, tp=8).bytes(1000) * 8 == cache(LLAMA_8B).bytes(1000)
    assert cache(LLAMA_8B, tp=16).bytes(1000) == cache(LLAMA_8B, tp=8).bytes(1000)


def test_recurrent_state():
    four = profile([rule("state-slots", dtype_bytes=4)]).of("state-slots")
    half = profile([rule("state-slots", conv_dtype_bytes=2, conv_full=True)]).of("state-slots")
    # llama.cpp prints 598.50 MiB for 4 sequences of Qwen3.6-27B (LM Studio bug tracker 1862)
    assert 4 * state.sequence_bytes(QWEN36_27B["attention"], 1, four) == int(598.5 * MIB)
    assert f"{state.sequence_bytes(QWEN36_27B['attention'], 1, four) / GIB:.3f}" == "0.146"
    # with the whole kernel in 16 bit: 147.75 MiB (kvcache.ai and Eco-Sphere)
    assert state.sequence_bytes(QWEN36_27B["attention"], 1, half) == int(147.75 * MIB)
    # Kimi-K3 at 1M tokens in fp8 with state: 13.9185 GiB (kvcache.ai)
    two = profile([rule("state-slots", conv_dtype_bytes=2)]).of("state-slots")
    total = cache(KIMI_K3, "fp8").bytes(M) + state.sequence_bytes(KIMI_K3["attention"], 1, two)
    assert total / GIB == 13.918510437011719
    # SGLang, Nemotron-3-Nano on 4 ranks: 2211 slots of 23 layers, 24.84 GB of SSM state
    mamba_only = [g for g in NEMOTRON3_NANO["attention"] if g["kind"] == "mamba"]
    bare = [{**g, "state": {**g["state"], "conv_kernel": 0}} for g in mamba_only]
    assert abs(2211 * state.sequence_bytes(bare, 4, two) - 24.84 * GIB) < 0.011 * GIB
    # SGLang, Qwen3.5-9B on 2 ranks: 186 slots, 4.38 GB of state and 0.10 GB of convolution
    bare = [{**g, "state": {**g["state"], "conv_kernel": 0}} for g in QWEN35_9B["attention"] if "state" in g]
    ssm = 186 * state.sequence_bytes(bare, 2, two)
    both = 186 * state.sequence_bytes(QWEN35_9B["attention"], 2, two)
    assert abs(ssm - 4.38 * GIB) < 0.025 * GIB
    assert abs(both - ssm - 0.10 * GIB) < 0.0051 * GIB


WHOLE = [rule("kv-windowed", charge="full")]
WHOLE_16 = [*WHOLE, rule("kv-page", tokens=16)]
PAGE_32 = [rule("kv-page", tokens=32)]
NO_MLA = [rule("kv-mla", store="full-heads")]
TWICE = [rule("kv-mla", store="latent-and-value")]
LITE = model([mla(27, 16)], heads=16)
MIB_ROUNDING = 0.006 * MIB
GIB_ROUNDING = 0.0055 * GIB

# (id, link, model, KV type, tp, rules, slots, tokens per slot, bytes, tolerance)
LOGS = [
    ("ik-258-r1-q8", f"{IK}/discussions/258", DEEPSEEK_V3, "q8_0", 1, PLAIN, 1, 2048, 72.91 * MIB, MIB_ROUNDING),
    ("ik-258-v3-q8", f"{IK}/discussions/258", DEEPSEEK_V3, "q8_0", 1, PLAIN, 1, 32768, 1166.62 * MIB, MIB_ROUNDING),
    ("ik-258-v3-f16", f"{IK}/discussions/258", DEEPSEEK_V3, "f16", 1, PLAIN, 1, 32768, 2196 * MIB, 0),
    ("ik-242-r1-mla-off", f"{IK}/discussions/242", DEEPSEEK_V3, "f16", 1, NO_MLA, 1, 512, 2440 * MIB, 0),
    ("ik-271-r1-mainline", f"{IK}/issues/271", DEEPSEEK_V3, "f16", 1, NO_MLA, 1, 2048, 9760 * MIB, 0),
    ("ik-271-r1-f16", f"{IK}/issues/271", DEEPSEEK_V3, "f16", 1, PLAIN, 1, 2048, 137.25 * MIB, 0),
    ("ik-394-latent-twice", f"{IK}/pull/394", DEEPSEEK_V3, "f16", 1, TWICE, 1, 16384, 2074 * MIB, 0),
    ("ik-394-latent", f"{IK}/pull/394", DEEPSEEK_V3, "f16", 1, PLAIN, 1, 16384, 1098 * MIB, 0),
    ("ik-386-v2.5", f"{IK}/pull/386", model([mla(60, 128)]), "f16", 1, PLAIN, 1, 32768, 2160 * MIB, 0),
    ("ik-616-kimi-k2", f"{IK}/pull/616", KIMI_K2, "q8_0", 1, PLAIN, 1, 2048, 72.91 * MIB, MIB_ROUNDING),
    ("ik-616-kimi-k2-twice", f"{IK}/pull/616", KIMI_K2, "f16", 1, TWICE, 1, 512, 64.81 * MIB, MIB_ROUNDING),
    ("ik-616-kimi-k2-off", f"{IK}/pull/616", KIMI_K2, "f16", 1, NO_MLA, 1, 512, 1220 * MIB, 0),
    ("ik-230-lite-off", f"{IK}/issues/230", LITE, "f16", 1, NO_MLA, 1, 512, 135 * MIB, 0),
    ("ik-437-r1-q8", f"{IK}/issues/437", DEEPSEEK_V3, "q8_0", 1, PLAIN, 1, 40960, 1458.28 * MIB, MIB_ROUNDING),
    ("ik-334-gemma3-full", f"{IK}/discussions/334", GEMMA3_27B, "f16", 1, WHOLE, 1, 32768, 15872 * MIB, 0),
    ("ik-397-qwen3-32b", f"{IK}/discussions/397", QWEN3_32B, "f16", 1, PLAIN, 1, 8192, 2048 * MIB, 0),
    ("ik-503-qwen3-32b-q8", f"{IK}/issues/503", QWEN3_32B, "q8_0", 1, PLAIN, 1, 16896, 2244 * MIB, 0),
    ("ik-398-qwen3-30b", f"{IK}/issues/398", QWEN3_30B_A3B, "f16", 1, PLAIN, 1, 32768, 3072 * MIB, 0),
    ("ik-337-bitnet", f"{IK}/pull/337", model([full(30, 5, 128)]), "f16", 1, PLAIN, 1, 4096, 300 * MIB, 0),
    ("ik-562-llama-8b", f"{IK}/discussions/562", LLAMA_8B, "f16", 1, NEEDS, 1, 16384, 2048 * MIB, 0),
    ("hf-command-r-mha", HF6, model([full(40, 64, 128)]), "f16", 1, PLAIN, 1, 2048, 2560 * MIB, 0),
    ("hf-llama3-70b", HF6, LLAMA_70B, "f16", 1, PLAIN, 1, 2048, 640 * MIB, 0),
    ("hf-yi-34b", HF6, model([full(60, 8, 128)]), "f16", 1, PLAIN, 1, 2048, 480 * MIB, 0),
    ("lmstudio-1862-qwen3.6-27b", LMSTUDIO, QWEN36_27B, "f16", 1, NEEDS, 1, 262144, 16384 * MIB, 0),
    ("unsloth-270m-4096-1", UNSLOTH, GEMMA3_270M, "f16", 1, NEEDS, 1, 4096, 27 * MIB, 0),
    ("unsloth-270m-4096-2", UNSLOTH, GEMMA3_270M, "f16", 1, NEEDS, 2, 2048, 42 * MIB, 0),
    ("unsloth-270m-4096-4", UNSLOTH, GEMMA3_270M, "f16", 1, NEEDS, 4, 1024, 72 * MIB, 0),
    ("unsloth-270m-8192-1", UNSLOTH, GEMMA3_270M, "f16", 1, NEEDS, 1, 8192, 39 * MIB, 0),
    ("unsloth-270m-8192-2", UNSLOTH, GEMMA3_270M, "f16", 1, NEEDS, 2, 4096, 54 * MIB, 0),
    ("unsloth-270m-1024-3", UNSLOTH_7530, GEMMA3_270M, "f16", 1, NEEDS, 3, 341, 27 * MIB, 0),
    ("unsloth-270m-1024-4", UNSLOTH_7530, GEMMA3_270M, "f16", 1, NEEDS, 4, 256, 18 * MIB, 0),
    ("ollama-6348-mistral", OLLAMA, model([full(32, 8, 128)]), "f16", 1, NEEDS, 1, 2048, 256 * MIB, 0),
    ("ipex-mistral", IPEX, model([full(32, 8, 128)]), "f16", 1, PLAIN, 1, 1024, 128 * MIB, 0),
    ("ipex-r1-qwen-7b", IPEX, model([full(28, 4, 128)]), "f16", 1, PLAIN, 1, 2528, 138.25 * MIB, 0),
    ("xd-llama2-7b", XD, MHA_7B, "f16", 1, PLAIN, 1, 512, 256 * MIB, 0),
    ("xd-llama2-13b", XD, model([full(40, 40, 128)]), "f16", 1, PLAIN, 1, 512, 400 * MIB, 0),
    ("xd-llama2-70b", XD, LLAMA_70B, "f16", 1, PLAIN, 1, 512, 160 * MIB, 0),
    ("llama-cpp-python-66-f32", PYTHON_66, model([full(60, 52, 128)]), "f32", 1, PLAIN, 1, 512, 1560 * MIB, 0),
    ("vllm-thor-gemma4", THOR, GEMMA4_26B, "fp8", 1, FRACTION, 1, 131072, THOR_EACH, 0.005 * THOR_EACH),
    ("hf-mem-60-gpt-oss", HF_MEM_60, GPT_OSS_120B, "f16", 1, WHOLE_16, 1, 78384, 5.38 * GIB, GIB_ROUNDING),
    ("hf-mem-61-gemma4", HF_MEM_61, model([full(60, 16, 256)]), "f16", 1, PLAIN, 1, 26800, 24.54 * GIB, GIB_ROUNDING),
    ("vllm-scout", LOFT, SCOUT, "f16", 1, WHOLE, 1, 110256, 20.2 * GIB, 0.05 * GIB),
    ("sglang-qwen3-235b-tp4", VLLM_21348, QWEN3_235B, "f16", 4, PLAIN, 1, 367404, 2 * 8.23 * GIB, 2 * GIB_ROUNDING),
    ("sglang-mimo-tp4", SGLANG_15464, MIMO, "f16", 4, WHOLE, 1, 1496958, 77.63 * GIB, 2 * GIB_ROUNDING),
    ("sglang-qwen3.5-9b-tp2", "RTX 4090 log", QWEN35_9B, "f16", 2, PLAIN, 1, 327310, 5.0 * GIB, 2 * GIB_ROUNDING),
    ("sglang-nemotron-tp4", "GB10 log", NEMOTRON3_NANO, "fp8", 4, PLAIN, 1, 19644177, 28.10 * GIB, 2 * GIB_ROUNDING),
    ("vllm-kimi-k2-tp8", RECIPES, KIMI_K2, "f16", 8, PLAIN, 1, 715072, 46.80 * GIB, GIB_ROUNDING),
    ("vllm-405b-tp8-block", DSTACK, LLAMA_405B, "f16", 8, PLAIN, 4161, 16, 4 * GIB, 16 * 126 * 512),
    ("trtllm-llama-8b-fp8", TRT_4275, LLAMA_8B, "fp8", 1, PAGE_32, 1, 263008, 16.05 * GIB, GIB_ROUNDING),
    ("trtllm-reranker", "H100 log", QWEN3_06B, "f16", 1, PLAIN, 1, 643136, 68.69 * GIB, GIB_ROUNDING),
    ("lmdeploy-gpt-oss-int4", LMDEPLOY_3950, GPT_OSS_20B, "int4", 1, WHOLE, 1, 64, 0.844 * MIB, 0.0006 * MIB),
    ("mlc-llama2-7b", MLC_2026, MHA_7B, "f16", 1, PLAIN, 1, 21275, 10689.56 * MIB, 0.005 * 10689.56 * MIB),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "link", "arch", "kv_type", "tp", "lines", "slots", "tokens", "expected", "tolerance"),
    LOGS,
    ids=[r[0] for r in LOGS],
)
def test_engine_logs(name, link, arch, kv_type, tp, lines, slots, tokens, expected, tolerance):
    assert abs(slots * cache(arch, kv_type, tp, lines).bytes(tokens) - expected) <= tolerance


def test_early_latents_were_aligned_to_640():
    # DeepSeek-Coder-V2-Lite in a build that padded 576 to 640: 11.1 % more per token
    wide = cache(LITE, lines=[rule("kv-mla", align=128)])
    assert wide.bytes(9) * 9 == cache(LITE).bytes(9) * 10


def test_k_and_v_of_different_types_and_one_tensor_for_both():
    both = cache(LLAMA_8B, "q8_0/q4_0").bytes(1000)
    assert 2 * both == cache(LLAMA_8B, "q8_0").bytes(1000) + cache(LLAMA_8B, "q4_0").bytes(1000)
    one = model([full(32, 8, 128, k_is_v=True)])
    assert 2 * cache(one).bytes(77) == cache(LLAMA_8B).bytes(77)
    shared = model([full(32, 8, 128, shared_kv=16)])
    assert 2 * cache(shared).bytes(77) == cache(LLAMA_8B).bytes(77)
