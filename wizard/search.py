"""The search for an answer: what is sized, and what gives way when the devices do not hold everything.

Numbers that nobody said give way before the answer does: fewer requests at once (the rest wait in the
engine's queue), a shorter context, at last more system memory. Requests that somebody did ask for are first
taken to be shorter, where nobody said how long they are; then they wait in the queue as well, before a part
of the model leaves the devices or another engine takes over from the one that the rules prefer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import paths, reuse, roles
from .candidates import FIT_CLASSES, PLENTY, Candidate, Ranked
from .facts import Facts
from .found import Found
from .kb import KB
from .roles import Cast
from .situation import Reading, apply_patch
from .sizing import Sizing

_MEMORY = (64, 128, 256, 512)  # GiB that machines for large models have
_FEWEST = 3.9  # bits a weight; fewer are a choice that somebody has to make
_SHORTEST = 4096  # tokens; a context below that is no answer
_LENGTHS = ("context.input", "context.output")
_PARTS = (2, 4)  # of the length that requests are taken to have, before any that was asked for waits
_SHARE = 0.5  # of the asked requests that the preferred engine holds at once, for it to stay preferred


class Work:
    """What the search found so far, for whoever makes an answer of it.

    waiting: requests that somebody asked for and that do not fit at once. brief: whether all of them go in because
    they are taken to be shorter than usual.
    """

    def __init__(self, reading: Reading, facts: Facts, found: Found, sizing: Sizing) -> None:
        self.reading, self.facts, self.found = reading, facts, found
        self.waiting = 0
        self.brief = False
        self.most: dict[str, int] = {}  # requests at once that each engine surely holds, once `preferred` was asked
        self.ranked: dict[str, Ranked] = {}
        self.cast = Cast()
        self._sizing = sizing
        self._done = False

    def published(self) -> Work:
        """With published weights of the engines that a rule nominates, as far as the devices hold them."""
        return self._with(self._sizing.published())

    def first(self) -> Work:
        """With the engines that a rule nominates, as far as the devices hold them."""
        return self._with(self._sizing.first())

    def inside(self) -> Work:
        """With every engine, as far as the devices hold it."""
        return self._with(self._sizing.inside())

    def whole(self) -> Work:
        """With every engine and all that it can do."""
        if not self._done:
            self._done = True
            self._with(self._sizing.whole())
            self.found.refusals[:0] = self._sizing.stops
        return self

    def _with(self, ranked: dict[str, Ranked]) -> Work:
        self.ranked = ranked
        self.cast = roles.assign(ranked, self.facts)
        return self

    @property
    def settled(self) -> bool:
        """Whether a rule chose the start, inside its devices: nothing that is sized later can change it."""
        return self.held and not self.cast.by_estimate and self.sound

    @property
    def held(self) -> bool:
        """Whether the engine to start with keeps model and requests in the devices, without a visible loss, and
        leaves none of them idle."""
        return self.kept and not self.cast.start[0].spare  # type: ignore[index]

    @property
    def kept(self) -> bool:
        """The same, be it on the processor beside a GPU: what remains when everything else has given way."""
        start = self.cast.start[0] if self.cast.start else None
        return bool(start and start.fit and start.fit["class"] in ("fits", "tight") and _good(start))

    @property
    def sound(self) -> bool:
        """Whether something starts that is no experiment of its own project, nor a last resort of few bits."""
        start = self.cast.start[0] if self.cast.start else None
        return start is not None and not roles.trial(start) and start.rank_class < len(FIT_CLASSES) - 1

    def preferred(self, tokens: int) -> tuple[str | None, int]:
        """The engine to start with whatever fits, of those that hold one request of `tokens`, and how many of the
        asked length it keeps in the devices at once. Where no rule speaks, it is the one that holds most."""
        most: dict[str, int] = {}
        for engine, one in self.ranked.items():
            counts = [_comfortable(c, tokens) for c in one.candidates if _good(c) and not c.shaky]
            if any(counts) and roles.may_start(engine, self.facts):
                most[engine] = max(counts)
        self.most = most
        for fired in roles.preference(self.ranked, list(most), self.facts):
            return fired.rule["engine"], most[fired.rule["engine"]]
        engine = max(most, key=lambda e: (most[e], e), default=None)
        return engine, most[engine] if engine else 0


def _comfortable(candidate: Candidate, tokens: int) -> int:
    """Requests of the asked length at once that a candidate surely holds; 0 when one of `tokens` does not go in."""
    fit = candidate.fit or {}
    most, longest, pool = fit.get("max_concurrency"), fit.get("max_context"), fit.get("pool_bytes")
    if not most or not pool:
        return 0
    share = fit["error_bytes"] / pool
    if longest is not None and longest * (1 + share) < tokens:
        return 0
    return max(1, int(most * (1 - share)))


def _good(candidate: Candidate) -> bool:
    return not candidate.lossy and candidate.bits >= _FEWEST


def search(reading: Reading, kb: KB) -> Work | None:
    """The work whose start answers best; None without hardware. `reading` of the result says what gave way."""
    work = _open(reading, kb)
    if work is None:
        return None
    if work.facts.arch is None:
        return work.whole()
    held = _held(work, kb)
    if held:
        found = _all(_full(held, kb), kb)
        # what is not sure may yet give way to something that is sized last
        return found if found.sound else found.whole()
    work.whole()
    if not work.sound and _assumed(reading, "host.ram_gib") and not _own_memory(reading, kb):
        for gib in _MEMORY:
            if gib > reading.situation["host"]["ram_gib"]:
                more = _open(_with(reading, {"host.ram_gib": gib}), kb)
                if more and more.whole().sound:
                    return more
    return work


def _held(work: Work, kb: KB) -> Work | None:
    """The work, or one with less of what may give way, that keeps everything in the devices; the mildest first."""
    tokens = work.reading.situation["context"]["tokens"]
    published = work.published().settled
    fewer = None if published else _fewer(work, tokens, 0.0, kb)
    if fewer and fewer.first().settled:
        # some requests wait for weights that are there, rather than none for others still to be made
        return _own_count(fewer, work, kb)
    context = work.reading.situation["context"]
    least = max(_SHORTEST, context["input"] + context["output"])
    shorter = [tokens // n for n in (2, 4) if tokens // n >= least and _assumed(work.reading, "context.tokens")]
    if work.first().settled:
        ready = _ready(work, shorter, kb)
        if ready:
            return ready
        return _preferred(work, kb)
    if not fewer and not published:
        fewer = _fewer(work, tokens, 0.0, kb)
        if fewer and fewer.first().settled:
            return _own_count(fewer, work, kb)
    if work.inside().held:
        return work
    idle = work if work.kept else None  # the processor beside a GPU, if no shorter context brings the GPU in
    for length in (tokens, *shorter):
        fewer = _fewer(work, length, 0.0, kb)
        if fewer and (fewer.first().settled or fewer.inside().held):
            return _ready(fewer, [n for n in shorter if n < length], kb) or fewer
        idle = idle or (fewer if fewer and fewer.kept else None)
    return idle


def _ready(work: Work, shorter: list[int], kb: KB) -> Work | None:
    """With published weights beside a shorter context, where the start would have to be converted; None otherwise.

    A context that nobody asked for is given up before somebody has to make weights.
    """
    start = work.cast.start[0] if work.cast.start else None
    if start is None or start.path.checkpoint["status"] == "published":
        return None
    for length in shorter:
        brief = _open(_with(work.reading, {"context.tokens": length}), kb)
        # an engine that the rules prefer may come with weights to convert: then it is the start here as well
        if not brief or not brief.published().settled or not brief.first().settled or not brief.cast.start:
            continue
        start = brief.cast.start[0]
        if start.path.checkpoint["status"] == "published" and start.real_class == 0:
            brief.waiting = work.waiting
            return brief
    return None


def _preferred(work: Work, kb: KB) -> Work:
    """With the engine that the rules would prefer, when it holds most of the requests and the rest can wait."""
    tokens = work.reading.situation["context"]["tokens"]
    engine, most = work.preferred(tokens)
    if work.cast.start and work.cast.start[0].path.engine == engine:
        return work
    for briefer in _briefer(work, most, kb):
        if briefer.cast.start and briefer.cast.start[0].path.engine == engine:
            return briefer
    fewer = _fewer(work, tokens, _SHARE, kb)
    if fewer and fewer.first().settled and work.cast.start and fewer.cast.start:
        before, after = work.cast.start[0].path.engine, fewer.cast.start[0].path.engine
        return fewer if before != after else work
    return work


def _full(work: Work, kb: KB) -> Work:
    """With eight bits or all that were published, and without stages where ranks do, when that holds nearly as
    many of the requests.

    Nobody gives up half the bits of a model, or half the speed of an answer, so that a few more requests run at
    once rather than wait; what is clearly faster stays, as the order of the candidates has it.
    """
    traffic, start = work.facts.situation["traffic"], work.cast.start
    if start is None or traffic["mode"] == "offline" or _assumed(work.reading, "traffic.concurrency"):
        return work
    now, chosen = traffic["concurrency"], start[0]
    better = [c for c in work.ranked[chosen.path.engine].candidates if _fuller(c, chosen, work.facts)]
    tokens = work.reading.situation["context"]["tokens"]
    most = max((_comfortable(c, tokens) for c in better), default=0)
    count = next((n for n in (now * 7 // 8, now * 3 // 4, now * 5 // 8) if 0 < n <= most), 0)
    fewer = _open(_with(work.reading, {"traffic.concurrency": count}), kb) if count else None
    if fewer is None or not fewer.published().settled or not fewer.cast.start:
        return work
    after = fewer.cast.start[0]
    if after.path.engine != chosen.path.engine or not _fuller(after, chosen, work.facts):
        return work
    fewer.waiting = work.waiting + now - count
    return fewer


def _fuller(one: Candidate, chosen: Candidate, facts: Facts) -> bool:
    """Whether a candidate keeps more of the model's bits, up to eight, or the same in fewer stages."""
    whole = min(PLENTY, facts.value("model.native_bits") or PLENTY)
    if one.shaky or not _good(one) or one.layout.pp > chosen.layout.pp or one.layout.nodes != chosen.layout.nodes:
        return False
    return chosen.bits < whole <= one.bits or (one.layout.pp < chosen.layout.pp and one.bits >= min(whole, chosen.bits))


