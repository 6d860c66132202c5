"""Rules that precede each other in a circle, or themselves, and ties of a rule with itself."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    over = {file.id: (file, rule.get("over", [])) for file, rule in world.entries("rule")}
    for id, (file, below) in over.items():
        for index, lower in enumerate(below):
            way = _way(over, lower, id)
            # a circle is told once, at the rule whose id comes first
            if way and id == min(way):
                yield RULE.at(file.place(("over", index)), " over ".join([id, *way]))
    for file, order in world.entries("order"):
        for index, tie in enumerate(order["ties"]):
            first, second = tie["rules"]
            place = file.place(("ties", index, "rules", 1))
            if first == second:
                yield RULE.at(place, f"{first} is tied with itself")
            elif second in over.get(first, (None, []))[1] or first in over.get(second, (None, []))[1]:
                yield RULE.at(place, f"{first} and {second} are a tie here and ordered by `over` in the rules")


def _way(over: dict, start: str, goal: str) -> list[str]:
    """Ids from `start` down to `goal`, or nothing when there is no way."""
    stack, seen = [[start]], set()
    while stack:
        way = stack.pop()
        if way[-1] == goal:
            return way
        if way[-1] in seen:
            continue
        seen.add(way[-1])
        stack += [[*way, lower] for lower in over.get(way[-1], (None, []))[1]]
    return []


RULE = Rule(
    code="K423",
    level="error",
    name="rules in a circle",
    why="of two rules that both hold, one has to come first, or they are a declared tie",
    fix="remove one of the lines",
    bad="a.yml: over: [b]\nb.yml: over: [a]",
    good="a.yml: over: [b]",
    check=check,
)
