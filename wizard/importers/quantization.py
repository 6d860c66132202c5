"""What the weights are stored in, from quantization_config, hf_quant_config.json or an MLX section.

The result has the shape of a format type: bits of the quantized matrices, and for every parameter
group the mean bits that the file's exceptions leave it with, scales and zero points counted.
"""

from __future__ import annotations

import re
from typing import Any

from .fields import Fields, Json
from .problem import ImportProblem, shown

_QUANTIZED = ("attention", "linear-attention", "mlp", "experts", "shared-experts", "indexer")
_WIDTHS = {"float32": 32, "float64": 64, "float16": 16, "bfloat16": 16, "half": 16, "float": 32}
# which matrices a module's last name stands for
_ROLES = {
    "q_proj": ("attn_q",), "k_proj": ("attn_k",), "v_proj": ("attn_v",), "o_proj": ("attn_output",),
    "q_a_proj": ("attn_q_a",), "q_b_proj": ("attn_q_b",), "kv_a_proj_with_mqa": ("attn_kv_a",),
    "kv_b_proj": ("attn_k_b", "attn_v_b"), "gate_proj": ("ffn_gate",), "up_proj": ("ffn_up",),
    "down_proj": ("ffn_down",), "gate_up_proj": ("ffn_gate", "ffn_up"),
    "qkv_proj": ("attn_q", "attn_k", "attn_v"), "in_proj_qkv": ("attn_qkv",),
}  # fmt: skip
_ATTENTION = ("self_attn", "attn", "attention", "self_attention", "indexer")
_MLP = ("mlp", "feed_forward", "ffn", "block_sparse_moe")
_LAYER = re.compile(r"(?:layers|blocks|h)\.(\d+|\*)(?:\.(.*))?$")
_SEES = re.compile(r"vision|visual|mm_projector|multi_modal|patch_merge|image_")
_HEARS = re.compile(r"audio|speech|sound")
# a pattern that names all of a layer, or its experts
_WHOLE = re.compile(r"(mtp|layers\\?\.\d+)(\\?\.layers(\\?\.\d+)?)?[.*$\\]*$|experts")
# methods by name: family of the format
_SIMPLE = {"awq": "awq", "gptq": "gptq", "auto-round": "gptq", "autoround": "gptq", "hqq": "gptq"}


def read(config: Json, fields: Fields, quant_file: Any, entry: Json) -> Json | None:
    """The format of the weights, or None when neither a quantization nor a dtype is written.

    Returns {"family", "type", "bits", "tensors", "group_size"}.

    "tensors" has "mtp" where the section says how the layers that predict further tokens are stored.
    """
    section, where = _section(config, fields, quant_file)
    if section is None:
        return _plain(fields)
    if not isinstance(section, dict):
        raise ImportProblem(where, "not-map", shown(section))
    found = _method(section, where, fields)
    bits = found["bits"]
    stored = [_bits_of(row, bits, found) for row in entry["matrices"]]
    _exceptions(entry["matrices"], stored, section, found)
    sums: dict[str, list[float]] = {}
    for row, each in zip(entry["matrices"], stored, strict=True):
        total = sums.setdefault(row["group"], [0.0, 0.0])
        total[0] += row["params"] * row["layers"]
        total[1] += row["params"] * sum(each)
    tensors = {name: bits_ / params for name, (params, bits_) in sums.items()}
    if "mtp" in found:
        tensors["mtp"] = found["mtp"]
    return {"family": found["family"], "type": found["type"], "bits": bits, "tensors": tensors,
            "group_size": found.get("group_size", 0)}  # fmt: skip


def kv_type(config: Json, fields: Fields, quant_file: Any) -> str | None:
    """The KV cache type a checkpoint was made for, when it says one."""
    section, _ = _section(config, fields, quant_file)
    if not isinstance(section, dict):
        return None
    scheme = section.get("kv_cache_scheme") or section.get("kv_cache_quant_algo")
    if isinstance(scheme, dict):
        return "fp8" if scheme.get("num_bits") == 8 else None
    return scheme.lower() if isinstance(scheme, str) and scheme.lower() in ("fp8", "int8", "nvfp4") else None


def _section(config: Json, fields: Fields, quant_file: Any) -> tuple[Any, str]:
    if isinstance(quant_file, dict) and quant_file:
        inner = quant_file.get("quantization", quant_file)
        return inner, "hf_quant_config.json"
    for name in ("quantization_config", "compression_config", "quantization"):
        value = fields.raw(name) or config.get(name)
        if value is not None and value != {}:
            return value, name
    return None, ""


