"""Attention groups of an architecture: layers that store the same, with the widths of what they store."""

from __future__ import annotations

from typing import Any

from .classes import Class
from .fields import Fields
from .problem import ImportProblem, shown, taken

Json = dict[str, Any]
# what only the count of parameters reads, and an architecture does not keep
PRIVATE = ("q_compressed", "shared_projection", "at")


def build(fields: Fields, kinds: list[str], trait: Class, hidden: int, heads: int) -> list[Json]:
    """Groups in the order in which their kinds first appear; the layers add up to the model's."""
    if trait.kind == "blocks":
        return _blocks(fields, kinds, heads)
    if trait.kind == "compressed":
        return _compressed(fields, kinds, heads)
    varied = fields.raw("num_attention_heads_per_layer")
    if isinstance(varied, list) and set(map(str, varied)) != {str(heads)}:
        where = fields.where("num_attention_heads_per_layer")
        raise ImportProblem(where, "unknown", shown(varied))
    per_layer = fields.named("kv_heads")
    if per_layer and isinstance(per_layer[1], list):
        return _listed(fields, kinds, per_layer, hidden, heads)
    found: list[Json] = []
    for kind in dict.fromkeys(kinds):
        layers = kinds.count(kind)
        if kind == "none":
            found.append({"kind": "none", "layers": layers})
        elif kind == "mla":
            found.append({"kind": "mla", "layers": layers, **_latent(fields, heads)})
        elif kind in ("linear", "mamba", "conv"):
            found.append(_state(fields, kind, layers, trait, hidden))
        else:
            found.append({"kind": kind, "layers": layers, **_heads(fields, kind, trait, hidden, heads)})
    _share(fields, kinds, found)
    _indexers(fields, kinds, found, trait)
    if trait.kind == "parallel-mamba":  # every layer has both: the state is told on an attention layer
        state = _state(fields, "mamba", len(kinds), trait, hidden)["state"]
        found[0]["state"] = state
    return found


def place(found: list[Json], kinds: list[str]) -> None:
    """Tell each group the indices of its layers (`at`), in order; groups of one kind share them out."""
    free: dict[str, list[int]] = {}
    for index, kind in enumerate(kinds):
        free.setdefault("mamba" if kind == "conv" else kind, []).append(index)
    pool = [i for listed in free.values() for i in listed]
    for group in found:
        if "at" in group:
            continue
        own = free.get(group["kind"], pool)
        group["at"] = own[: group["layers"]]
        del own[: group["layers"]]


def head_dim(fields: Fields, hidden: int, heads: int) -> int:
    """Width of a head: its field, else the hidden size shared out evenly."""
    written = fields.find("head_dim")
    if written is not None:
        return written
    if hidden % heads:
        raise ImportProblem(f"{fields.path}hidden_size", "uneven-no", hidden, n=heads, other="head_dim")
    return hidden // heads


def kv_heads(fields: Fields, trait: Class, heads: int) -> int:
    """Number of KV heads; a missing one means one per query head only where the class says so."""
    written = fields.named("kv_heads")
    if fields.raw("multi_query_attention") is False:
        written = None
    one = fields.raw("multi_query")
    if one is None and trait.kind == "multi-query":
        fields.said.append(taken("default", "multi_query", "true"))
        one = True
    if one is True and fields.raw("new_decoder_architecture") is not True:
        return 1
    value = fields.find("kv_heads") if written or not trait.mha else None
    if value is None:
        if not trait.mha and trait.kind != "falcon":
            raise ImportProblem(f"{fields.path}num_key_value_heads", "missing")
        fields.said.append(taken("default", "num_key_value_heads", heads))
        return heads
    if value > heads or heads % value:
        raise ImportProblem(
            fields.where(written[0] if written else "num_key_value_heads"),
            "uneven-of",
            value,
            n=heads,
        )
    return value


