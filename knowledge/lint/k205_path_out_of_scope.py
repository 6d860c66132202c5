"""Conditions that read what is not decided yet at their place."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.clauses import clauses
from knowledge.lint.rule import Rule, World
from wizard.vocabulary import PATHS


def check(world: World) -> Iterator[Finding]:
    for clause in clauses(world):
        if clause.word not in PATHS or clause.word in clause.allowed:
            continue
        groups = sorted({path.split(".")[0] for path in clause.allowed})
        yield RULE.at(
            clause.key_place(),
            f"{clause.word} cannot be read in {clause.scope}",
            why=f"it is not decided yet when this is asked; conditions here read {', '.join(groups)} facts",
        )


RULE = Rule(
    code="K205",
    level="error",
    name="a path that cannot be read here",
    why="decisions go one way: where an engine starts cannot depend on what is built from that answer",
    fix="say it with what is known here (SCOPES in wizard/vocabulary.py), or move the condition to a later place",
    bad="runs_on: [{backend: cuda, needs: {candidate.tp: 2}}]",
    good="runs_on: [{backend: cuda, needs: {device.count: 2}}]",
    check=check,
)
