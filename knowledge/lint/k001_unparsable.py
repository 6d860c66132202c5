"""A file that is not YAML."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for _file, problem, place in world.problems("K001"):
        reason = problem.detail["reason"]
        context = problem.detail.get("context")
        said = f"cannot be read: {reason}" + (f" {context}" if context else "")
        yield RULE.at(place, said, fix=problem.detail.get("fix"))


RULE = Rule(
    code="K001",
    level="error",
    name="the file cannot be read",
    why="nothing in this file is known until it is YAML again; entries that name it are not reported",
    fix="look just above the caret: a missing quote, bracket or colon, or a tab",
    bad="runs_on: [{backend: cuda",
    good="runs_on: [{backend: cuda}]",
    check=check,
)
