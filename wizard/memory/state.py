"""Bytes of recurrent state per sequence: linear attention (gated delta, KDA) and Mamba-2 layers.

A state does not grow with the context. Linear attention keeps a matrix of k_dim x v_dim per value head;
Mamba-2 keeps head_dim x state_size per head. Both keep the last tokens of a short convolution.
Checked against logs of two engines in tests/wizard/test_memory_vectors.py.
"""

from __future__ import annotations

from typing import Any

from .rules import state_slots
from .rules.base import Parameters


def layer_bytes(group: dict[str, Any], ranks: int, parameters: Parameters) -> int:
    """Bytes of one layer's state for one sequence on one of `ranks` tensor-parallel ranks.

    State heads and convolution channels are shared out evenly, rounded up.
    """
    state = group.get("state")
    if not state:
        return 0
    element, conv_element = state_slots.precision(parameters, state.get("dtype_bytes"))
    heads = state.get("heads", 1)
    if "k_dim" in state:
        per_head = state.get("k_dim", 0) * state.get("v_dim", 0)
        channels = 2 * state.get("k_heads", heads) * state.get("k_dim", 0) + heads * state.get("v_dim", 0)
    else:
        per_head = state.get("head_dim", 1) * state.get("state_size", 0)
        channels = heads * state.get("head_dim", 1) + 2 * state.get("groups", 1) * state.get("state_size", 0)
    channels = state.get("conv_channels", channels)
    kernel = state.get("conv_kernel", 0)
    kept = kernel if parameters["conv_full"] else max(0, kernel - 1)
    return -(-heads // ranks) * per_head * element + -(-channels // ranks) * kept * conv_element


def sequence_bytes(attention: list[dict[str, Any]] | None, ranks: int, parameters: Parameters) -> int:
    """Bytes of one copy of the state of one sequence, all layers, on one rank."""
    return sum(group["layers"] * layer_bytes(group, ranks, parameters) for group in attention or ())
