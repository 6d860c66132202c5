"""decide(): a Situation in, a Decision out. Data goes one way through the stages; nothing is asked twice.

`whatif` stands outside: it calls `decide` again with changed situations after the answer is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import roles, why_not
from .answers import hardware, label, ten
from .benchmark import plan
from .bottleneck import find as find_bottleneck
from .candidates import SEVERE, Candidate
from .decision import SHAPE, finish, statement
from .facts import Facts
from .kb import KB
from .launch.values import extra
from .needs import model_lacks
from .obstacles import sources_of
from .recommend import build, format_name, launchable, plain_role
from .roles import Cast
from .rules import Fired
from .search import Work, search
from .situation import Reading, read
from .sizing import curve, workload_of
from .smaller import changes_of
from .vocabulary import DEVICE, PATHS

Plain = dict[str, Any]


def decide(data: Any, kb: KB, today: str) -> Plain:
    """The Decision for a Situation.

    data: anything shaped like the published Situation schema; what cannot be read becomes a
    problem in the Decision. today: ISO date, an argument so that equal inputs give equal bytes.
    Never raises for any input that JSON can express.
    """
    reading = read(data, kb)
    return decide_reading(reading, kb, today)


def decide_reading(reading: Reading, kb: KB, today: str) -> Plain:
    """The Decision for a Situation that was already read."""
    decision, work = _searched(reading, kb, today)
    return finish(decision) if work is None else _complete(decision, work)


def decide_briefly(reading: Reading, kb: KB) -> tuple[Plain | None, Callable[[], Plain]]:
    """What an answer is compared by: the recommendation to start with, without its command, or None; and a function
    that makes the recommendations and the rejected of the Decision. `whatif` asks so a hundred times an answer."""
    work = search(reading, kb)
    if work is None:
        return None, lambda: {"recommendations": [], "rejected": []}
    found = work
    start = _start(work.cast, work.facts, full=False) if work.cast.start else None

    def rest() -> Plain:
        recommendations = _recommend(found.whole().cast, found.facts, False)
        return {"recommendations": recommendations, "rejected": _rejected(recommendations, found)}

    return start, rest


def decide_head(reading: Reading, kb: KB, today: str) -> tuple[Plain, Callable[[], Plain]]:
    """What the head of an answer shows, and a function that makes the whole Decision.

    The head has the engine to start with and nothing else, so that a page can paint it first. When nothing
    can start, the head is the whole.
    """
    decision, work = _searched(reading, kb, today)
    if work is None or not work.cast.start:
        whole = finish(decision) if work is None else _complete(decision, work)
        return whole, lambda: whole
    head = {**decision, "recommendations": [_start(work.cast, work.facts, near=False)]}
    head["evidence"] = {**decision["evidence"], "facts": _told(work.facts, head)}
    return finish(head), lambda: _complete(decision, work)


def _empty(reading: Reading, kb: KB, today: str) -> Plain:
    """A Decision with nothing in it yet."""
    return {
        "version": SHAPE,
        "knowledge": {"version": kb.core.get("version"), "date": kb.core.get("date")},
        "today": today,
        "situation": reading.situation,
        "stated": reading.stated,
        "assumptions": reading.assumptions,
        "problems": [p.plain() for p in reading.problems],
        "answers": [],
        "recommendations": [],
        "rejected": [],
        "bottleneck": None,
        "warnings": [],
        "benchmark": None,
        "frontier": None,
        "already": None,
        "auto_format": None,
        "evidence": {"rules": [], "facts": {}, "sources": [], "by_estimate": False, "undeclared_ties": []},
        "would_change": [],
        "nothing_fits": None,
    }


def _searched(reading: Reading, kb: KB, today: str) -> tuple[Plain, Work | None]:
    """An empty Decision and what was found for it; None without hardware, when there is nothing to find."""
    work = search(reading, kb)
    if work is not None:
        return _empty(work.reading, kb, today), work
    decision = _empty(reading, kb, today)
    if not any(problem["path"].startswith("devices") for problem in decision["problems"]):
        decision["problems"].append({"path": "devices", "value": None, "text": "problem.no-hardware", "params": {}})
    decision["answers"] = ten(Facts(reading.situation, kb), None, None)
    return decision, None


def _rejected(recommendations: list[Plain], work: Work) -> list[Plain]:
    named = {r["engine"] for r in recommendations}
    return why_not.rejections(work.found, work.ranked, work.cast, named, work.facts)


def _bottleneck(work: Work) -> Plain | None:
    """What limits the engine to start with; None without a model or an estimate."""
    if not work.cast.start or work.facts.arch is None:
        return None
    chosen, load = work.cast.start[0], workload_of(work.facts.situation)
    if not chosen.estimates:
        return None
    return find_bottleneck(work.facts.arch, chosen.layout, load, chosen.fit, chosen.estimates)


def _complete(decision: Plain, work: Work) -> Plain:
    """Everything that a shown answer has."""
    facts, cast = work.facts, work.whole().cast
    recommendations = _recommend(cast, facts, True)
    start = recommendations[0] if cast.start else None
    decision["recommendations"] = recommendations
    decision["rejected"] = _rejected(recommendations, work)
    decision["bottleneck"] = bottleneck = _bottleneck(work)
    decision["warnings"] = _warnings(work, start, bottleneck)
    decision["answers"] = ten(facts, start, bottleneck, work.waiting)
    if start:
        if work.waiting and start["fit"] and cast.start:
            start["fit"]["changes"] = changes_of(cast.start[0], facts, work.waiting)
        decision["frontier"] = curve(cast.start[0], facts) if cast.start else None
        decision["benchmark"] = plan(start, facts.situation, facts.kb, bottleneck["is"] if bottleneck else None, facts)
    decision["already"] = _already(decision, facts)
    if start is None and isinstance(facts.situation["format"], dict):
        decision["auto_format"] = _without_format(work.reading, facts.kb)
    decision["evidence"] = _evidence(decision, cast, facts)
    return finish(decision)


def _start(cast: Cast, facts: Facts, full: bool = True, near: bool = True) -> Plain:
    """The recommendation to start with. near: with the nearest measurements."""
    assert cast.start
    candidate, fired = cast.start
    tied = [c.path.engine for c, _ in cast.tied]
    above = cast.orchestrators[0][0] if cast.orchestrators else None
    more: Plain = {"tied": tied, "orchestrator": above, "by_estimate": cast.by_estimate, "full": full, "near": near}
    rec = build("start", "start", candidate, fired, facts, **more)
    if cast.sooner:
        mine, theirs = cast.sooner
        rec["reasons"].insert(0, statement("sooner", "decision.sooner", mine=mine, theirs=theirs))
    return rec


def _recommend(cast: Cast, facts: Facts, full: bool) -> list[Plain]:
    """The recommendations in order. full: with commands, cautions and further reasons."""
    if not cast.start:
        return []
    made = [_start(cast, facts, full)]
    start, tied = made[0]["engine"], made[0]["tied_with"]
    for other, rules in cast.tied:
        rec = build(f"tied-{other.path.engine}", "alternative", other, rules, facts, tied=[start], full=full)
        rec["condition"] = None
        made.append(rec)
    for other, rule in cast.alternatives:
        rules = [rule] if rule else []
        made.append(build(f"alternative-{other.path.engine}", "alternative", other, rules, facts, full=full))
    for other, rule in cast.benchmark:
        made.append(build(f"benchmark-{other.path.engine}", "benchmark-against", other, [rule], facts, full=full))
    for engine, rule in cast.orchestrators:
        below = roles.driven(facts.kb.engines[engine], [start, *tied], facts) or start
        like = next(r for r in made if r["engine"] == below) if full else None
        made.append(plain_role(f"above-{engine}", "orchestrate-with", engine, rule, facts, below, like))
    for engine, below, rule in cast.conveniences:
        like = next((r for r in made if r["engine"] == below), None) if full else None
        made.append(plain_role(f"app-{engine}", "convenience", engine, rule, facts, below, like))
    return made


def _warnings(work: Work, start: Plain | None, bottleneck: Plain | None) -> list[Plain]:
    """Requests that have to wait, rules that warn and mistakes about to be made, read against the start candidate."""
    facts = work.facts
    values = extra(launchable(start), facts.kb) if start else {}
    if bottleneck:
        values["bottleneck.is"] = bottleneck["is"]
    found = _last_resort(work)
    if work.waiting and start:
        held = facts.situation["traffic"]["concurrency"]
        engine = facts.kb.engines[start["engine"]]["name"]
        found.append(
            statement("requests-wait", "decision.requests-wait", asked=held + work.waiting, n=held, engine=engine)
        )
    if work.brief:
        load = facts.situation["context"]
        said = {"n": facts.situation["traffic"]["concurrency"], "input": load["input"], "output": load["output"]}
        found.append(statement("requests-brief", "decision.requests-brief", **said))
    holds = facts.holding(values)
    for id_, rule in facts.kb.rules.items():
        # what holds every engine back is said once, as a warning, and not engine by engine only
        general = rule["effect"] == "warn" or (rule["effect"] == "hold-back" and "engine" not in rule)
        if general and holds(rule["when"]):
            found.append(roles.of_rule(Fired(id_, rule)))
    for id_, mistake in facts.kb.mistakes.items():
        if mistake.get("when") and mistake.get("warning") and holds(mistake["when"]):
            found.append(
                statement(
                    f"mistake-{id_}",
                    mistake["warning"],
                    sources_of(mistake),
                    opinion=mistake.get("opinion"),
                    headline=mistake["name"],
                )
            )
    found += _capability(facts)
    return found


def _last_resort(work: Work) -> list[Plain]:
    """Said at the head of the answer when nothing but weights of a severe loss starts."""
    best = work.cast.start[0] if work.cast.start else None
    if best is None or best.lossy < SEVERE or isinstance(work.facts.situation["format"], dict):
        return []
    name = format_name(best.path.family, best.path.type, work.facts)
    return [statement("severe-loss", "decision.caution-quality-severe", format=name)]


def _capability(facts: Facts) -> list[Plain]:
    """What the model itself cannot meet, whatever the engine: must-haves, and the length of a request."""
    arch = facts.arch
    if arch is None or not arch.get("architecture"):
        return []
    found = [
        statement(f"model-lacks-{need}", "decision.model-lacks", model=arch["name"], need=_need_label(need, facts))
        for need in model_lacks(facts)
        if need in facts.situation["needs"]
    ]
    limits = arch.get("context") or {}
    longest = max(limits.get("native", 0), limits.get("extended", 0))
    tokens = facts.situation["context"]["tokens"]
    if longest and tokens > longest:
        found.append(
            statement(
                "model-context",
                "decision.beyond-context",
                sources_of(limits),
                model=arch["name"],
                longest=longest,
                tokens=tokens,
            )
        )
    return found


def _need_label(need: str, facts: Facts) -> Any:
    return label("needs", need, facts.kb)


def _already(decision: Plain, facts: Facts) -> Plain | None:
    """Whether to stay with the engine in use today."""
    engine = facts.situation["already"]
    if not engine:
        return None
    name = facts.kb.engines[engine]["name"]
    for rec in decision["recommendations"]:
        if rec["engine"] == engine:
            text = (
                "decision.already-stay" if rec["role"] == "start" or rec["tied_with"] else "decision.already-may-stay"
            )
            return statement("already", text, engine=name)
    over = {o["engine"] for o in facts.kb.engines[engine].get("over", [])}
    start = next((r for r in decision["recommendations"] if r["role"] == "start"), None)
    if start and start["engine"] in over:
        return statement(
            "already", "decision.already-over", engine=name, start=facts.kb.engines[start["engine"]]["name"]
        )
    row = next(
        (r for r in decision["rejected"] if r["engine"] == engine and r["scope"]["kind"] not in ("format", "layout")),
        None,
    )
    if row and row["group"] == "impossible":
        return statement("already", "decision.already-leave", engine=name)
    return statement("already", "decision.already-compare", engine=name)


def _without_format(reading: Reading, kb: KB) -> Plain | None:
    """What would start if the format were free, when the asked one removes every engine."""
    situation = {**reading.situation, "format": "auto"}
    stated = {k: x for k, x in reading.stated.items() if k != "format"}
    start, _ = decide_briefly(Reading(situation, stated, reading.assumptions, []), kb)
    if start is None:
        return None
    return {
        "engine": start["engine"],
        "format": start["format"],
        "fit": start["fit"]["class"] if start["fit"] else None,
        "patch": {"format": None},
    }


def _evidence(decision: Plain, cast: Cast, facts: Facts) -> Plain:
    rules: dict[str, None] = {}
    sources: dict[str, None] = {}  # in the order of the answer, each once

    def take(items: list[Plain]) -> None:
        for item in items:
            if item.get("rule"):
                rules.setdefault(item["rule"])
            for source in item.get("sources") or ():
                sources.setdefault(source)

    for rec in decision["recommendations"]:
        take(rec["reasons"])
        take(rec["cautions"])
        if rec["checkpoint"]:
            sources.update(dict.fromkeys(rec["checkpoint"]["sources"]))
        if rec["command"]:
            for process in rec["command"]["processes"]:
                take(process["args"])
    take(decision["warnings"])
    for row in decision["rejected"]:
        take(row["obstacles"])
        take(row["reasons"])
    return {
        "rules": list(rules),
        "facts": _told(facts, decision),
        "sources": [s for s in sources if s in facts.kb.sources],
        "by_estimate": cast.by_estimate,
        "undeclared_ties": [list(t) for t in cast.verdict.undeclared],
    }


def _told(facts: Facts, decision: Plain) -> Plain:
    """Values that sentences of rules and warnings may name; carried once, not per statement."""
    told = {path: facts.value(path) for path in PATHS}
    for path in DEVICE:
        values = [facts.device_value(kind, path) for kind in facts.kinds]
        known = list(dict.fromkeys(str(v) if isinstance(v, str) else v for v in values if v is not None))
        told[path] = known[0] if len(known) == 1 else " + ".join(map(str, known)) if known else None
    start = next((r for r in decision["recommendations"] if r["role"] == "start"), None)
    if start:
        told |= extra(launchable(start), facts.kb)
    told |= {"hardware": hardware(facts), "model.name": facts.arch["name"] if facts.arch else None}
    return {path: value for path, value in told.items() if value is not None}


__all__ = ["Candidate", "decide", "decide_head", "decide_reading"]
