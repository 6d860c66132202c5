"""What a model class adds to the numbers of its config.json: the parts that have no field.

One row per `model_type`. A type that has no row is refused: its layers may hold what no field tells.
The rows say what the class does when a field is silent; where the file writes a field, the file wins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Class:
    """One model class.

    mlp: matrices of an MLP (3 with a gate, 2 without); experts_mlp: the same for routed experts, None as
    `mlp`. norms: vectors of hidden width per layer; moe_norms: the same for a layer with experts, None as
    `norms`. bias_norms: norms carry a bias. qk_norm: "head" (one vector of head width), "full" (one of
    the whole projection) or "", with "?" only where use_qk_norm says so. qkv_bias, o_bias, mlp_bias:
    biases where no field says so. windowed:
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
_QWEN3_MOE = Class(qk_norm="head")
_QWEN35 = Class(qk_norm="head", kind="gated-delta", defaults={"head_dim": 256})
_DEEPSEEK = Class(router_bias=True)
_DSA = Class(router_bias=True, extra=("indexer",))
_GEMMA3 = Class(
    norms=4, qk_norm="head", windowed=6, tied=True,
    defaults={"vocab": 262208, "heads": 8, "kv_heads": 4, "head_dim": 256, "window": 4096},
)  # fmt: skip
_GEMMA4 = Class(norms=4, moe_norms=7, qk_norm="head", tied=True, kind="gemma4", defaults={"head_dim": 256})
_COHERE = Class(norms=1, tied=True, mha=True, qk_norm="full?")
_GPT = Class(mlp=2, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True, tied=True, mha=True)
_GPT2 = replace(_GPT, extra=("positions", "four-wide"))

