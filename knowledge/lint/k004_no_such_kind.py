"""A YAML file where no kind of entry lives."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.kinds import KINDS
from knowledge.lint.rule import Rule, World
from knowledge.nearest import nearest


def check(world: World) -> Iterator[Finding]:
    for _file, problem, place in world.problems("K004"):
        relative = problem.detail["relative"]
        folder, _, name = relative.partition("/")
        if folder in KINDS and name.endswith(".yaml") and "/" not in name:
            stem = name.removesuffix(".yaml")
            yield RULE.at(place, "files of entries end in .yml", fix=f"rename it to {folder}/{stem}.yml")
            continue
        near = nearest(folder, KINDS) if name else None
        if folder in KINDS:
            yield RULE.at(place, "entries lie directly in the folder of their kind", nearest=f"{folder}/")
        else:
            yield RULE.at(place, f'no kind of entry lives in "{folder}"', nearest=near and f"{near}/")


RULE = Rule(
    code="K004",
    level="error",
    name="the file lies where no kind of entry lives",
    why="the folder says what an entry is; from here it would never be read",
    fix="move it to the folder of its kind, as <id>.yml",
    bad="knowledge/engine/vllm.yaml",
    good="knowledge/engines/vllm.yml",
    check=check,
)
