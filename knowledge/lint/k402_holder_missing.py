"""Holders of claims that do not exist."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.kinds import FOLDERS, KINDS
from knowledge.lint.rule import Rule, World
from knowledge.nearest import nearest


def check(world: World) -> Iterator[Finding]:
    known = {f"{FOLDERS[kind]}/{id}" for kind, id in world.knowledge.by_entry}
    for file, claim in world.entries("claim"):
        for index, holder in enumerate(claim.get("held_by", [])):
            if holder in known:
                continue
            folder, _, id = holder.partition("/")
            place = file.place(("held_by", index))
            if folder in FOLDERS and f"{FOLDERS[folder]}/{id}" in known:
                near: str | None = f"{FOLDERS[folder]}/{id}"
            else:
                same = {name for name in known if name.startswith(f"{folder}/")} if folder in KINDS else known
                near = nearest(holder, same, 0.75)
            yield RULE.near(file, place, holder, near, message=f'there is no entry "{holder}"')


RULE = Rule(
    code="K402",
    level="error",
    name="a claim held by an entry that does not exist",
    why="the page of the claim links there",
    fix="name an entry as folder/id, such as engines/vllm",
    bad="held_by: [engine/vllm]",
    good="held_by: [engines/vllm]",
    check=check,
)
