"""Rules that hold in none of the situations tried."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    if world.deep is None:
        return
    for file, _rule in world.entries("rule"):
        if not world.deep.fired.get(file.id):
            said = f"{file.id} holds in none of {world.deep.situations:,} situations"
            yield RULE.at(file.place(("when",), on_key=True), said)


RULE = Rule(
    code="K502",
    level="question",
    name="a rule that never holds",
    why="its advice reaches nobody",
    fix="loosen its condition, or add a recipe with the situation it is meant for",
    bad="when: {device.vendor: amd, links.within: nvlink}",
    good="when: {device.vendor: nvidia, links.within: nvlink}",
    check=check,
)
