"""A GGUF header as an architecture: metadata for the sizes, tensors for what each layer really has.

Weights are exact: the bytes of every tensor in its own type. Which layers keep keys and values, and how
many heads they have, is read from the tensors; where metadata says otherwise the file is refused.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any

from wizard.memory import ggml

from .config import LAYERS, Imported
from .gguf import Header, Long, Tensor
from .problem import ImportProblem, shown

Json = dict[str, Any]
_BLOCK = re.compile(r"blk\.(\d+)\.(.+)$")
# each n-th layer sees the whole context, the others a window; set by the engines, not by the file
_EVERY = {"gemma2": 2, "gemma3": 6, "gemma3n": 5, "gpt-oss": 2, "gptoss": 2, "cohere2": 4, "exaone4": 4,
          "olmo2": 4, "olmo3": 4, "llama4": 4,
          "gemma-embedding": 6, "afmoe": 4}  # fmt: skip
_CHUNKED = {"llama4": 8192}


class _Meta:
    """Metadata under the architecture's own prefix."""

    def __init__(self, metadata: Json) -> None:
        self.all = metadata
        self.arch = metadata.get("general.architecture")
        if not isinstance(self.arch, str) or not self.arch:
            raise ImportProblem("general.architecture", "missing")

    def key(self, name: str) -> str:
        return f"{self.arch}.{name}"

    def get(self, name: str) -> Any:
        return self.all.get(self.key(name))

    def whole(self, name: str, low: int = 0) -> int | None:
        value = self.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= 10**9:
            raise ImportProblem(self.key(name), "impossible", shown(value))
        return value

    def need(self, name: str) -> int:
        value = self.whole(name, 1)
        if value is None:
            raise ImportProblem(self.key(name), "missing")
        return value

    def per_layer(self, name: str, layers: int) -> list[int] | None:
        value = self.get(name)
        if isinstance(value, list):
            if len(value) != layers or not all(isinstance(v, int) and 0 <= v <= 10**9 for v in value):
                raise ImportProblem(self.key(name), "entries", len(value), layers=layers)
            return [int(v) for v in value]
        one = self.whole(name)
        return None if one is None else [one] * layers


def build(header: Header) -> Imported:
    """The architecture; `format` also has `bytes`, the sum over all tensors."""
    meta = _Meta(header.metadata)
    split = header.metadata.get("split.count")
    if isinstance(split, int) and split > 1:
        raise ImportProblem("split.count", "part", split)
    layers, hidden = meta.need("block_count"), meta.need("embedding_length")
    if layers > LAYERS:
        raise ImportProblem(meta.key("block_count"), "range", layers, low=1, high=LAYERS)
    blocks: list[dict[str, Tensor]] = [{} for _ in range(layers)]
    groups: dict[str, list[int]] = {}
    for tensor in header.tensors:
        match = _BLOCK.match(tensor.name)
        if match:
            index = int(match[1])
            if index >= layers:
                raise ImportProblem(tensor.name, "beyond", index + 1, n=layers)
            blocks[index][match[2]] = tensor
        sums = groups.setdefault(_group(tensor.name, match, blocks), [0, 0])
        sums[0] += prod(tensor.dims)
        sums[1] += _bytes(tensor)
    _regroup(blocks, groups)
    nextn = meta.whole("nextn_predict_layers") or 0
    if nextn and nextn < layers:  # prediction layers stand behind the model's own
        layers -= nextn
        blocks = blocks[:layers]
    heads = meta.per_layer("attention.head_count", layers + nextn)
    if heads is None:
        raise ImportProblem(meta.key("attention.head_count"), "missing")
    attention = _attention(meta, blocks, heads[:layers], hidden)
    vocab = _vocab(header, meta)
    total = sum(p for p, _ in groups.values())
    size = sum(b for _, b in groups.values())
    experts = _experts(meta, blocks)
    entry: Json = {
        "name": str(meta.all.get("general.name") or meta.arch)[:80],
        "kind": "moe" if experts else "dense", "family": None, "architecture": meta.arch,
        "modality": ["text"], "tasks": ["chat"],
        "layers": layers, "hidden": hidden, "heads": max(heads), "vocab": vocab,
        "tied": not any(t.name == "output.weight" for t in header.tensors),
        "attention": attention, "groups": [{"group": g, "params": p} for g, (p, _) in groups.items()],
        "checkpoints": [],
    }  # fmt: skip
    routed = groups.get("experts", [0])[0]
    share = experts["active"] / experts["count"] if experts else 1
    table = 0 if not experts or entry["tied"] else groups.get("embeddings", [0])[0]  # looked up, not multiplied
    entry["params"] = {"total": total, "active": total - table - routed + int(routed * share)}
    if experts:
        entry["experts"] = experts
    width = meta.per_layer("feed_forward_length", layers + nextn)
    if width and max(width):
        entry["intermediate"] = max(width)
    if nextn:
        entry["mtp"] = nextn
    limit = meta.whole("context_length", 1)
    if limit:
        entry["context"] = {"native": limit}
    tensors = {g: b * 8 / p for g, (p, b) in groups.items()}
    named = ggml.file_type(_file_type(meta.all.get("general.file_type"))) or ("mixed", "")
    return Imported(
        entry, {"family": "gguf", "type": named[0], "bits": size * 8 / total, "tensors": tensors, "bytes": size}, ()
    )  # fmt: skip


