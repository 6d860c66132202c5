"""Hard constraints that public threads and documents establish: engine × generation × system × format × feature.

A row says which kernel, at best, an engine has for a machine; `NO` means that no path starts, `RUNS`
that some does. What a project changes later changes its entry first and this table with it.
"""

import pytest

from wizard import paths
from wizard.facts import Facts
from wizard.situation import read

NO, NATIVE, UNPACKED, TRIAL = "no", "native", "weight-only", "experimental"
RUNS = "with some kernel"
KERNELS = (NATIVE, UNPACKED, "emulated", TRIAL)
WINDOWS, WSL = {"host": {"os": "windows"}}, {"host": {"os": "wsl2"}}
EMBED = {"needs": ["embeddings"]}
PHONE_CPU = [{"custom": {"kind": "cpu", "vendor": "arm", "arch": "aarch64", "memory_gib": 8}, "count": 1}]


def cuda(**more):
    return {"backend": "cuda", **more}


def rocm(**more):
    return {"backend": "rocm", **more}


GENERATIONS = [
    ("vllm", "m40", cuda(), NO),
    ("vllm", "gtx-1080-ti", cuda(), NO),
    ("vllm", "v100", cuda(), NO),
    ("vllm", "t4", {}, NATIVE),
    ("sglang", "v100", {}, NO),
    ("sglang", "t4", {}, NO),
    ("sglang", "rtx-3090", {}, NATIVE),
    ("tensorrt-llm", "v100", {}, NO),
    ("tensorrt-llm", "t4", {}, NO),
    ("tensorrt-llm", "jetson-agx-orin", {}, NO),
    ("tensorrt-llm", "a100", {}, NATIVE),
    ("exllamav3", "t4", {}, NO),
    ("exllamav3", "rtx-2080-ti", {}, NO),
    ("exllamav3", "rx-7900-xtx", {}, NO),
    ("exllamav3", "mi300x", {}, NO),
    ("exllamav3", "rtx-3090", {}, RUNS),
    ("lmdeploy", "p40", {}, NO),
    ("lmdeploy/turbomind", "v100", {}, NATIVE),
    ("llama-cpp", "m40", cuda(), RUNS),
    ("llama-cpp", "gtx-1080-ti", cuda(), RUNS),
    ("ik-llama-cpp", "v100", cuda(), NO),
    ("ik-llama-cpp", "t4", cuda(), RUNS),
    ("ik-llama-cpp", "rx-7900-xtx", rocm(), NO),
    ("text-embeddings-inference", "v100", cuda(**EMBED), NO),
    ("text-embeddings-inference", "a100", cuda(**EMBED), NATIVE),
    # the classes of model whose sparse attention has kernels on some generations only
    ("vllm", "a100", {"model": "deepseek-v3-2"}, NO),
    ("vllm", "rtx-4090", {"model": "glm-5"}, NO),
    ("vllm", "a100", {"model": "deepseek-v4-flash"}, NO),
    ("vllm", "h100-sxm", {"model": "deepseek-v3-2"}, NATIVE),
    ("vllm", "a100", {"model": "deepseek-r1"}, NATIVE),
]

OTHER_MAKERS = [
    ("vllm", "mi50", {}, NO),
    ("vllm", "mi100", rocm(), NO),
    ("vllm", "rx-6800-xt", rocm(), NO),
    ("vllm", "mi210", rocm(), NATIVE),
    ("vllm", "mi300x", rocm(), NATIVE),
    ("vllm", "rx-7900-xtx", rocm(), NATIVE),
    ("vllm", "rx-9070-xt", rocm(), NATIVE),
    ("vllm", "ryzen-ai-max-395", rocm(), NATIVE),
    ("sglang", "mi300x", rocm(), NATIVE),
    ("sglang", "mi355x", rocm(), NATIVE),
    ("sglang", "rx-7900-xtx", rocm(), NO),
    ("sglang", "ryzen-ai-max-395", rocm(), NO),
    ("vllm", "arc-a770", {"backend": "xpu"}, NO),
    ("vllm", "arc-b580", {"backend": "xpu"}, NATIVE),
    ("vllm", "arc-pro-b60", {"backend": "xpu"}, NATIVE),
    ("ktransformers", "rx-7900-xtx", {}, NO),
]

SYSTEMS = [
    ("vllm", "rtx-4090", WINDOWS, NO),
    ("vllm", "rtx-4090", WSL, NATIVE),
    ("sglang", "rtx-4090", WINDOWS, NO),
    ("tensorrt-llm", "rtx-4090", WINDOWS, NO),
    ("text-embeddings-inference", "rtx-4090", {**WINDOWS, **EMBED}, NO),
    ("llama-cpp", "rtx-4090", WINDOWS, NATIVE),
    ("exllamav3", "rtx-4090", WINDOWS, RUNS),
    ("exllamav3", "m3-ultra", {}, NO),
    ("vllm", "m3-ultra", {"backend": "cuda"}, NO),
    ("vllm", "xeon-x5660", {}, NO),
    ("vllm", "xeon-e5-2670-v2", {}, NO),
    ("vllm", "xeon-e5-2690-v4", {}, NATIVE),
    ("ik-llama-cpp", "xeon-e5-2670-v2", {}, NO),
    ("openvino-genai", "xeon-x5660", {}, NO),
    ("llama-cpp", "xeon-x5660", {}, RUNS),
    ("ktransformers", "epyc-9654", {}, NO),
    ("mlc-llm", "pixel-9", {}, RUNS),
    ("mlc-llm", PHONE_CPU, {"host": {"os": "android"}, "serving": "mobile"}, NO),
]

