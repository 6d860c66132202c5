"""Towers beside the language model: parameters of what turns images and sound into tokens.

A tower is an encoder, known by its own kind, and what joins it to the language model, known by the kind of the whole
model. Only layouts that were checked against the classes of transformers are counted; the result says what was not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import hearing
from . import tower_kinds as kinds

Json = dict[str, Any]
ENCODER, JOINT = "tower", "joint"  # what is of an unknown kind and not counted

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
    """(parameters, what was not counted, ENCODER or JOINT, or the fields whose own value the class gave) of the image
    tower; (0, "") when there is none."""
    part = _part(config, "vision_config")
    if config.get("model_type") == "fuyu":  # patches go straight into the language model
        part = config
    return _told(part, config, lambda own, whole: _count(own, whole, hidden))


def audio(config: Json, hidden: int) -> tuple[int, str]:
    """(parameters, what was assumed or not counted) of the sound tower; (0, "") when there is none."""
    part = _part(config, "audio_config")
    if part is None and "projector_config" in config or str(config.get("model_type")).startswith("granite_speech"):
        part = _part(config, "encoder_config")
    return _told(part, config, lambda own, whole: (hearing.count(own, whole, hidden), 0))


def _part(config: Json, name: str) -> Any:
    part = config.get(name)
    if isinstance(part, dict) and part:
        return part
    thinker = config.get("thinker_config")
    return thinker.get(name) if isinstance(thinker, dict) else None


def _told(part: Any, config: Json, count: Callable[[Json, Json], tuple[int | None, int | None]]) -> tuple[int, str]:
    if not isinstance(part, dict) or not part:
        return 0, ""
    silent: list[str] = []
    try:
        found, joint = count(_Told(part, silent), _Told(config, silent))
    except _BROKEN:
        return 0, ENCODER
    # a tower of other than whole numbers, or larger than any model, is one we cannot read
    if not isinstance(found, int) or not 0 < found < 10**12:
        return 0, ENCODER
    if joint is None:
        return found, JOINT
    if not isinstance(joint, int) or not 0 <= joint < 10**12:
        return 0, ENCODER
    return found + joint, ", ".join(dict.fromkeys(silent))


def _count(part: Json, config: Json, hidden: int) -> tuple[int | None, int | None]:
    """(parameters of the encoder, of what joins it), each None where the layout is not known."""
    kind = str(part.get("model_type") or config.get("model_type") or "")
    outer = str(config.get("model_type") or "")
    if kind in ("idefics3", "smolvlm"):  # as older files write it
        kind += "_vision"
    if outer == "fuyu":
        return part["num_channels"] * part["patch_size"] ** 2 * hidden + hidden, 0
    if "deepstack_visual_indexes" in part:
        return kinds.qwen3(part), 0
    if kind.startswith(("qwen2_5_vl", "qwen2_5_omni")) or outer.startswith("qwen2_5_vl"):
        return kinds.qwen25(part, hidden), 0
    if outer == "qwen2_vl":
        return kinds.qwen2(part, hidden), 0
    if outer in ("glm4v", "glm4v_moe", "glm46v"):
        return kinds.glm4v(part), 0
    if kind == "exaone4_5_vision":
        return kinds.exaone(part), 0
    if kind == "glm_ocr_vision":
        return kinds.glm_ocr(part), 0
    if kind == "ovis2_vision" or outer == "ovis2":
        return kinds.ovis(part, config, hidden), 0
    if kind == "muse_glimmer_vision":
        return kinds.muse(part, config, hidden), 0
    if "llama4" in outer:
        return kinds.llama4(part, hidden), 0
    if kind.startswith("gemma4"):
        return kinds.gemma4(part, hidden), 0
    if outer == "minimax_m3_vl":
        return kinds.minimax(part, config, hidden), 0
    if kind == "step3p5_vision":
        return kinds.step(part, config, hidden), 0
    if "vt_hidden_size" in part or kind == "kimi_k25_vision":
        return kinds.moon(part, hidden), 0
    if kind in ("internvl_vision", "intern_vit_6b", "qianfan_ocr_vision"):
        return kinds.internvl(part, config, hidden, kind == "intern_vit_6b"), 0
    if kind in ("siglip_vision_model", "siglip2_vision_model", "idefics3_vision", "smolvlm_vision"):
        return kinds.siglip(part, kind), _join(part, config, hidden, outer, kinds.sizes(part, kind)[0])
    if kind == "clip_vision_model":
        return kinds.clip(part), _join(part, config, hidden, outer, kinds.sizes(part, "clip")[0])
    if kind == "pixtral":
        return kinds.pixtral(part), _join(part, config, hidden, outer, kinds.sizes(part, kind)[0])
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
        return (
            config.get("spatial_merge_size", 2) ** 2 * width * width + width + kinds.two(width, hidden, hidden, False)
        )
    if outer in ("llava", "llava_next", "llava_next_video", "llava_onevision", "deepseek_vl"):
        layers = config.get("vision_feature_layer")
        wide = width * (len(layers) if isinstance(layers, list) else 1)
        newline = hidden if outer not in ("llava", "deepseek_vl") else 0
        return newline + kinds.two(wide, hidden, hidden, config.get("multimodal_projector_bias", True))
    if outer not in ("lfm2_vl", "cohere2_vision", "aya_vision"):
        return None
    wide = width * config.get("downsample_factor", 2) ** 2
    if outer == "lfm2_vl":
        norm = 2 * wide if config.get("projector_use_layernorm", True) else 0
        return norm + kinds.two(
            wide, config.get("projector_hidden_size", 2560), hidden, config.get("projector_bias", True)
        )
    middle = config.get("alignment_intermediate_size", 36864 if outer == "cohere2_vision" else hidden)
    norm = 2 * wide if outer == "aya_vision" else 0  # one half of what comes out of the first layer gates the other
    return norm + wide * middle + middle + middle // 2 * hidden + hidden
