"""Parameters of one kind of image tower from its fields, each checked against the class of transformers."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

# what an encoder's class has where the file leaves a size out: width, inner, layers, patch, image
_SIZES = {
    "siglip": (768, 3072, 12, 16, 224),
    "idefics3_vision": (1152, 3072, 12, 32, 224),
    "smolvlm_vision": (1152, 3072, 12, 32, 224),
    "clip": (768, 3072, 12, 32, 224),
    "pixtral": (1024, 4096, 24, 16, 1024),
}


def two(wide: int, middle: int, out: int, bias: Any) -> int:
    """Two linear layers."""
    return wide * middle + middle * out + (middle + out if bias else 0)


def sizes(part: Json, kind: str) -> tuple[int, int, int, int, int]:
    """Width, inner width, layers, patch and image of an encoder, its class's own where the file has none."""
    names = ("hidden_size", "intermediate_size", "num_hidden_layers", "patch_size", "image_size")
    default = _SIZES["siglip" if kind.startswith("siglip") else kind]
    width, inner, layers, patch, image = (part.get(n, d) for n, d in zip(names, default, strict=True))
    return width, inner, layers, patch, image


def encoder_block(
    width: int, inner: int, gated: bool = False, norms: int = 2, bias: bool = True, norm_bias: bool = True
) -> int:
    """Parameters of one encoder block: attention, MLP, norms."""
    attention = 4 * (width * width + (width if bias else 0))
    if gated:
        mlp = 3 * width * inner + (2 * inner + width if bias else 0)
    else:
        mlp = 2 * width * inner + (inner + width if bias else 0)
    return attention + mlp + norms * width * (2 if norm_bias else 1)


