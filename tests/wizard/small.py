"""A knowledge base of a few lines, in the shapes of the schemas, for tests of one stage at a time.

Every entry is made up; a test changes what it is about and keeps the rest.
"""

from __future__ import annotations

import copy
from typing import Any

from wizard import paths, sizing
from wizard.facts import Facts
from wizard.kb import KB
from wizard.situation import read

Plain = dict[str, Any]


def device(name: str, arch: str = "sm_86", gib: float = 24, **more: Any) -> Plain:
    """A graphics card, NVIDIA's unless said otherwise."""
    entry = {
        "name": name, "vendor": "nvidia", "kind": "gpu", "segment": "consumer", "generation": "test", "arch": arch,
        "compute_capability": f"{arch[3:-1]}.{arch[-1]}", "backends": ["cuda", "vulkan"],
        "memory": {"options": [gib], "unified": False}, "bandwidth_gbs": {"is": 1000, "source": "s"},
        "native": {"types": ["fp16", "bf16"]}, "speed_class": "nv-consumer",
    }  # fmt: skip
    return entry | more


def model(billions: float = 8, **more: Any) -> Plain:
    """A dense model with published 16-bit weights."""
    total = round(billions * 1e9)
    entry = {
        "name": f"Model {billions:g}B", "kind": "dense", "family": "test", "architecture": "TestForCausalLM",
        "repository": "maker/model", "modality": ["text"], "tasks": ["chat"],
        "params": {"total": total, "active": total}, "layers": 32, "hidden": 4096, "heads": 32, "vocab": 128256,
        "intermediate": 14336, "tied": False, "groups": [{"group": "other", "params": total}],
        "attention": [{"kind": "full", "layers": 32, "kv_heads": 8, "head_dim": 128}],
        "checkpoints": [{"format": "sixteen", "type": "bf16", "repository": "maker/model", "official": True}],
    }  # fmt: skip
    return entry | more


def engine(name: str, **more: Any) -> Plain:
    """An engine for CUDA on Linux that reads sixteen and four bits and spreads in every way."""
    entry = {
        "name": name, "layer": "engine", "status": {"is": "active", "source": "s"}, "versions": {"stable": "2.0"},
        "runs_on": [{"backend": "cuda", "needs": {"host.os": ["linux"]}, "source": "s-runs"}],
        "formats": [
            {"format": "sixteen", "backend": "cuda", "kernel": "native", "source": "s-16"},
            {"format": "four", "backend": "cuda", "kernel": "weight-only", "source": "s-4"},
        ],
        "models": {"complete": True, "supported": ["TestForCausalLM"], "source": "s-models"},
        "parallelism": {
            "tp": {"is": "yes", "source": "s-tp"}, "pp": {"is": "yes", "uneven": True, "source": "s-pp"},
            "ep": {"is": "yes", "source": "s-ep"}, "dp": {"is": "yes", "source": "s-dp"},
            "mixed": {"is": "yes", "source": "s-mixed"}, "multi_node": {"is": "yes", "source": "s-nodes"},
        },
        "features": {}, "memory": [], "kv_types": [{"type": "f16", "source": "s-kv"}],
    }  # fmt: skip
    return entry | more


FORMATS: Plain = {
    "sixteen": {
        "name": "Sixteen",
        "types": [{"id": "bf16", "name": "bf16", "bits": 16, "quality": {"loss": "none"}}],
        "convert": [{"tool": "t", "source": "s"}],
    },
    "four": {
        "name": "Four",
        "types": [
            {"id": "g128", "name": "g128", "bits": 4.25, "group_size": 128, "quality": {"loss": "small"}},
            {"id": "rough", "name": "rough", "bits": 2.5, "quality": {"loss": "visible"}},
        ],
        "convert": [{"tool": "t", "source": "s"}],
    },
    "blocks": {
        "name": "Blocks",
        "types": [
            {"id": "b128", "name": "b128", "bits": 8, "group_size": 16384, "block": 128, "quality": {"loss": "none"}},
        ],
    },
}  # fmt: skip


def core(**changes: Any) -> Plain:
    """The bundle. changes: entries to add or replace, by kind."""
    base: Plain = {
        "version": "test", "date": "2026-11-29",
        "engines": {"alpha": engine("Alpha"), "beta": engine("Beta")},
        "devices": {"card": device("Card"), "big": device("Big", "sm_90", 80)},
        "models": {"small": model()}, "formats": FORMATS, "rules": {}, "order": {"ties": []}, "questions": {},
    }  # fmt: skip
    base = copy.deepcopy(base)
    for kind, entries in changes.items():
        base[kind] = entries if kind == "order" else {**base[kind], **entries}
    return base


def base(**changes: Any) -> KB:
    """A KB over `core`."""
    return KB(core(**changes))


def facts(kb: KB, **situation: Any) -> Facts:
    """Facts of a Situation: one card and the small model unless said otherwise. Nothing may go unread."""
    data = {"devices": [{"device": "card", "count": 1}], "model": "small", **situation}
    reading = read(data, kb)
    assert not reading.problems, reading.problems
    return Facts(reading.situation, kb)


def found(kb: KB, **situation: Any) -> paths.Found:
    """What the search for paths finds."""
    return paths.find(facts(kb, **situation))


def ranked(kb: KB, **situation: Any) -> dict[str, Any]:
    """Candidates of every engine, best first."""
    f = facts(kb, **situation)
    return sizing.build(paths.find(f), f)


def refusal(result: paths.Found, engine_: str) -> Any:
    """The first refusal of an engine."""
    return next(r for r in result.refusals if r.engine == engine_)


def clauses(stops: list[Plain]) -> list[str]:
    """Clauses of obstacles."""
    return [stop["clause"] for stop in stops]
