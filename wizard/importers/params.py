"""Parameters of a model from its sizes: every matrix once, with its group, its role and its row length.

Groups are those of a model entry. Roles are what a quantizer asks of a matrix: which projection it is.
`columns` is the length of a row, on which block formats depend. Vectors (norms, biases) have the role
"vector".
"""

from __future__ import annotations

from typing import Any

from .classes import Class
from .fields import Fields
from .problem import ImportProblem

Json = dict[str, Any]


class Sheet:
    """All parameters, as rows {group, role, columns, params (of one layer), layers, at}.

    at: indices of the layers; empty for what stands outside of the layers.
    """

    def __init__(self) -> None:
        self.rows: list[Json] = []

    def add(self, group: str, role: str, columns: int, rows: int, at: list[int] | None = None) -> None:
        """A matrix of `rows` x `columns` on each layer of `at`, or once outside of the layers."""
        count = 1 if at is None else len(at)
        if columns > 0 and rows > 0 and count > 0:
            self.rows.append(
                {"group": group, "role": role, "columns": columns, "params": rows * columns, "layers": count,
                 "at": at or []}
            )  # fmt: skip

    def vector(self, group: str, size: int, at: list[int] | None = None) -> None:
        """A vector on each layer of `at`, or once outside of the layers."""
        self.add(group, "vector", size, 1, at)

    def groups(self) -> list[Json]:
        """Parameters by group, in the order in which the groups first came."""
        sums: dict[str, int] = {}
        for row in self.rows:
            sums[row["group"]] = sums.get(row["group"], 0) + row["params"] * row["layers"]
        return [{"group": name, "params": value} for name, value in sums.items() if value]


def attention(sheet: Sheet, fields: Fields, trait: Class, group: Json, hidden: int, heads: int, gated: bool) -> None:
    """Projections, biases and head norms of one group of attention layers."""
    kind, layers = group["kind"], group["at"]
    if kind == "mla":
        _latent(sheet, fields, group, hidden, gated)
        return
    if kind not in ("full", "swa", "chunked"):
        return
    own = group.get("heads", heads)
    kv, k_dim = group["kv_heads"], group["head_dim"]
    v_dim = group.get("v_head_dim", k_dim)
    q, k, v = own * k_dim, kv * k_dim, kv * v_dim
    store = layers[: len(layers) - group.get("shared_kv", 0)]
    if "q_compressed" in group:  # queries through a latent, one shared key and value head, grouped output
        _compressed(sheet, fields, group, hidden, own)
        return
    sheet.add("attention", "attn_q", hidden, q * (2 if gated else 1), layers)
    sheet.add("attention", "attn_k", hidden, k, store)
    if not group.get("k_is_v"):
        sheet.add("attention", "attn_v", hidden, v, store)
    sheet.add("attention", "attn_output", own * v_dim, hidden, layers)
    bias = fields.raw("attention_bias")
    if bias is None:
        bias = next((b for b in map(fields.raw, ("qkv_bias", "use_qkv_bias", "add_qkv_bias")) if b is not None), None)
    if trait.qkv_bias if bias is None else bias:
        sheet.vector("attention", q + k + (0 if group.get("k_is_v") else v), layers)
    # a class without biases of its own puts those that the file asks for on the output too
    if (trait.o_bias and bias is not False) or (not trait.qkv_bias and fields.raw("attention_bias") is True):
        sheet.vector("attention", hidden, layers)
    if "sinks" in trait.extra:
        sheet.vector("attention", own, layers)
    sinks = fields.raw("add_swa_attention_sink_bias")
    if kind == "swa" and (sinks or (sinks is None and "wide-windows" in trait.extra)):
        sheet.vector("attention", own, layers)
    qk_norm = trait.qk_norm
    if qk_norm.endswith("?"):  # classes where the file decides
        qk_norm = qk_norm[:-1] if fields.raw("use_qk_norm") is True else ""
    if qk_norm == "head":
        sheet.vector("norms", k_dim, layers)
        sheet.vector("norms", k_dim, store)  # layers that reuse keys normalize none
    elif qk_norm == "head-bias":
        sheet.vector("norms", 4 * k_dim, layers)
    elif qk_norm == "full":
        sheet.vector("norms", q + k, layers)
    if "head-gate" in trait.extra:  # one gate a query head
        sheet.add("attention", "other", hidden, own, layers)
    if "subnorms" in trait.extra:
        sheet.vector("norms", q + (fields.find("intermediate") or 0), layers)
    _index(sheet, fields, group, hidden, hidden)


