"""Dates that contradict each other."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.k108_no_such_day import exists
from knowledge.lint.rule import Rule, World, dotted


def _later(one: str, other: str) -> bool:
    """Whether `one` is certainly after `other`, at the precision both have."""
    length = min(len(one), len(other))
    return one[:length] > other[:length]


def check(world: World) -> Iterator[Finding]:
    for file in world.knowledge.readable():
        dates = {path: text for path, text in file.mentions.dates if exists(text)}
        checked = dates.get(("checked",))
        for path, text in dates.items():
            name = path[-1]
            read = dates.get((*path[:-1], "read"))
            if name == "published" and read and _later(text, read):
                yield RULE.at(file.place(path), f"published {text}, but read {read}")
            elif checked and name not in ("checked", "read", "published") and _later(text, checked):
                yield RULE.at(file.place(path), f"{dotted(path)} is {text}, but the entry was last checked {checked}")


RULE = Rule(
    code="K107",
    level="error",
    name="dates out of order",
    why="nobody reads a page before it is published, or checks an entry before what it tells has happened",
    fix="correct the one that is wrong",
    bad="{published: 2026-11-20, read: 2026-10-01}",
    good="{published: 2026-09-20, read: 2026-10-01}",
    check=check,
)