def _heads(fields: Fields, kind: str, trait: Class, hidden: int, heads: int) -> Json:
    kv, dim = kv_heads(fields, trait, heads), head_dim(fields, hidden, heads)
    v_dim = fields.find("v_head_dim") or dim
    group: Json = {}
    if kind == "swa":
        swa_heads = fields.number("swa_num_attention_heads", 1)
        own = fields.number("swa_num_key_value_heads", 1)
        if own is None and "wide-windows" in trait.extra:
            own = 2 * kv
            fields.said.append(taken("default", "swa_num_key_value_heads", own))
        kv = own or kv
        dim = fields.number("swa_head_dim", 1) or dim
        v_dim = fields.number("swa_v_head_dim", 1) or (v_dim if fields.has("v_head_dim") else dim)
        if swa_heads and swa_heads != heads:
            group["heads"] = swa_heads
    if kind == "full" and trait.kind == "gemma4":
        kv = fields.number("num_global_key_value_heads", 1) or kv
        dim = fields.number("global_head_dim", 1) or 0
        if not dim:
            fields.said.append(taken("default", "global_head_dim", 512))
            dim = 512
        v_dim = dim
    group |= {"kv_heads": kv, "head_dim": dim}
    if v_dim != dim:
        group["v_head_dim"] = v_dim
    if kind == "full" and trait.kind == "gemma4" and fields.raw("attention_k_eq_v"):
        # one projection gives both; key and value are then normed apart, so the cache holds two tensors
        group["shared_projection"] = True
    if kind == "swa":
        group["window"] = fields.need("window")
    if kind == "chunked":
        value = fields.number("attention_chunk_size", 1)
        if value is None:
            raise ImportProblem(f"{fields.path}attention_chunk_size", "missing")
        group["window"] = value
    return group


def _latent(fields: Fields, heads: int) -> Json:
    group = {
        "heads": heads,
        "v_head_dim": fields.need("v_head_dim"),
        "latent": fields.need("latent"),
        "rope": fields.need("rope", 0),
        "nope": fields.need("nope"),
    }
    width = fields.number("qk_head_dim", 1)
    if width and width != group["rope"] + group["nope"]:
        raise ImportProblem(
            fields.where("qk_head_dim"),
            "unlike",
            width,
            n=group["rope"] + group["nope"],
        )
    return group


def _dtype(fields: Fields) -> int:
    for name in ("mamba_ssm_dtype", "mamba_ssm_cache_dtype"):
        value = fields.raw(name)
        if isinstance(value, str):
            return 2 if "16" in value else 4
    return 4


def _state(fields: Fields, kind: str, layers: int, trait: Class, hidden: int) -> Json:
    if kind == "conv":
        kernel = fields.number("conv_L_cache", 1)
        if kernel is None:
            raise ImportProblem(f"{fields.path}conv_L_cache", "missing")
        width = fields.number("conv_dim", 1) or hidden
        return {"kind": "mamba", "layers": layers, "state": {
            "heads": 1, "head_dim": 1, "state_size": 0, "groups": 0, "conv_kernel": kernel,
            "conv_channels": width}}  # fmt: skip
    return {
        "kind": kind,
        "layers": layers,
        "state": _linear(fields, trait) if kind == "linear" else _mamba(fields, trait, hidden),
    }


def _linear(fields: Fields, trait: Class) -> Json:
    def need(name: str) -> int:
        value = fields.number(name, 1)
        if value is None:
            raise ImportProblem(f"{fields.path}{name}", "missing")
        return value

    if trait.kind == "kda":
        section = fields.raw("linear_attn_config")
        heads = fields.whole("linear_attn_config.num_heads", section.get("num_heads"), 1)
        dim = fields.whole("linear_attn_config.head_dim", section.get("head_dim"), 1)
        kernel = fields.whole("linear_attn_config.short_conv_kernel_size", section.get("short_conv_kernel_size"), 1)
        return {"heads": heads, "k_heads": heads, "k_dim": dim, "v_dim": dim, "conv_kernel": kernel,
                "conv_channels": 3 * heads * dim, "dtype_bytes": 4}  # fmt: skip
    if trait.kind == "lightning":
        heads, dim = fields.need("heads"), fields.need("head_dim")
        return {"heads": heads, "k_heads": heads, "k_dim": dim, "v_dim": dim, "conv_kernel": 0, "conv_channels": 0,
                "dtype_bytes": 4}  # fmt: skip
    heads, k_heads = need("linear_num_value_heads"), need("linear_num_key_heads")
    k_dim, v_dim = need("linear_key_head_dim"), need("linear_value_head_dim")
    return {"heads": heads, "k_heads": k_heads, "k_dim": k_dim, "v_dim": v_dim,
            "conv_kernel": need("linear_conv_kernel_dim"), "conv_channels": 2 * k_heads * k_dim + heads * v_dim,
            "dtype_bytes": _dtype(fields)}  # fmt: skip


