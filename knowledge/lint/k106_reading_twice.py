"""One reading id at two publishers."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for file in world.knowledge.readable():
        if file.kind != "source" or not isinstance(file.data.get("readings"), dict):
            continue
        for id in file.data["readings"]:
            owner = world.knowledge.readings.get(id, (file.id,))[0]
            if owner != file.id:
                first = world.knowledge.where("source", owner, ("readings", id), on_key=True)
                place = file.place(("readings", id), on_key=True)
                yield RULE.at(place, f'"{id}" is already a reading of {owner} ({first})', fix=f"name it {file.id}-…")


RULE = Rule(
    code="K106",
    level="error",
    name="a reading id used twice",
    why="entries name a reading by its id alone, so it has to be one page",
    fix="begin the id with the publisher's own",
    bad="readme: {url: …}      in two files of knowledge/sources/",
    good="vllm-readme: {url: …}",
    check=check,
)
