"""config.json of models, only the fields that sizes need, as their publishers write them."""

from __future__ import annotations


def dense(hidden, inner, layers, heads, kv, vocab, kind="llama", **more):
    """A plain decoder."""
    return {
        "model_type": kind, "hidden_size": hidden, "intermediate_size": inner, "num_hidden_layers": layers,
        "num_attention_heads": heads, "num_key_value_heads": kv, "vocab_size": vocab, "torch_dtype": "bfloat16",
        "tie_word_embeddings": False, "max_position_embeddings": 131072, **more,
    }  # fmt: skip


def latent(layers, hidden, heads, experts, nope=128, v_dim=128, q_latent=1536, kind="deepseek_v3", **more):
    """Latent attention with experts."""
    return {
        "model_type": kind, "hidden_size": hidden, "intermediate_size": 18432, "num_hidden_layers": layers,
        "num_attention_heads": heads, "num_key_value_heads": heads, "vocab_size": 129280, "kv_lora_rank": 512,
        "qk_rope_head_dim": 64, "qk_nope_head_dim": nope, "v_head_dim": v_dim, "q_lora_rank": q_latent,
        "n_routed_experts": experts, "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "n_shared_experts": 1,
        "first_k_dense_replace": 3, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
        "max_position_embeddings": 163840, **more,
    }  # fmt: skip


LLAMA_8B = dense(4096, 14336, 32, 32, 8, 128256)
LLAMA_70B = dense(8192, 28672, 80, 64, 8, 128256)
QWEN3_06B = dense(1024, 3072, 28, 16, 8, 151936, "qwen3", head_dim=128, tie_word_embeddings=True)
QWEN3_32B = dense(5120, 25600, 64, 64, 8, 151936, "qwen3", head_dim=128)
QWEN3_30B = dense(
    2048, 6144, 48, 32, 4, 151936, "qwen3_moe", head_dim=128, num_experts=128, num_experts_per_tok=8,
    moe_intermediate_size=768, decoder_sparse_step=1, mlp_only_layers=[],
)  # fmt: skip
DEEPSEEK_V3 = latent(61, 7168, 128, 256)
GLM_5 = latent(
    78, 6144, 64, 256, 192, 256, 2048, "glm_moe_dsa", vocab_size=154880, intermediate_size=12288, index_head_dim=128,
    index_n_heads=32, qk_head_dim=256, head_dim=64,
)  # fmt: skip
GLM_52 = GLM_5 | {"indexer_types": ["full"] * 3 + (["shared"] * 3 + ["full"]) * 18 + ["shared"] * 3}
QWEN35_27B = {
    "model_type": "qwen3_5",
    "text_config": dense(
        5120, 17408, 64, 24, 4, 248320, "qwen3_5_text", head_dim=256, attn_output_gate=True,
        layer_types=(["linear_attention"] * 3 + ["full_attention"]) * 16, linear_conv_kernel_dim=4,
        linear_key_head_dim=128, linear_num_key_heads=16, linear_num_value_heads=48, linear_value_head_dim=128,
        mamba_ssm_dtype="float32",
    ),
    "vision_config": {
        "model_type": "qwen3_5", "deepstack_visual_indexes": [], "depth": 27, "hidden_size": 1152, "in_channels": 3,
        "intermediate_size": 4304, "num_heads": 16, "num_position_embeddings": 2304, "out_hidden_size": 5120,
        "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2,
    },
}  # fmt: skip
GEMMA4_31B = {
    "model_type": "gemma4",
    "text_config": dense(
        5376, 21504, 60, 32, 16, 262144, "gemma4_text", head_dim=256, global_head_dim=512,
        num_global_key_value_heads=4, attention_k_eq_v=True, enable_moe_block=False, num_experts=None,
        sliding_window=1024, layer_types=(["sliding_attention"] * 5 + ["full_attention"]) * 10,
        tie_word_embeddings=True,
    ),
}  # fmt: skip
GPT_OSS_120B = dense(
    2880, 2880, 36, 64, 8, 201088, "gpt_oss", head_dim=64, num_local_experts=128, num_experts_per_tok=4,
    sliding_window=128, layer_types=["sliding_attention", "full_attention"] * 18, attention_bias=True,
    quantization_config={
        "quant_method": "mxfp4",
        "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router",
        "model.embed_tokens", "lm_head"],
    },
)  # fmt: skip
NEMOTRON = {
    "model_type": "nemotron_h", "hidden_size": 2688, "intermediate_size": 1856, "num_hidden_layers": 52,
    "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "vocab_size": 131072,
    "torch_dtype": "bfloat16",
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", "conv_kernel": 4,
    "mamba_head_dim": 64, "mamba_num_heads": 64, "n_groups": 8, "ssm_state_size": 128, "n_routed_experts": 128,
    "num_experts_per_tok": 6, "moe_intermediate_size": 1856, "n_shared_experts": 1, "tie_word_embeddings": False,
    "moe_shared_expert_intermediate_size": 3712, "mamba_ssm_cache_dtype": "float32", "max_position_embeddings": 262144,
}  # fmt: skip
LLAMA4_SCOUT = {
    "model_type": "llama4",
    "text_config": dense(
        5120, 8192, 48, 40, 8, 202048, "llama4_text", head_dim=128, attention_chunk_size=8192,
        interleave_moe_layer_step=1, intermediate_size_mlp=16384, num_experts_per_tok=1, num_local_experts=16,
    ),
}  # fmt: skip
MINIMAX_M3 = dense(
    6144, 3072, 60, 64, 4, 200064, "minimax_m3", head_dim=128, dense_intermediate_size=12288, num_local_experts=128,
    num_experts_per_tok=4, n_shared_experts=1, shared_intermediate_size=3072, moe_layer_freq=[0] * 3 + [1] * 57,
    sparse_attention_config={
        "use_sparse_attention": True, "sparse_index_dim": 128, "sparse_num_index_heads": 4,
        "sparse_attention_freq": [0] * 3 + [1] * 57,
    },
)  # fmt: skip

