"""Rules across engines: who is nominated for which role, who is held back, and which rule precedes.

Rules act after the fit class. Strength is evidence: decisive over strong over leaning; an explicit
`over` comes before strength. Two rules of equal rank that name different engines are a tie; a declared
tie (rules/order.yml) says which one is named first. No weights.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from .conditions import paths_of
from .facts import Facts
from .kb import KB
from .shapes import Entry

STRENGTHS = ("decisive", "strong", "leaning")

# engine -> mode -> rank of the fit class of the best candidate of that mode
Classes = dict[str, dict[str | None, int]]


@dataclass(frozen=True)
class Fired:
    """A rule whose condition holds."""

    id: str
    rule: Entry = field(hash=False, compare=False)

    @property
    def strength(self) -> int:
        """0 is the strongest."""
        return STRENGTHS.index(self.rule["strength"])


@dataclass
class Verdict:
    """What the rules say, by role."""

    nominated: dict[str, list[Fired]] = field(default_factory=dict)  # role -> rules, best first
    held: dict[str, list[Fired]] = field(default_factory=dict)  # engine -> rules that hold it back
    tied_with: list[str] = field(default_factory=list)  # engines tied with the start, declared
    undeclared: list[tuple[str, str]] = field(default_factory=list)

    def held_from(self, engine: str, role: str, mode: str | None = None) -> Fired | None:
        """The rule that keeps an engine, or only this mode of it, from a role."""
        for fired in self.held.get(engine, ()):
            if role in fired.rule.get("from", ("start",)) and fired.rule.get("mode") in (None, mode):
                return fired
        return None


def fire(facts: Facts) -> list[Fired]:
    """Every rule whose condition holds, in the order of ids; worked out once a decision.

    Most rules read nothing of the load, which is what somebody changes most: what they say is kept with
    the knowledge under the values that they read.
    """
    found = facts.memo.get("fired")
    if found is None:
        split = _split(facts.kb)
        key = repr([[table.get(path) for path in split.paths] for table in facts.tables()])
        fixed = split.kept.get(key)
        if fixed is None:
            if len(split.kept) >= _PLACES:
                split.kept.clear()
            fixed = split.kept[key] = [(n, one) for n, one in split.fixed if _holds(one.rule, facts)]
        moving = [(n, one) for n, one in split.moving if _holds(one.rule, facts)]
        found = facts.memo["fired"] = [one for _, one in sorted([*fixed, *moving], key=lambda row: row[0])]
    return found


_PLACES = 64  # machines and models whose fixed rules are kept
_LOAD = ("situation.traffic.", "situation.context.")


@dataclass
class _Split:
    """The rules that say who starts, by whether they read the load; with their places in the order of ids.

    paths: what the fixed ones read; kept: those that hold, by the values of these paths.
    """

    fixed: list[tuple[int, Fired]] = field(default_factory=list)
    moving: list[tuple[int, Fired]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    kept: dict[str, list[tuple[int, Fired]]] = field(default_factory=dict)


def _split(kb: KB) -> _Split:
    found: _Split | None = kb.kept.get("rules-by-load")
    if found is None:
        found = kb.kept["rules-by-load"] = _Split()
        read: set[str] = set()
        for place, (id_, rule) in enumerate(kb.rules.items()):
            if rule["effect"] == "warn":
                continue  # warnings may read the chosen candidate; `decide` evaluates them later
            paths = paths_of(rule["when"])
            load = any(path.startswith(_LOAD) for path in paths)
            (found.moving if load else found.fixed).append((place, Fired(id_, rule)))
            read |= set() if load else paths
        found.paths = sorted(read)
    return found


def named(facts: Facts, role: str | None = None) -> set[str]:
    """Engines that some rule nominates here, for any role or for one."""
    return {
        one.rule["engine"]
        for one in fire(facts)
        if one.rule["effect"] == "nominate" and role in (None, one.rule["role"])
    }


def _holds(rule: Entry, facts: Facts) -> bool:
    return facts.holds(rule["when"], facts.kinds)


def judge(facts: Facts, classes: Classes, startable: Collection[str]) -> Verdict:
    """Apply the rules.

    classes: of the engines that have a running candidate, by mode; the others are absent.
    startable: engines that may be the start if no rule holds them back.
    """
    verdict = Verdict()
    fired = fire(facts)
    for one in fired:
        if one.rule["effect"] == "hold-back":
            # one that names no engine holds back all of them
            for engine in (one.rule["engine"],) if "engine" in one.rule else facts.kb.engines:
                verdict.held.setdefault(engine, []).append(one)
    found: dict[str, list[tuple[int, Fired]]] = {}
    for one in fired:
        if one.rule["effect"] != "nominate":
            continue
        engine, role = one.rule["engine"], one.rule["role"]
        if facts.kb.engines[engine]["layer"] not in ("engine", "library"):
            found.setdefault(role, []).append((0, one))
            continue
        ranks = [
            rank
            for mode, rank in classes.get(engine, {}).items()
            if one.rule.get("mode") in (None, mode) and not verdict.held_from(engine, role, mode)
        ]
        if ranks and (role != "start" or engine in startable):
            found.setdefault(role, []).append((min(ranks), one))
    for role, rules in found.items():
        ordered = _ordered(rules)
        if role == "start":
            _tie(verdict, ordered, facts)
        verdict.nominated[role] = [one for _, _, one in ordered]
    return verdict


def _ordered(rules: list[tuple[int, Fired]]) -> list[tuple[int, int, Fired]]:
    """(class, how many rules of that class precede through `over`, rule), best first."""
    by_class: dict[int, list[Fired]] = {}
    for rank, one in rules:
        by_class.setdefault(rank, []).append(one)
    found = []
    for rank, group in by_class.items():
        ids = {one.id for one in group}
        winners = {one.id: set(one.rule.get("over", ())) & ids for one in group}
        found += [(rank, _above(one.id, winners), one) for one in group]
    return sorted(found, key=lambda f: (f[0], f[1], f[2].strength, f[2].id))


def _above(id_: str, winners: dict[str, set[str]]) -> int:
    """How many rules precede this one through `over`, directly or through others."""
    above: set[str] = set()
    front = {id_}
    while front:
        front = {w for w, losers in winners.items() if losers & front} - above - {id_}
        above |= front
    return len(above)


def _tie(verdict: Verdict, ordered: list[tuple[int, int, Fired]], facts: Facts) -> None:
    """Name the start among equals: the declared pair's first rule; note what is not declared."""
    rank, above, top = ordered[0]
    equal = [row for row in ordered[1:] if (row[0], row[1], row[2].strength) == (rank, above, top.strength)]
    declared = {tuple(tie["rules"]) for tie in facts.kb.ties}
    for row in _rivals(equal, top):
        other = row[2]
        if other.rule["engine"] == top.rule["engine"]:
            continue
        if (other.id, top.id) in declared:
            ordered.remove(row)
            ordered.insert(0, row)
            top, other = other, top
        if (top.id, other.id) not in declared:
            verdict.undeclared.append((top.id, other.id))
        elif other.rule["engine"] not in verdict.tied_with:
            verdict.tied_with.append(other.rule["engine"])


def _rivals(equal: Iterable[tuple[int, int, Fired]], top: Fired) -> list[tuple[int, int, Fired]]:
    """Rules of equal rank for other engines."""
    return [row for row in equal if row[2].rule["engine"] != top.rule["engine"]]
