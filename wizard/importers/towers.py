"""Towers beside the language model: parameters of what turns images and sound into tokens.

A tower is an encoder, known by its own kind, and what joins it to the language model, known by the kind of the whole
model. Only layouts that were checked against the classes of transformers are counted; the result says what was not.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
ENCODER = "tower of an unknown kind, not counted"
JOINT = "projector of an unknown kind, not counted"

# what an encoder's class has where the file leaves a size out: width, inner, layers, patch, image
_SIZES = {
    "siglip": (768, 3072, 12, 16, 224),
    "idefics3_vision": (1152, 3072, 12, 32, 224),
    "smolvlm_vision": (1152, 3072, 12, 32, 224),
    "clip": (768, 3072, 12, 32, 224),
    "pixtral": (1024, 4096, 24, 16, 1024),
}
_BROKEN = (KeyError, TypeError, IndexError, ValueError, ZeroDivisionError, OverflowError, AttributeError)


class _Row(list):
    """A list of a file. Where a number belongs it is an error: Python would repeat it as often as a model is wide."""

    def __mul__(self, times: Any) -> Any:
        raise TypeError("a list in the place of a number")

    __rmul__ = __mul__


class _Told(dict):
    """Fields of a file, which remembers those that were silent and for which the class's own value stood in.

    Text stays only where a kind is named, for the same reason as in `_Row`.
    """

    def __init__(self, fields: Json, silent: list[str]) -> None:
        super().__init__({k: self._plain(v, silent) for k, v in fields.items() if _fits(k, v)})
        self.silent = silent

    @staticmethod
    def _plain(value: Any, silent: list[str]) -> Any:
        if isinstance(value, dict):
            return _Told(value, silent)
        return _Row(value) if isinstance(value, list) else value

    def get(self, name: str, default: Any = None) -> Any:
        value = super().get(name)
        if value is None and default is not None:
            self.silent.append(name)
        return default if value is None else value


def _fits(name: str, value: Any) -> bool:
    return not isinstance(value, str) or name.endswith("_type")


def vision(config: Json, hidden: int) -> tuple[int, str]:
    """(parameters, what was assumed or not counted) of the vision tower; (0, "") when there is none."""
    part = config.get("vision_config")
    if not isinstance(part, dict) or not part:
        thinker = config.get("thinker_config")
        part = thinker.get("vision_config") if isinstance(thinker, dict) else None
    if config.get("model_type") == "fuyu":  # patches go straight into the language model
        part = config
    if not isinstance(part, dict) or not part:
        return 0, ""
    silent: list[str] = []
    try:
        found, joint = _count(_Told(part, silent), _Told(config, silent), hidden)
    except _BROKEN:
        return 0, ENCODER
    # a tower of other than whole numbers, or larger than any model, is one we cannot read
    if not isinstance(found, int) or not 0 < found < 10**12:
        return 0, ENCODER
    if joint is None:
        return found, JOINT
    if not isinstance(joint, int) or not 0 <= joint < 10**12:
        return 0, ENCODER
    return found + joint, f"{', '.join(dict.fromkeys(silent))} (class default)" if silent else ""


def _count(part: Json, config: Json, hidden: int) -> tuple[int | None, int | None]:
    """(parameters of the encoder, of what joins it), each None where the layout is not known."""
    kind = str(part.get("model_type") or config.get("model_type") or "")
    outer = str(config.get("model_type") or "")
    if kind in ("idefics3", "smolvlm"):  # as older files write it
        kind += "_vision"
    if outer == "fuyu":
        return part["num_channels"] * part["patch_size"] ** 2 * hidden + hidden, 0
    if "deepstack_visual_indexes" in part:
        return _qwen3(part), 0
    if kind.startswith("qwen2_5_vl") or outer.startswith("qwen2_5_vl"):
        return _qwen25(part, hidden), 0
    if outer == "qwen2_vl":
        return _qwen2(part, hidden), 0
    if outer in ("glm4v", "glm4v_moe", "glm46v"):
        return _glm4v(part), 0
    if "llama4" in outer:
        return _llama4(part, hidden), 0
    if kind.startswith("gemma4"):
        return _gemma4(part, hidden), 0
    if outer == "minimax_m3_vl":
        return _minimax(part, config, hidden), 0
    if kind == "step3p5_vision":
        return _step(part, config, hidden), 0
    if "vt_hidden_size" in part or kind == "kimi_k25_vision":
        return _moon(part, hidden), 0
    if kind in ("internvl_vision", "intern_vit_6b", "qianfan_ocr_vision"):
        return _internvl(part, config, hidden, kind == "intern_vit_6b"), 0
    if kind in ("siglip_vision_model", "siglip2_vision_model", "idefics3_vision", "smolvlm_vision"):
        return _siglip(part, kind), _join(part, config, hidden, outer, _sizes(part, kind)[0])
    if kind == "clip_vision_model":
        return _clip(part), _join(part, config, hidden, outer, _sizes(part, "clip")[0])
    if kind == "pixtral":
        return _pixtral(part), _join(part, config, hidden, outer, _sizes(part, kind)[0])
    return None, None


def _join(part: Json, config: Json, hidden: int, outer: str, width: int) -> int | None:
    """Parameters between an encoder's outputs of `width` and the language model; None where not known."""
    if outer in ("gemma3", "shieldgemma2"):
        return width * hidden + width
    if outer == "paligemma":
        out = part.get("projection_dim") or config.get("projection_dim", hidden)
        return width * out + out
    if outer in ("idefics3", "smolvlm"):
        return width * config.get("scale_factor", 2) ** 2 * hidden
    if outer in ("mistral3", "lighton_ocr"):
        return config.get("spatial_merge_size", 2) ** 2 * width * width + width + _two(width, hidden, hidden, False)
    if outer in ("llava", "llava_next", "llava_next_video", "llava_onevision", "deepseek_vl"):
        layers = config.get("vision_feature_layer")
        wide = width * (len(layers) if isinstance(layers, list) else 1)
        newline = hidden if outer not in ("llava", "deepseek_vl") else 0
        return newline + _two(wide, hidden, hidden, config.get("multimodal_projector_bias", True))
    if outer not in ("lfm2_vl", "cohere2_vision", "aya_vision"):
        return None
    wide = width * config.get("downsample_factor", 2) ** 2
    if outer == "lfm2_vl":
        norm = 2 * wide if config.get("projector_use_layernorm", True) else 0
        return norm + _two(wide, config.get("projector_hidden_size", 2560), hidden, config.get("projector_bias", True))
    middle = config.get("alignment_intermediate_size", 36864 if outer == "cohere2_vision" else hidden)
    norm = 2 * wide if outer == "aya_vision" else 0  # one half of what comes out of the first layer gates the other
    return norm + wide * middle + middle + middle // 2 * hidden + hidden