CLASSES: dict[str, Class] = {
    # plain decoders
    "llama": _LLAMA, "mistral": Class(windowed="all"), "mixtral": Class(windowed="all"),
    "ministral": Class(windowed="all"),
    "mistral3": _LLAMA, "yi": _LLAMA, "aquila": _LLAMA, "xverse": _LLAMA, "internlm": _LLAMA, "internlm2": _LLAMA,
    "internlm3": _LLAMA, "baichuan": _LLAMA, "deepseek": _LLAMA, "granite": _LLAMA, "arcee": Class(mlp=2),
    "smollm3": Class(tied=True), "seed_oss": Class(qkv_bias=True), "exaone": Class(),
    "orion": Class(bias_norms=True, mha=True),
    "solar": _LLAMA, "minicpm": Class(tied=True, mha=True), "hunyuan_v1_dense": Class(qk_norm="head"),
    "olmo": Class(norms=0, mha=True),
    "olmo2": Class(qk_norm="full", mha=True), "olmo3": Class(qk_norm="full", windowed=4, mha=True),
    "apertus": Class(mlp=2, qk_norm="head", extra=("xielu",)),
    "ernie4_5": Class(defaults={"head_dim": 128}, tied=True), "helium": _LLAMA,
    "stablelm": Class(bias_norms=True, mha=True),
    "bitnet": Class(norms=2, extra=("subnorms",)),
    "qwen": Class(qkv_bias=True, mha=True), "qwen2": _QWEN2, "qwen2_5": _QWEN2, "qwen2_vl": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen2_vl_text": _QWEN2, "qwen2_5_vl_text": _QWEN2, "qwen2_5_omni": _QWEN2, "qwen2_5_omni_text": _QWEN2,
    "qwen2_audio": _QWEN2,
    "mimo": Class(qkv_bias=True), "qwen3": _QWEN3, "qwen3_vl": _QWEN3, "qwen3_vl_text": _QWEN3,
    "qwen3_omni_text": _QWEN3,
    "gemma": Class(tied=True, mha=True, defaults={"head_dim": 256}),
    "gemma2": Class(norms=4, windowed="alternate", tied=True, defaults={"head_dim": 256}),
    "gemma3": _GEMMA3, "gemma3_text": _GEMMA3, "gemma4": _GEMMA4, "gemma4_text": _GEMMA4,
    "cohere": _COHERE, "cohere2": Class(norms=1, tied=True, windowed=4, defaults={"window": 4096}),
    "command-r": _COHERE,
    "glm": Class(qkv_bias=True), "glm4": Class(norms=4, qkv_bias=True), "chatglm": Class(qkv_bias=True, mha=True),
    "exaone4": Class(qk_norm="head", windowed=4),
    "phi": Class(
        mlp=2, norms=1, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True, mha=True, extra=("head-bias",)
    ),
    "phi3": Class(windowed="all", mha=True),
    "phi4mm": Class(mha=True),
    "starcoder2": Class(mlp=2, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True, tied=True, windowed="all"),
    "gpt2": _GPT2, "gpt_bigcode": replace(_GPT2, kind="multi-query"),
    "opt": replace(_GPT, extra=("positions", "two-positions")),
    "bloom": replace(_GPT, extra=("embedding-norm", "four-wide")),
    "gpt_neox": Class(mlp=2, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True, mha=True),
    "gptj": Class(mlp=2, norms=1, bias_norms=True, mlp_bias=True, mha=True, extra=("head-bias", "four-wide")),
    "mpt": Class(mlp=2, tied=True, mha=True, extra=("four-wide",)),
    "falcon": Class(mlp=2, bias_norms=True, tied=True, kind="falcon", extra=("four-wide",)),
    "nemotron": Class(mlp=2, bias_norms=True), "nemotron-nas": Class(kind="blocks"), "deci": Class(kind="blocks"),
    "ministral3": Class(), "cwm": Class(), "granite_swa": Class(tied=True, extra=("sinks",)), "nanochat": Class(
        mlp=2, norms=0
    ),
    "vaultgemma": Class(windowed="alternate", tied=True, defaults={"head_dim": 256}),
    "gemma4_unified": _GEMMA4, "gemma4_unified_text": _GEMMA4,
    "glm4v_text": Class(norms=4, qkv_bias=True), "glm_ocr_text": Class(norms=4),
    "jais2": Class(mlp=2, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True),
    "muse_glimmer_text": Class(norms=4, extra=("output-gate",)), "phi4_multimodal": Class(mha=True),
    "persimmon": Class(
        mlp=2, bias_norms=True, qkv_bias=True, o_bias=True, mlp_bias=True, mha=True, qk_norm="head-bias"
    ),
    "codegen": Class(mlp=2, norms=1, bias_norms=True, mlp_bias=True, mha=True, extra=("head-bias", "four-wide")),
    "gpt_neo": Class(
        mlp=2, bias_norms=True, o_bias=True, mlp_bias=True, tied=True, mha=True, extra=("positions", "four-wide"),
    ),
    "apertus1p5_text": Class(mlp=2, qk_norm="head", extra=("xielu",)), "olmo_hybrid": Class(qk_norm="full", mha=True),
    # mixtures of experts
    "cohere2_moe": Class(norms=1, tied=True),
    "hy_v3": Class(defaults={"head_dim": 128}, qk_norm="head", router_bias=True),
    "mellum": Class(defaults={"head_dim": 128}, qk_norm="head"), "aria_text": Class(), "aria_moe_lm": Class(),
    "granitemoe_swa": Class(extra=("sinks",)),
    "kolibri1": Class(norms=4, qk_norm="head", router_bias=True),
    "laguna": Class(qk_norm="head", router_bias=True, extra=("head-gate",)),
    "qwen2_moe": Class(qkv_bias=True, extra=("shared-gate",)), "qwen3_moe": _QWEN3_MOE, "qwen3_vl_moe": _QWEN3_MOE,
    "qwen3_vl_moe_text": _QWEN3_MOE, "qwen3_omni_moe": _QWEN3_MOE, "qwen3_omni_moe_text": _QWEN3_MOE,
    "phimoe": Class(bias_norms=True, qkv_bias=True, o_bias=True, windowed="all"),
    "olmoe": Class(qk_norm="full"), "granitemoe": Class(), "granitemoeshared": Class(),
    "dbrx": Class(bias_norms=False),
    "gpt_oss": Class(
        defaults={"head_dim": 64}, qkv_bias=True, o_bias=True, mlp_bias=True, windowed="alternate",
        extra=("sinks", "router-bias"),
    ),
    "glm4_moe": Class(qkv_bias=True, qk_norm="head?", router_bias=True),
    "glm4v_moe": Class(qkv_bias=True, router_bias=True), "glm4v_moe_text": Class(qkv_bias=True, router_bias=True),
    "ernie4_5_moe": Class(tied=True, router_bias=True),
    "hunyuan_v1_moe": Class(qk_norm="head", tied=True), "dots1": Class(qk_norm="head", router_bias=True),
    "bailing_moe": Class(), "bailing_moe_v2": Class(qk_norm="head", router_bias=True),
    "minimax_m2": Class(defaults={"head_dim": 128}, qk_norm="full", router_bias=True),
    "minimax_m3": Class(qk_norm="head", router_bias=True, extra=("indexer",)),
    "minimax_m3_vl": Class(qk_norm="head", router_bias=True, extra=("indexer",)),
    "exaone_moe": Class(qk_norm="head", router_bias=True),
    "mimo_v2_flash": Class(router_bias=True, extra=("wide-windows",), defaults={"head_dim": 192, "v_head_dim": 128}),
    "step3p5": Class(qk_norm="head", router_bias=True, extra=("head-gate",)),
    "step3p7": Class(qk_norm="head", router_bias=True, extra=("head-gate",)),
    "llama4": Class(kind="llama4"), "llama4_text": Class(kind="llama4"), "flex_olmo": Class(qk_norm="full"),
    "solar_open": Class(defaults={"head_dim": 128}, router_bias=True),
    "afmoe": Class(norms=4, qk_norm="head", router_bias=True, extra=("output-gate",)),
    # latent attention
    "youtu": Class(tied=True), "axk1": Class(moe_norms=3, router_bias=True),
    "deepseek_v2": Class(), "deepseek_vl_v2": Class(), "deepseek_v3": _DEEPSEEK, "deepseek_v32": _DSA,
    "kimi_k2": _DEEPSEEK, "kimi_k25": _DEEPSEEK, "kimi_vl": _DEEPSEEK,
    "glm_moe_dsa": _DSA, "glm4_moe_lite": _DEEPSEEK, "mistral4": Class(), "minicpm3": Class(tied=True),
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
    "mamba2": Class(norms=1, kind="mamba2"),
    "jamba": Class(kind="jamba"), "granitemoehybrid": Class(kind="layers"), "bamba": Class(kind="layers"),
    "falcon_h1": Class(kind="parallel-mamba"),
    "lfm2": Class(kind="layers", qk_norm="head", tied=True),
    "lfm3": Class(kind="layers", norms=4, qk_norm="head", tied=True, extra=("head-gate",)),
    "lfm2_moe": Class(kind="layers", qk_norm="head", tied=True, router_bias=True),
    "minimax": Class(kind="lightning"), "minimax_text_01": Class(kind="lightning"),
}  # fmt: skip