_FILE_TYPES = {0: "f32", 1: "f16", 2: "q4_0", 3: "q4_1", 7: "q8_0",
               8: "q5_0", 9: "q5_1", 10: "q2_k", 11: "q3_k_s", 12: "q3_k_m", 13: "q3_k_l",
               14: "q4_k_s", 15: "q4_k_m", 16: "q5_k_s", 17: "q5_k_m", 18: "q6_k", 19: "iq2_xxs", 20: "iq2_xs",
               21: "q2_k_s", 22: "iq3_xs",
               23: "iq3_xxs", 24: "iq1_s", 25: "iq4_nl", 26: "iq3_s", 27: "iq3_m", 28: "iq2_s", 29: "iq2_m",
               30: "iq4_xs", 31: "iq1_m",
               32: "bf16", 36: "tq1_0", 37: "tq2_0", 38: "mxfp4_moe"}  # fmt: skip


def _file_type(number: Any) -> str:
    return _FILE_TYPES.get(number, "") if isinstance(number, int) else ""


def _bytes(tensor: Tensor) -> int:
    name = ggml.NUMBERS.get(tensor.type)
    if name is None:
        raise ImportProblem(tensor.name, "unknown", f"type {tensor.type}")
    return prod(tensor.dims[1:]) * ggml.row_bytes(name, tensor.dims[0])


def _group(name: str, match: re.Match[str] | None, blocks: list[dict[str, Tensor]]) -> str:
    if match is None:
        if name.startswith("token_embd") or name.startswith("position_embd"):
            return "norms" if "norm" in name else "embeddings"
        if name.startswith("per_layer_token_embd"):
            return "per-layer-embeddings"
        if name.startswith("output") and "norm" not in name:
            return "head"
        if name.startswith(("v.", "mm.", "resampler.")):
            return "vision"
        if name.startswith("a."):
            return "audio"
        return "norms" if "norm" in name else "other"
    part = match[2]
    if "nextn" in part:
        return "mtp"
    if "indexer" in part:
        return "indexer"
    if "norm" in part:
        return "norms"
    if part.startswith(("ffn_gate_inp", "exp_probs")):
        return "router"
    if "_exps" in part:
        return "experts"
    if "_shexp" in part:
        return "shared-experts"
    if part.startswith("ffn_"):
        return "mlp"
    if part.startswith(("ssm_", "attn_gate", "shortconv", "time_mix", "kda_")):
        return "linear-attention"
    return "attention" if part.startswith("attn") else "other"


