"""Format types and engine modes that their entry does not list."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World
from knowledge.load import File
from knowledge.nearest import nearest


def check(world: World) -> Iterator[Finding]:
    for file in world.knowledge.readable():
        for path, kind, id, owner in file.mentions.names:
            if kind == "type":
                format_ = world.knowledge.entries["format"].get(owner or "")
                known = _ids(format_, "types") if format_ else None
                owner_said = f"the format {owner}"
            elif kind == "mode":
                known, owner_said = _modes(world, file, owner)
            else:
                continue
            if known is None or id in known:  # an owner that does not exist is K201
                continue
            near = nearest(id, known)
            listed = f"it has: {', '.join(known)}" if known else "it lists none"
            yield RULE.near(file, file.place(path), id, near, message=f'{owner_said} has no {kind} "{id}"', fix=listed)


def _modes(world: World, file: File, owner: str | None) -> tuple[list[str] | None, str]:
    if owner is None and file.kind != "engine":
        return [], "no engine is named beside it, so it"
    id = owner or file.id
    engine = world.knowledge.entries["engine"].get(id)
    return (_ids(engine, "modes") if engine else None), f"the engine {id}"


def _ids(entry: dict, field: str) -> list[str]:
    parts = entry.get(field)
    return [p["id"] for p in parts if isinstance(p, dict) and "id" in p] if isinstance(parts, list) else []


RULE = Rule(
    code="K202",
    level="error",
    name="a format type or mode that does not exist",
    why="a line that names it holds for nothing, so it would never be shown or used",
    fix="name a type or mode that its entry lists, or add it there",
    bad="{format: gguf, types: [q4_km]}",
    good="{format: gguf, types: [q4_k_m]}",
    check=check,
)
