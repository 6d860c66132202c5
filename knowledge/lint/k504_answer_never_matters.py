"""Answers asked of people that never change anything."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    if world.deep is None:
        return
    for file, question in world.entries("question"):
        for index, field in enumerate(question.get("fields", [])):
            if world.deep.answers.get(field["path"]) == 0:
                said = f"no value of {field['path']} has changed a decision"
                yield RULE.at(file.place(("fields", index, "path")), said)


RULE = Rule(
    code="K504",
    level="question",
    name="an answer that never matters",
    why="people are asked for something that nothing reads",
    fix="remove the field, or write the rule or fact that depends on it",
    bad="fields: [{path: optional.air_gapped}]      and no condition reads it",
    good="when: {situation.air_gapped: true}",
    check=check,
)
