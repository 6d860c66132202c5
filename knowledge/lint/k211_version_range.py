"""Version ranges that cannot be read."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World
from wizard.versions import VersionError, matches


def check(world: World) -> Iterator[Finding]:
    for file in world.knowledge.readable():
        for path, text in file.mentions.versions:
            try:
                matches(text, "1.0")
            except VersionError:
                yield RULE.at(file.place(path), f'"{text}" is no version range')


RULE = Rule(
    code="K211",
    level="error",
    name="a version range that cannot be read",
    why="the line would hold for no version, or for all",
    fix='write such as ">=0.22" or ">=0.20,<0.24", quoted',
    bad='versions: "since 0.22"',
    good='versions: ">=0.22"',
    check=check,
)
