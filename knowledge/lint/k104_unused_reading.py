"""Readings that nothing refers to."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    if any(file.kind and not isinstance(file.data, dict) for file in world.knowledge.files.values()):
        return  # what a file that cannot be read refers to is not known
    used = {id for file in world.knowledge.readable() for _path, id in file.mentions.sources}
    for file, entry in world.entries("source"):
        for id in entry["readings"]:
            if id not in used:
                yield RULE.at(file.place(("readings", id), on_key=True), f'nothing is sourced from "{id}"')


RULE = Rule(
    code="K104",
    level="question",
    name="a reading that nothing uses",
    why="it is shown to nobody; either a fact forgot its source or the reading was replaced",
    fix="name it as the source of what it says, or remove it",
    bad="readings: {vllm-old-page: {…}}      and no entry names it",
    good="source: vllm-old-page",
    check=check,
)