def _first(fields: Fields, names: tuple[str, ...]) -> int:
    for name in names:
        value = fields.number(name, 1)
        if value is not None:
            return value
    raise fields.missing(names[0], others=names[1:])


def _mamba(fields: Fields, trait: Class, hidden: int) -> Json:
    kernel = _first(fields, ("conv_kernel", "mamba_d_conv", "conv_kernel_size", "d_conv"))
    size = _first(fields, ("ssm_state_size", "mamba_d_state", "state_size", "d_state"))
    if trait.kind in ("mamba1", "jamba"):
        expand = fields.number("mamba_expand", 1) or fields.number("expand", 1) or 2
        inner = fields.number("intermediate_size", 1) if trait.kind == "mamba1" else None
        inner = inner or expand * hidden
        # one channel per head, and a convolution over the channels alone
        return {"heads": inner, "head_dim": 1, "state_size": size, "groups": 0, "conv_kernel": kernel,
                "conv_channels": inner, "dtype_bytes": _dtype(fields)}  # fmt: skip
    heads = _first(fields, ("mamba_num_heads", "mamba_n_heads", "num_heads"))
    dim = fields.number("mamba_head_dim", 1) or fields.number("mamba_d_head", 1)
    if dim is None:
        width = (
            fields.number("mamba_d_ssm", 1)
            or (fields.number("mamba_expand", 1) or fields.number("expand", 1) or 2) * hidden
        )
        dim = fields.number("head_dim", 1) if trait.kind == "mamba2" and fields.has("head_dim") else width // heads
    if not dim:
        raise fields.missing("mamba_head_dim", others=("mamba_d_head",))
    wide = fields.number("mamba_d_ssm", 1)
    if wide is None and trait.kind == "layers" and fields.has("mamba_expand"):
        wide = (fields.number("mamba_expand", 1) or 2) * hidden
    if wide is not None and wide != heads * dim:
        raise ImportProblem(fields.where("mamba_d_head"), "unlike", heads * dim, n=wide)
    groups = fields.number("n_groups", 1) or fields.number("mamba_n_groups", 1) or 1
    return {"heads": heads, "groups": groups, "state_size": size, "head_dim": dim, "conv_kernel": kernel,
            "conv_channels": heads * dim + 2 * groups * size, "dtype_bytes": _dtype(fields)}  # fmt: skip


def _share(fields: Fields, kinds: list[str], found: list[Json]) -> None:
    """The last layers may use the KV of earlier ones."""
    shared = fields.number("num_kv_shared_layers") or 0
    if not shared:
        return
    if shared >= len(kinds):
        raise ImportProblem(fields.where("num_kv_shared_layers"), "beyond", shared, n=len(kinds))
    for group in found:
        of_kind = kinds[len(kinds) - shared :].count(group["kind"])
        if of_kind:
            group["shared_kv"] = of_kind