def _two(wide: int, middle: int, out: int, bias: Any) -> int:
    """Two linear layers."""
    return wide * middle + middle * out + (middle + out if bias else 0)


def _sizes(part: Json, kind: str) -> tuple[int, int, int, int, int]:
    """Width, inner width, layers, patch and image of an encoder, its class's own where the file has none."""
    names = ("hidden_size", "intermediate_size", "num_hidden_layers", "patch_size", "image_size")
    default = _SIZES["siglip" if kind.startswith("siglip") else kind]
    width, inner, layers, patch, image = (part.get(n, d) for n, d in zip(names, default, strict=True))
    return width, inner, layers, patch, image


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


def _siglip(p: Json, kind: str) -> int:
    width, inner, layers, patch, image = _sizes(p, kind)
    places = p.get("num_patches", 256) if kind.startswith("siglip2") else (image // patch) ** 2
    start = p.get("num_channels", 3) * patch**2 * width + width + places * width
    head = 0
    if kind.startswith("siglip") and p.get("vision_use_head", True):  # one more block that pools, from one query
        head = _block(width, inner, norms=1) + width
    return start + layers * _block(width, inner) + 2 * width + head


def _clip(p: Json) -> int:
    width, inner, layers, patch, image = _sizes(p, "clip")
    start = p.get("num_channels", 3) * patch**2 * width + width + ((image // patch) ** 2 + 1) * width
    return start + layers * _block(width, inner) + 4 * width


def _pixtral(p: Json) -> int:
    width, inner, layers, patch, _ = _sizes(p, "pixtral")
    block = 4 * width * width + 3 * width * inner + 2 * width
    return p.get("num_channels", 3) * patch**2 * width + width + layers * block


def _qwen2(p: Json, hidden: int) -> int:
    width, merge = p.get("embed_dim", 1280), p.get("spatial_merge_size", 2) ** 2
    inner, wide = int(width * p.get("mlp_ratio", 4)), width * merge
    patch = 3 * p.get("temporal_patch_size", 2) * p.get("patch_size", 14) ** 2 * width
    out = p.get("hidden_size", hidden)
    return patch + p.get("depth", 32) * _block(width, inner) + 2 * width + _two(wide, wide, out, True)


def _qwen25(p: Json, hidden: int) -> int:
    width, merge = p.get("hidden_size", 1280), p.get("spatial_merge_size", 2) ** 2
    inner, wide = p.get("intermediate_size", 3420), width * merge
    patch = 3 * p.get("temporal_patch_size", 2) * p.get("patch_size", 14) ** 2 * width
    block = _block(width, inner, gated=True, norm_bias=False)
    return patch + p.get("depth", 32) * block + width + _two(wide, wide, p.get("out_hidden_size", hidden), True)


def _qwen3(p: Json) -> int:
    width, merge, out = p["hidden_size"], p["spatial_merge_size"] ** 2, p["out_hidden_size"]
    wide = width * merge
    patch = p["in_channels"] * p["temporal_patch_size"] * p["patch_size"] ** 2 * width + width
    project = _two(wide, wide, out, True)
    deep = len(p["deepstack_visual_indexes"]) * (2 * wide + project)
    blocks = p["depth"] * _block(width, p["intermediate_size"])
    return patch + p["num_position_embeddings"] * width + blocks + 2 * width + project + deep


def _glm4v(p: Json) -> int:
    width, out = p["hidden_size"], p["out_hidden_size"]  # the blocks are as wide inside as what leaves the tower
    patch = p.get("in_channels", 3) * p.get("temporal_patch_size", 2) * p["patch_size"] ** 2 * width + width
    places = (p["image_size"] // p["patch_size"]) ** 2 * width
    block = 4 * width * width + (3 * width if p.get("attention_bias", False) else 0) + 3 * width * out + 2 * width
    merge = p.get("spatial_merge_size", 2) ** 2 * width * out + out
    return (
        patch + places + p["depth"] * block + 2 * width + merge + out * out + 2 * out + 3 * out * p["intermediate_size"]
    )


def _llama4(p: Json, hidden: int) -> int:
    width, layers, inner = p.get("hidden_size", 1408), p.get("num_hidden_layers", 34), p.get("intermediate_size", 5632)
    patches = (p.get("image_size", 336) // p.get("patch_size", 14)) ** 2 + 1
    patch = 3 * p.get("patch_size", 14) ** 2 * width
    ratio = round(1 / p.get("pixel_shuffle_ratio", 0.5)) ** 2
    middle = p.get("projector_input_dim", 4096)
    adapter = _two(width * ratio, middle, p.get("projector_output_dim", 4096), False)
    joined = p.get("vision_output_dim", 4096) * hidden
    return patch + width + patches * width + layers * _block(width, inner) + 4 * width + adapter + joined


def _gemma4(p: Json, hidden: int) -> int:
    width, heads, dim = p["hidden_size"], p["num_attention_heads"], p["head_dim"]
    attention = width * dim * (2 * heads + 2 * p["num_key_value_heads"])
    block = attention + 3 * width * p["intermediate_size"] + 4 * width + 2 * dim
    block += 4 * 7 if p.get("use_clipped_linears") else 0  # the limits of each projection's inputs and outputs
    patch = 3 * p["patch_size"] ** 2 * width + (2 * width if p.get("standardize") else 0)
    return patch + 2 * p["position_embedding_size"] * width + p["num_hidden_layers"] * block + width * hidden


def _minimax(p: Json, config: Json, hidden: int) -> int:
    """Blocks as in CLIP without stored positions; one projector for each patch, one for the merged ones."""
    width, told = p["hidden_size"], p.get("img_token_compression_config") or {}
    merge = p.get("spatial_merge_size") or told.get("spatial_merge_size", 2)
    patch = 3 * (p.get("temporal_patch_size") or told.get("temporal_patch_size", 2)) * p["patch_size"] ** 2 * width
    middle = config.get("projector_hidden_size") or hidden
    joined = _two(width, middle, hidden, True) + _two(hidden * merge**2, middle, hidden, True)
    return patch + p["num_hidden_layers"] * _block(width, p["intermediate_size"]) + 2 * width + joined


def _step(p: Json, config: Json, hidden: int) -> int:
    """Two convolutions of 3 x 3, each of which doubles the width, before a linear layer."""
    width, inner = p["hidden_size"], p.get("intermediate_size") or round(p["hidden_size"] * p["mlp_ratio"])
    places = p.get("max_position_embeddings") or (p["image_size"] // p["patch_size"]) ** 2
    start = 3 * p["patch_size"] ** 2 * width + places * width + 2 * width
    blocks = p["num_hidden_layers"] * (_block(width, inner) + 2 * width)
    down = 9 * width * 2 * width + 2 * width + 9 * 2 * width * 4 * width + 4 * width
    return start + blocks + down + 4 * width * hidden + (hidden if config.get("projector_bias") else 0)


def _moon(p: Json, hidden: int) -> int:
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
    return patch + layers * _block(width, inner) + 4 * width + _two(wide, wide, hidden, True)


def _internvl(p: Json, config: Json, hidden: int, first: bool) -> int:
    """first: with the field names of the model's own code, which the converted files rename."""
    width, inner = p["hidden_size"], p["intermediate_size"]
    image, patch = (v[0] if isinstance(v, list) else v for v in (p["image_size"], p["patch_size"]))
    rms = first and p.get("norm_type") == "rms_norm"
    block = _block(width, inner) + 2 * width - (2 * width if rms else 0)
    if not p.get("qkv_bias" if first else "attention_bias", False):
        block -= 3 * width
    if p.get("qk_normalization" if first else "use_qk_norm", False):
        block += 2 * width
    start = 3 * patch**2 * width + width + width + ((image // patch) ** 2 + 1) * width
    wide = width * round(1 / config["downsample_ratio"]) ** 2
    return start + p["num_hidden_layers"] * block + 2 * wide + _two(wide, hidden, hidden, True)
