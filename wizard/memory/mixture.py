"""GGUF file types as the mixtures they are: which type each matrix of a model gets.

A file type names what most matrices are stored in; the quantizer gives some of them another type, by
role, by layer and by the model's shape (source `ggml-quant-mixtures`). Norms, biases, routers and
convolutions stay in 32 bits. A row that a type's blocks do not divide falls back to a type of 32 weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .ggml import BLOCKS, MIXTURES, matrix_bytes

_FALLBACK = {
    **dict.fromkeys(("iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s", "iq1_s", "iq1_m", "q2_k", "q3_k", "iq4_xs"),
                    "iq4_nl"),
    "q4_k": "q5_0", "q5_k": "q5_1", "q6_k": "q8_0", "tq1_0": "q4_0", "tq2_0": "q4_0",
}  # fmt: skip
_LOW = ("iq2_xxs", "iq2_xs", "iq1_s", "iq2_s", "iq2_m", "iq1_m")
_WIDER = ("iq2_s", "iq2_m")
_FIVE_OF_EIGHT = (
    "q2_k",
    "iq3_xs",
    "iq3_xxs",
    "q3_k_s",
    "q3_k_m",
    "iq4_nl",
    "q4_k_s",
    "q4_k_m",
    "iq3_s",
    "iq3_m",
    "iq4_xs",
)
_OUTPUT = {"q2_k": "q3_k", "iq3_xxs": "iq3_s", "q3_k_m": "q4_k", "q3_k_l": "q5_k", "iq3_m": "q4_k"}
_WIDE = ("vector", "router", "ssm")  # stay in 32 bits


class Shape(NamedTuple):
    """What the quantizer asks of the whole model. gqa: query heads per KV head; experts: routed experts;
    tied: the embedding is the output too; seventy: 80 layers that share KV heads."""

    gqa: int
    experts: int
    tied: bool
    seventy: bool


def shape(arch: dict[str, Any]) -> Shape:
    """Shape of an architecture or model entry."""
    heads = [g["kv_heads"] for g in arch.get("attention") or () if g.get("kv_heads")]
    gqa = arch["heads"] // min(heads) if heads else 1
    experts = (arch.get("experts") or {}).get("count", 0)
    return Shape(gqa, experts, bool(arch.get("tied")), arch["layers"] == 80 and gqa > 1)


def more_bits(layer: int, layers: int) -> bool:
    """The first and last eighth of the layers and every third between are stored wider."""
    return layer < layers // 8 or layer >= 7 * layers // 8 or (layer - layers // 8) % 3 == 2


def type_of(mixture: str, role: str, layer: int, layers: int, model: Shape) -> str:
    """Type of one matrix. layer: its position among the `layers` matrices of its role."""
    type_ = MIXTURES[mixture]
    if role in _WIDE:
        return "f32"
    if role in ("vision", "audio"):
        return "f16"
    if type_ in ("f32", "f16", "bf16"):
        return type_
    name = role.removesuffix("_exps").removesuffix("_shexp")
    if role == "head" or (role == "embeddings" and model.tied):
        return _output_type(mixture, type_)
    if mixture in ("mxfp4", "mxfp4_moe"):
        return "mxfp4" if role.endswith("_exps") else "q8_0"
    if role in ("embeddings", "per-layer-embeddings"):
        if mixture in ("iq2_xxs", "iq2_xs", "iq1_s", "iq1_m"):
            return "q2_k"
        if mixture in ("iq2_s", "iq2_m", "iq3_xxs"):
            return "iq3_s"
        return "q4_k" if mixture.startswith("tq") else type_
    if mixture in _LOW:
        return _low(mixture, type_, name, layer, layers, model)
    if name == "attn_v":
        return _value(mixture, type_, layer, layers, model)
    if name in ("attn_k", "attn_q"):
        if name == "attn_k" and model.experts == 8:
            return "q8_0"
        return {"iq3_xs": "iq3_xxs", "iq3_xxs": "iq2_s"}.get(mixture, type_)
    if name == "ffn_down":
        return _down(mixture, type_, layer, layers, model)
    if name == "attn_output":
        if model.experts == 8:
            return "q5_k" if mixture in _FIVE_OF_EIGHT else type_
        return _OUTPUT.get(mixture, type_)
    if name == "attn_qkv":
        if mixture in ("q3_k_m", "q3_k_l", "iq3_m"):
            return "q4_k"
        return {"q4_k_m": "q5_k", "q5_k_m": "q6_k"}.get(mixture, type_)
    if name in ("ffn_gate", "ffn_up") and mixture == "iq3_xs" and layers // 8 <= layer < 7 * layers // 8:
        return "iq3_xxs"
    return type_


def by_layer(mixture: str, role: str) -> bool:
    """Whether the layer may decide the type of a matrix of this role; for every other role one answer is enough."""
    name = role.removesuffix("_exps").removesuffix("_shexp")
    return name in ("attn_v", "ffn_down") or (mixture == "iq3_xs" and name in ("ffn_gate", "ffn_up"))


def _output_type(mixture: str, type_: str) -> str:
    if mixture in ("mxfp4", "mxfp4_moe"):
        return "q8_0"
    if mixture in (*_LOW, "iq3_xxs"):
        return "q5_k"
    return type_ if type_ == "q8_0" else "q6_k"


def _low(mixture: str, type_: str, name: str, layer: int, layers: int, model: Shape) -> str:
    wider = "iq3_s" if mixture in _WIDER else "q2_k"
    if name == "attn_v":
        return "q4_k" if model.gqa >= 4 or model.experts >= 4 else wider
    if name == "attn_k" and model.experts == 8:
        return "q4_k"
    if name == "ffn_down" and layer < layers // 8:
        return wider
    if name == "attn_output":
        if model.experts == 8:
            return "q5_k"
        if mixture in ("iq1_s", "iq1_m"):
            return "iq2_xxs"
        return "iq3_s" if mixture in _WIDER else type_
    return type_


def _value(mixture: str, type_: str, layer: int, layers: int, model: Shape) -> str:
    shared = model.gqa >= 4
    if mixture == "q2_k":
        type_ = "q4_k" if shared else "q3_k"
    elif (mixture in ("q2_k_s", "iq3_xs", "iq3_s", "iq3_xxs") and shared) or mixture == "iq3_m":
        type_ = "q4_k"
    elif mixture == "q3_k_m":
        type_ = "q5_k" if layer < 2 else "q4_k"
    elif mixture == "q3_k_l" or (mixture in ("iq4_nl", "iq4_xs") and shared):
        type_ = "q5_k"
    elif mixture in ("q4_k_m", "q5_k_m") and more_bits(layer, layers):
        type_ = "q6_k"
    elif mixture == "q4_k_s" and layer < 4:
        type_ = "q5_k"
    if model.seventy and type_ in ("q3_k", "q4_k"):
        type_ = "q5_k"
    return "q8_0" if model.experts == 8 else type_


def _down(mixture: str, type_: str, layer: int, layers: int, model: Shape) -> str:
    early = layer < layers // 8
    if mixture == "q2_k":
        return "q3_k"
    if mixture == "q3_k_m":
        return "q5_k" if layer < layers // 16 else "q4_k"
    if mixture == "q3_k_l":
        return "q5_k"
    if mixture in ("q4_k_m", "q5_k_m"):
        return "q6_k" if more_bits(layer, layers) else type_
    if mixture == "iq3_m":
        return "q4_k" if early or (model.experts == 8 and more_bits(layer, layers)) else type_
    if early and mixture in ("q2_k_s", "q4_k_s"):
        return "q4_k" if mixture == "q2_k_s" else "q5_k"
    return type_


def fitted(type_: str, columns: int) -> str:
    """The type itself, or what replaces it where its blocks do not divide a row."""
    if columns % BLOCKS[type_][1] == 0:
        return type_
    other = _FALLBACK.get(type_, "f16")
    return other if columns % BLOCKS[other][1] == 0 else "f16"


def group_bytes(arch: dict[str, Any], mixture: str) -> dict[str, int] | None:
    """Bytes of every parameter group in a file of this type; None when the matrices are not known one by one."""
    rows = arch.get("matrices") or derive(arch)
    if rows is None:
        return None
    model = shape(arch)
    # the positions that count: dense MLPs and stacks of experts share the numbering of their layers
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["role"]] = counts.get(row["role"], 0) + row["layers"]
    seen: dict[str, int] = {}
    sums: dict[str, int] = {}
    for row in rows:
        role, columns, total = row["role"], row["columns"], 0
        start = seen.get(role, 0)
        kinds: dict[str, int] = {}
        if not by_layer(mixture, role):
            kinds[type_of(mixture, role, start, counts[role], model)] = row["layers"]
        for position in range(row["layers"]) if not kinds else ():
            if role.startswith("ffn_"):
                index = row["at"][position] if row["at"] else start + position
                type_ = type_of(mixture, role, index, arch["layers"], model)
            else:
                type_ = type_of(mixture, role, start + position, counts[role], model)
            kinds[type_] = kinds.get(type_, 0) + 1
        seen[role] = start + row["layers"]
        for type_, count in kinds.items():
            total += count * matrix_bytes(fitted(type_, columns), columns, row["params"])
        sums[row["group"]] = sums.get(row["group"], 0) + total
    return sums


def derive(arch: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Matrices of a model entry, from its sizes; None where they do not give the group's parameters.

    What a group holds beyond its matrices (biases and the like) counts as vectors.
    """
    hidden, groups = arch["hidden"], {g["group"]: g["params"] for g in arch["groups"] if g["params"]}
    if arch.get("attention") is None or 50 * groups.get("other", 0) > sum(groups.values()):
        return None
    rows: list[dict[str, Any]] = []

    def put(group: str, role: str, columns: int, params: int, layers: int = 1) -> None:
        if params:
            rows.append(
                {"group": group, "role": role, "columns": columns, "params": params, "layers": layers, "at": []}
            )

    for name, role in (("embeddings", "embeddings"), ("head", "head"), ("norms", "vector"), ("router", "router"),
                       ("vision", "vision"), ("audio", "audio"), ("indexer", "other"), ("mtp", "other"),
                       ("other", "vector"),
                       ("per-layer-embeddings", "per-layer-embeddings")):  # fmt: skip
        put(name, role, hidden, groups.pop(name, 0))
    if not _attention_rows(arch, groups.pop("attention", 0), put) or not _mlp_rows(arch, groups, put):
        return None
    left = groups.pop("linear-attention", 0)
    for group in arch["attention"]:
        state = group.get("state")
        if state and left:
            every = sum(g["layers"] for g in arch["attention"] if g.get("state"))
            share = left // every
            joined = hidden * state.get("conv_channels", 0) if group["kind"] == "linear" else 0
            if joined < share:
                put("linear-attention", "attn_qkv", hidden, joined, group["layers"])
                put("linear-attention", "other", hidden, share - joined, group["layers"])
            else:
                put("linear-attention", "other", hidden, share, group["layers"])
    return rows if not groups else None