def _indexers(fields: Fields, kinds: list[str], found: list[Json], trait: Class) -> None:
    width = fields.find("indexer")
    sparse = fields.raw("sparse_attention_config")
    owners: int | None = None
    if width is None and isinstance(sparse, dict) and sparse.get("use_sparse_attention", True):
        width = fields.whole("sparse_attention_config.sparse_index_dim", sparse.get("sparse_index_dim"), 1)
        listed = sparse.get("sparse_attention_freq")
        owners = sum(1 for v in listed if v) if isinstance(listed, list) else None
    if not width:
        return
    types = fields.listed("indexer_types", len(kinds))
    if types is not None:
        owners = types.count("full")
    plain = fields.listed("layer_types", len(kinds))
    if plain and not isinstance(sparse, dict) and set(plain) <= {"full_attention"}:
        return  # sizes of an indexer, and a list that gives no layer one
    target = next((g for g in found if g["kind"] == "mla"), None) or next(
        (g for g in found if g["kind"] == "full"), None
    )
    if target is None:
        raise ImportProblem(f"{fields.path}index_head_dim", "unused", width)
    target["indexer"] = width
    if owners is not None and owners != target["layers"]:
        target["indexer_layers"] = min(owners, target["layers"])


def _listed(fields: Fields, kinds: list[str], named: tuple[str, Any], hidden: int, heads: int) -> list[Json]:
    """KV heads written per layer."""
    name, values = named
    if len(values) != len(kinds):
        raise ImportProblem(fields.where(name), "entries", len(values), layers=len(kinds))
    dim = head_dim(fields, hidden, heads)
    at: dict[int, list[int]] = {}
    for index, value in enumerate(values):
        at.setdefault(fields.whole(f"{name}[{index}]", value), []).append(index)
    return _by_heads(at, dim)


def _by_heads(at: dict[int, list[int]], dim: int) -> list[Json]:
    """One group per number of KV heads; no heads are no attention."""
    return [
        {"kind": "full", "layers": len(where), "kv_heads": kv, "head_dim": dim, "at": where}
        if kv
        else {"kind": "none", "layers": len(where), "at": where}
        for kv, where in at.items()
    ]


def _blocks(fields: Fields, kinds: list[str], heads: int) -> list[Json]:
    """Layers written one by one: how many query heads share one KV head, or no attention at all."""
    hidden = fields.need("hidden")
    dim = head_dim(fields, hidden, heads)
    at: dict[int, list[int]] = {}
    for index, block in enumerate(fields.listed("block_configs", len(kinds)) or ()):
        kv = 0
        if kinds[index] == "full":
            part = block["attention"]
            share = part.get("n_heads_in_group") or part.get("num_key_value_heads")
            where = f"block_configs[{index}].attention.n_heads_in_group"
            share = fields.whole(where, share, 1)
            kv = share if part.get("num_key_value_heads") else heads // share
            if not part.get("num_key_value_heads") and heads % share:
                raise ImportProblem(where, "uneven-of", shown(share), n=heads)
        at.setdefault(kv, []).append(index)
    return _by_heads(at, dim)


def _compressed(fields: Fields, kinds: list[str], heads: int) -> list[Json]:
    """A window of single-head keys on each layer, and one compressed entry per stride of tokens beside it."""
    ratios = fields.listed("compress_ratios")
    if ratios is None or len(ratios) < len(kinds):
        where = f"{fields.path}compress_ratios"
        if ratios is None:
            raise ImportProblem(where, "missing")
        raise ImportProblem(where, "entries", len(ratios), layers=len(kinds))
    dim, window = fields.need("head_dim"), fields.need("window")
    q_latent = fields.need("q_latent")
    base = {"kind": "swa", "kv_heads": 1, "head_dim": dim, "k_is_v": True, "window": window}
    at: dict[int, list[int]] = {}
    for index, ratio in enumerate(ratios[: len(kinds)]):
        at.setdefault(fields.whole(f"compress_ratios[{index}]", ratio), []).append(index)
    found = []
    smallest = min((r for r in at if r), default=0)
    for ratio in sorted(at):
        group: Json = {**base, "layers": len(at[ratio]), "heads": heads, "q_compressed": q_latent, "at": at[ratio]}
        if ratio:
            group["stride"] = ratio
            if ratio == smallest and fields.find("indexer"):  # only the finely compressed layers select
                group["indexer"] = fields.need("indexer")
        found.append(group)
    return found