# attention and Mamba-2 side by side; without and with a norm before the output of Mamba
FALCON_H1_05B = dense(
    1024, 2048, 36, 8, 2, 32784, "falcon_h1", head_dim=64, mamba_d_ssm=1536, mamba_n_heads=24, mamba_d_head=64,
    mamba_d_state=128, mamba_n_groups=1, mamba_d_conv=4, mamba_rms_norm=False,
)  # fmt: skip
FALCON_H1_7B = dense(
    3072, 12288, 44, 12, 2, 130048, "falcon_h1", head_dim=128, mamba_d_ssm=3072, mamba_n_heads=24, mamba_d_head=128,
    mamba_d_state=256, mamba_n_groups=1, mamba_d_conv=4, mamba_rms_norm=True,
)  # fmt: skip
BAMBA_9B = dense(
    4096, 14336, 32, 32, 8, 128256, "bamba", attn_layer_indices=[9, 18, 27], mamba_n_heads=128, mamba_d_head=64,
    mamba_d_state=128, mamba_n_groups=1, mamba_d_conv=4, mamba_expand=2,
)  # fmt: skip
KIMI_LINEAR = {
    **latent(27, 2304, 32, 256, q_latent=None, kind="kimi_linear"), "vocab_size": 163840, "intermediate_size": 9216,
    "moe_intermediate_size": 1024, "first_k_dense_replace": 1,
    "linear_attn_config": {
        "full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "head_dim": 128, "num_heads": 32, "short_conv_kernel_size": 4,
    },
}  # fmt: skip
INTERNVL3_8B = {
    "model_type": "internvl", "downsample_ratio": 0.5,
    "text_config": dense(3584, 18944, 28, 28, 4, 151674, "qwen2"),
    "vision_config": {
        "model_type": "internvl_vision", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
        "image_size": [448, 448], "patch_size": [14, 14], "attention_bias": True, "use_qk_norm": False,
    },
}  # fmt: skip

ALL = {
    name: value for name, value in dict(globals()).items()
    if isinstance(value, dict) and name.isupper() and name != "ALL"
}  # fmt: skip
