"""Pieces of a Decision: a Situation, a Fit of each class, estimates, statements, obstacles.

Figures are illustrations: they exercise the drawing and the wording, they are not claims.
"""

from __future__ import annotations

import copy
from typing import Any

from .sample_base import GIB

Plain = dict[str, Any]


def situation(**changes: Any) -> Plain:
    """A normalised Situation: two cards, a 32B model, a team of four."""
    base: Plain = {
        "devices": [{"device": "card-a", "custom": None, "count": 2, "memory_gib": 24}],
        "host": {"os": "linux", "arch": "x86_64", "ram_gib": 64, "cpu": None, "free_vram_gib": None},
        "links": {"within": "pcie", "between": "none"},
        "nodes": 1,
        "model": {"id": "model-32b"},
        "format": "auto",
        "settings": {"kv": "auto", "layout": "auto", "offload": "auto"},
        "context": {"tokens": 32768, "input": 6000, "output": 800},
        "traffic": {"concurrency": 4, "shared_prefix": 0.5, "mode": "online"},
        "needs": ["tool-calls"],
        "already": None,
        "serving": "team",
        "priority": "latency",
        "optional": {
            "exposure": "loopback",
            "air_gapped": False,
            "latency_target": None,
            "cost": None,
            "engine_versions": None,
        },
    }
    base.update(copy.deepcopy(changes))
    return base


def _part(name: str, gib: float, error: float = 0.0, basis: str = "computed") -> Plain:
    return {"name": name, "bytes": round(gib * GIB), "error_bytes": round(error * GIB), "basis": basis}


def device(index: int, other: float = 0.0) -> Plain:
    """One 24 GiB card, filled to a budget of 22.1 GiB."""
    parts = [
        _part("weights", 9.0, basis="exact"),
        _part("kv", 11.2),
        _part("activation", 1.0, 0.3, "fitted"),
        _part("graphs", 0.5, 0.1, "fitted"),
        _part("communication", 0.4, 0.1, "fitted"),
    ]
    if other:
        parts.append(_part("other", other, 0.3, "assumed"))
    parts.append(_part("free", 1.9 - other))
    return {
        "index": index,
        "device": "card-a",
        "name": "GeForce Card A",
        "capacity_bytes": 24 * GIB,
        "budget_bytes": round(22.1 * GIB),
        "layers": 64,
        "parts": parts,
        "over_bytes": 0,
    }


def fit(kind: str = "fits") -> Plain:
    """A Fit of each class."""
    base: Plain = {
        "class": kind,
        "devices": [device(0, 0.6), device(1)],
        "host": None,
        "weights_bytes": 19_330_000_000,
        "kv_bytes_per_token": 262144,
        "state_bytes_per_sequence": 0,
        "kv_bytes_request": 8 * GIB,
        "pool_bytes": 11 * GIB,
        "pool_tokens": 91700,
        "max_context": 40960,
        "max_concurrency": 13,
        "max_concurrency_full": 2,
        "headroom_bytes": GIB,
        "shortfall_bytes": 0,
        "error_bytes": round(0.5 * GIB),
        "offload": None,
        "assumptions": ["memory.assumed-desktop"],
        "warn_full": True,
        "copies": 1,
        "context_total": 27200,
        "reserves": True,
        "allocated_tokens": 91700,
    }
    if kind == "tight":
        base["headroom_bytes"] = round(0.2 * GIB)
    if kind == "offload":
        base["host"] = {
            "capacity_bytes": 64 * GIB,
            "parts": [_part("weights", 30), _part("other", 4, 1, "assumed"), _part("free", 30)],
            "over_bytes": 0,
        }
        base["offload"] = {"kind": "experts", "layers_gpu": 64, "cpu_moe_layers": 40, "host_bytes": 30 * GIB}
    if kind == "no":
        for one in base["devices"]:
            one["parts"] = [_part("weights", 30.5)]
            one["over_bytes"] = round(6.5 * GIB)
        base |= {
            "shortfall_bytes": round(6.5 * GIB),
            "pool_tokens": 0,
            "allocated_tokens": 0,
            "max_concurrency": 0,
            "max_concurrency_full": 0,
        }
    return base


def _interval(low: float, point: float, high: float) -> Plain:
    return {"low": low, "point": point, "high": high}


def estimates() -> Plain:
    """Estimates with one nearest measurement."""
    return {
        "decode_tps": _interval(44.1, 52.3, 60.2),
        "throughput_tps": _interval(138, 168, 199),
        "prefill_tps": _interval(1010, 1360, 1810),
        "ttft_s": _interval(3.31, 4.41, 5.94),
        "tpot_s": _interval(0.02, 0.024, 0.03),
        "shares": {"weights": 0.7, "kv": 0.1, "overhead": 0.1, "compute": 0.05, "communication": 0.05, "host": 0},
        "basis": {"class": "nv-consumer", "records": 412, "machines": 63, "error": 0.08, "coverage": 0.81},
        "nearest": [
            {
                "id": "one.a",
                "decode_tps": 55.3,
                "differs": ["engine-version"],
                "source": "measured-one",
                "date": "2026-03-02",
                "hardware": "2 × Card A",
                "engine": "alpha",
                "model": "Model 32B",
            },
            {
                "id": "one.b",
                "decode_tps": 33.8,
                "differs": ["engine", "format"],
                "source": "measured-one",
                "date": "2026-03-02",
                "hardware": "1 × Card A",
                "engine": "Other <b>",
                "model": "Model 32B",
            },
        ],
        "missing": None,
    }


def statement(id_: str, text: str, sources: list[str] | None = None, **more: Any) -> Plain:
    """A Statement."""
    return {
        "id": id_,
        "text": text,
        "params": more.pop("params", {}),
        "sources": sources or [],
        "strength": more.get("strength"),
        "rule": more.get("rule"),
        "opinion": more.get("opinion"),
        "headline": more.get("headline"),
    }


def obstacle(clause: str, yours: Any, needed: Any, **more: Any) -> Plain:
    """An Obstacle."""
    return {
        "clause": clause,
        "yours": yours,
        "needed": needed,
        "kind": "false",
        "sources": ["alpha-docs"],
        "text": None,
        "params": {},
        **more,
    }