# Fields that tell how many experts there are, how wide they are and on which layers.
_LOCAL = ("num_local_experts",)
_NARROW = ("num_experts", "moe_intermediate_size")
_ROUTED = ("n_routed_experts", "moe_intermediate_size", "n_shared_experts")
_DEPTH = "first_k_dense_replace|mlp_layer_types|moe_layer_freq"
_LATENT = ("kv_lora_rank", "q_lora_rank")
_ALL = (*_LATENT, *_ROUTED, _DEPTH)
_ERNIE = ("moe_num_experts", "moe_intermediate_size", "moe_num_shared_experts", "moe_layer_start_index")

# Fields that change the numbers and that every file of a class writes, null included ("a|b": either will do).
_NEEDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("mixtral gpt_oss granitemoe llama4 llama4_text minimax minimax_text_01", _LOCAL),
    ("minimax_m2 minimax_m3 minimax_m3_vl", _LOCAL),
    ("granitemoe_swa", (*_LOCAL, "layer_types")),
    ("granitemoeshared granitemoehybrid", (*_LOCAL, "shared_intermediate_size")),
    ("flex_olmo olmoe bailing_moe bailing_moe_v2 hunyuan_v1_moe", ("num_experts",)),
    ("lfm2_moe", ("num_experts", "moe_intermediate_size", "num_dense_layers")),
    ("mimo_v2_flash", ("n_routed_experts", "moe_intermediate_size", _DEPTH)),
    ("qwen3_moe qwen3_vl_moe qwen3_vl_moe_text qwen3_omni_moe qwen3_omni_moe_text mellum", _NARROW),
    ("kolibri1", (*_NARROW, "shared_expert_intermediate_size", "layer_types")),
    ("qwen2_moe qwen3_next qwen3_5_moe qwen3_5_moe_text", (*_NARROW, "shared_expert_intermediate_size")),
    ("laguna", (*_NARROW, "shared_expert_intermediate_size", "mlp_layer_types|mlp_only_layers", "layer_types")),
    ("afmoe", (*_NARROW, "num_shared_experts", "num_dense_layers|mlp_layer_types", "layer_types")),
    ("exaone_moe", (*_NARROW, "num_shared_experts", _DEPTH, "layer_types|sliding_window_pattern")),
    ("hy_v3", (*_NARROW, "num_shared_experts", _DEPTH)),
    ("cohere2_moe", ("num_experts", "sliding_window", "layer_types|sliding_window_pattern")),
    ("cwm gemma4 gemma4_text gemma4_unified gemma4_unified_text granite_swa olmo_hybrid", ("layer_types",)),
    ("aria_text aria_moe_lm", ("moe_num_experts", "moe_num_shared_experts")), ("ernie4_5_moe", _ERNIE),
    ("glm4_moe glm4v_moe glm4v_moe_text dots1", (*_ROUTED, _DEPTH)), ("solar_open", _ROUTED),
    ("deepseek_v2 deepseek_v3 kimi_k2 kimi_k25 kimi_vl glm4_moe_lite axk1", _ALL),
    ("deepseek_v32 glm_moe_dsa", (*_ALL, "index_head_dim")), ("mistral4", (*_ROUTED, *_LATENT)),
    ("minicpm3 youtu", _LATENT), ("longcat_flash", ("n_routed_experts", *_LATENT)),
    ("kimi_linear", (*_NARROW, *_LATENT, _DEPTH)),
    ("jamba", ("num_experts", "expert_layer_period", "expert_layer_offset")),
    ("arcee jais2 nanochat apertus apertus1p5_text nemotron starcoder2 phi gpt_neox persimmon opt",
     ("intermediate_size",)),
    ("mamba2 nemotron_h nemotron_h_moe", ("n_groups",)), ("falcon_h1", ("mamba_d_head", "mamba_rms_norm")),
    ("phimoe", (*_LOCAL, "attention_bias")),
    ("gpt_neo", ("attention_layers|attention_types",)),
    ("lfm2", ("block_auto_adjust_ff_dim",)),
    ("deepseek_v4", (*_ROUTED, "index_head_dim", "index_n_heads", "q_lora_rank", "o_lora_rank", "o_groups")),
)  # fmt: skip
NEEDS = {name: needs for names, needs in _NEEDS for name in names.split()}