def _latent(sheet: Sheet, fields: Fields, group: Json, hidden: int, gated: bool) -> None:
    layers, heads = group["at"], group["heads"]
    latent, rope, nope, v_dim = group["latent"], group["rope"], group["nope"], group["v_head_dim"]
    q_latent = fields.find("q_latent", 0) or 0
    if q_latent:
        sheet.add("attention", "attn_q_a", hidden, q_latent, layers)
        sheet.add("attention", "attn_q_b", q_latent, heads * (nope + rope), layers)
        sheet.vector("norms", q_latent, layers)
    else:
        sheet.add("attention", "attn_q", hidden, heads * (nope + rope), layers)
    sheet.add("attention", "attn_kv_a", hidden, latent + rope, layers)
    sheet.vector("norms", latent, layers)
    sheet.add("attention", "attn_k_b", latent, heads * nope, layers)
    sheet.add("attention", "attn_v_b", latent, heads * v_dim, layers)
    sheet.add("attention", "attn_output", heads * v_dim, hidden, layers)
    if gated:
        sheet.add("attention", "attn_gate", hidden, heads * v_dim, layers)
    _index(sheet, fields, group, hidden, q_latent or hidden)


def _index(sheet: Sheet, fields: Fields, group: Json, hidden: int, query: int) -> None:
    width = group.get("indexer")
    if not width:
        return
    sparse = fields.raw("sparse_attention_config")
    heads = fields.find("indexer_heads")
    if heads is None and isinstance(sparse, dict):
        heads = fields.whole("sparse_num_index_heads", sparse.get("sparse_num_index_heads"), 1)
    if heads is None:
        raise ImportProblem(f"{fields.path}index_n_heads", "missing")
    layers = group["at"][: group.get("indexer_layers", group["layers"])]
    sheet.add("indexer", "other", query, heads * width, layers)
    sheet.add("indexer", "other", hidden, width, layers)
    if isinstance(sparse, dict):  # block-sparse form: norms of the index queries and keys, no head weights
        sheet.vector("indexer", 2 * width, layers)
    else:
        sheet.vector("indexer", 2 * width, layers)
        sheet.add("indexer", "other", hidden, heads, layers)


