"""model.safetensors.index.json: which files hold the weights and, where it is written, how many bytes.

The index of packed weights gives bytes and not parameters: integers of 32 bits hold several weights each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .problem import ImportProblem, shown


class Index(NamedTuple):
    """bytes: of all tensors, None where the index does not say; files: in order; tensors: how many."""

    bytes: int | None
    files: tuple[str, ...]
    tensors: int


def read(data: Any) -> Index:
    """Read an index as parsed from its JSON."""
    if not isinstance(data, dict):
        raise ImportProblem("index", "not-map", shown(data))
    weights = data.get("weight_map")
    if not isinstance(weights, dict) or not weights:
        raise ImportProblem("weight_map", "missing")
    if not all(isinstance(name, str) for name in weights.values()):
        raise ImportProblem("weight_map", "impossible", "–")
    section = data.get("metadata")
    size = section.get("total_size") if isinstance(section, dict) else None
    if isinstance(size, float) and 0 < size < 1e16:
        size = int(size)
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or not 0 < size < 10**16):
        raise ImportProblem("metadata.total_size", "impossible", shown(size))
    return Index(size, tuple(sorted(set(weights.values()))), len(weights))
