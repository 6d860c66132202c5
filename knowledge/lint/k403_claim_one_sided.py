"""Claims and their holders that do not name each other."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.kinds import FOLDERS
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    held: dict[str, set[str]] = {}
    for file, claim in world.entries("claim"):
        held[file.id] = set(claim.get("held_by", []))
    for file in world.knowledge.readable():
        me = f"{FOLDERS[file.kind or '']}/{file.id}"
        for path, kind, id, _owner in file.mentions.names:
            if kind == "claim" and id in held and me not in held[id]:
                place = file.place(path)
                fix = f"knowledge/claims/{id}.yml: held_by: [{me}]"
                yield RULE.at(place, f"{id} does not name {me} as its holder", fix=fix)


RULE = Rule(
    code="K403",
    level="question",
    name="a claim that does not know its holder",
    why="the page of the claim shows where it is held; this entry would be missing there",
    fix="add the entry to held_by of the claim",
    bad="claims: [c012]      and claims/c012.yml has no held_by for this entry",
    good="held_by: [engines/vllm]",
    check=check,
)