def _plain(fields: Fields) -> Json | None:
    dtype = fields.raw("torch_dtype") or fields.raw("dtype")
    if not isinstance(dtype, str):
        return None
    bits = _WIDTHS.get(dtype.removeprefix("torch."))
    if bits is None:
        raise ImportProblem(fields.where("torch_dtype"), "unknown", shown(dtype))
    type_ = {16: "bf16" if "b" in dtype.removeprefix("torch.")[:1] else "fp16", 32: "fp32", 64: "fp64"}[bits]
    return {"family": "safetensors", "type": type_, "bits": bits, "tensors": {}, "group_size": 0}


def _number(section: Json, name: str, where: str, low: float, high: float) -> float:
    value = section.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        if value is None:
            raise ImportProblem(f"{where}.{name}", "missing")
        raise ImportProblem(f"{where}.{name}", "impossible", shown(value))
    return value


def _method(section: Json, where: str, fields: Fields) -> Json:
    """Family, type and bits of the quantized matrices."""
    method = str(section.get("quant_method") or "").lower()
    algo = str(section.get("quant_algo") or "").upper()
    if not method and not algo and "group_size" in section and "bits" in section:
        return _mlx(section, where)
    routed = _ALGOS.get(str(section.get("moe_quant_algo") or "").upper())
    if algo and routed and method == "fp8":  # experts quantized once more, the rest as the FP8 file had it
        family, type_, bits = routed
        return {**_fp8(section, fields), "family": family, "type": type_, "experts": bits, "over": True}
    if algo:
        return _modelopt(section, algo, where)
    if method == "compressed-tensors" or (not method and "config_groups" in section):
        return _groups(section, where)
    if method in ("fp8", "fbgemm_fp8", "quark", "fp8_e4m3", "modelopt"):
        return _fp8(section, fields)
    if method in _SIMPLE:
        bits = _number(section, "w_bit" if "w_bit" in section else "bits", where, 1, 16)
        group = section.get("group_size", section.get("q_group_size", 128))
        group = group if isinstance(group, int) and group > 0 else 0
        cost = (16 + bits) / group if group else 0.0
        family = "awq" if "awq" in str(section.get("packing_format", "")) else _SIMPLE[method]
        type_ = "int4-g128" if bits == 4 else f"int{bits:g}"
        return {"family": family, "type": type_, "bits": bits + cost, "group_size": group}
    if method == "mxfp4":
        return {"family": "mxfp4", "type": "mxfp4", "bits": 4.25, "group_size": 32, "only": ("experts",)}
    if method in ("bitsandbytes", "bnb"):
        if section.get("load_in_8bit") or section.get("_load_in_8bit"):
            return {"family": "bitsandbytes", "type": "int8", "bits": 8.01}
        return {
            "family": "bitsandbytes",
            "type": "nf4",
            "bits": 4.127 if section.get("bnb_4bit_use_double_quant") else 4.5,
        }
    if method in ("exl2", "exl3"):
        bits = _number(section, "bits", where, 1, 16)
        head = section.get("head_bits", section.get("lm_head_bits", 6))
        return {"family": method, "type": f"{bits:.1f}bpw".replace(".", "_"), "bits": bits, "head": head}
    raise ImportProblem(f"{where}.quant_method", "unknown", shown(method or section.get("quant_method")))


def _mlx(section: Json, where: str) -> Json:
    bits = _number(section, "bits", where, 1, 16)
    group = int(_number(section, "group_size", where, 1, 4096))
    block = {"mxfp4": 8 / group, "nvfp4": 8 / group, "mxfp8": 8 / group}.get(str(section.get("mode")), 32 / group)
    return {"family": "mlx", "type": f"int{bits:g}", "bits": bits + block, "group_size": group,
            "also": ("embeddings", "head", "router")}  # fmt: skip


def _fp8(section: Json, fields: Fields) -> Json:
    block = section.get("weight_block_size")
    if isinstance(block, list) and len(block) == 2 and all(isinstance(b, int) and b > 0 for b in block):
        scale = 8 if section.get("scale_fmt") == "ue8m0" else 32
        found: Json = {
            "family": "fp8",
            "type": "e4m3",
            "bits": 8 + scale / (block[0] * block[1]),
            "group_size": block[0] * block[1],
        }
    else:
        found = {"family": "fp8", "type": "e4m3-tensor", "bits": 8.0}
    if str(fields.raw("expert_dtype")).lower() in ("fp4", "mxfp4"):
        found["experts"] = 4.25  # one power-of-two scale per 32
    return found


