"""Conditions that cannot be read."""

from collections.abc import Iterator

from knowledge.findings import Edit, Finding
from knowledge.lint.clauses import Malformed, conditions
from knowledge.lint.operators import fault
from knowledge.lint.rule import Rule, World
from wizard.vocabulary import PATHS


def check(world: World) -> Iterator[Finding]:
    for part in conditions(world):
        if isinstance(part, Malformed):
            yield RULE.at(part.file.place(part.at), part.said)
            continue
        if part.word not in PATHS:
            continue
        items = part.needed if isinstance(part.needed, list) else [part.needed]
        if not items:
            yield RULE.at(part.place(), "an empty list is never fulfilled")
        for index, value in enumerate(items):
            found = fault(PATHS[part.word].kind, value)
            if not found:
                continue
            said, near = found
            place = part.place(index) if isinstance(part.needed, list) else part.place()
            edit = Edit(place.line, place.col, place.end, near) if near else None
            fix = f"{place.line}:{place.col}  {value} → {near}" if near else None
            yield RULE.at(place, f"{part.word}: {said}", nearest=near, fix=fix, edit=edit)


RULE = Rule(
    code="K207",
    level="error",
    name="a condition that cannot be read",
    why='a needed value is a word, a list of words (any of), a comparison such as ">=8" or a range such as "1..4"',
    fix="write a word, a list, a comparison or a range",
    bad='when: {situation.traffic.concurrency: "=> 8"}',
    good='when: {situation.traffic.concurrency: ">=8"}',
    check=check,
)