def _attention_rows(arch: dict[str, Any], params: int, put: Any) -> bool:
    hidden, found, doubled = arch["hidden"], [], 0
    latent = [g for g in arch["attention"] if g["kind"] == "mla"]
    if latent:
        put("attention", "other", hidden, params)
        return True
    for group in arch["attention"]:
        if group["kind"] not in ("full", "swa", "chunked"):
            continue
        heads, layers = group.get("heads", arch["heads"]), group["layers"]
        k, v = group["head_dim"], group.get("v_head_dim", group["head_dim"])
        for role, columns, size in (
            ("attn_q", hidden, hidden * heads * k), ("attn_k", hidden, hidden * group["kv_heads"] * k),
            ("attn_v", hidden, hidden * group["kv_heads"] * v), ("attn_output", heads * v, hidden * heads * v),
        ):  # fmt: skip
            found.append((role, columns, size, layers))
        doubled += layers * hidden * heads * k
    total = sum(size * layers for _, _, size, layers in found)
    twice = params - total >= doubled > 0  # a gate as wide as the queries
    rest = params - total - (doubled if twice else 0)
    if not 0 <= 50 * rest <= params:  # some layers make keys and values with one projection
        put("attention", "other", hidden, params)
        return True
    for role, columns, size, layers in found:
        put("attention", role, columns, size * (2 if twice and role == "attn_q" else 1), layers)
    put("attention", "vector", hidden, rest)
    return True


