"""Form fields for answers that a Situation does not have."""

from collections.abc import Iterator
from typing import Any

from knowledge.findings import Finding
from knowledge.kinds import schema
from knowledge.lint.rule import Rule, World
from knowledge.nearest import nearest


def answers(node: dict[str, Any] | None = None, prefix: str = "") -> set[str]:
    """Paths of everything that a person can say in a Situation."""
    found = set()
    for key, inner in (node or schema("situation")).get("properties", {}).items():
        path = f"{prefix}{key}"
        found |= {path} | answers(inner, f"{path}.") if "properties" in inner else {path}
    return found


def check(world: World) -> Iterator[Finding]:
    known = answers()
    for file, entry in world.entries("question"):
        for index, field in enumerate(entry.get("fields", [])):
            for name in ("path", "default_by"):
                value = field.get(name)
                plain = value.removeprefix("situation.") if value else None
                if plain is None or (plain if name == "default_by" else value) in known:
                    continue
                place = file.place(("fields", index, name))
                said = f'a situation has no "{value}"'
                yield RULE.near(file, place, value, nearest(plain, known), message=said)


RULE = Rule(
    code="K209",
    level="error",
    name="a form field for an answer that does not exist",
    why="what is typed there would be thrown away",
    fix="use a path of knowledge/schema/situation.schema.json",
    bad="fields: [{path: traffic.concurency}]",
    good="fields: [{path: traffic.concurrency}]",
    check=check,
)
