"""Conditions that read a path which is no word of the language."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.clauses import clauses
from knowledge.lint.rule import Rule, World
from knowledge.nearest import nearest
from wizard.vocabulary import PATHS


def check(world: World) -> Iterator[Finding]:
    for clause in clauses(world):
        if clause.word in PATHS:
            continue
        near = nearest(clause.word, clause.allowed) or nearest(clause.word, PATHS)
        groups = sorted({path.split(".")[0] for path in clause.allowed})
        why = f"a condition here may read {', '.join(groups)} facts; {RULE.why}"
        yield RULE.near(clause.file, clause.key_place(), clause.word, near, why=why)


RULE = Rule(
    code="K204",
    level="error",
    name="unknown path in a condition",
    why="no fact has this path, so the line would never be true",
    fix="use a path of the condition language (wizard/vocabulary.py)",
    bad='needs: {device.compute_capabilty: ">=7.5"}',
    good='needs: {device.compute_capability: ">=7.5"}',
    check=check,
)