def _regroup(blocks: list[dict[str, Tensor]], groups: dict[str, list[int]]) -> None:
    """A joined projection on a layer with a state belongs to that layer's state."""
    for block in blocks:
        joined = block.get("attn_qkv.weight")
        if joined and any(name.startswith("ssm_") for name in block):
            size, count = _bytes(joined), prod(joined.dims)
            for name, sign in (("attention", -1), ("linear-attention", 1)):
                sums = groups.setdefault(name, [0, 0])
                sums[0] += sign * count
                sums[1] += sign * size
    if groups.get("attention", [1])[0] == 0:
        del groups["attention"]


def _vocab(header: Header, meta: _Meta) -> int:
    table = next((t for t in header.tensors if t.name == "token_embd.weight"), None)
    tokens = meta.all.get("tokenizer.ggml.tokens")
    length = tokens.length if isinstance(tokens, Long) else len(tokens) if isinstance(tokens, list) else None
    if table is not None and len(table.dims) == 2:
        return table.dims[1]
    written = meta.whole("vocab_size", 1) or length
    if not written:
        raise ImportProblem("token_embd.weight", "missing")
    return written


def _experts(meta: _Meta, blocks: list[dict[str, Tensor]]) -> Json | None:
    count = meta.whole("expert_count") or 0
    stacks = [b["ffn_down_exps.weight"] for b in blocks if "ffn_down_exps.weight" in b]
    if not count or not stacks:
        return None
    active = meta.whole("expert_used_count", 1)
    if active is None:
        raise ImportProblem(meta.key("expert_used_count"), "missing")
    if active > count:
        raise ImportProblem(meta.key("expert_used_count"), "beyond", active, n=count)
    shape = stacks[0].dims
    if len(shape) != 3 or shape[2] != count:
        raise ImportProblem(stacks[0].name, "unlike", shown(shape), n=count)
    return {"count": count, "active": active, "shared": meta.whole("expert_shared_count") or 0,
            "intermediate": shape[0],
            "layers": len(stacks)}  # fmt: skip


def _attention(meta: _Meta, blocks: list[dict[str, Tensor]], heads: list[int], hidden: int) -> list[Json]:
    layers = len(blocks)
    kinds = [_kind(block) for block in blocks]
    latent = meta.whole("attention.kv_lora_rank", 1)
    kv = meta.per_layer("attention.head_count_kv", layers) if not latent else None
    window = meta.whole("attention.sliding_window") or _CHUNKED.get(str(meta.arch), 0)
    windowed = _windowed(meta, layers, window)
    found: dict[str, Json] = {}
    for index, (block, kind) in enumerate(zip(blocks, kinds, strict=True)):
        if kind == "latent":
            group = _latent(meta, latent, heads[index])
        elif kind in ("linear", "mamba", "conv"):
            group = _state(meta, kind, hidden, block)
        elif kind == "none":
            group = {"kind": "none"}
        else:
            group = _keys(meta, block, index, heads[index], kv, hidden, windowed[index])
            if windowed[index]:
                group |= {"kind": "chunked" if meta.arch in _CHUNKED else "swa", "window": window}
        found.setdefault(repr(sorted(group.items(), key=str)), {**group, "layers": 0})["layers"] += 1
    groups = list(found.values())
    shared = meta.whole("attention.shared_kv_layers") or 0
    for group in groups if shared else ():
        tail = windowed[layers - shared :]
        own = sum(1 for value in tail if bool(value) == (group["kind"] == "swa"))
        if group["kind"] in ("full", "swa") and own:
            group["shared_kv"] = min(own, group["layers"] - 1)
    width = meta.whole("attention.indexer.key_length", 1)
    if width:
        next((g for g in groups if g["kind"] == "mla"), groups[0])["indexer"] = width
    return groups


def _kind(block: dict[str, Tensor]) -> str:
    if any(name.startswith("attn_kv_a_mqa") for name in block):
        return "latent"
    states = [name for name in block if name.startswith("ssm_")]
    if "attn_k.weight" in block or ("attn_qkv.weight" in block and not states):
        return "keys"
    if states:
        return "mamba" if "ssm_in.weight" in block else "linear"
    if any(name.startswith("shortconv") for name in block):
        return "conv"
    if any(name.startswith("time_mix") for name in block):
        raise ImportProblem("blk.0.time_mix", "unknown", "time_mix")
    return "none"