_ALGOS = {
    "FP8": ("fp8", "e4m3-tensor", 8.0), "FP8_PER_CHANNEL_PER_TOKEN": ("fp8", "e4m3-tensor", 8.0),
    "FP8_PB_WO": ("fp8", "e4m3", 8.002), "NVFP4": ("nvfp4", "nvfp4", 4.5),
    "W4A8_AWQ": ("awq", "int4-g128", 4.125), "W4A16_AWQ": ("awq", "int4-g128", 4.15625),
    "W4A16": ("gptq", "int4-g128", 4.125),
    "W4A16_NVFP4": ("nvfp4", "nvfp4", 4.5), "W4A8_NVFP4_FP8": ("nvfp4", "nvfp4", 4.5),
    "W4A8_MXFP4_FP8": ("mxfp4", "mxfp4", 4.25), "MXFP4": ("mxfp4", "mxfp4", 4.25), "MXFP8": ("fp8", "e4m3", 8.25),
    "INT8_SQ": ("int8", "w8a8", 8.01),
    "W8A8_SQ_PER_CHANNEL": ("int8", "w8a8", 8.01), "W8A16": ("int8", "w8a8", 8.01),
}  # fmt: skip


def _modelopt(section: Json, algo: str, where: str) -> Json:
    if algo == "MIXED_PRECISION":
        listed = section.get("quantized_layers")
        if not isinstance(listed, dict) or not listed:
            raise ImportProblem(f"{where}.quantized_layers", "missing")
        names = {str(v.get("quant_algo", "")).upper() for v in listed.values() if isinstance(v, dict)}
        unknown = names - set(_ALGOS)
        if unknown:
            raise ImportProblem(f"{where}.quantized_layers", "unknown", shown(sorted(unknown)))
        main = _ALGOS["NVFP4" if "NVFP4" in names else sorted(names)[0]]
        return {"family": main[0], "type": main[1], "bits": main[2], "listed": listed}
    if algo not in _ALGOS:
        raise ImportProblem(f"{where}.quant_algo", "unknown", shown(algo))
    family, type_, bits = _ALGOS[algo]
    return {"family": family, "type": type_, "bits": bits}


def _groups(section: Json, where: str) -> Json:
    """compressed-tensors: the first group of targets says how linear layers are stored."""
    listed = section.get("config_groups")
    first = next(iter(listed.values()), None) if isinstance(listed, dict) else None
    weights = first.get("weights") if isinstance(first, dict) else None
    if not isinstance(weights, dict):
        raise ImportProblem(f"{where}.config_groups.weights", "missing")
    bits = _number(weights, "num_bits", f"{where}.config_groups.weights", 1, 16)
    group = weights.get("group_size")
    group = group if isinstance(group, int) and group > 0 else 0
    kind = str(weights.get("type"))
    if kind == "float" and bits == 4:
        return (
            {"family": "nvfp4", "type": "nvfp4", "bits": 4.5}
            if group == 16
            else {"family": "mxfp4", "type": "mxfp4", "bits": 4.25}
        )
    if kind == "float":
        block = weights.get("block_structure")
        if weights.get("strategy") == "block" and isinstance(block, list) and len(block) == 2:
            return {
                "family": "fp8",
                "type": "e4m3",
                "bits": 8 + 32 / (block[0] * block[1]),
                "group_size": block[0] * block[1],
            }
        return {"family": "fp8", "type": "e4m3-tensor", "bits": 8.0}
    if bits == 8 and first is not None and first.get("input_activations"):
        return {"family": "int8", "type": "w8a8", "bits": 8.01}
    cost = 16 / group if group else 0.0
    if not weights.get("symmetric", True) and group:
        cost += bits / group
    found: Json = {"bits": bits + cost, "group_size": group}
    if bits == 4 and group == 32:
        # a file that skips attention stores only the experts so, as models trained for it do
        skipped = " ".join(str(name) for name in section.get("ignore") or [])
        return {"family": "compressed-tensors", "type": "int4-g32" if "attn" in skipped else "w4a16-g32", **found}
    return {"family": "gptq", "type": "int4-g128" if bits == 4 else f"int{bits:g}", **found}


def _bits_of(row: Json, bits: float, found: Json) -> list[float]:
    """Bits of a matrix on each of its layers, before the file's exceptions."""
    group, wide = row["group"], 16.0
    if row["role"] == "vector" or found.get("listed"):
        each = wide
    elif group in found.get("also", ()):
        each = bits
    elif group == "head" and "head" in found:
        each = float(found["head"])
    elif group == "experts" and "experts" in found:
        each = found["experts"]
    else:
        only = found.get("only", _QUANTIZED)
        each = bits if group in only and row["role"] != "ssm" else wide
    return [each] * row["layers"]