def siglip(p: Json, kind: str) -> int:
    width, inner, layers, patch, image = sizes(p, kind)
    places = p.get("num_patches", 256) if kind.startswith("siglip2") else (image // patch) ** 2
    start = p.get("num_channels", 3) * patch**2 * width + width + places * width
    head = 0
    if kind.startswith("siglip") and p.get("vision_use_head", True):  # one more block that pools, from one query
        head = encoder_block(width, inner, norms=1) + width
    return start + layers * encoder_block(width, inner) + 2 * width + head


def clip(p: Json) -> int:
    width, inner, layers, patch, image = sizes(p, "clip")
    start = p.get("num_channels", 3) * patch**2 * width + width + ((image // patch) ** 2 + 1) * width
    return start + layers * encoder_block(width, inner) + 4 * width


def pixtral(p: Json) -> int:
    width, inner, layers, patch, _ = sizes(p, "pixtral")
    block = 4 * width * width + 3 * width * inner + 2 * width
    return p.get("num_channels", 3) * patch**2 * width + width + layers * block


def qwen2(p: Json, hidden: int) -> int:
    width, merge = p.get("embed_dim", 1280), p.get("spatial_merge_size", 2) ** 2
    inner, wide = int(width * p.get("mlp_ratio", 4)), width * merge
    patch = 3 * p.get("temporal_patch_size", 2) * p.get("patch_size", 14) ** 2 * width
    out = p.get("hidden_size", hidden)
    return patch + p.get("depth", 32) * encoder_block(width, inner) + 2 * width + two(wide, wide, out, True)


def qwen25(p: Json, hidden: int) -> int:
    width, merge = p.get("hidden_size", 1280), p.get("spatial_merge_size", 2) ** 2
    inner, wide = p.get("intermediate_size", 3420), width * merge
    patch = 3 * p.get("temporal_patch_size", 2) * p.get("patch_size", 14) ** 2 * width
    block = encoder_block(width, inner, gated=True, norm_bias=False)
    return patch + p.get("depth", 32) * block + width + two(wide, wide, p.get("out_hidden_size", hidden), True)


def qwen3(p: Json) -> int:
    width, merge, out = p["hidden_size"], p["spatial_merge_size"] ** 2, p["out_hidden_size"]
    wide = width * merge
    patch = p["in_channels"] * p["temporal_patch_size"] * p["patch_size"] ** 2 * width + width
    project = two(wide, wide, out, True)
    deep = len(p["deepstack_visual_indexes"]) * (2 * wide + project)
    blocks = p["depth"] * encoder_block(width, p["intermediate_size"])
    return patch + p["num_position_embeddings"] * width + blocks + 2 * width + project + deep


def glm4v(p: Json) -> int:
    width, out = p["hidden_size"], p["out_hidden_size"]  # the blocks are as wide inside as what leaves the tower
    patch = p.get("in_channels", 3) * p.get("temporal_patch_size", 2) * p["patch_size"] ** 2 * width + width
    places = (p["image_size"] // p["patch_size"]) ** 2 * width
    block = 4 * width * width + (3 * width if p.get("attention_bias", False) else 0) + 3 * width * out + 2 * width
    merge = p.get("spatial_merge_size", 2) ** 2 * width * out + out
    return (
        patch + places + p["depth"] * block + 2 * width + merge + out * out + 2 * out + 3 * out * p["intermediate_size"]
    )


def llama4(p: Json, hidden: int) -> int:
    width, layers, inner = p.get("hidden_size", 1408), p.get("num_hidden_layers", 34), p.get("intermediate_size", 5632)
    patches = (p.get("image_size", 336) // p.get("patch_size", 14)) ** 2 + 1
    patch = 3 * p.get("patch_size", 14) ** 2 * width
    ratio = round(1 / p.get("pixel_shuffle_ratio", 0.5)) ** 2
    middle = p.get("projector_input_dim", 4096)
    adapter = two(width * ratio, middle, p.get("projector_output_dim", 4096), False)
    joined = p.get("vision_output_dim", 4096) * hidden
    return patch + width + patches * width + layers * encoder_block(width, inner) + 4 * width + adapter + joined


def gemma4(p: Json, hidden: int) -> int:
    width, heads, dim = p["hidden_size"], p["num_attention_heads"], p["head_dim"]
    attention = width * dim * (2 * heads + 2 * p["num_key_value_heads"])
    block = attention + 3 * width * p["intermediate_size"] + 4 * width + 2 * dim
    block += 4 * 7 if p.get("use_clipped_linears") else 0  # the limits of each projection's inputs and outputs
    patch = 3 * p["patch_size"] ** 2 * width + (2 * width if p.get("standardize") else 0)
    return patch + 2 * p["position_embedding_size"] * width + p["num_hidden_layers"] * block + width * hidden


def minimax(p: Json, config: Json, hidden: int) -> int:
    """Blocks as in CLIP without stored positions; one projector for each patch, one for the merged ones."""
    width, told = p["hidden_size"], p.get("img_token_compression_config") or {}
    merge = p.get("spatial_merge_size") or told.get("spatial_merge_size", 2)
    patch = 3 * (p.get("temporal_patch_size") or told.get("temporal_patch_size", 2)) * p["patch_size"] ** 2 * width
    middle = config.get("projector_hidden_size") or hidden
    joined = two(width, middle, hidden, True) + two(hidden * merge**2, middle, hidden, True)
    return patch + p["num_hidden_layers"] * encoder_block(width, p["intermediate_size"]) + 2 * width + joined


def step(p: Json, config: Json, hidden: int) -> int:
    """Two convolutions of 3 x 3, each of which doubles the width, before a linear layer."""
    width, inner = p["hidden_size"], p.get("intermediate_size") or round(p["hidden_size"] * p["mlp_ratio"])
    places = p.get("max_position_embeddings") or (p["image_size"] // p["patch_size"]) ** 2
    start = 3 * p["patch_size"] ** 2 * width + places * width + 2 * width
    blocks = p["num_hidden_layers"] * (encoder_block(width, inner) + 2 * width)
    down = 9 * width * 2 * width + 2 * width + 9 * 2 * width * 4 * width + 4 * width
    return start + blocks + down + 4 * width * hidden + (hidden if config.get("projector_bias") else 0)


def moon(p: Json, hidden: int) -> int:
    width = p.get("vt_hidden_size") or p["hidden_size"]
    inner = p.get("vt_intermediate_size") or p["intermediate_size"]
    layers = p.get("vt_num_hidden_layers") or p["num_hidden_layers"]
    grid = (p.get("init_pos_emb_height") or p["pos_emb_height"]) * (p.get("init_pos_emb_width") or p["pos_emb_width"])
    wide = width * p["merge_kernel_size"][0] * p["merge_kernel_size"][1]
    if "qkv_hidden_size" in p:  # Kimi K3: no biases, norms without bias, wider heads
        block = 4 * width * p["qkv_hidden_size"] + 2 * width * inner + 2 * width
        join = wide * wide + wide * hidden + hidden
        return 3 * p["patch_size"] ** 2 * width + grid * width + layers * block + width + join
    patch = 3 * p["patch_size"] ** 2 * width + width + grid * width
    return patch + layers * encoder_block(width, inner) + 4 * width + two(wide, wide, hidden, True)


def internvl(p: Json, config: Json, hidden: int, first: bool) -> int:
    """first: with the field names of the model's own code, which the converted files rename."""
    width, inner = p["hidden_size"], p["intermediate_size"]
    image, patch = (v[0] if isinstance(v, list) else v for v in (p["image_size"], p["patch_size"]))
    rms = first and p.get("norm_type") == "rms_norm"
    block = encoder_block(width, inner) + 2 * width - (2 * width if rms else 0)
    if not p.get("qkv_bias" if first else "attention_bias", False):
        block -= 3 * width
    if p.get("qk_normalization" if first else "use_qk_norm", False):
        block += 2 * width
    start = 3 * patch**2 * width + width + width + ((image // patch) ** 2 + 1) * width
    wide = width * round(1 / config["downsample_ratio"]) ** 2
    return start + p["num_hidden_layers"] * block + 2 * wide + two(wide, hidden, hidden, True)


def exaone(p: Json) -> int:
    """As Qwen2.5-VL, with fewer heads of keys and values."""
    width, kv = p["hidden_size"], p["num_key_value_heads"]
    less = 2 * (width - width // p["num_heads"] * kv)
    return qwen25(p, p["out_hidden_size"]) - p["depth"] * (width + 1) * less


def glm_ocr(p: Json) -> int:
    width, inner, out, bias = (
        p["hidden_size"],
        p["intermediate_size"],
        p["out_hidden_size"],
        p.get("attention_bias", True),
    )
    patch = p.get("in_channels", 3) * p.get("temporal_patch_size", 2) * p["patch_size"] ** 2 * width + width
    each = encoder_block(width, inner, gated=True, bias=bias, norm_bias=False) + 2 * width // p["num_heads"]
    merge = p.get("spatial_merge_size", 2) ** 2 * width * out + out
    joined = out * out + 2 * out + 3 * out * out * p.get("in_channels", 3)
    return patch + p["depth"] * each + width + merge + joined


def ovis(p: Json, config: Json, hidden: int) -> int:
    """An image becomes words of its own vocabulary, which has its own table of embeddings."""
    width, inner, words = p["hidden_size"], p["intermediate_size"], p["vocab_size"]
    own = words - p.get("num_visual_indicator_tokens", 5)
    start = p.get("num_channels", 3) * p["patch_size"] ** 2 * width + width
    places = (p["image_size"] // p["patch_size"]) ** 2 * width
    each = encoder_block(width, inner, gated=True, bias=False, norm_bias=False) + (
        3 * width if p.get("qkv_bias", False) else 0
    )
    head = width * p.get("hidden_stride", 1) ** 2 * own + 2 * own
    return start + places + 2 * width + p["num_hidden_layers"] * each + head + words * config.get("hidden_size", hidden)


def muse(p: Json, config: Json, hidden: int) -> int:
    width, middle = p["hidden_size"], config["projector_hidden_size"]
    patch = 3 * p["patch_temporal"] * p["patch_size"] ** 2 * width
    places = p["pos_emb_height"] * p["pos_emb_width"] * width
    joined = two(width * p["merge_size"] ** 2, middle, middle, False) + middle * hidden
    return patch + places + 4 * width + p["num_hidden_layers"] * encoder_block(width, p["intermediate_size"]) + joined
