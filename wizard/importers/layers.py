"""Which kind of attention and which kind of MLP every layer has.

Kinds of attention: full, swa, chunked, mla, linear, mamba, none. Kinds of MLP: dense, moe, none.
Publishers write this as lists, strings, periods, offsets and numbers of leading layers; all give one
list per layer here, and a list of the wrong length is an error.
"""

from __future__ import annotations

from typing import Any

from .classes import Class
from .fields import Fields
from .problem import ImportProblem, shown, taken

# what the entries of a list of layer types mean
_TYPES = {
    "full_attention": "full", "attention": "full", "global": "full", "hybrid": "full", "full": "full",
    "global_attention": "full",
    "sliding_attention": "swa", "sliding_window": "swa", "local": "swa", "local_attention": "swa", "swa": "swa",
    "sliding": "swa",
    "chunked_attention": "chunked", "linear_attention": "linear", "linear": "linear", "gated_deltanet": "linear",
    "kda": "linear", "lightning_attention": "linear", "mamba": "mamba", "mamba2": "mamba", "recurrent": "linear",
    "conv": "conv",
    "deepseek_sparse_attention": "mla", "mla": "mla",
    "indexed_attention": "full", "sparse_attention": "full", "minimax_m3_sparse": "full",
    "moe": "none", "mlp": "none", "no_op": "none", "identity": "none",
}  # fmt: skip
_LETTERS = {"M": "mamba", "*": "full", "E": "none", "-": "none"}
_MLP_LETTERS = {"E": "moe", "-": "dense"}


def count(fields: Fields) -> int:
    """Number of layers: its field, or the length of the list that replaces it."""
    pattern = fields.raw("hybrid_override_pattern")
    length = len(pattern) if isinstance(pattern, str) else None
    for name in ("layers_block_type", "block_configs", "layer_types"):
        listed = fields.raw(name)
        if length is None and isinstance(listed, list):
            length = len(listed)
    written = fields.find("layers")
    if written is None:
        return length or fields.need("layers")
    return written


def attention(fields: Fields, layers: int, trait: Class) -> list[str]:
    """Kind of attention of every layer."""
    kinds = _by_class(fields, layers, trait)
    if kinds is None:
        kinds = _by_list(fields, layers)
    if kinds is None:
        kinds = _by_window(fields, layers, trait)
    if trait.kind in ("layers", "nemotron"):  # newer files call every layer with a state linear
        kinds = ["mamba" if kind == "linear" else kind for kind in kinds]
    if fields.has("kv_lora_rank"):
        kinds = ["mla" if kind == "full" else kind for kind in kinds]
    return kinds


def _types(fields: Fields, name: str, layers: int) -> list[str] | None:
    listed = fields.listed(name, layers)
    if listed is None:
        return None
    kinds = []
    for index, value in enumerate(listed):
        kind = _TYPES.get(value) if isinstance(value, str) else None
        if kind is None:
            raise ImportProblem(f"{fields.where(name)}[{index}]", "unknown", shown(value))
        kinds.append(kind)
    return kinds


def _by_list(fields: Fields, layers: int) -> list[str] | None:
    for name in ("layer_types", "layers_block_type", "layer_type_list", "block_types", "attention_layers"):
        kinds = _types(fields, name, layers)
        if kinds:
            return kinds
    pattern = fields.raw("hybrid_override_pattern")
    if isinstance(pattern, str):
        if len(pattern) != layers:
            raise ImportProblem(fields.where("hybrid_override_pattern"), "entries", len(pattern), layers=layers)
        unknown = set(pattern) - set(_LETTERS)
        if unknown:
            raise ImportProblem(fields.where("hybrid_override_pattern"), "unknown", shown(sorted(unknown)))
        return [_LETTERS[letter] for letter in pattern]
    listed = fields.listed("hybrid_layer_pattern", layers)
    if listed is not None:
        return ["swa" if value == 1 else "full" for value in listed]
    return None


def _by_class(fields: Fields, layers: int, trait: Class) -> list[str] | None:
    kind = trait.kind
    if kind == "gated-delta" and not fields.has("layer_types"):
        step = fields.number("full_attention_interval", 1)
        if step is None:
            raise ImportProblem(fields.where("layer_types"), "missing", "full_attention_interval")
        return ["full" if (i + 1) % step == 0 else "linear" for i in range(layers)]
    if kind == "kda":
        section = fields.raw("linear_attn_config")
        if not isinstance(section, dict) or not isinstance(section.get("full_attn_layers"), list):
            raise ImportProblem(f"{fields.where('linear_attn_config')}.full_attn_layers", "missing")
        full = section["full_attn_layers"]  # counted from one
        if not all(isinstance(n, int) for n in full):
            raise ImportProblem(f"{fields.where('linear_attn_config')}.full_attn_layers", "impossible", shown(full))
        return ["full" if i + 1 in full else "linear" for i in range(layers)]
    for name, other in (("attn_layer_indices", "mamba"), ("full_attn_idxs", "conv")) if kind == "layers" else ():
        at = fields.listed(name)
        if at is not None and not fields.has("layer_types"):
            return ["full" if i in at else other for i in range(layers)]
    if kind == "layers" and not any(map(fields.has, ("layer_types", "layers_block_type"))):
        raise ImportProblem(fields.where("layer_types"), "missing")
    if kind == "longcat":
        return ["full"] * layers
    if kind in ("mamba1", "mamba2"):
        return ["mamba"] * layers
    if kind == "parallel-mamba":
        return ["full"] * layers
    if kind == "jamba":
        step, first = fields.number("attn_layer_period", 1), fields.number("attn_layer_offset")
        if step is None or first is None:
            raise fields.missing("attn_layer_period" if step is None else "attn_layer_offset")
        return ["full" if i % step == first else "mamba" for i in range(layers)]
    if kind == "lightning":
        listed = fields.listed("attn_type_list", layers)
        if listed is not None:
            return ["full" if value else "linear" for value in listed]
    if kind == "llama4" and not fields.has("layer_types"):
        ropes = fields.listed("no_rope_layers")
        if ropes:
            return ["chunked" if value else "full" for value in ropes[:layers]]
        step = fields.number("no_rope_layer_interval", 1) or 4
        return ["full" if (i + 1) % step == 0 else "chunked" for i in range(layers)]
    if kind == "llama4":
        return ["full" if k == "full" else "chunked" for k in _types(fields, "layer_types", layers) or ()]
    if kind == "compressed":
        return ["swa"] * layers
    if kind == "blocks":
        return _blocks(fields, layers)
    return None