def _mlp_rows(arch: dict[str, Any], groups: dict[str, int], put: Any) -> bool:
    hidden, experts = arch["hidden"], arch.get("experts") or {}
    sparse = experts.get("layers") or arch["layers"]
    for name, width, count in (
        ("mlp", arch.get("intermediate"), 1), ("experts", experts.get("intermediate"), experts.get("count", 0)),
        ("shared-experts", None, 1),
    ):  # fmt: skip
        params = groups.pop(name, 0)
        if not params:
            continue
        suffix = {"experts": "_exps", "shared-experts": "_shexp"}.get(name, "")
        if name == "shared-experts":
            gated = 3 * hidden * sparse
            width = params // gated if params % gated == 0 else params // (2 * hidden * sparse)
        if not width:
            return False
        one = hidden * width * count
        layers = max(1, params // (3 * one)) if name == "mlp" else sparse
        matrices = 3 if params >= 3 * one * layers else 2
        if name == "mlp" and matrices == 2:
            layers = max(1, params // (2 * one))
        for role in ("ffn_gate", "ffn_up", "ffn_down")[3 - matrices :]:
            put(name, role + suffix, width if role == "ffn_down" else hidden, one, layers)
        left = params - matrices * one * layers
        if not 0 <= 50 * left <= params:
            return False
        put(name, "vector", hidden, left)
    return True