def _exceptions(rows: list[Json], stored: list[list[float]], section: Json, found: Json) -> None:
    if found.get("over"):
        return  # what its lists leave out stays in 8 bits
    if found.get("listed"):
        for name, how in found["listed"].items():
            if not isinstance(how, dict):
                continue
            bits = _ALGOS[str(how.get("quant_algo", "")).upper()][2]
            if _predicts(str(name), rows):
                found["mtp"] = max(bits, found.get("mtp", 0))
            else:
                _apply(rows, stored, str(name), bits, experts_in=True)
    skipped: list[Any] = []
    for key in ("modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers", "llm_int8_skip_modules"):
        value = section.get(key)
        if isinstance(value, list):
            skipped += value
    for name in dict.fromkeys(v for v in skipped if isinstance(v, str)):
        if _predicts(name, rows):
            if _WHOLE.search(name):
                found["mtp"] = 16.0
        else:
            _apply(rows, stored, name, 16.0)
    special = {k: v for k, v in section.items() if isinstance(v, dict) and "bits" in v and "group_size" in v}
    for name, how in special.items():  # MLX: a module with its own bits
        known = isinstance(how["bits"], int | float) and isinstance(how["group_size"], int) and how["group_size"] > 0
        if known and not _predicts(name, rows):
            _apply(rows, stored, name, how["bits"] + 32 / how["group_size"])


def _predicts(pattern: str, rows: list[Json]) -> bool:
    """Whether a module pattern names a layer that predicts further tokens: by its name, or as a layer after the
    last one of the model."""
    name = pattern.replace("\\.", ".")
    if re.search(r"(^|[^a-z])mtp", name):
        return True
    if _SEES.search(name) or _HEARS.search(name):
        return False
    match = re.search(r"(?:^|\.)layers\.(\d+)(?!\d)", name)
    return bool(match) and int(match[1]) > max((i for row in rows for i in row["at"]), default=0)


def _apply(rows: list[Json], stored: list[list[float]], pattern: str, bits: float, experts_in: bool = False) -> None:
    """Set the bits of every matrix that a module pattern names."""
    name = pattern.removeprefix("re:").replace("\\.", ".").replace(".*", "*").strip("^$*. ")
    if _HEARS.search(name):
        return  # a part that no matrix here belongs to
    match = None if _SEES.search(name) else _LAYER.search(name)
    layer, rest = (match[1], match[2] or "") if match else ("*", name)
    if match and rest in ("", "*"):
        groups: tuple[str, ...] | None = _QUANTIZED
        roles: tuple[str, ...] | None = None
    else:
        groups, roles = _target(rest.strip("*."), bool(match))
    if groups is None:
        return
    beside = {i for row in rows if row["group"] == "mlp" for i in row["at"]}
    if groups == ("mlp", "experts", "shared-experts") and any(
        row["group"] == "experts" and beside.issuperset(row["at"]) for row in rows
    ):
        groups = ("mlp",)  # the experts are a module beside the MLP, not inside it
    if experts_in and groups == ("experts",) and roles is not None:
        roles = None  # one expert's projection stands for the stack
    wanted = None if layer == "*" else int(layer)
    for row, each in zip(rows, stored, strict=True):
        if row["group"] not in groups or row["role"] == "vector":
            continue
        if roles is not None and row["role"].removesuffix("_exps").removesuffix("_shexp") not in roles:
            continue
        if not row["at"]:
            each[0] = bits
            continue
        for position, index in enumerate(row["at"]):
            if wanted is None or index == wanted:
                each[position] = bits


def _target(name: str, inside: bool) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """(parameter groups, roles or None for all) that a module's name inside a layer or outside stands for."""
    parts = [p for p in name.replace("*", ".").split(".") if p]
    roles = _ROLES.get(parts[-1]) if parts else None
    joined = ".".join(parts)
    if re.search(r"(^|\.)(lm_head|head|output)$", joined):
        return ("head",), None
    if "embed_tokens" in joined or "word_embeddings" in joined or joined == "embed":
        return ("embeddings",), None
    if _SEES.search(joined):
        return ("vision",), None
    if "shared_expert" in joined:
        return ("shared-experts",), roles
    if "experts" in joined:
        return ("experts",), roles
    if re.search(r"linear_attn|mamba|mixer", joined):
        tail = parts[-1]
        return ("linear-attention", *(("attention",) if "mixer" in parts and roles else ())), (
            roles or (("other",) if tail in ("out_proj", "in_proj", "in_proj_z", "z_proj") else None)
        )
    if re.search(r"(^|\.)(self_attn|attn|attention|self_attention)", joined):
        own = ("indexer",) if "indexer" in joined else ("attention",)
        return (own, roles) if roles or parts[-1] in _ATTENTION or inside is False else (None, None)
    if re.search(r"(^|\.)(gate|router|gate_inp|e_score_correction_bias|shared_expert_gate)$", joined):
        return None, None
    if re.search(r"(^|\.)(mlp|feed_forward|ffn|block_sparse_moe)", joined):
        if not roles and parts[-1] not in _MLP:
            return None, None  # a norm or a bias inside
        whole = parts[-1] in _MLP
        return (("mlp", "experts", "shared-experts") if whole else ("mlp",)), roles
    if roles and not inside:
        return _QUANTIZED, roles
    return None, None
