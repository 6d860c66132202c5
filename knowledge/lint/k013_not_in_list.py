"""Values outside a closed list."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for file, problem, place in world.problems("K013"):
        value, near = str(problem.detail["value"]), problem.detail["nearest"]
        valid = ", ".join(str(v) for v in problem.detail["valid"])
        field = next((step for step in reversed(problem.path) if isinstance(step, str)), "this value")
        said = f'"{value}" is no value of {field}'
        yield RULE.near(file, place, value, near, message=said, why=f"it is one of: {valid}")


RULE = Rule(
    code="K013",
    level="error",
    name="a value outside its list",
    why="the list is closed: decisions and pages know exactly these values",
    fix="use one of the listed values",
    bad="layer: motor",
    good="layer: engine",
    check=check,
)
