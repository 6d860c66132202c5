"""Conditions on hardware or models whose clauses are each possible, but never together."""

from collections.abc import Iterator
from typing import Any

from knowledge.findings import Finding
from knowledge.lint.operators import fault
from knowledge.lint.rule import Rule, World
from knowledge.load import File
from knowledge.yaml12 import Path
from wizard.conditions import holds
from wizard.vocabulary import PATHS

_MODEL_FIELDS = ("family", "architecture", "kind", "modality", "tasks")
_DEVICE_FIELDS = ("vendor", "kind", "segment", "generation", "arch", "compute_capability")


def devices(world: World) -> list[dict[str, Any]]:
    """What conditions read of every device, once per size of memory; what a device has not is absent."""
    found = []
    for file, entry in world.entries("device"):
        facts = {f"device.{key}": entry[key] for key in _DEVICE_FIELDS if key in entry}
        facts |= {"device.id": file.id, "device.unified": entry["memory"]["unified"]}
        if isinstance(entry["bandwidth_gbs"]["is"], (int, float)):
            facts["device.bandwidth_gbs"] = entry["bandwidth_gbs"]["is"]
        if "native" in entry:
            facts["device.native"] = entry["native"]["types"]
        found += [{**facts, "device.memory_gib": size} for size in entry["memory"]["options"]]
    return found


def models(world: World) -> list[dict[str, Any]]:
    """What conditions read of every model."""
    found = []
    for file, entry in world.entries("model"):
        facts = {f"model.{key}": entry[key] for key in _MODEL_FIELDS}
        kinds = [part["kind"] for part in entry["attention"]]
        facts |= {"model.id": file.id, "model.attention": kinds, "model.params_b": entry["params"]["total"] / 1e9}
        facts["model.hybrid"] = bool({"linear", "mamba"} & set(kinds))
        found.append(facts)
    return found


def check(world: World) -> Iterator[Finding]:
    for noun, facts in (("device", devices(world)), ("model", models(world))):
        if not facts:
            continue
        known = {word for one in facts for word in one}
        memo: dict[str, bool] = {}
        for file in world.knowledge.readable():
            for path, condition in file.mentions.conditions:
                found = _together(file, path, condition, f"{noun}.", known)
                if len(found) < 2:
                    continue  # a single word that cannot occur is K206
                key = repr(found)
                if key not in memo:
                    memo[key] = any(_fulfils(one, found) for one in facts)
                if not memo[key]:
                    words = " and ".join(word for word, _needed in found)
                    place = file.place((*path, found[0][0]), on_key=True)
                    yield RULE.at(place, f"no {noun} of the knowledge base fulfils {words} together")


def _together(file: File, path: Path, condition: dict[str, Any], prefix: str, known: set[str]) -> list[tuple[str, Any]]:
    """Clauses about one noun that must hold at once and can be read."""
    found = []
    for word, needed in condition.items():
        if not word.startswith(prefix) or word not in known:
            continue
        items = needed if isinstance(needed, list) else [needed]
        if items and not any(fault(PATHS[word].kind, item) for item in items):
            found.append((word, needed))
    return found


def _fulfils(facts: dict[str, Any], clauses: list[tuple[str, Any]]) -> bool:
    try:
        return all(word in facts and holds(word, facts[word], needed) for word, needed in clauses)
    except ValueError:
        return True  # a bound the language cannot compare is another finding


RULE = Rule(
    code="K208",
    level="question",
    name="a condition that nothing fulfils",
    why="each clause is possible alone, but no entry has them all: the line is never true for anything we know",
    fix="remove one of the clauses, or add the hardware or model that has them all",
    bad='needs: {device.vendor: amd, device.compute_capability: ">=8.0"}',
    good='needs: {device.vendor: nvidia, device.compute_capability: ">=8.0"}',
    check=check,
)