def _fewer(work: Work, tokens: int, least: float, kb: KB) -> Work | None:
    """The same with as many requests at once as the preferred engine holds beside a context of `tokens`; None
    when that is no change, no way out, or fewer than this share of the requests."""
    reading = work.reading
    asked, offline = reading.situation["traffic"]["concurrency"], reading.situation["traffic"]["mode"] == "offline"
    engine, most = work.preferred(tokens)
    if work.held and work.cast.start and engine == work.cast.start[0].path.engine:
        return None
    count = asked if offline else next((n for n in _counts(reading) if n <= most), 0)
    change = {"traffic.concurrency": count, "context.tokens": tokens}
    if count < max(1, least * asked) or (count == asked and tokens == reading.situation["context"]["tokens"]):
        return None
    fewer = _open(_with(reading, change), kb)
    if fewer and not _assumed(reading, "traffic.concurrency"):
        fewer.waiting = asked - count
    return fewer


def _briefer(work: Work, most: int, kb: KB) -> Iterator[Work]:
    """The same with all the requests that were asked for, taken to be shorter; nothing when somebody said how long
    they are. most: those of the present length that go in."""
    reading = work.reading
    if _assumed(reading, "traffic.concurrency") or not all(_assumed(reading, path) for path in _LENGTHS):
        return
    context, asked = reading.situation["context"], reading.situation["traffic"]["concurrency"] + work.waiting
    for part in (n for n in _PARTS if asked <= n * most):
        lengths = {path: context[path.rpartition(".")[2]] // part for path in _LENGTHS}
        briefer = _open(_with(reading, {**lengths, "traffic.concurrency": asked}), kb)
        if briefer and briefer.first().settled:
            briefer.brief = True
            yield briefer


def _all(work: Work, kb: KB) -> Work:
    """With none waiting, when requests of which nobody said how long they are all go in beside the same weights."""
    if not work.waiting or work.cast.start is None:
        return work
    for briefer in _briefer(work, work.facts.situation["traffic"]["concurrency"], kb):
        now, then = work.cast.start[0], briefer.cast.start[0] if briefer.cast.start else None
        if then and (then.path, then.layout.pp) == (now.path, now.layout.pp):
            return briefer
    return work


def _own_count(fewer: Work, work: Work, kb: KB) -> Work:
    """With as many requests as the engine that starts holds, when it is not the one they were counted for."""
    assert fewer.cast.start
    engine, now = fewer.cast.start[0].path.engine, fewer.facts.situation["traffic"]["concurrency"]
    count = next((n for n in _counts(work.reading) if n <= work.most.get(engine, 0)), 0)
    more = _open(_with(fewer.reading, {"traffic.concurrency": count}), kb) if count > now else None
    if more is None or not more.first().settled or not more.cast.start or more.cast.start[0].path.engine != engine:
        return fewer
    more.waiting = max(0, fewer.waiting - (count - now))
    return more


def _counts(reading: Reading) -> Iterator[int]:
    """Requests at once that are worth a try, most first. Below a number that nobody said there is room for better
    weights; of one that somebody did say as many as possible are kept."""
    asked = reading.situation["traffic"]["concurrency"]
    yield asked
    if _assumed(reading, "traffic.concurrency"):
        yield from (max(1, asked // 4), max(1, asked // 16), 1)
        return
    yield max(1, asked * 3 // 4)
    while asked > 1:
        asked = (asked + 1) // 2
        yield asked


def _assumed(reading: Reading, path: str) -> bool:
    return any(a["path"] == path for a in reading.assumptions)


def _own_memory(reading: Reading, kb: KB) -> bool:
    """Whether system memory is that of the named devices: a board, a Mac, processors alone."""
    entries = [kb.devices[d["device"]] for d in reading.situation["devices"] if d["device"]]
    return any(e["memory"]["unified"] for e in entries) or bool(entries) and all(e["kind"] == "cpu" for e in entries)


def _with(reading: Reading, change: dict[str, Any]) -> Reading:
    """A reading with other values for what may give way."""
    situation = apply_patch(reading.situation, change)
    assumptions = [{**a, "value": change.get(a["path"], a["value"])} for a in reading.assumptions]
    return Reading(situation, reading.stated, assumptions, reading.problems)


def _open(reading: Reading, kb: KB) -> Work | None:
    """A search in which nothing is sized yet; None without hardware."""
    facts = Facts(reading.situation, kb, (a["path"] for a in reading.assumptions))
    if not facts.kinds:
        return None
    known = reuse.kept(facts, paths.find)
    found = Found(known.found.options, list(known.found.refusals))
    return Work(reading, facts, found, Sizing(found, facts, reuse.placings(facts, known)))
