"""Values of the right type that break a pattern or a limit."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World, dotted


def check(world: World) -> Iterator[Finding]:
    for _file, problem, place in world.problems("K015"):
        value = problem.detail["value"]
        shown = f'"{value}"' if isinstance(value, str) else "it" if isinstance(value, (dict, list)) else str(value)
        yield RULE.at(place, f"{dotted(problem.path)}: {shown} needs {problem.detail['form']}")


RULE = Rule(
    code="K015",
    level="error",
    name="a value of the wrong form",
    why="the schema limits this value to what can be true or can be read further on",
    fix="see the description of the field in its schema",
    bad="checked: 29.11.2026",
    good="checked: 2026-11-29",
    check=check,
)
