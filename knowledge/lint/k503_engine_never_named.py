"""Engines that no decision recommends in any role."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    if world.deep is None:
        return
    for file, engine in world.entries("engine"):
        if engine["status"]["is"] in ("archived", "inactive") or world.deep.engines.get(file.id):
            continue
        said = f"{file.id} is recommended in none of {world.deep.situations:,} situations"
        yield RULE.at(file.place(("name",)), said)


RULE = Rule(
    code="K503",
    level="question",
    name="an engine that is never recommended",
    why="its entry exists, but no path, fit or rule ever leads to it",
    fix="look at its runs_on, formats and memory; or add the rule that names it",
    bad="formats: []",
    good="formats: [{format: gguf, backend: cuda, kernel: native, source: …}]",
    check=check,
)
