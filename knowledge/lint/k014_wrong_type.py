"""Values of the wrong type, such as a version that YAML reads as a number."""

from collections.abc import Iterator

from knowledge.findings import Edit, Finding
from knowledge.lint.rule import Rule, World, dotted


def check(world: World) -> Iterator[Finding]:
    for file, problem, place in world.problems("K014"):
        detail = problem.detail
        said = f"{dotted(problem.path) or 'the entry'} is {detail['is']}, needed is {detail['wanted']}"
        if detail["quote"]:
            line = file.text.split("\n")[place.line - 1]
            written = line[place.col - 1 : place.end - 1]
            near = f'"{written}"'
            edit = Edit(place.line, place.col, place.end, near)
            why = "without quotes YAML reads it as something else than a text: 0.10 becomes 0.1"
            fix = f"{place.line}:{place.col}  {written} → {near}"
            yield RULE.at(place, said, why=why, nearest=near, fix=fix, edit=edit)
        else:
            yield RULE.at(place, said, fix=detail["about"])


RULE = Rule(
    code="K014",
    level="error",
    name="a value of the wrong type",
    why="pages and decisions compute with this value",
    fix="write it in the type that the schema describes",
    bad="stable: 0.10",
    good='stable: "0.10"',
    check=check,
)
