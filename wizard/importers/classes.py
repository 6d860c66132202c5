"""What a model class adds to the numbers of its config.json: the parts that have no field.

One row per `model_type`. A type that has no row is refused: its layers may hold what no field tells.
The rows say what the class does when a field is silent; where the file writes a field, the file wins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Class:
    """One model class.

    mlp: matrices of an MLP (3 with a gate, 2 without); experts_mlp: the same for routed experts, None as
    `mlp`. norms: vectors of hidden width per layer; moe_norms: the same for a layer with experts, None as
    `norms`. bias_norms: norms carry a bias. qk_norm: "head" (one vector of head width), "full" (one of
    the whole projection) or "". qkv_bias, o_bias, mlp_bias: biases where no field says so. windowed:
    which layers see a window when no list says so: "all", "none", "alternate" (the first of each pair) or the
    number n of a pattern in which each n-th layer sees everything. tied: default of tie_word_embeddings.
    mha: a missing number of KV heads means one per query head. router_bias: a value per expert beside the
    router. kind: how layers are laid out ("plain" unless the class mixes kinds in its own way).
    defaults: sizes the class declares for fields its files may leave out. extra: parameters per layer
    in no group ("sinks" per head and so on are told by name).
    """

    mlp: int = 3
    experts_mlp: int | None = None
    norms: int = 2
    moe_norms: int | None = None
    bias_norms: bool = False
    qk_norm: str = ""
    qkv_bias: bool = False
    o_bias: bool = False
    mlp_bias: bool = False
    windowed: str | int = "none"
    tied: bool = False
    mha: bool = False
    router_bias: bool = False
    kind: str = "plain"
    defaults: dict[str, int] = field(default_factory=dict)
    extra: tuple[str, ...] = ()


_LLAMA = Class(mha=True)
_QWEN2 = Class(qkv_bias=True, mha=True)
_QWEN3 = Class(qk_norm="head", defaults={"head_dim": 128})
_QWEN35 = Class(qk_norm="head", kind="gated-delta", defaults={"head_dim": 256})
_DEEPSEEK = Class(router_bias=True)
_DSA = Class(router_bias=True, extra=("indexer",))
_GEMMA3 = Class(
    norms=4, qk_norm="head", windowed=6, tied=True,
    defaults={"vocab": 262208, "heads": 8, "kv_heads": 4, "head_dim": 256, "window": 4096},
)  # fmt: skip
_GEMMA4 = Class(norms=4, moe_norms=7, qk_norm="head", tied=True, kind="gemma4")
_COHERE = Class(norms=1, tied=True, mha=True)
_GPT = Class(mlp=2, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True, tied=True, mha=True)

CLASSES: dict[str, Class] = {
    # plain decoders
    "llama": _LLAMA, "mistral": Class(windowed="all"), "mixtral": Class(windowed="all"),
    "ministral": Class(windowed="all"),
    "mistral3": _LLAMA, "yi": _LLAMA, "aquila": _LLAMA, "xverse": _LLAMA, "internlm": _LLAMA, "internlm2": _LLAMA,
    "internlm3": _LLAMA, "baichuan": _LLAMA, "deepseek": _LLAMA, "granite": _LLAMA, "arcee": Class(mlp=2),
    "smollm3": Class(), "seed_oss": Class(qkv_bias=True), "exaone": Class(), "orion": Class(bias_norms=True, mha=True),
    "solar": _LLAMA, "minicpm": Class(tied=True, mha=True), "hunyuan_v1_dense": Class(qk_norm="head"),
    "olmo": Class(norms=0, mha=True),
    "olmo2": Class(qk_norm="full", mha=True), "olmo3": Class(qk_norm="full", windowed=4, mha=True),
    "apertus": Class(mlp=2, qk_norm="head"),
    "ernie4_5": Class(tied=True), "helium": _LLAMA, "stablelm": Class(bias_norms=True, mha=True),
    "bitnet": Class(norms=2, tied=True, extra=("subnorms",)),
    "qwen": Class(qkv_bias=True, mha=True), "qwen2": _QWEN2, "qwen2_5": _QWEN2, "qwen2_vl": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen2_vl_text": _QWEN2, "qwen2_5_vl_text": _QWEN2, "qwen2_5_omni": _QWEN2, "qwen2_5_omni_text": _QWEN2,
    "qwen2_audio": _QWEN2,
    "mimo": Class(qkv_bias=True), "qwen3": _QWEN3, "qwen3_vl": _QWEN3, "qwen3_vl_text": _QWEN3,
    "qwen3_omni_text": _QWEN3,
    "gemma": Class(tied=True, mha=True, defaults={"head_dim": 256}),
    "gemma2": Class(norms=4, windowed="alternate", tied=True, defaults={"head_dim": 256}),
    "gemma3": _GEMMA3, "gemma3_text": _GEMMA3, "gemma4": _GEMMA4, "gemma4_text": _GEMMA4,
    "cohere": _COHERE, "cohere2": Class(norms=1, tied=True, windowed=4), "command-r": _COHERE,
    "glm": Class(qkv_bias=True), "glm4": Class(norms=4, qkv_bias=True), "chatglm": Class(qkv_bias=True, mha=True),
    "exaone4": Class(qk_norm="head", windowed=4),
    "phi": Class(mlp=2, norms=1, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True, mha=True),
    "phi3": Class(windowed="all", mha=True),
    "phi4mm": Class(mha=True),
    "starcoder2": Class(mlp=2, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True, tied=True, windowed="all"),
    "gpt2": _GPT, "gpt_bigcode": _GPT, "opt": _GPT, "bloom": _GPT,
    "gpt_neox": Class(mlp=2, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True, mha=True),
    "gptj": Class(mlp=2, norms=1, bias_norms=True, mlp_bias=True, mha=True),
    "mpt": Class(mlp=2, tied=True, mha=True), "falcon": Class(mlp=2, bias_norms=True, tied=True, kind="falcon"),
    "nemotron": Class(mlp=2, bias_norms=True), "nemotron-nas": Class(kind="blocks"), "deci": Class(kind="blocks"),
    # mixtures of experts
    "qwen2_moe": Class(qkv_bias=True, extra=("shared-gate",)), "qwen3_moe": _QWEN3, "qwen3_vl_moe": _QWEN3,
    "qwen3_vl_moe_text": _QWEN3,
    "qwen3_omni_moe": _QWEN3, "qwen3_omni_moe_text": _QWEN3,
    "phimoe": Class(bias_norms=True, qkv_bias=True, o_bias=True, windowed="all"),
    "olmoe": Class(qk_norm="full"), "granitemoe": Class(tied=True), "granitemoeshared": Class(tied=True),
    "dbrx": Class(bias_norms=False),
    "gpt_oss": Class(qkv_bias=True, o_bias=True, mlp_bias=True, windowed="alternate", extra=("sinks", "router-bias")),
    "glm4_moe": Class(qkv_bias=True, router_bias=True),
    "glm4v_moe": Class(qkv_bias=True, router_bias=True), "glm4v_moe_text": Class(qkv_bias=True, router_bias=True),
    "ernie4_5_moe": Class(tied=True, router_bias=True),
    "hunyuan_v1_moe": Class(qk_norm="head", tied=True), "dots1": Class(qk_norm="head", router_bias=True),
    "bailing_moe": Class(), "bailing_moe_v2": Class(qk_norm="head", router_bias=True),
    "minimax_m2": Class(qk_norm="full", router_bias=True),
    "minimax_m3": Class(qk_norm="head", router_bias=True, extra=("indexer",)),
    "minimax_m3_vl": Class(qk_norm="head", router_bias=True, extra=("indexer",)),
    "exaone_moe": Class(qk_norm="head", router_bias=True),
    "mimo_v2_flash": Class(router_bias=True), "step3p5": Class(qk_norm="head", router_bias=True),
    "step3p7": Class(qk_norm="head", router_bias=True),
    "llama4": Class(kind="llama4"), "llama4_text": Class(kind="llama4"), "flex_olmo": Class(qk_norm="full"),
    "solar_open": Class(router_bias=True), "afmoe": Class(norms=4, qk_norm="head", router_bias=True),
    # latent attention
    "deepseek_v2": Class(), "deepseek_vl_v2": Class(), "deepseek_v3": _DEEPSEEK, "deepseek_v32": _DSA,
    "kimi_k2": _DEEPSEEK, "kimi_k25": _DEEPSEEK, "kimi_vl": _DEEPSEEK,
    "glm_moe_dsa": _DSA, "glm4_moe_lite": _DEEPSEEK, "mistral4": _DEEPSEEK, "minicpm3": Class(tied=False),
    "longcat_flash": Class(kind="longcat", router_bias=True),
    "deepseek_v4": Class(router_bias=True, kind="compressed"),
    "deepseek_ref": Class(router_bias=True, kind="compressed"),
    # layers that keep a state
    "qwen3_next": Class(qk_norm="head", kind="gated-delta", extra=("shared-gate",), defaults={"head_dim": 256}),
    "qwen3_5": _QWEN35, "qwen3_5_text": _QWEN35,
    "qwen3_5_moe": Class(qk_norm="head", kind="gated-delta", extra=("shared-gate",), defaults={"head_dim": 256}),
    "qwen3_5_moe_text": Class(qk_norm="head", kind="gated-delta", extra=("shared-gate",), defaults={"head_dim": 256}),
    "kimi_linear": Class(kind="kda", router_bias=True),
    # two more norms and two mixing vectors per layer choose among earlier blocks; latent attention has an output gate
    "kimi_k3": Class(norms=6, kind="kda", router_bias=True, extra=("output-gate", "block-residuals")),
    "nemotron_h": Class(mlp=2, norms=1, kind="nemotron", router_bias=True),
    "nemotron_h_moe": Class(mlp=2, norms=1, kind="nemotron", router_bias=True),
    "mamba": Class(norms=1, tied=True, kind="mamba1"), "falcon_mamba": Class(norms=1, tied=True, kind="mamba1"),
    "mamba2": Class(norms=1, tied=True, kind="mamba2"),
    "jamba": Class(kind="jamba"), "granitemoehybrid": Class(tied=True, kind="layers"), "bamba": Class(kind="layers"),
    "falcon_h1": Class(kind="parallel-mamba"),
    "lfm2": Class(kind="layers", qk_norm="head", tied=True),
    "lfm2_moe": Class(kind="layers", qk_norm="head", tied=True),
    "minimax": Class(kind="lightning"), "minimax_text_01": Class(kind="lightning"),
}  # fmt: skip

# class names of config.json whose model_type is missing or says nothing
_NAMES = {
    "MiniMaxM3SparseForCausalLM": "minimax_m3", "DeciLMForCausalLM": "nemotron-nas", "QWenLMHeadModel": "qwen",
    "BaiChuanForCausalLM": "baichuan", "ChatGLMModel": "chatglm", "ChatGLMForConditionalGeneration": "chatglm",
    "MiniMaxText01ForCausalLM": "minimax_text_01", "Step3p7FlashForCausalLM": "step3p7", "LLaMAForCausalLM": "llama",
    "InternLM2ForCausalLM": "internlm2", "GPT2LMHeadModel": "gpt2", "RWForCausalLM": "falcon",
    "KimiK25ForConditionalGeneration": "kimi_k25", "DeepseekV32ForCausalLM": "deepseek_v32",
    "InternVLChatModel": "", "LlavaForConditionalGeneration": "",
}  # fmt: skip
_TAIL = re.compile(r"(ForCausalLM|ForConditionalGeneration|LMHeadModel|ChatModel|Model)$")


# Files whose language part names a class that lacks what the whole model adds to it.
OUTER_FIRST = ("kimi_k3",)


def snake(name: str) -> str:
    """A class name as model types are written: Qwen3MoeForCausalLM gives qwen3_moe."""
    bare = _TAIL.sub("", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare).lower()


def find(model_types: list[Any], architectures: Any) -> tuple[str, Class] | None:
    """The row for the first known model type, else for a class name; None when none is known."""
    for name in model_types:
        if isinstance(name, str) and name.lower() in CLASSES:
            return name.lower(), CLASSES[name.lower()]
    for name in architectures if isinstance(architectures, list) else ():
        if isinstance(name, str):
            key = _NAMES.get(name) or snake(name)
            for form in (key, key.replace("_v_", "_v"), key.replace("_", "")):
                if form in CLASSES:
                    return form, CLASSES[form]
    return None
