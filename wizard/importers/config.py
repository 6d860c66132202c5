"""config.json to an architecture: the fields of a model entry, which the whole decision works on.

Every number comes from a field of the file or from what the class is known to add; a missing field, a
contradiction and an unknown class are refused with the field's name (`ImportProblem`).
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from . import classes, groups, layers, params, quantization, towers
from .fields import NAMES, Fields, Json
from .problem import ImportProblem, Said, shown, taken

# fields that only some classes have
_TOLD = re.compile(
    "expert|lora|mamba|ssm|linear_|layer_types|per_layer|hybrid|pattern|compress|index_|moe|logit_softcap"
)


LAYERS = 10_000  # far more than any model has


class Imported(NamedTuple):
    """entry: fields of a model entry, with `matrices` (see params.Sheet) and `extra` attention fields.

    format: what the weights are stored in, as {"family", "type", "bits", "tensors"}, None when the file does
    not say; said: what was taken for granted, as sentences; kv: the KV cache type the checkpoint asks for.
    """

    entry: Json
    format: Json | None
    said: tuple[Said, ...]
    kv: str | None = None


def architecture(config: Any, quant_file: Any = None, with_format: bool = True) -> Imported:
    """Read a config.json (as parsed) and, if there is one, the hf_quant_config.json beside it.

    with_format: False leaves out what the weights are stored in, also where that could not be read.
    """
    if not isinstance(config, dict):
        raise ImportProblem("config.json", "not-map", shown(config))
    fields, trait, name = _open(config)
    count = layers.count(fields) * (2 if trait.kind == "longcat" else 1)  # a layer of that class is two
    if count > LAYERS:
        raise ImportProblem(fields.where("num_hidden_layers"), "range", count, low=1, high=LAYERS)
    hidden = fields.need("hidden")
    plain = trait.kind not in ("mamba1", "mamba2")
    heads = fields.need("heads") if plain else fields.find("heads") or 1
    kinds = layers.attention(fields, count, trait)
    attention = groups.build(fields, kinds, trait, hidden, heads)
    groups.place(attention, kinds)
    entry = _entry(fields, trait, name, count, hidden, heads, kinds, attention)
    format_ = quantization.read(config, fields, quant_file, entry) if with_format else None
    entry["attention"] = [{k: v for k, v in g.items() if k not in groups.PRIVATE} for g in attention]
    return Imported(entry, format_, tuple(dict.fromkeys(fields.said)), quantization.kv_type(config, fields, quant_file))


def _tower(section: str, what: str) -> Said:
    """What `towers` says of a section as a sentence."""
    return taken(what, section) if what in (towers.ENCODER, towers.JOINT) else taken("defaults", what)


def _open(config: Json) -> tuple[Fields, classes.Class, str]:
    probe = Fields(config, {})
    written = [probe.part.get("model_type"), config.get("model_type")]
    if written[1] in classes.OUTER_FIRST:
        written.reverse()
    named = probe.part.get("architectures") or config.get("architectures")
    found = classes.find(written, named) or classes.find([], config.get("architectures"))
    if found is None:
        if any(written) or named:
            where = "model_type" if any(written) else "architectures"
            raise ImportProblem(probe.where(where), "unknown", shown(next((w for w in written if w), named)))
        # more than a plain decoder, or less than a whole one, and nothing says which
        whole = all(map(probe.named, ("heads", "kv_heads", "intermediate"))) or not probe.named("hidden")
        if any(map(_TOLD.search, probe.part)) or not whole:
            raise ImportProblem(probe.where("model_type"), "missing")
        found = "", classes.Class()
        probe.said.append(taken("plain", "model_type"))
    name, trait = found
    fields = Fields(config, trait.defaults)
    fields.said += probe.said
    fields.require(classes.NEEDS.get(name, ()))
    windows = [*NAMES["window"], "layer_types"]
    own = "window" in trait.defaults
    if trait.windowed != "none" and not own and not any(n in fields.part or n in fields.outer for n in windows):
        if trait.windowed != "all":
            raise fields.missing("sliding_window")
        fields.said.append(taken("whole", "sliding_window"))
    if trait.kind == "gemma4" and not fields.has("hidden_size_per_layer_input"):
        fields.said.append(taken("absent", "hidden_size_per_layer_input"))
    kind = str(config.get("model_type"))
    for section in ("vision_config" if kind in classes.SEEING else "", classes.HEARING.get(kind, "")):
        if section and section not in config and section not in (config.get("thinker_config") or ()):
            fields.said.append(taken("absent", section))
    for key in ("hc_mult", "num_hash_layers") if kind == "deepseek_v4" else ():
        if not fields.has(key):
            fields.said.append(taken("absent", key))
    label = config.get("architectures")
    return fields, trait, str(label[0]) if isinstance(label, list) and label else name


def _entry(
    fields: Fields, trait: classes.Class, name: str, count: int, hidden: int, heads: int, kinds: list[str],
    attention: list[Json],
) -> Json:  # fmt: skip
    vocab = fields.need("vocab")
    # the whole model decides, its language part only where the file around it is silent
    tied = fields.outer.get("tie_word_embeddings")
    inner = str(fields.outer.get("model_type")) in classes.INNER_TIES and fields.raw("tie_word_embeddings") is True
    tied = fields.raw("tie_word_embeddings") if tied is None or inner else tied
    if tied is None:
        fields.said.append(taken("default", "tie_word_embeddings", str(trait.tied).lower()))
    tied = trait.tied if tied is None else bool(tied)
    experts = _experts(fields, count, trait)
    mlps = layers.mlps(fields, count, trait, experts["count"] if experts else 0)
    if trait.kind == "nemotron" and "moe" in mlps:
        fields.require(("n_routed_experts", "moe_intermediate_size", "moe_shared_expert_intermediate_size"))
    if experts:
        experts["layers"] = mlps.count("moe")
        if not experts["layers"]:
            experts = None
    sheet = params.Sheet()
    sheet.add("embeddings", "embeddings", hidden, vocab)
    if not tied:
        sheet.add("head", "head", hidden, vocab)
    if "head-bias" in trait.extra:
        sheet.vector("head", vocab)
    if "positions" in trait.extra:
        sheet.add("other", "other", hidden, fields.need("context") + (2 if "two-positions" in trait.extra else 0))
    if "embedding-norm" in trait.extra:
        sheet.vector("norms", 2 * hidden)
    gated = bool(fields.raw("attn_output_gate")) or trait.kind == "gated-delta" or "output-gate" in trait.extra
    for group in attention:
        told = {**group, "k_is_v": True} if group.get("shared_projection") else group
        params.attention(sheet, fields, trait, told, hidden, heads, gated)
        params.recurrent(sheet, fields, trait, group if group["kind"] != "full" else {**group, "kind": "mamba"}, hidden)
    width = _mlps(sheet, fields, trait, mlps, hidden, experts)
    _norms(sheet, fields, trait, kinds, mlps, hidden)
    seen, left_out = towers.vision(fields.outer, hidden)
    if seen:
        sheet.add("vision", "vision", hidden, -(-seen // hidden))
        sheet.rows[-1]["params"] = seen
    if left_out:
        fields.said.append(_tower("vision_config", left_out))
    heard, left_out = towers.audio(fields.outer, hidden)
    if heard:
        sheet.add("audio", "audio", hidden, -(-heard // hidden))
        sheet.rows[-1]["params"] = heard
    if left_out:
        fields.said.append(_tower("audio_config", left_out))
    fields.said += [taken("tower", name) for name in classes.APART if isinstance(fields.outer.get(name), dict)]
    found = sheet.groups()
    total = sum(g["params"] for g in found)
    entry: Json = {
        "name": str(fields.outer.get("_name_or_path") or name)[:80].rsplit("/", 1)[-1] or name,
        "kind": "moe" if experts else "dense",
        "family": None,
        "architecture": name,
        "modality": ["text", *(["vision"] if seen else []), *(["audio"] if heard else [])],
        "tasks": ["chat"],
        "params": {"total": total, "active": _active(found, experts)},
        "layers": count, "hidden": hidden, "heads": heads, "vocab": vocab, "tied": tied,
        "attention": attention, "groups": found, "matrices": sheet.rows, "checkpoints": [],
    }  # fmt: skip
    own = fields.number("num_nextn_predict_layers") or fields.number("mtp_num_hidden_layers")
    if own:
        entry["mtp"] = own
    if width:
        entry["intermediate"] = width
    if experts:
        entry["experts"] = experts
    rotary = _rotary(fields, attention)
    if rotary:
        entry["rotary"] = rotary
    limit = fields.find("context")
    if limit:
        entry["context"] = {"native": limit}
    return entry


def _experts(fields: Fields, count: int, trait: classes.Class) -> Json | None:
    number = fields.find("experts", 0)
    enabled = fields.raw("enable_moe_block")
    if number is None and enabled is not False:
        told = fields.named("active") or fields.named("moe_intermediate")
        if told and told[1]:
            raise fields.missing("num_experts", f", though {told[0]} is {shown(told[1])}")
    if not number or number == 1 or enabled is False:
        return None
    active = fields.need("active")
    if active > number:
        written = fields.named("active")
        raise ImportProblem(fields.where(written[0] if written else "num_experts_per_tok"), "beyond", active, n=number)
    width = fields.find("moe_intermediate") or fields.need("intermediate")
    shared = fields.find("shared", 0) or 0
    wide = fields.find("shared_intermediate", 0)
    if trait.kind == "llama4" or (wide and not shared):
        shared = 1
    found = {"count": number, "active": active, "shared": shared, "intermediate": width, "layers": count}
    if shared and wide:
        found["shared_intermediate"] = wide
    elif shared and wide == 0:
        found["shared"] = 0
    return found


def _mlps(
    sheet: params.Sheet, fields: Fields, trait: classes.Class, mlps: list[str], hidden: int, experts: Json | None
) -> int | None:
    dense = [i for i, kind in enumerate(mlps) if kind == "dense"]
    sparse = [i for i, kind in enumerate(mlps) if kind == "moe"]
    width = None
    if trait.kind in ("gemma4", "longcat") and experts:  # a dense MLP beside the experts on every layer
        dense = list(range(len(mlps)))
    if trait.kind == "blocks":
        return _block_mlps(sheet, fields, hidden)
    if dense:
        width = fields.number("intermediate_size_mlp", 1) or fields.number("dense_intermediate_size", 1)
        if not width and "four-wide" in trait.extra and not fields.named("intermediate"):
            factor = fields.number("expansion_ratio", 1) or 4
            fields.said.append(taken("default", "intermediate_size", f"{factor} × hidden_size"))
            width = factor * hidden
        width = width or fields.need("intermediate")
        width = _lfm_width(fields, width)
        params.mlp(sheet, "mlp", trait.mlp, hidden, width, dense)
        if fields.raw("mlp_bias") if fields.has("mlp_bias") else trait.mlp_bias:
            sheet.vector("mlp", (trait.mlp - 1) * width + hidden, dense)
        shared_kv = fields.number("num_kv_shared_layers") or 0
        if fields.raw("use_double_wide_mlp") is True and shared_kv:
            params.mlp(sheet, "mlp", trait.mlp, hidden, width, dense[-shared_kv:])
    if not experts or not sparse:
        return width
    matrices = trait.experts_mlp or trait.mlp
    inner = fields.number("moe_latent_size", 1) or fields.number("routed_expert_hidden_size", 1) or hidden
    wide = experts["intermediate"]
    params.mlp(sheet, "experts", matrices, inner, wide, sparse, "_exps", experts["count"])
    if trait.mlp_bias:
        sheet.vector("experts", experts["count"] * ((matrices - 1) * wide + hidden), sparse)
    if inner != hidden:
        sheet.add("mlp", "other", hidden, inner, sparse)
        sheet.add("mlp", "other", inner, hidden, sparse)
        if fields.raw("latent_moe_use_norm"):
            sheet.vector("norms", inner, sparse)
    if experts["shared"]:
        shared = experts.get("shared_intermediate") or wide * experts["shared"]
        params.mlp(sheet, "shared-experts", matrices, hidden, shared, sparse, "_shexp")
        if "shared-gate" in trait.extra:
            sheet.vector("router", hidden, sparse)
    choices = experts["count"] + (fields.number("zero_expert_num") or 0)  # some lead nowhere
    sheet.add("router", "router", hidden, choices, sparse)
    unbiased = fields.raw("use_routing_bias") is False or fields.raw("use_expert_bias") is False
    told = fields.number("num_hash_layers") or 0  # these look up the experts of each word
    if (trait.router_bias and not unbiased) or "router-bias" in trait.extra:
        sheet.vector("router", choices, sparse[told:])
    if told:
        sheet.vector("router", fields.need("vocab") * experts["active"], sparse[:told])
    if trait.kind == "gemma4":
        sheet.vector("router", hidden + experts["count"], sparse)
    return width


def _lfm_width(fields: Fields, width: int) -> int:
    """One class rounds two thirds of the written width up to a multiple."""
    if fields.raw("block_auto_adjust_ff_dim") is True:
        multiple = fields.number("block_multiple_of", 1) or 256
        return -(-int(2 * width / 3) // multiple) * multiple
    return width


def _block_mlps(sheet: params.Sheet, fields: Fields, hidden: int) -> int | None:
    widest = None
    for index, block in enumerate(fields.listed("block_configs") or ()):
        part = block.get("ffn") if isinstance(block, dict) else None
        if not isinstance(part, dict):
            raise ImportProblem(f"block_configs[{index}].ffn", "missing")
        if part.get("no_op"):
            continue
        width = part.get("intermediate_size")
        if width is None:
            factor = part.get("ffn_mult")
            if not isinstance(factor, int | float) or isinstance(factor, bool) or not 0 < factor < 100:
                raise ImportProblem(f"block_configs[{index}].ffn.ffn_mult", "impossible", shown(factor))
            width = -(-int(2 * factor * hidden / 3) // 256) * 256
        width = fields.whole(f"block_configs[{index}].ffn.intermediate_size", width, 1)
        params.mlp(sheet, "mlp", 3, hidden, width, [index])
        widest = max(widest or 0, width)
    return widest


def _norms(
    sheet: params.Sheet, fields: Fields, trait: classes.Class, kinds: list[str], mlps: list[str], hidden: int
) -> None:
    wide = 2 if trait.bias_norms else 1
    every = list(range(len(kinds)))
    sparse = [i for i in every if mlps[i] == "moe"] if trait.moe_norms is not None else []
    sheet.vector("norms", (trait.moe_norms or 0) * hidden * wide, sparse)
    norms = trait.norms
    if trait.kind == "falcon":  # attention and MLP side by side share one norm, unless the file asks for two
        two = fields.raw("num_ln_in_parallel_attn") == 2 or fields.raw("new_decoder_architecture") is True
        norms = 2 if two or fields.raw("parallel_attn") is False else 1
    sheet.vector("norms", norms * hidden * wide, [i for i in every if i not in sparse])
    if trait.norms or trait.bias_norms:
        sheet.vector("norms", hidden * wide)
    if "xielu" in trait.extra:  # numbers of the activation
        sheet.vector("other", 4, every)
    streams = fields.number("hc_mult", 1) if trait.kind == "compressed" else None
    if streams:  # several streams of the residual, mixed before attention and before the experts
        mixed = streams * (streams + 2)
        sheet.add("other", "other", streams * hidden, 2 * mixed, every)
        sheet.vector("other", 2 * (mixed + 3), every)
        sheet.add("other", "other", streams * hidden, streams)
        sheet.vector("other", streams + 1)
    if "block-residuals" in trait.extra:
        sheet.vector("norms", 2 * hidden)
    if trait.kind == "gemma4":
        sheet.vector("other", 1, every)
        per_layer = fields.number("hidden_size_per_layer_input") or 0
        if per_layer:
            words = fields.number("vocab_size_per_layer_input", 1) or fields.need("vocab")
            sheet.add("per-layer-embeddings", "per-layer-embeddings", per_layer * len(kinds), words)
            sheet.add("other", "other", hidden, per_layer * len(kinds))
            sheet.add("other", "other", hidden, per_layer, every)
            sheet.add("other", "other", per_layer, hidden, every)
            sheet.vector("norms", hidden, every)
            sheet.vector("norms", per_layer)


def _rotary(fields: Fields, attention: list[Json]) -> int:
    """Rotary dimensions of a head, for engines that keep a table of positions."""
    written = fields.number("rotary_dim", 1)
    if written:
        return written
    parameters = fields.raw("rope_parameters")
    factor = fields.raw("partial_rotary_factor")
    if factor is None and isinstance(parameters, dict):
        factor = parameters.get("partial_rotary_factor")
    share = factor if isinstance(factor, int | float) and not isinstance(factor, bool) and 0 < factor <= 1 else 1
    widths = [
        g.get("rope") or int(g.get("head_dim", 0) * share)
        for g in attention
        if g["kind"] in ("full", "swa", "chunked", "mla")
    ]
    return max(widths, default=0)


def _active(found: list[Json], experts: Json | None) -> int:
    """Parameters one token uses: everything but the experts it does not choose and tables of look-ups."""
    total = sum(g["params"] for g in found if g["group"] not in ("vision", "audio"))
    if not experts:
        return total
    size = {g["group"]: g["params"] for g in found}
    table = size.get("embeddings", 0) if "head" in size else 0  # tied, the table is the head as well
    routed = size.get("experts", 0)
    return total - table - routed + routed * experts["active"] // experts["count"]
