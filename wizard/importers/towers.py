"""Towers beside the language model: parameters of what turns images and sound into tokens.

Only towers whose layout is known from their config are counted; the result says which were not.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def vision(config: Json, hidden: int) -> tuple[int, bool]:
    """(parameters, known) of the vision tower; (0, True) when there is none."""
    part = config.get("vision_config")
    if not isinstance(part, dict) or not part:
        thinker = config.get("thinker_config")
        part = thinker.get("vision_config") if isinstance(thinker, dict) else None
        if not isinstance(part, dict) or not part:
            return 0, True
    try:
        found = _count(part, config, hidden)
    except (KeyError, TypeError, IndexError, ValueError, ZeroDivisionError, OverflowError):
        return 0, False
    # a tower of other than whole numbers, or larger than any model, is one we cannot read
    return (found, True) if isinstance(found, int) and 0 < found < 10**12 else (0, False)


def _count(part: Json, config: Json, hidden: int) -> int | None:
    """Parameters of a tower whose layout is known, else None."""
    kind = str(part.get("model_type") or config.get("model_type") or "")
    outer = str(config.get("model_type") or "")
    if "deepstack_visual_indexes" in part:
        return _qwen3(part)
    if kind.startswith("qwen2_5_vl") or outer.startswith("qwen2_5_vl"):
        return _qwen25(part, hidden)
    if "llama4" in outer:
        return _llama4(part, hidden)
    if kind.startswith("gemma4"):
        return _gemma4(part, hidden)
    if kind.startswith("siglip"):
        return _siglip(part, hidden)
    if kind == "pixtral":
        return _pixtral(part, hidden)
    if kind == "internvl_vision":
        return _internvl(part, config, hidden)
    return _moon(part, hidden) if "vt_hidden_size" in part else None


def _block(
    width: int, inner: int, gated: bool = False, norms: int = 2, bias: bool = True, norm_bias: bool = True
) -> int:
    """Parameters of one encoder block: attention, MLP, norms."""
    attention = 4 * (width * width + (width if bias else 0))
    if gated:
        mlp = 3 * width * inner + (2 * inner + width if bias else 0)
    else:
        mlp = 2 * width * inner + (inner + width if bias else 0)
    return attention + mlp + norms * width * (2 if norm_bias else 1)


def _qwen3(p: Json) -> int:
    width, merge, out = p["hidden_size"], p["spatial_merge_size"] ** 2, p["out_hidden_size"]
    wide = width * merge
    patch = p["in_channels"] * p["temporal_patch_size"] * p["patch_size"] ** 2 * width + width
    project = wide * wide + wide + wide * out + out
    merger = 2 * width + project
    deep = len(p["deepstack_visual_indexes"]) * (2 * wide + project)
    return (
        patch
        + p["num_position_embeddings"] * width
        + p["depth"] * _block(width, p["intermediate_size"])
        + merger
        + deep
    )


def _qwen25(p: Json, hidden: int) -> int:
    width, merge = p.get("hidden_size", 1280), p.get("spatial_merge_size", 2) ** 2
    inner, wide = p.get("intermediate_size", 3420), width * merge
    patch = 3 * p.get("temporal_patch_size", 2) * p.get("patch_size", 14) ** 2 * width
    block = _block(width, inner, gated=True, norm_bias=False)
    out = p.get("out_hidden_size", hidden)
    return patch + p.get("depth", 32) * block + width + wide * wide + wide + wide * out + out


def _llama4(p: Json, hidden: int) -> int:
    width, layers, inner = p.get("hidden_size", 1408), p.get("num_hidden_layers", 34), p.get("intermediate_size", 5632)
    patches = (p.get("image_size", 336) // p.get("patch_size", 14)) ** 2 + 1
    patch = 3 * p.get("patch_size", 14) ** 2 * width
    ratio = round(1 / p.get("pixel_shuffle_ratio", 0.5)) ** 2
    adapter = width * ratio * p.get("projector_input_dim", 4096) + p.get("projector_input_dim", 4096) * p.get(
        "projector_output_dim", 4096
    )
    joined = p.get("vision_output_dim", 4096) * hidden
    return patch + width + patches * width + layers * _block(width, inner) + 4 * width + adapter + joined


def _gemma4(p: Json, hidden: int) -> int:
    width, heads, dim = p["hidden_size"], p["num_attention_heads"], p["head_dim"]
    attention = width * dim * (2 * heads + 2 * p["num_key_value_heads"])
    block = attention + 3 * width * p["intermediate_size"] + 4 * width + 2 * dim
    patch = 3 * p["patch_size"] ** 2 * width
    return patch + 2 * p["position_embedding_size"] * width + p["num_hidden_layers"] * block + width * hidden


def _siglip(p: Json, hidden: int) -> int:
    width = p.get("hidden_size", 1152)
    patches = (p.get("image_size", 896) // p.get("patch_size", 14)) ** 2
    patch = 3 * p.get("patch_size", 14) ** 2 * width + width
    blocks = p.get("num_hidden_layers", 27) * _block(width, p.get("intermediate_size", 4304))
    return patch + patches * width + blocks + 2 * width + width * hidden + width


def _moon(p: Json, hidden: int) -> int:
    width, inner = p["vt_hidden_size"], p["vt_intermediate_size"]
    merge = p["merge_kernel_size"][0] * p["merge_kernel_size"][1]
    wide = width * merge
    if "qkv_hidden_size" in p:  # Kimi K3: no biases, norms without bias, wider heads
        inside = p["qkv_hidden_size"]
        block = 4 * width * inside + 2 * width * inner + 2 * width
        grid = p["init_pos_emb_height"] * p["init_pos_emb_width"] * width
        join = wide * wide + wide * hidden + hidden
        return 3 * p["patch_size"] ** 2 * width + grid + p["vt_num_hidden_layers"] * block + width + join
    patch = 3 * p["patch_size"] ** 2 * width + width + p["init_pos_emb_height"] * p["init_pos_emb_width"] * width
    blocks = p["vt_num_hidden_layers"] * _block(width, inner)
    return patch + blocks + 2 * width + 2 * width + wide * wide + wide + wide * hidden + hidden


def _internvl(p: Json, config: Json, hidden: int) -> int:
    width, inner = p["hidden_size"], p["intermediate_size"]
    image, patch = (v[0] if isinstance(v, list) else v for v in (p["image_size"], p["patch_size"]))
    block = 4 * width * width + 4 * width + 2 * width * inner + inner + width + 4 * width + 2 * width
    if not p.get("attention_bias"):
        block -= 3 * width
    if p.get("use_qk_norm"):
        block += 2 * width
    start = 3 * patch**2 * width + width + width + ((image // patch) ** 2 + 1) * width
    wide = width * round(1 / config["downsample_ratio"]) ** 2
    return start + p["num_hidden_layers"] * block + 2 * wide + wide * hidden + hidden + hidden * hidden + hidden


def _pixtral(p: Json, hidden: int) -> int:
    width, inner, layers = p.get("hidden_size", 1024), p.get("intermediate_size", 4096), p.get("num_hidden_layers", 24)
    block = 4 * width * width + 3 * width * inner + 2 * width
    patch = p.get("num_channels", 3) * p.get("patch_size", 16) ** 2 * width + width
    merge = p.get("spatial_merge_size", 2) ** 2 * width * width
    return patch + layers * block + merge + width + width * hidden + hidden * hidden
