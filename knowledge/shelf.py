"""How long a reading may be trusted before somebody should look again.

The only table of shelf lives: the check asks about what is past it and the pages mark it.
"""

from __future__ import annotations

from datetime import date, timedelta

# days, by kind of source. What projects publish about themselves moves with every release; what was
# measured or published once stays true for what it describes, only newer versions come.
SHELF_LIFE_DAYS: dict[str, int] = {
    "official-docs": 180,
    "release-notes": 180,
    "code": 180,
    "third-party": 365,
    "model-card": 365,
    "article": 365,
    "measurement": 540,
    "paper": 3650,
}


def day(text: str) -> date:
    """The first day that "2026", "2026-11" or "2026-11-29" can mean; raises ValueError for no such day."""
    parts = [int(part) for part in text.split("-")]
    return date(*(parts + [1, 1])[:3])


def end_of_life(kind: str, read: str) -> date:
    """First day on which a reading of this kind, read on `read`, is past its shelf life."""
    return day(read) + timedelta(days=SHELF_LIFE_DAYS[kind] + 1)


def overdue(kind: str, read: str, today: str) -> bool:
    """Whether a reading should be looked at again."""
    return day(today) >= end_of_life(kind, read)
