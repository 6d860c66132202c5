"""Reading config.json: where a quantity may stand, under which names, and what is refused.

Publishers write the same quantity under many names and at two or three depths. `Fields` looks a
quantity up by all of its names, checks that it is a sane whole number, and remembers what had to be
assumed; nothing here guesses.
"""

from __future__ import annotations

from typing import Any

from .problem import ImportProblem, Said, shown, taken

Json = dict[str, Any]
LARGEST = 10**9  # of any single size in a config: wider than any model, small enough to multiply

# Sections that hold the language model when the file describes more than that, outermost first.
_SECTIONS = (
    "thinker_config", "text_config", "llm_config", "language_config", "language_model_config", "text_model_config",
    "lm_config", "decoder", "text_model",
)  # fmt: skip

NAMES: dict[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_transformer_layers"),
    "hidden": ("hidden_size", "n_embd", "d_model", "dim", "model_dim"),
    "heads": ("num_attention_heads", "n_head", "n_heads", "num_heads"),
    "kv_heads": (
        "num_key_value_heads", "n_head_kv", "num_kv_heads", "n_kv_heads", "multi_query_group_num", "kv_n_heads",
        "num_query_groups",
    ),
    "head_dim": ("head_dim", "attention_head_dim", "kv_channels", "head_size", "d_head"),
    "v_head_dim": ("v_head_dim",),
    "vocab": ("padded_vocab_size", "vocab_size", "n_vocab"),
    "context": (
        "max_position_embeddings", "max_sequence_length", "n_positions", "max_seq_len", "seq_length", "n_ctx",
        "model_max_length",
    ),
    "window": ("sliding_window", "sliding_window_size", "attention_window_size", "window_size"),
    "intermediate": (
        "intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "hidden_dim", "d_ff", "feed_forward_size",
        "ffn_hidden", "block_ff_dim",
    ),
    "experts": (
        "num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "num_moe_experts", "n_experts",
        "moe_num_routed_experts", "num_routed_experts",
    ),
    "active": (
        "num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_top_k", "top_k_experts", "experts_per_token",
        "moe_k", "num_selected_experts", "moe_router_topk", "n_activated_experts",
    ),
    "moe_intermediate": (
        "moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size", "expert_ffn_hidden_size",
        "expert_hidden_size", "moe_hidden_size", "moe_inter_dim",
    ),
    "shared": ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"),
    "shared_intermediate": (
        "moe_shared_expert_intermediate_size", "shared_expert_intermediate_size", "shared_intermediate_size",
        "share_expert_dim", "shared_expert_ffn_hidden_size", "moe_shared_intermediate_size",
    ),
    "latent": ("kv_lora_rank",),
    "rope": ("qk_rope_head_dim",),
    "nope": ("qk_nope_head_dim",),
    "q_latent": ("q_lora_rank",),
    "indexer": ("index_head_dim",),
    "indexer_heads": ("index_n_heads",),
}  # fmt: skip


# how a message names a quantity whose first name is not the usual one
_USUAL = {"vocab": "vocab_size"}
# every name of a quantity, with all of that quantity's names
_ALIASES = {name: names for names in NAMES.values() for name in names}


def language_part(config: Json) -> tuple[Json, str]:
    """The section that describes the language model, and the prefix of its fields' names."""
    part, path = config, ""
    for name in _SECTIONS:
        inner = part.get(name)
        if isinstance(inner, dict) and any(n in inner for n in (*NAMES["hidden"], *NAMES["layers"], "text_config")):
            part, path = inner, f"{path}{name}."
    return part, path


class Fields:
    """Look-ups in the language part, then in the file around it, then in what the class itself declares.

    said: what was not written in the file and taken from the class or from another field.
    """

    def __init__(self, config: Json, defaults: Json) -> None:
        self.outer = config
        self.part, self.path = language_part(config)
        self.defaults = defaults
        self.said: list[Said] = []

    def raw(self, name: str) -> Any:
        """A field by its exact name: language part first, then the file; None when absent."""
        if name in self.part:
            return self.part[name]
        return self.outer.get(name)

    def has(self, name: str) -> bool:
        """Whether a field is written and not null."""
        return self.raw(name) is not None

    def where(self, name: str) -> str:
        """The path under which a message names a field."""
        return f"{self.path}{name}" if name in self.part or name not in self.outer else name

    def named(self, quantity: str) -> tuple[str, Any] | None:
        """The first of a quantity's names that the file writes, with its value."""
        for name in NAMES[quantity]:
            value = self.raw(name)
            if value is not None:
                return name, value
        for section in ("attn_config", "ffn_config"):  # one publisher's nested form
            inner = self.raw(section)
            if isinstance(inner, dict):
                for name in NAMES[quantity]:
                    if inner.get(name) is not None:
                        return f"{section}.{name}", inner[name]
        return None

    def find(self, quantity: str, low: int = 1) -> int | None:
        """A whole number under any of its names, or what the class declares; None when neither says."""
        found = self.named(quantity)
        if found is None:
            default = self.defaults.get(quantity)
            if default is not None:
                self.said.append(taken("default", NAMES[quantity][0], default))
            return default
        return self.whole(*found, low=low)

    def need(self, quantity: str, low: int = 1) -> int:
        """Like find, but absence is an error that names the field."""
        value = self.find(quantity, low)
        if value is None:
            raise self.missing(_USUAL.get(quantity, NAMES[quantity][0]))
        return value

    def missing(self, name: str, others: tuple[str, ...] = ()) -> ImportProblem:
        """The error for a field that is absent, with the other names under which it would be read."""
        others = tuple(n for n in (*others, *_ALIASES.get(name, ())) if n != name)
        if others:
            return ImportProblem(f"{self.path}{name}", "missing", ", ".join(others))
        return ImportProblem(f"{self.path}{name}", "missing")

    def require(self, needs: tuple[str, ...]) -> None:
        """Refuse a file that lacks one of the fields its class writes: "a|b" where either will do."""
        for need in needs:
            names = need.split("|")
            if not any(n in self.part or n in self.outer for name in names for n in (name, *_ALIASES.get(name, ()))):
                raise self.missing(names[0], others=tuple(names[1:]))

    def whole(self, name: str, value: Any, low: int = 0) -> int:
        """`value` as a whole number in a sane range, or the error that names its field."""
        if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ImportProblem(self.where(name), "impossible", shown(value))
        if not low <= value <= LARGEST:
            raise ImportProblem(self.where(name), "range", value, low=low, high=LARGEST)
        return value

    def number(self, name: str, low: int = 0) -> int | None:
        """A whole number by exact name; None when absent or null."""
        value = self.raw(name)
        return None if value is None else self.whole(name, value, low)

    def flag(self, name: str, default: bool = False) -> bool:
        """A yes or no by exact name."""
        value = self.raw(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ImportProblem(self.where(name), "impossible", shown(value))
        return value

    def listed(self, name: str, length: int | None = None) -> list[Any] | None:
        """A list by exact name, of the wanted length; None when absent."""
        value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise ImportProblem(self.where(name), "not-list", shown(value))
        extra = self.raw("num_nextn_predict_layers") if name == "layer_types" else None
        if length is not None and isinstance(extra, int) and len(value) == length + extra:
            value = value[:length]  # prediction layers are listed behind the model's own
        if length is not None and len(value) != length:
            raise ImportProblem(self.where(name), "entries", len(value), layers=length)
        return list(value)
