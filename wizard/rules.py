"""Rules across engines: who is nominated for which role, who is held back, and which rule precedes.

Strength is evidence: decisive over strong over leaning; an explicit `over` comes before strength.
Two rules of equal rank that name different engines are a tie; a declared tie (rules/order.yml) says
which one is named first. No weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .facts import Facts
from .shapes import Entry

STRENGTHS = ("decisive", "strong", "leaning")


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
    held: dict[str, dict[str, Fired]] = field(default_factory=dict)  # engine -> role -> rule
    warnings: list[Fired] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)  # rules whose condition could not be decided
    tied_with: list[str] = field(default_factory=list)  # engines tied with the start, declared
    undeclared: list[tuple[str, str]] = field(default_factory=list)


def fire(facts: Facts) -> list[Fired]:
    """Every rule whose condition holds, in the order of ids."""
    return [Fired(id_, rule) for id_, rule in facts.kb.rules.items() if _holds(rule, facts)]


def _holds(rule: Entry, facts: Facts) -> bool:
    if rule["effect"] == "warn":
        return False  # warnings may read the chosen candidate; `decide` evaluates them later
    return facts.check(rule["when"], facts.kinds).value is True


def judge(facts: Facts, classes: dict[str, int], modes: dict[str, set[str | None]]) -> Verdict:
    """Apply the rules.

    classes: engine -> rank of its best candidate's fit class (engines without candidates are absent).
    modes: engine -> modes that have a candidate.
    """
    verdict = Verdict()
    fired = fire(facts)
    for one in fired:
        rule = one.rule
        if rule["effect"] == "hold-back":
            for role in rule.get("from", ["start"]):
                verdict.held.setdefault(rule["engine"], {}).setdefault(role, one)
    for one in fired:
        rule = one.rule
        if rule["effect"] != "nominate":
            continue
        engine, role = rule["engine"], rule["role"]
        layer = facts.kb.engines[engine]["layer"]
        if layer in ("engine", "library"):
            if engine not in classes or (rule.get("mode") and rule["mode"] not in modes[engine]):
                continue
            if role in verdict.held.get(engine, {}):
                continue
        verdict.nominated.setdefault(role, []).append(one)
    beaten = {loser for one in fired if one.rule["effect"] == "nominate" for loser in one.rule.get("over", ())}
    for role, rules in verdict.nominated.items():
        alive = {r.id for r in rules}
        winners = {w.id: set(w.rule.get("over", ())) & alive for w in rules}
        rules.sort(key=lambda r: (classes.get(r.rule["engine"], 0), _rank(r, winners), r.strength, r.id))
        verdict.nominated[role] = rules
    _tie(verdict, facts, classes, beaten)
    return verdict


def _rank(rule: Fired, winners: dict[str, set[str]]) -> int:
    """How many rules precede this one through `over`, directly or through others."""
    above: set[str] = set()
    front = {rule.id}
    while front:
        front = {w for w, losers in winners.items() if losers & front} - above - {rule.id}
        above |= front
    return len(above)


def _tie(verdict: Verdict, facts: Facts, classes: dict[str, int], beaten: set[str]) -> None:
    """Name the start among equals: the declared pair's first rule; note what is not declared."""
    rules = verdict.nominated.get("start", [])
    if len(rules) < 2:
        return
    top = rules[0]
    ids = {r.id for r in rules}
    winners = {w.id: set(w.rule.get("over", ())) & ids for w in rules}
    equal = [
        r for r in rules[1:]
        if r.rule["engine"] != top.rule["engine"]
        and classes.get(r.rule["engine"], 0) == classes.get(top.rule["engine"], 0)
        and r.strength == top.strength
        and _rank(r, winners) == _rank(top, winners)
    ]  # fmt: skip
    if not equal:
        return
    declared = {tuple(t["rules"]): t for t in facts.kb.ties}
    for other in equal:
        if (other.id, top.id) in declared:
            rules.remove(other)
            rules.insert(0, other)
            top, other = other, top
        if (top.id, other.id) in declared:
            if other.rule["engine"] not in verdict.tied_with:
                verdict.tied_with.append(other.rule["engine"])
        else:
            verdict.undeclared.append((top.id, other.id))
