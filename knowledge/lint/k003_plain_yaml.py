"""Anchors, aliases, tags, odd keys, a second document: YAML that hides what it says."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for _file, problem, place in world.problems("K003"):
        yield RULE.at(place, f"{problem.detail['what']} is not used here")


RULE = Rule(
    code="K003",
    level="error",
    name="only plain YAML is used",
    why="a fact is written where it is read: anchors, aliases, tags and several documents in one file hide it",
    fix="write the value out; one file holds one entry",
    bad="source: &s vllm-readme\nalso: *s",
    good="source: vllm-readme\nalso: vllm-readme",
    check=check,
)
