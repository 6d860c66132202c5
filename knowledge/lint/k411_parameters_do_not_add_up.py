"""Models whose parameter groups do not add up."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for file, model in world.entries("model"):
        total, active = model["params"]["total"], model["params"].get("active")
        added = sum(group["params"] for group in model["groups"])
        if added != total:
            said = f"the groups add up to {added:,}, the total is {total:,} ({added - total:+,})"
            yield RULE.at(file.place(("params", "total")), said)
        if active is not None and active > total:
            yield RULE.at(file.place(("params", "active")), f"{active:,} active of {total:,} in all")


RULE = Rule(
    code="K411",
    level="error",
    name="parameters do not add up",
    why="weights in memory are computed from the groups, each in its own number of bits",
    fix="count again from the shapes in the checkpoint, each tensor once",
    bad="params: {total: 8}\ngroups: [{group: mlp, params: 5}]",
    good="params: {total: 8}\ngroups: [{group: mlp, params: 5}, {group: attention, params: 3}]",
    check=check,
)