FORMATS = [
    ("vllm", "t4", {"format": "fp8"}, UNPACKED),
    ("vllm", "a100", {"format": "fp8"}, UNPACKED),
    ("vllm", "rtx-3090", {"format": "fp8"}, UNPACKED),
    ("vllm", "rtx-4090", {"format": "fp8"}, NATIVE),
    ("vllm", "h100-sxm", {"format": "fp8"}, NATIVE),
    ("vllm", "mi300x", {"format": "fp8"}, NATIVE),
    ("sglang", "rtx-3090", {"format": "fp8"}, TRIAL),
    ("vllm", "t4", {"format": "nvfp4"}, UNPACKED),
    ("vllm", "rtx-3090", {"format": "nvfp4"}, UNPACKED),
    ("vllm", "h200", {"format": "nvfp4"}, UNPACKED),
    ("vllm", "b200", {"format": "nvfp4"}, NATIVE),
    ("vllm", "rtx-5090", {"format": "nvfp4"}, NATIVE),
    ("tensorrt-llm", "h200", {"format": "nvfp4"}, NO),
    ("vllm", "t4", {"format": "awq"}, UNPACKED),
    ("lmdeploy", "v100", {"format": "awq"}, UNPACKED),
    ("lmdeploy", "v100", {"format": "gptq"}, UNPACKED),
    ("vllm", "mi300x", {"format": "awq"}, NO),
    ("vllm", "mi300x", {"format": "gptq", "model": "qwen3-32b"}, NO),
    ("vllm", "mi300x", {"format": "bitsandbytes"}, NO),
    # kernels for gfx11 and gfx12 in the code of 0.33; those for experts on gfx1100 only
    ("vllm", "rx-7900-xtx", {"format": "gptq", "model": "qwen3-30b-a3b"}, "weight-only"),
    ("vllm", "radeon-ai-pro-r9700", {"format": "gptq", "model": "qwen3-32b"}, "weight-only"),
    ("vllm", "radeon-ai-pro-r9700", {"format": "gptq", "model": "qwen3-30b-a3b"}, NO),
    ("vllm", "a100", {"format": "mxfp4"}, UNPACKED),
    ("sglang", "t4", {"format": "mxfp4"}, NO),
    ("lmdeploy/turbomind", "v100", {"format": "mxfp4"}, UNPACKED),
    ("llama-cpp", "t4", {"format": "mxfp4"}, UNPACKED),  # the same numbers in a GGUF file
    ("vllm", "rtx-4090", {"format": "gguf"}, TRIAL),
    ("vllm", "rtx-4090", {"format": "exl2"}, NO),
    ("sglang", "rtx-4090", {"format": "exl2"}, NO),
    ("exllamav3", "rtx-4090", {"format": "exl2"}, NO),
    ("vllm", "rtx-4090", {"format": "mlx"}, NO),
    ("llama-cpp", "m3-ultra", {"format": "mlx"}, NO),
    ("mlx-lm", "m3-ultra", {"format": "gguf"}, NO),
    ("llama-cpp", "rtx-4090", {"format": "awq"}, NO),
    ("llama-cpp", "rtx-4090", {"format": "fp8"}, NO),
    ("tensorrt-llm", "rtx-4090", {"format": "gguf"}, NO),
]

FEATURES = [
    ("lmdeploy/turbomind", "a100", {"needs": ["lora"]}, NO),
    ("lmdeploy/turbomind", "a100", {"needs": ["multi-lora"]}, NO),
    ("lmdeploy/pytorch", "a100", {"needs": ["multi-lora"]}, NATIVE),
    ("exllamav3", "rtx-4090", {"needs": ["rerank"]}, NO),
    ("llama-cpp", "rtx-4090", {"needs": ["rerank"]}, NATIVE),
    ("text-embeddings-inference", "a100", {"needs": ["tool-calls"]}, NO),
    ("mlx-lm", "m3-ultra", {"needs": ["vision"]}, NO),
    ("llama-cpp", "m3-ultra", {"needs": ["vision"]}, NATIVE),
    ("vllm", "a100", {"needs": ["speech-to-text"]}, NATIVE),
]


def best_kernel(kb, engine, devices, format=None, backend=None, **more):
    """The best kind of kernel that an engine (or "engine/mode") has for these devices; NO when nothing starts."""
    engine, _, mode = engine.partition("/")
    devices = [devices] if isinstance(devices, str) else devices
    asked = {"format": format} if format else {}
    reading = read({"devices": devices, **asked, **more}, kb)
    assert not reading.problems
    found = paths.find(Facts(reading.situation, kb)).options
    kernels = {
        o.path.kernel
        for o in found
        if o.path.engine == engine and (not mode or o.path.mode == mode) and backend in (None, o.path.backend)
    }
    return next((k for k in KERNELS if k in kernels), NO)


@pytest.mark.parametrize(
    ("engine", "devices", "more", "kernel"), [*GENERATIONS, *OTHER_MAKERS, *SYSTEMS, *FORMATS, *FEATURES]
)
def test_an_engine_runs_where_its_project_says(kb, engine, devices, more, kernel):
    found = best_kernel(kb, engine, devices, **more)
    assert found != NO if kernel == RUNS else found == kernel