# types of models that read images: without a vision_config something is missing
SEEING = (
    "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "cosmos3_omni", "gemma3", "gemma4",
    "llama4", "mistral3", "pixtral", "internvl", "internvl_chat", "lighton_ocr", "glm4v", "glm4v_moe", "glm46v",
    "kimi_vl", "kimi_k25", "minimax_m3_vl", "idefics3", "smolvlm", "llava", "llava_next", "llava_onevision",
    "paligemma", "cohere2_vision", "aya_vision", "lfm2_vl", "deepseek_vl", "deepseek_vl_v2", "step3p7",
    "exaone4_5", "glm_ocr", "muse_glimmer", "ovis2", "qwen2_5_omni", "qwen2_5_omni_thinker", "qwen3_omni_moe",
    "qwen3_omni_moe_thinker",
)  # fmt: skip
# the same for models that hear, with the section of the tower
HEARING = {
    "gemma4": "audio_config", "qwen2_5_omni": "audio_config", "qwen2_5_omni_thinker": "audio_config",
    "qwen3_omni_moe": "audio_config", "qwen3_omni_moe_thinker": "audio_config", "qwen2_audio": "audio_config",
    "voxtral": "audio_config", "granite_speech": "encoder_config", "granite_speech_plus": "encoder_config",
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


# whose language part ties embeddings and head also where the file around it says no
INNER_TIES = ("llava", "llava_next", "llava_next_video", "llava_onevision", "fast_vlm", "video_llama_3")
# parts of a model that are read or written apart and that nobody counts here
APART = (
    "talker_config", "token2wav_config", "code2wav_config", "tts_config", "vq_config", "vlm_config",
    "gen_vision_config", "gen_head_config", "high_res_vision_config", "visual_tokenizer_config",
)  # fmt: skip

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
