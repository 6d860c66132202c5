"""The ten questions of the articles, each answered: six by the person, four by us."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .decision import word
from .facts import Facts
from .kb import KB
from .recommend import format_name

Plain = dict[str, Any]


def label(path: str, value: Any, kb: KB) -> Any:
    """The option's label as a text, so that it is shown in the reader's language; else the value."""
    for question in kb.questions.values():
        for field in question.get("fields", []):
            if field["path"] == path:
                for option in field.get("options", []):
                    if option["value"] == value:
                        return word(option["label"])
    return value


def hardware(facts: Facts) -> str:
    """ "2 × GeForce RTX 3090" in any language."""
    nodes = facts.situation["nodes"]
    inside = " + ".join(f"{k.count} × {k.entry['name']}" if k.count > 1 else k.entry["name"] for k in facts.kinds)
    return f"{nodes} × ({inside})" if nodes > 1 and inside else inside


def ten(facts: Facts, start: Plain | None, bottleneck: Plain | None, waiting: int = 0) -> list[Plain]:
    """The answers in the order of the questions; a question nobody can answer says so.

    waiting: requests that were asked for beyond those that the answer counts with.
    """
    by_number: dict[int, Callable[[], tuple[str, Plain]]] = {
        1: lambda: _hardware(facts),
        2: lambda: _fast_memory(facts, start),
        3: lambda: _phase(facts, bottleneck),
        4: lambda: _length(facts, waiting),
        5: lambda: ("decision.answer-shared", {"share": facts.situation["traffic"]["shared_prefix"]}),
        6: lambda: _model(facts),
        7: lambda: (
            "decision.answer-value",
            {"value": label("serving", facts.situation["serving"], facts.kb)},
        ),
        8: lambda: _kernels(facts, start),
        9: lambda: _links(facts),
        10: lambda: (
            "decision.answer-value",
            {"value": label("priority", facts.situation["priority"], facts.kb)},
        ),
    }
    found = []
    for id_, question in facts.kb.questions.items():
        number = question["number"]
        if number in by_number:
            text, params = by_number[number]()
            found.append(
                {
                    "id": id_,
                    "number": number,
                    "by": question["answered_by"],
                    "heading": question["heading"],
                    "text": text,
                    "params": params,
                }
            )
    return sorted(found, key=lambda a: a["number"])


def _hardware(facts: Facts) -> tuple[str, Plain]:
    if not facts.kinds:
        return "decision.answer-unknown", {}
    total = sum(c.memory_bytes for c in facts.cards)
    return "decision.answer-hardware", {"hardware": hardware(facts), "memory": total}


def _fast_memory(facts: Facts, start: Plain | None) -> tuple[str, Plain]:
    if facts.arch is None:
        return "decision.answer-no-model", {}
    if start is None or not start["fit"]:
        return "decision.answer-memory-no", {}
    fit = start["fit"]
    kind = fit["class"]
    if kind == "offload":
        return "decision.answer-memory-offload", {"host": (fit["offload"] or {}).get("host_bytes", 0)}
    unified = any(c.entry["memory"]["unified"] for c in facts.cards)
    cpu = all(c.entry["kind"] == "cpu" for c in facts.cards)
    where = "unified" if unified else "system" if cpu else "fast"
    return f"decision.answer-memory-{where}", {"weights": fit["weights_bytes"]}


def _phase(facts: Facts, bottleneck: Plain | None) -> tuple[str, Plain]:
    if not bottleneck:
        return "decision.answer-no-model" if facts.arch is None else "decision.answer-unknown", {}
    return "decision.answer-value", {"value": word(facts.kb.bottlenecks[bottleneck["is"]]["name"])}


def _length(facts: Facts, waiting: int) -> tuple[str, Plain]:
    context, traffic = facts.situation["context"], facts.situation["traffic"]
    return "decision.answer-length", {
        "tokens": context["tokens"],
        "input": context["input"],
        "output": context["output"],
        "users": traffic["concurrency"] + waiting,
    }


def _model(facts: Facts) -> tuple[str, Plain]:
    arch = facts.arch
    if arch is None:
        return "decision.answer-no-model", {}
    hybrid = facts.value("model.hybrid")
    kind = "hybrid" if hybrid else arch["kind"]
    return f"decision.answer-model-{kind}", {
        "model": arch["name"],
        "params": arch["params"]["total"] / 1e9,
        "active": arch["params"].get("active", arch["params"]["total"]) / 1e9,
    }


def _kernels(facts: Facts, start: Plain | None) -> tuple[str, Plain]:
    if start is None or start["format"] is None:
        return "decision.answer-no-model" if facts.arch is None else "decision.answer-unknown", {}
    name = format_name(start["format"]["family"], start["format"]["type"], facts)
    return f"decision.answer-kernel-{start['kernel']}", {"format": name}


def _links(facts: Facts) -> tuple[str, Plain]:
    s = facts.situation
    within = label("links.within", s["links"]["within"], facts.kb)
    if s["nodes"] > 1:
        return "decision.answer-links-nodes", {
            "within": within,
            "between": label("links.between", s["links"]["between"], facts.kb),
            "nodes": s["nodes"],
        }
    if sum(k.count for k in facts.kinds) <= 1:
        return "decision.answer-links-one", {}
    return "decision.answer-value", {"value": within}
