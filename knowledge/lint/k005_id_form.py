"""File stems that are no ids."""

import re
from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.kinds import ID
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for file in world.knowledge.files.values():
        if file.kind and not ID.match(file.id):
            near = re.sub(r"[^a-z0-9]+", "-", file.id.lower()).strip("-")
            fix = f"rename the file to {near}.yml" if near else RULE.fix
            yield RULE.at(file.place(), f'"{file.id}" is no id', nearest=near or None, fix=fix)


RULE = Rule(
    code="K005",
    level="error",
    name="the file name is no id",
    why="the file stem is the id of the entry; it stands in addresses, texts and other entries",
    fix="lower case letters and digits, single hyphens between them",
    bad="knowledge/models/Qwen3_32B.yml",
    good="knowledge/models/qwen3-32b.yml",
    check=check,
)
