"""Facts whose newest reading is older than what its kind holds for."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World
from knowledge.shelf import SHELF_LIFE_DAYS, end_of_life


def check(world: World) -> Iterator[Finding]:
    ends: dict[str, str] = {}
    for id, (_publisher, reading) in world.knowledge.readings.items():
        try:
            ends[id] = end_of_life(str(reading.get("kind")), str(reading.get("read"))).isoformat()
        except (KeyError, ValueError):
            continue  # a reading with a wrong kind or date is told by its own file
    for file in world.knowledge.readable():
        claims: dict[tuple, list[str]] = {}
        for path, id in file.mentions.sources:
            # the items of one `source: [...]` carry one claim together: it is as fresh as the freshest
            claims.setdefault(path if isinstance(path[-1], str) else path[:-1], []).append(id)
        told: set[str] = set()
        for path, ids in claims.items():
            known = [id for id in ids if id in ends]
            if not known:
                continue
            newest = max(known, key=lambda id: ends[id])
            if ends[newest] > world.today or newest in told:
                continue
            told.add(newest)
            reading = world.knowledge.readings[newest][1]
            life = SHELF_LIFE_DAYS[reading["kind"]]
            yield RULE.at(
                file.place(path),
                why=f"read on {reading['read']}; facts of this kind hold for {life} days",
                fix="open the page again. If it still says so:\n"
                f"python -m knowledge new source {_next_id(newest, world.today)} --like {newest}\n"
                "a reading is never re-dated; the new one stands beside it",
            )


def _next_id(id: str, today: str) -> str:
    """Id of the re-reading: the old one with this month in place of its own."""
    parts = id.split("-")
    if len(parts) > 2 and parts[-2].isdigit() and parts[-1].isdigit():
        parts = parts[:-2]
    return "-".join([*parts, today[:7]])


RULE = Rule(
    code="K118",
    level="question",
    name="a source is past its shelf life",
    why="a fact of this kind does not hold for so long",
    fix="open the page again and add a new reading beside the old one",
    bad="source: vllm-readme-2025-12      read 2025-12-09, kind code: 180 days",
    good="source: vllm-readme-2026-11",
    check=check,
)
