"""Worked decisions in the published shape, for the tests of the renderers.

Figures are illustrations: they exercise the drawing and the wording, they are not claims.
"""

from __future__ import annotations

import copy
from typing import Any

from .sample_base import GIB, core, kb, strings, texts

__all__ = ["GIB", "core", "decision", "kb", "nothing", "strings", "texts"]

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
        base |= {"shortfall_bytes": round(6.5 * GIB), "pool_tokens": 0, "max_concurrency": 0, "max_concurrency_full": 0}
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


def recommendation(role: str = "start", engine: str = "alpha", **more: Any) -> Plain:
    """A recommendation on both cards; its command comes from `wizard.launch`."""
    rec: Plain = {
        "id": role,
        "role": role,
        "engine": engine,
        "mode": None,
        "orchestrator": None,
        "via": None,
        "tied_with": [],
        "backend": "cuda",
        "kernel": "weight-only",
        "format": {"family": "awq", "type": "int4-g128"},
        "checkpoint": {
            "status": "published",
            "repository": "lab/Model-32B-AWQ",
            "file": None,
            "revision": None,
            "bytes": 19_330_000_000,
            "official": True,
            "sources": ["alpha-docs"],
        },
        "layout": {
            "devices": [{"device": "card-a", "count": 2, "name": "GeForce Card A"}],
            "tp": 2,
            "pp": 1,
            "ep": 1,
            "dp": 1,
            "nodes": 1,
        },
        "version": "1.2.0",
        "fit": fit(),
        "estimates": estimates(),
        "settings": {
            "context": 32768,
            "slots": 4,
            "context_total": 32768,
            "kv_type": "f16",
            "gpu_layers": 64,
            "host": "127.0.0.1",
            "port": 8000,
        },
        "command": None,
        "condition": None,
        "reasons": [
            statement(
                "why-one",
                "sample.reason",
                ["alpha-docs", "measured-one"],
                strength="decisive",
                rule="r1",
                headline="sample.headline",
            )
        ],
        "cautions": [statement("caution-a", "sample.caution", ["alpha-docs"])],
        "unconfirmed": [],
    }
    rec.update(more)
    return rec


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


def rejected() -> list[Plain]:
    """Rows of both groups, of several scopes."""

    def row(id_: str, engine: str, group: str, kind: str = "engine", value: Any = None, **more: Any) -> Plain:
        return {
            "id": id_,
            "engine": engine,
            "mode": None,
            "scope": {"kind": kind, "value": value},
            "group": group,
            "obstacles": [],
            "reasons": [],
            "fix": None,
            "fix_verified": False,
            **more,
        }

    return [
        row(
            "no-beta",
            "beta",
            "behind",
            reasons=[statement("level", "decision.behind-level", params={"theirs": 51.2, "mine": 52.3})],
        ),
        row(
            "no-alpha-gguf",
            "alpha",
            "behind",
            "format",
            "gguf",
            fix={"format": {"family": "gguf", "type": None}},
            reasons=[statement("lossy", "decision.format-lossy", params={"format": "GGUF Q4_K_M"})],
        ),
        row(
            "no-gamma",
            "gamma",
            "impossible",
            "hardware",
            obstacles=[
                obstacle("device.compute_capability", "8.6", ">=9.0"),
                obstacle("host.os", "linux", ["windows", "wsl2"]),
            ],
            fix={"host.os": "windows"},
            fix_verified=True,
        ),
        row(
            "no-gamma-tp",
            "gamma",
            "impossible",
            "layout",
            "TP 3",
            obstacles=[obstacle("candidate.tp", 3, 64, text="obstacle.tp-heads", params={"tp": 3, "heads": 64})],
        ),
    ]


def decision(**changes: Any) -> Plain:
    """The full answer: a start, an alternative, why, why not, what would change it."""
    from wizard.benchmark import plan
    from wizard.launch import command

    base = kb()
    here = changes.pop("situation", None) or situation()
    start = changes.pop("start", None) or recommendation()
    if start["command"] is None:
        start["command"] = command(start, here, base)
    alternative = recommendation(
        "alternative",
        "beta",
        mode="turbo",
        version="b77",
        format={"family": "gguf", "type": "q4_k_m"},
        condition=statement("condition", "sample.condition"),
    )
    result: Plain = {
        "version": 1,
        "knowledge": {"version": "0123456789ab", "date": "2026-11-29"},
        "today": "2026-11-30",
        "situation": here,
        "stated": {"devices": here["devices"], "model": here["model"], "traffic": {"concurrency": 4}},
        "assumptions": [{"id": "assumed-ram", "path": "host.ram_gib", "value": 64}],
        "problems": [],
        "answers": [
            {
                "id": "length-and-load",
                "number": 4,
                "by": "person",
                "text": "decision.answer-shared",
                "params": {"share": 0.5},
            }
        ],
        "recommendations": [start, alternative],
        "rejected": rejected(),
        "bottleneck": {"is": "decode-bandwidth", "shares": {}, "reasons": []},
        "warnings": [statement("warn-a", "sample.caution", ["alpha-docs"], opinion="seed-s0")],
        "benchmark": plan(start, here, base),
        "already": None,
        "auto_format": None,
        "evidence": {
            "rules": ["r1"],
            "facts": {"situation.traffic.concurrency": 4, "host.os": "linux"},
            "sources": ["alpha-docs", "alpha-code", "measured-one"],
            "by_estimate": False,
            "undeclared_ties": [],
        },
        "would_change": [
            {
                "id": "change-traffic-concurrency",
                "path": "traffic.concurrency",
                "now": 4,
                "value": 2,
                "patch": {"traffic.concurrency": 2},
                "weight": 0,
                "then": {
                    "engine": "beta",
                    "mode": "turbo",
                    "format": {"family": "gguf", "type": "q4_k_m"},
                    "layout": {"tp": 1, "pp": 2, "ep": 1, "dp": 1, "nodes": 1},
                    "fit": "fits",
                    "decode_tps": 40,
                    "tied_with": [],
                },
            },
            {
                "id": "change-host-os",
                "path": "host.os",
                "now": "linux",
                "value": "windows",
                "patch": {"host.os": "windows"},
                "weight": 3,
                "then": None,
            },
        ],
        "nothing_fits": None,
    }
    result.update(changes)
    return result


def nothing() -> Plain:
    """No engine starts."""
    no = decision()
    need = {"format": "AWQ 4-bit", "over": 100 * GIB, "have": 24 * GIB, "need": 125 * GIB, "device": "GeForce Card A"}
    no["recommendations"] = []
    no["benchmark"] = no["bottleneck"] = None
    no["would_change"] = []
    no["rejected"] = [
        {
            "id": "no-alpha",
            "engine": "alpha",
            "mode": None,
            "scope": {"kind": "hardware", "value": None},
            "group": "impossible",
            "obstacles": [obstacle("memory", 24 * GIB, 125 * GIB, text="decision.obstacle-memory", params=need)],
            "reasons": [],
            "fix": None,
            "fix_verified": False,
        }
    ]
    no["nothing_fits"] = [
        {"engine": "alpha", "patch": {"devices": [{"device": "card-a", "count": 8, "memory_gib": 24}]}, "then": None}
    ]
    return no