def _compressed(sheet: Sheet, fields: Fields, group: Json, hidden: int, heads: int) -> None:
    """Low-rank queries, one key that is the value, output in groups; a compressor where a stride says so."""
    layers, dim = group["at"], group["head_dim"]
    q_latent, o_latent = group["q_compressed"], fields.number("o_lora_rank", 1) or 0
    o_groups = fields.number("o_groups", 1) or 1
    sheet.add("attention", "attn_q_a", hidden, q_latent, layers)
    sheet.vector("norms", q_latent, layers)
    sheet.add("attention", "attn_q_b", q_latent, heads * dim, layers)
    sheet.add("attention", "attn_kv_a", hidden, dim, layers)
    sheet.vector("norms", dim, layers)
    sheet.add("attention", "attn_output", heads * dim // o_groups, o_groups * o_latent, layers)
    sheet.add("attention", "attn_output", o_groups * o_latent, hidden, layers)
    sheet.vector("attention", heads, layers)
    stride = group.get("stride")
    if not stride:
        return
    overlap = 2 if group.get("indexer") else 1
    sheet.add("attention", "other", hidden, 2 * overlap * dim, layers)
    sheet.vector("attention", stride * overlap * dim, layers)
    sheet.vector("norms", dim, layers)
    if group.get("indexer"):
        width, count = group["indexer"], fields.find("indexer_heads") or 0
        sheet.add("indexer", "other", q_latent, count * width, layers)
        sheet.add("indexer", "other", hidden, count, layers)
        sheet.add("indexer", "other", hidden, 2 * overlap * width, layers)
        sheet.vector("indexer", stride * overlap * width + width, layers)


def recurrent(sheet: Sheet, fields: Fields, trait: Class, group: Json, hidden: int) -> None:
    """Projections of layers that keep a state."""
    state, layers, kind = group.get("state"), group["at"], group["kind"]
    if not state:
        return
    heads = state["heads"]
    if kind == "mamba":
        _mamba(sheet, fields, trait, group, hidden)
        return
    k, v = state["k_heads"] * state["k_dim"], heads * state["v_dim"]
    conv = state["conv_channels"] * state["conv_kernel"]
    own = "linear-attention"
    if trait.kind == "lightning":
        sheet.add(own, "attn_qkv", hidden, 2 * k + v, layers)
        sheet.add(own, "other", hidden, v, layers)
        sheet.add(own, "other", v, hidden, layers)
        sheet.vector(own, v, layers)
    elif trait.kind == "kda":
        sheet.add(own, "other", hidden, 2 * k + v, layers)
        sheet.vector(own, conv, layers)
        # low-rank gates of the decay and, unless it is a full matrix, of the output, and the write strength
        full = (fields.raw("linear_attn_config") or {}).get("use_full_rank_gate") is True
        sheet.add(own, "other", hidden, (1 if full else 2) * state["k_dim"], layers)
        sheet.add(own, "other", state["k_dim"], k if full else k + v, layers)
        if full:
            sheet.add(own, "other", hidden, v, layers)
        sheet.add(own, "other", hidden, heads, layers)
        sheet.vector(own, heads + k + state["v_dim"], layers)
        sheet.add(own, "other", v, hidden, layers)
    else:
        sheet.add(own, "attn_qkv", hidden, 2 * k + v, layers)
        sheet.add(own, "other", hidden, v, layers)
        sheet.add(own, "ssm", hidden, 2 * heads, layers)
        sheet.vector(own, conv + 2 * heads + state["v_dim"], layers)
        sheet.add(own, "other", v, hidden, layers)


def _mamba(sheet: Sheet, fields: Fields, trait: Class, group: Json, hidden: int) -> None:
    state, layers, own = group["state"], group["at"], "linear-attention"
    if not state["state_size"]:  # a gated short convolution, nothing recurrent
        sheet.add(own, "other", hidden, 3 * state["conv_channels"], layers)
        sheet.vector(own, state["conv_channels"] * state["conv_kernel"], layers)
        sheet.add(own, "other", state["conv_channels"], hidden, layers)
        return
    inner, size = state["heads"] * state["head_dim"], state["state_size"]
    kernel = state["conv_kernel"]
    if trait.kind in ("mamba1", "jamba"):
        rank = fields.number("time_step_rank", 1) or fields.number("mamba_dt_rank", 1) or -(-hidden // 16)
        sheet.add(own, "other", hidden, 2 * inner, layers)
        sheet.vector(own, inner * (kernel + 1) + 2 * inner, layers)
        sheet.vector(own, inner * size, layers)
        sheet.add(own, "other", inner, rank + 2 * size, layers)
        sheet.add(own, "other", rank, inner, layers)
        sheet.add(own, "other", inner, hidden, layers)
        if trait.kind == "jamba":
            sheet.vector(own, rank + 2 * size, layers)
        return
    channels = state["conv_channels"]
    sheet.add(own, "other", hidden, inner + channels + state["heads"], layers)
    norm = 0 if fields.raw("mamba_rms_norm") is False else inner
    sheet.vector(own, channels * (kernel + 1) + 3 * state["heads"] + norm, layers)
    sheet.add(own, "other", inner, hidden, layers)


def mlp(
    sheet: Sheet, group: str, matrices: int, hidden: int, width: int, at: list[int], suffix: str = "", count: int = 1
) -> None:
    """`count` MLPs of `width` on every layer of `at`; rows keep the length they have in one of them."""
    if matrices == 3:
        sheet.add(group, f"ffn_gate{suffix}", hidden, width * count, at)
    sheet.add(group, f"ffn_up{suffix}", hidden, width * count, at)
    sheet.add(group, f"ffn_down{suffix}", width, hidden * count, at)