def _blocks(fields: Fields, layers: int) -> list[str]:
    listed = fields.listed("block_configs", layers)
    if listed is None:
        raise ImportProblem(fields.where("block_configs"), "missing")
    kinds = []
    for index, block in enumerate(listed):
        part = block.get("attention") if isinstance(block, dict) else None
        if not isinstance(part, dict):
            raise ImportProblem(f"{fields.where('block_configs')}[{index}].attention", "missing")
        kinds.append("none" if part.get("no_op") or part.get("replace_with_linear") else "full")
    return kinds


def _by_window(fields: Fields, layers: int, trait: Class) -> list[str]:
    """No list: the window's own fields, and what the class does with them."""
    if fields.raw("use_sliding_window") is False or fields.find("window") is None:
        return ["full"] * layers
    first_full = fields.raw("max_window_layers")
    if fields.raw("use_sliding_window") is True and isinstance(first_full, int):
        return ["full" if i < first_full else "swa" for i in range(layers)]
    for name in ("sliding_window_pattern", "_sliding_window_pattern"):
        pattern = fields.raw(name)
        if isinstance(pattern, str) and pattern and set(pattern) <= {"L", "G"}:
            return ["swa" if pattern[i % len(pattern)] == "L" else "full" for i in range(layers)]
        if pattern is not None:
            step = fields.whole(name, pattern, 1)
            return ["full" if (i + 1) % step == 0 else "swa" for i in range(layers)]
    how = trait.windowed
    if how == "all":
        return ["swa"] * layers
    if how == "alternate":
        return ["swa" if i % 2 == 0 else "full" for i in range(layers)]
    if isinstance(how, int):
        return ["full" if (i + 1) % how == 0 else "swa" for i in range(layers)]
    fields.said.append(taken("whole", "sliding_window"))
    return ["full"] * layers


def mlps(fields: Fields, layers: int, trait: Class, experts: int) -> list[str]:
    """Kind of MLP of every layer."""
    pattern = fields.raw("hybrid_override_pattern")
    blocks = fields.raw("layers_block_type")
    if trait.kind == "nemotron":
        if isinstance(pattern, str):
            return [_MLP_LETTERS.get(letter, "none") for letter in pattern]
        return ["moe" if b == "moe" else "dense" if b == "mlp" else "none" for b in blocks or ()]
    if trait.kind in ("mamba1", "mamba2"):
        return ["none"] * layers
    if trait.kind == "blocks":
        listed = fields.listed("block_configs", layers) or []
        return ["none" if (b.get("ffn") or {}).get("no_op") else "dense" for b in listed]
    if not experts:
        return ["dense"] * layers
    if trait.kind == "longcat":  # each half has a dense MLP, and the first one experts beside it
        return ["moe" if index % 2 == 0 else "dense" for index in range(layers)]
    listed = fields.listed("mlp_layer_types", layers)
    if listed is not None:
        return ["moe" if value in ("sparse", "moe") else "dense" for value in listed]
    return _sparse(fields, layers)


def _sparse(fields: Fields, layers: int) -> list[str]:
    frequency = fields.raw("moe_layer_freq")
    if isinstance(frequency, list):
        return ["moe" if value else "dense" for value in fields.listed("moe_layer_freq", layers) or ()]
    step, start, first = 1, 0, 0
    for name in ("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index", "first_dense_layers"):
        start = max(start, fields.number(name) or 0)
    for name, at in (
        ("decoder_sparse_step", "last"), ("interleave_moe_layer_step", "last"), ("moe_layer_freq", "first"),
        ("expert_layer_period", "offset"), ("moe_layer_interval", "last"),
    ):  # fmt: skip
        value = fields.raw(name)
        if isinstance(value, int) and value > 1:
            step = value
            first = value - 1 if at == "last" else (fields.number("expert_layer_offset") or 0) if at == "offset" else 0
    dense: list[Any] = fields.listed("mlp_only_layers") or []
    written = fields.raw("moe_layers_enum")
    if isinstance(written, str) and written:
        chosen = {int(v) for v in written.split(",") if v.strip().isdigit()}
        return ["moe" if i in chosen else "dense" for i in range(layers)]
    return ["moe" if i >= start and i % step == first and i not in dense else "dense" for i in range(layers)]
