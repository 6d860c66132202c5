"""Days the calendar does not have."""

import re
from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World
from knowledge.shelf import day

_FORM = re.compile(r"20\d\d(?:-[01]\d(?:-[0-3]\d)?)?")  # the schema's; of another form, K015 tells


def check(world: World) -> Iterator[Finding]:
    for file in world.knowledge.readable():
        for path, text in file.mentions.dates:
            if exists(text) or not _FORM.fullmatch(text):
                continue
            yield RULE.at(file.place(path), f"there is no day {text}")


def exists(text: str) -> bool:
    """Whether a date of the right form names a real day; one of another form is K015, not this."""
    if not text.replace("-", "").isdigit():
        return True
    try:
        day(text)
    except ValueError:
        return False
    return True


RULE = Rule(
    code="K108",
    level="error",
    name="a day that does not exist",
    why="dates are compared and counted from",
    fix="write a day of the calendar, or only the month",
    bad="read: 2026-02-30",
    good="read: 2026-02",
    check=check,
)
