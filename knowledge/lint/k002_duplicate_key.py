"""The same key twice in one map."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for _file, problem, place in world.problems("K002"):
        key, first = problem.detail["key"], problem.detail["first"]
        yield RULE.at(place, f'"{key}" is already given on line {first}')


RULE = Rule(
    code="K002",
    level="error",
    name="a key is given twice",
    why="readers of YAML disagree on which one counts, so one of the two would silently be lost",
    fix="keep one of the two lines",
    bad="name: vLLM\nname: vllm",
    good="name: vLLM",
    check=check,
)
