"""What a person must have and what the model is: does an engine offer it, in this mode and version?"""

from __future__ import annotations

from dataclasses import dataclass, field

from .conditions import paths_of
from .facts import Facts
from .format_paths import Backends
from .obstacles import from_result, merge, obstacle
from .shapes import Entry
from .versions import matches

# Who serves these puts a router before the servers anyway: what comes with it counts as had.
ROUTED = ("customers", "fleet")
# A need that the model's own kind of work implies.
_TASK_NEEDS = {"embeddings": "embeddings", "rerank": "rerank", "speech-to-text": "speech-to-text"}

# What a model must be able to do for a must-have to make sense: an input it takes or a task it has.
_CAPABLE: dict[str, set[str]] = {
    "vision": {"vision"},
    "audio": {"audio"},
    "embeddings": {"embeddings"},
    "rerank": {"rerank"},
    "speech-to-text": {"speech-to-text"},
    "structured-output": {"chat", "completion"},
    "tool-calls": {"chat", "completion"},
    "speculative": {"chat", "completion"},
}


@dataclass
class Answer:
    """Obstacles that surely stand in the way, those not confirmed, and facts that a back end decides."""

    false: list[Entry] = field(default_factory=list)
    unknown: list[Entry] = field(default_factory=list)
    later: list[Entry] = field(default_factory=list)


def wants(engine: str, mode: str | None, version: str, facts: Facts) -> Answer:
    """The must-haves of the person, and those that the model's task implies."""
    answer = Answer()
    features = facts.kb.engines[engine].get("features") or {}
    for need in wanted(facts):
        _feature(need, features.get(need), engine, mode, version, facts, answer)
    return answer


def wanted(facts: Facts) -> list[str]:
    """Must-haves of the person and of the model's task."""
    found = list(facts.situation["needs"])
    tasks = facts.arch["tasks"] if facts.arch else []
    if tasks and "chat" not in tasks and "completion" not in tasks:
        found += [need for task, need in _TASK_NEEDS.items() if task in tasks and need not in found]
    return found


def _feature(
    need: str, fact: Entry | None, engine: str, mode: str | None, version: str, facts: Facts, answer: Answer
) -> None:
    clause = f"engine.features.{need}"
    if fact is None or fact["is"] == "unknown":
        text = "obstacle.feature-unknown"
        answer.unknown.append(obstacle(clause, "unknown", "yes", fact or [], unknown=True, text=text, feature=need))
        return
    if fact.get("mode") not in (None, mode):
        text = "obstacle.feature-mode"
        answer.false.append(obstacle(clause, "no", "yes", fact, text=text, feature=need, mode=fact["mode"]))
        return
    if fact["is"] == "external" and facts.situation["serving"] in ROUTED:
        return
    if fact["is"] in ("no", "external"):
        answer.false.append(obstacle(clause, fact["is"], "yes", fact, text="obstacle.feature", feature=need, mode=None))
        return
    if not matches(fact.get("versions"), version):
        answer.false.append(version_obstacle(engine, version, [fact["versions"]], fact, facts))
        return
    if any(path.startswith(("candidate.", "format.")) for path in paths_of(fact.get("needs"))):
        answer.later.append(fact)
        return
    result = facts.check(fact.get("needs"), facts.kinds)
    if result.value is not True:
        (answer.unknown if result.value is None else answer.false).extend(from_result(result, fact))


def model_lacks(facts: Facts) -> list[str]:
    """Must-haves that the model itself cannot meet, whatever the engine; nothing without a known model."""
    arch = facts.arch
    if arch is None or not arch.get("architecture"):
        return []
    have = set(arch["modality"]) | set(arch["tasks"])
    return [need for need, any_of in _CAPABLE.items() if not any_of & have]


def narrow(backends: Backends, later: list[Entry], facts: Facts) -> tuple[Backends, list[Entry]]:
    """Back ends on which the must-haves hold that depend on one; else the obstacles of the last that fell."""
    lost: list[Entry] = []
    for fact in later:
        kept: Backends = {}
        for backend, by_kind in backends.items():
            kinds = [k for k in facts.kinds if k.device in by_kind]
            result = facts.check(fact["needs"], kinds, {"candidate.backend": backend})
            stops = from_result(result, fact)
            if result.value is False:
                lost = merge([*lost, *stops])
                continue
            kept[backend] = {device: [*before, *stops] for device, before in by_kind.items()} if stops else by_kind
        backends = kept
    return backends, lost


def architecture(engine: str, mode: str | None, version: str, facts: Facts) -> Answer:
    """Whether the engine runs this class of model: its lists say yes, no, or are known to have gaps."""
    answer = Answer()
    name = facts.arch.get("architecture") if facts.arch else None
    if not name:
        return answer
    models = facts.kb.engines[engine].get("models")
    if not models:
        answer.unknown.append(_not_listed(name, [], False, facts))
        return answer
    for line in models.get("unsupported", []):
        here = line.get("mode") in (None, mode) and matches(line.get("versions"), version)
        if line["architecture"] == name and here:
            answer.false.append(_not_listed(name, line, True, facts))
            return answer
    for line in models.get("limits", []):
        if name in line["architectures"] and matches(line.get("versions"), version):
            answer.false.extend(_limited(line, facts))
    if models.get("needs_architecture", True) and name not in models.get("supported", []):
        complete = models["complete"]
        (answer.false if complete else answer.unknown).append(_not_listed(name, models, complete, facts))
    return answer


def _limited(line: Entry, facts: Facts) -> list[Entry]:
    """Obstacles of a class of model that runs on some devices only, when none of the person's is one of them."""
    stops: list[Entry] = []
    for kind in facts.kinds:
        if facts.check(line.get("when"), (kind,)).value is False:
            return []
        result = facts.check(line["needs"], (kind,))
        if result.value is not False:
            return []
        stops += from_result(result, line)
    return merge(stops)


def _not_listed(name: str, line: Entry | list[str], sure: bool, facts: Facts) -> Entry:
    assert facts.arch
    text = "obstacle.architecture" if sure else "obstacle.architecture-unknown"
    return obstacle(
        "model.architecture", name, "supported", line, unknown=not sure, text=text, model=facts.arch["name"]
    )


def version_obstacle(engine: str, version: str, ranges: list[str], line: Entry, facts: Facts) -> Entry:
    """The engine's version is not one that can; `engine` in the params when the person named that version."""
    own = engine in (facts.situation["optional"].get("engine_versions") or {})
    params = {"engine": engine} if own else {}
    return obstacle("engine.version", version, ranges[0] if len(ranges) == 1 else ranges, line, **params)
