"""Keys the schema does not have."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World, dotted


def check(world: World) -> Iterator[Finding]:
    for file, problem, place in world.problems("K011"):
        key, near, valid = (problem.detail[name] for name in ("key", "nearest", "valid"))
        parent = file.data
        for step in problem.path[:-1]:
            parent = parent[step]
        if near in parent:  # the right key is there already, so this one is something else
            near = None
        said = f'"{key}" is no key of {dotted(problem.path[:-1]) or "this kind of entry"}'
        fix = f"one of: {', '.join(valid)}" if valid else "leave it out"
        if " " in key and parent[key] is None:
            fix = "quote the text before it: inside {…} a comma ends a value"
        yield RULE.near(file, place, key, near, message=said, fix=fix)


RULE = Rule(
    code="K011",
    level="error",
    name="unknown key",
    why="a key nobody reads is a fact nobody sees",
    fix="use a key of the schema",
    bad="licens: {is: MIT, source: vllm-licence}",
    good="licence: {is: MIT, source: vllm-licence}",
    check=check,
)
