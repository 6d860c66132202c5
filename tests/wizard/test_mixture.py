"""GGUF file types as mixtures: what decides the type of a matrix."""

from __future__ import annotations

from itertools import product

import pytest

from wizard.memory.ggml import MIXTURES
from wizard.memory.mixture import Shape, by_layer, type_of

ROLES = (
    "embeddings", "head", "vision", "audio", "vector", "router", "ssm", "attn_q", "attn_k", "attn_v", "attn_qkv",
    "attn_output", "ffn_gate", "ffn_up", "ffn_down", "ffn_gate_exps", "ffn_up_exps", "ffn_down_exps", "ffn_down_shexp",
)  # fmt: skip
SHAPES = [Shape(*of) for of in product((1, 4, 8), (0, 4, 8, 128), (False, True), (False, True))]


@pytest.mark.parametrize("mixture", sorted(MIXTURES))
def test_where_the_layer_decides_nothing_one_answer_is_enough(mixture):
    for role, shape in product(ROLES, SHAPES):
        found = {type_of(mixture, role, layer, 48, shape) for layer in range(48)}
        assert len(found) == 1 or by_layer(mixture, role), (role, shape)
