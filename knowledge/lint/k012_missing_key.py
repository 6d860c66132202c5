"""Keys the schema requires."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World, dotted


def check(world: World) -> Iterator[Finding]:
    for _file, problem, place in world.problems("K012"):
        key, about = problem.detail["key"], problem.detail["about"]
        where = f" in {dotted(problem.path)}" if problem.path else ""
        yield RULE.at(place, f'"{key}" is missing{where}', fix=f"{key}: …   {about}" if about else f"{key}: …")


RULE = Rule(
    code="K012",
    level="error",
    name="a required key is missing",
    why="pages and decisions rely on it being there; what is not known is written `unknown`, not left out",
    fix="add the key",
    bad="{backend: cuda}",
    good="{backend: cuda, source: vllm-install-gpu}",
    check=check,
)
