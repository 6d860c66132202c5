"""Dates that have not come yet."""

from collections.abc import Iterator
from datetime import date, timedelta

from knowledge.findings import Finding
from knowledge.lint.k108_no_such_day import exists
from knowledge.lint.rule import Rule, World, dotted


def check(world: World) -> Iterator[Finding]:
    # a day ahead is somebody's today: the world has time zones
    limit = (date.fromisoformat(world.today) + timedelta(days=1)).isoformat()
    for file in world.knowledge.readable():
        for path, text in file.mentions.dates:
            # a page may not say when: "unknown"
            if text[:1].isdigit() and text > limit[: len(text)] and exists(text):
                yield RULE.at(file.place(path), f"{dotted(path)} lies in the future: {text}")


RULE = Rule(
    code="K103",
    level="error",
    name="a date in the future",
    why="the date says when somebody looked; it decides when the fact is looked at again",
    fix="write the day on which it was read or happened",
    bad="read: 2062-11-29",
    good="read: 2026-11-29",
    check=check,
)
