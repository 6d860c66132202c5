"""Worked decisions in the published shape, for the tests of the renderers.

Figures are illustrations: they exercise the drawing and the wording, they are not claims.
"""

from __future__ import annotations

from typing import Any

from .sample_base import GIB, core, kb, strings, texts
from .sample_parts import device, estimates, fit, obstacle, situation, statement

__all__ = [
    "GIB",
    "core",
    "decision",
    "device",
    "estimates",
    "fit",
    "kb",
    "nothing",
    "obstacle",
    "recommendation",
    "rejected",
    "situation",
    "statement",
    "strings",
    "texts",
]

Plain = dict[str, Any]


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