def _windowed(meta: _Meta, layers: int, window: int) -> list[bool]:
    if not window:
        return [False] * layers
    pattern = meta.get("attention.sliding_window_pattern")
    if isinstance(pattern, list) and len(pattern) == layers:
        return [bool(v) for v in pattern]
    every = (
        pattern
        if isinstance(pattern, int) and not isinstance(pattern, bool) and pattern > 0
        else _EVERY.get(str(meta.arch))
    )
    if every is None:
        return [False] * layers  # the engine that reads this file keeps the whole context there
    return [(i + 1) % every != 0 for i in range(layers)]


def _keys(
    meta: _Meta, block: dict[str, Tensor], index: int, heads: int, kv: list[int] | None, hidden: int, windowed: bool
) -> Json:
    if not heads:
        raise ImportProblem(meta.key("attention.head_count"), "impossible", 0)
    end = "_swa" if windowed and meta.get("attention.key_length_swa") is not None else ""
    dim = meta.whole(f"attention.key_length{end}", 1) or hidden // heads
    if not dim:
        raise ImportProblem(meta.key("attention.head_count"), "beyond", heads, n=hidden)
    v_dim = meta.whole(f"attention.value_length{end}", 1) or dim
    count = kv[index] if kv else heads
    key = block.get("attn_k.weight")
    if key is not None:
        if key.dims[-1] % dim:
            raise ImportProblem(key.name, "uneven", key.dims[-1], n=dim)
        real = key.dims[-1] // dim
        if kv and kv[index] != real:
            raise ImportProblem(meta.key("attention.head_count_kv"), "unlike", kv[index], n=real)
        count = real
    group: Json = {"kind": "full", "kv_heads": count, "head_dim": dim}
    if v_dim != dim:
        group["v_head_dim"] = v_dim
    return group


def _latent(meta: _Meta, latent: int | None, heads: int) -> Json:
    if latent is None:
        raise ImportProblem(meta.key("attention.kv_lora_rank"), "missing")
    rope = meta.need("rope.dimension_count")
    key = meta.whole("attention.key_length_mla", 1) or meta.need("attention.key_length")
    value = meta.whole("attention.value_length_mla", 1) or meta.need("attention.value_length")
    if key <= rope:
        raise ImportProblem(meta.key("attention.key_length"), "unlike", key, n=rope)
    return {"kind": "mla", "heads": heads, "latent": latent, "rope": rope, "nope": key - rope, "v_head_dim": value}


def _state(meta: _Meta, kind: str, hidden: int, block: dict[str, Tensor]) -> Json:
    if kind == "conv":
        kernel = meta.need("shortconv.l_cache")
        state = {
            "heads": 1,
            "head_dim": 1,
            "state_size": 0,
            "groups": 0,
            "conv_kernel": kernel,
            "conv_channels": hidden,
        }
        return {"kind": "mamba", "state": state}
    kernel, inner, size = meta.need("ssm.conv_kernel"), meta.need("ssm.inner_size"), meta.need("ssm.state_size")
    rank, groups = meta.need("ssm.time_step_rank"), meta.whole("ssm.group_count") or 0
    if (kind == "linear" or groups) and (not rank or inner % rank):
        raise ImportProblem(meta.key("ssm.inner_size"), "uneven", inner, n=rank)
    if kind == "linear":
        if not groups:
            raise ImportProblem(meta.key("ssm.group_count"), "missing")
        channels = 2 * groups * size + inner
        state = {"heads": rank, "k_heads": groups, "k_dim": size, "v_dim": inner // rank}
    elif groups:
        channels = inner + 2 * groups * size
        state = {"heads": rank, "groups": groups, "state_size": size, "head_dim": inner // rank}
    else:  # the first kind: one channel per head
        channels = inner
        state = {"heads": inner, "groups": 0, "state_size": size, "head_dim": 1}
    return {"kind": kind, "state": {**state, "conv_kernel": kernel, "conv_channels": channels, "dtype_bytes": 4}}
