"""Names of entries that do not exist."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World
from knowledge.nearest import nearest

_INNER = ("type", "mode")  # parts of an entry: K202


def check(world: World) -> Iterator[Finding]:
    for file in world.knowledge.readable():
        for path, kind, id, _owner in file.mentions.names:
            if kind in _INNER:
                continue
            kinds = kind.split("|")
            known = {id for one in kinds for id in world.ids(one)}
            if id in known:
                continue
            # an id that was given an article, a version or the wrong case is usually an alias of the right one
            aliases = {a: i for one in kinds for i, e in world.knowledge.entries[one].items() for a in _aliases(e)}
            near = aliases.get(id.lower()) or nearest(id, known)
            yield RULE.near(
                file,
                file.place(path),
                id,
                near,
                message=f'there is no {" or ".join(kinds)} "{id}"',
                fix=f"name another, or add it: python -m knowledge new {kinds[0]} {id}",
            )


def _aliases(entry: dict) -> list[str]:
    names = entry.get("aka") if isinstance(entry.get("aka"), list) else []
    return [n.lower() for n in [*names, entry.get("name")] if isinstance(n, str)]


RULE = Rule(
    code="K201",
    level="error",
    name="an entry that does not exist",
    why="pages link to it and decisions read it; the file stem under knowledge/ is its id",
    fix="name an entry that exists",
    bad="family: production-servin",
    good="family: production-serving",
    check=check,
)
