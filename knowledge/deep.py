"""`check --deep`: what only shows when many situations are decided.

The grid is made from the base itself: every device in the counts it is used in, a model of each kind and
size, every serving; from a part of these each other answer is varied alone. Situations of recipes,
guides, scenarios and workloads come on top, and one for each rule that nominates, made of what it asks for.
Equal bases give equal grids of at most `LIMIT` situations.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from math import gcd
from typing import Any

from knowledge import bundle
from knowledge.load import Knowledge
from wizard import vocabulary as words
from wizard.address import apply_patch, fragment

LIMIT = 20_000
TODAY = "2026-01-01"  # decisions print it, nothing depends on it
_CHUNK = 200

Plain = dict[str, Any]
# what an answer may change about a decision, apart from repeating the answer
_OUTCOME = ("recommendations", "rejected", "bottleneck", "warnings", "benchmark", "nothing_fits")
_COUNTS = {"gpu": (1, 2, 4, 8)}
_CONCURRENCY = (2, 4, 16, 256)
_ASKED = (
    "host.os", "host.arch", "links.within", "links.between", "serving", "priority", "already", "traffic.mode",
)  # fmt: skip
_SPARSE = 16
_CONTEXTS = (2048, 32768, 131072)


@dataclass(slots=True)
class Result:
    """What the grid showed. `ties` maps undeclared pairs of rules to a situation's address; `answers`
    counts for each path of a Situation how often another value of it alone changed the outcome."""

    situations: int = 0
    fired: dict[str, int] = field(default_factory=dict)
    ties: dict[tuple[str, str], str] = field(default_factory=dict)
    engines: dict[str, int] = field(default_factory=dict)
    answers: dict[str, int] = field(default_factory=dict)

    def add(self, other: Result) -> None:
        """Take in what another part of the grid showed."""
        self.situations += other.situations
        for mine, theirs in ((self.fired, other.fired), (self.engines, other.engines), (self.answers, other.answers)):
            for key, count in theirs.items():
                mine[key] = mine.get(key, 0) + count
        for pair, where in other.ties.items():
            self.ties.setdefault(pair, where)


@dataclass(frozen=True, slots=True)
class Point:
    """One situation; `of` is the position of the one it varies, by the answer `path`."""

    situation: Plain
    of: int | None = None
    path: str | None = None


def grid(core: Plain, stated: list[Plain]) -> list[Point]:
    """The situations to decide, at most LIMIT; `stated` are those that entries state."""
    points = [Point(situation) for situation in stated]
    hardware = list(_hardware(core))
    models = _models(core)
    for index, machine in enumerate(hardware):
        for offset, serving in enumerate(words.SERVING):
            # each pair of hardware and serving with two models, so that all meet all over the grid
            for shift in (0, len(models) // 2):
                model = models[(index + offset + shift) % len(models)]
                points.append(Point({**machine, "model": model, "serving": serving}))
    bases = len(points)
    variants = list(_variants(core))
    step = max(1, -(-len(variants) * bases // max(1, LIMIT - bases)))
    while gcd(step, len(variants)) > 1:  # otherwise the same answers would be skipped everywhere
        step += 1
    turn = 0
    for position in range(len(stated), bases):
        for path, value in variants:
            turn += 1
            if turn % step == 0:
                situation = apply_patch(points[position].situation, {path: value})
                points.append(Point(situation, position, path))
    return points[:LIMIT]


def meant(core: Plain) -> Iterator[Plain]:
    """For each rule that nominates, the first machine and model for which it holds, with the answers it asks for.

    A variation of one answer alone seldom meets a rule that asks for two; a rule for which there is no machine has
    none here either.
    """
    from wizard.facts import Facts
    from wizard.kb import KB
    from wizard.situation import read

    kb = KB(core)
    machines, models = list(_hardware(core)), _models(core)
    for rule in core["rules"].values():
        if rule["effect"] != "nominate":
            continue
        asked = _asked(rule["when"])
        for turn, model in enumerate(models):
            # without a model on every machine, which nearly all rules are content with; with one on some
            for machine in machines[:: _SPARSE if turn else 1]:
                situation = apply_patch({**machine, "model": model}, asked)
                facts = Facts(read(situation, kb).situation, kb)
                if facts.holds(rule["when"], facts.kinds):
                    yield situation
                    break
            else:
                continue
            break


def _asked(condition: Plain) -> Plain:
    """The answers that the plain clauses of a condition ask for, as a change of a situation; the first of several."""
    change: Plain = {}
    for path, needed in condition.items():
        if path == "all":
            for part in needed:
                change |= _asked(part)
        elif path == "any":
            change = _asked(needed[0]) | change
        first = needed[0] if isinstance(needed, list) and needed else needed
        name = path.removeprefix("situation.")
        if name in _ASKED:
            change[name] = first
        elif name == "needs":
            change[name] = [first]
        elif name in ("format.family", "format.type") and first != "auto":
            change["format"] = {**change.get("format", {}), name.partition(".")[2]: first}
    return change


def explore(
    knowledge: Knowledge,
    decide: Callable[[Plain, Any, str], Plain] | None = None,
    jobs: int = 2,
    report: Callable[[int, int], None] | None = None,
) -> Result:
    """Decide the whole grid.

    decide: replaces `wizard.decide.decide` (tests; then everything runs in this process).
    report: called with (decided, all) now and then.
    Raises RuntimeError with the address of a situation that could not be decided.
    """
    core = bundle.build(knowledge).core
    stated = [situation for file in knowledge.sound() for _path, situation in file.mentions.situations]
    points = grid(core, [*stated, *meant(core)])
    # a variation is judged together with what it varies: group by it, keep the order otherwise
    groups: dict[int, list[Point]] = {}
    for position, point in enumerate(points):
        groups.setdefault(position if point.of is None else point.of, []).append(point)
    batches: list[list[list[Point]]] = [[]]
    for group in groups.values():
        if sum(map(len, batches[-1])) > _CHUNK:
            batches.append([])
        batches[-1].append(group)
    total, result = len(points), Result()

    def take(part: Result) -> None:
        result.add(part)
        if report:
            report(result.situations, total)

    if decide is not None or jobs < 2:
        for batch in batches:
            take(_decide_batch(core, batch, decide))
        return result
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(core,)) as pool:
        for part in pool.map(_in_worker, batches):
            take(part)
    return result


_CORE: Plain = {}


def _start(core: Plain) -> None:
    _CORE.update(core)


def _in_worker(batch: list[list[Point]]) -> Result:
    return _decide_batch(_CORE, batch, None)


def _decide_batch(core: Plain, batch: list[list[Point]], decide: Callable[..., Plain] | None) -> Result:
    from wizard.facts import Facts
    from wizard.kb import KB
    from wizard.rules import fire

    if decide is None:
        from wizard.decide import decide
    kb = KB(core)
    result = Result()
    for group in batch:
        outcome = None
        for point in group:
            try:
                decision = decide(point.situation, kb, TODAY)
            except Exception as error:
                raise RuntimeError(f"no decision for {fragment(point.situation)}") from error
            result.situations += 1
            _count(result, decision, point, (fired.id for fired in fire(Facts(decision["situation"], kb))))
            digest = hashlib.sha256(json.dumps([decision[key] for key in _OUTCOME]).encode()).digest()
            if point.path is None:
                outcome = digest
            else:
                result.answers[point.path] = result.answers.get(point.path, 0) + (digest != outcome)
    return result


def _count(result: Result, decision: Plain, point: Point, fired: Iterator[str]) -> None:
    for id in {*fired, *decision["evidence"]["rules"]}:
        result.fired[id] = result.fired.get(id, 0) + 1
    for pair in decision["evidence"]["undeclared_ties"]:
        first, second = sorted(pair)
        result.ties.setdefault((first, second), fragment(point.situation))
    named = {
        part[key] for part in decision["recommendations"] for key in ("engine", "orchestrator", "via") if part[key]
    }
    for id in named:
        result.engines[id] = result.engines.get(id, 0) + 1


def _hardware(core: Plain) -> Iterator[Plain]:
    for id, device in core["devices"].items():
        sizes = device["memory"]["options"]
        for count in _COUNTS.get(device["kind"], (1,)):
            if device["segment"] in ("laptop", "edge") and count > 1:
                continue
            yield {"devices": [{"device": id, "count": count, "memory_gib": sizes[-1]}]}
        if len(sizes) > 1:
            yield {"devices": [{"device": id, "count": 1, "memory_gib": sizes[0]}]}
        if device["segment"] == "datacenter":  # what joins machines matters only where there are several
            yield {"devices": [{"device": id, "count": 8, "memory_gib": sizes[-1]}], "nodes": 2}
    gpus = [id for id, device in core["devices"].items() if device["kind"] == "gpu"]
    for one, other in zip(gpus, gpus[1:], strict=False):
        yield {"devices": [{"device": one, "count": 1}, {"device": other, "count": 1}]}


def _models(core: Plain) -> list[Plain | None]:
    """One model of each kind, set of attentions, modality, task and power of two in size; and none at all."""
    seen: dict[tuple[Any, ...], str] = {}
    for id, model in core["models"].items():
        kinds = tuple(sorted({part["kind"] for part in model["attention"]}))
        size = model["params"]["total"].bit_length()
        seen.setdefault((model["kind"], kinds, tuple(model["modality"]), tuple(model["tasks"]), size), id)
    return [None, *({"id": id} for id in seen.values()), {"params_b": 30}]


def _variants(core: Plain) -> Iterator[tuple[str, Any]]:
    """Every answer that is varied alone, with its values."""
    yield from (("priority", value) for value in words.PRIORITIES)
    yield from (("needs", [value]) for value in words.NEEDS)
    yield from (("host.os", value) for value in words.OSES)
    yield from (("traffic.concurrency", value) for value in _CONCURRENCY)
    yield from (("context.tokens", value) for value in _CONTEXTS)
    yield from (("context.input", value) for value in (500, 30000))
    yield from (("context.output", value) for value in (50, 4000))
    yield from (("traffic.shared_prefix", value) for value in (0.5, 0.9))
    yield ("traffic.mode", "offline")
    yield from (("nodes", value) for value in (2, 4))
    yield from (("links.within", value) for value in words.LINKS_WITHIN)
    yield from (("links.between", value) for value in words.LINKS_BETWEEN)
    yield from (("host.ram_gib", value) for value in (8, 512))
    yield from (("host.arch", value) for value in ("x86_64", "aarch64"))
    yield from (("optional.exposure", value) for value in ("lan", "internet"))
    yield ("optional.air_gapped", True)
    yield from (("format", {"family": id}) for id in core["formats"])
    yield from (("already", id) for id in core["engines"])
