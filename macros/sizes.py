"""Sizes of a model as `wizard.memory` computes them, before any engine adds its own."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from macros.world import Entry
from wizard.memory import kv, state, weights
from wizard.memory.rules import Profile, profile
from wizard.shapes import GIB


@lru_cache(maxsize=1)
def _plain() -> Profile:
    """An engine that states nothing: whole tokens, windows kept at their width."""
    return profile({"memory": [], "versions": {"stable": "0"}}, None, "cuda", "0", False, 24 * GIB)


def kv_per_token(model: Entry, kv_type: str) -> int:
    """Bytes of KV cache one token adds, all layers, not divided over cards."""
    return kv.build(model, kv_type, 1, _plain()).per_token()


def kv_sizes(model: Entry, kv_type: str, contexts: list[int]) -> list[int]:
    """Bytes of one request of so many tokens."""
    cache = kv.build(model, kv_type, 1, _plain())
    return [cache.bytes(tokens) for tokens in contexts]


def state_bytes(model: Entry) -> int:
    """Bytes of recurrent state one sequence holds; 0 for models without."""
    return state.sequence_bytes(model["attention"], 1, _plain().of("state-slots"))


def weight_bytes(model: Entry, type_: Entry | None, container: str) -> int:
    """Bytes of the weights in a format type, from bits per parameter group."""
    found: Any = weights.compute(model, type_, None, container)
    return found.total
