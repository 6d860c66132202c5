"""Sources that no publisher's file holds."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World
from knowledge.nearest import nearest


def check(world: World) -> Iterator[Finding]:
    known = world.knowledge.readings
    broken = tuple(f"{f.id}-" for f in world.knowledge.files.values() if f.kind == "source" and f.data is None)
    for file in world.knowledge.readable():
        for path, id in file.mentions.sources:
            if id in known or (broken and id.startswith(broken)):
                continue
            near = nearest(id, known, 0.75)
            yield RULE.near(
                file,
                file.place(path),
                id,
                near,
                message=f'no source has the reading "{id}"',
                fix=f"add {id} to the readings of its publisher in knowledge/sources/",
            )


RULE = Rule(
    code="K101",
    level="error",
    name="a source that does not exist",
    why="every value is shown with the page it was read on and the day; this one would stand without",
    fix="add the reading to its publisher's file in knowledge/sources/",
    bad="source: vllm-instal-gpu",
    good="source: vllm-install-gpu",
    check=check,
)
