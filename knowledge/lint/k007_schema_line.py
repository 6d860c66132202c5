"""Files whose first line does not tell editors the schema."""

from collections.abc import Iterator

from knowledge.findings import Edit, Finding, Place
from knowledge.lint.rule import Rule, World


def schema_line(kind: str) -> str:
    """The first line of every file of this kind."""
    return f"# yaml-language-server: $schema=../schema/{kind}.schema.json"


def check(world: World) -> Iterator[Finding]:
    for file in world.knowledge.files.values():
        if file.kind is None:
            continue
        wanted = schema_line(file.kind)
        first = file.text.split("\n", 1)[0]
        if first.rstrip() == wanted:
            continue
        if first.startswith("# yaml-language-server"):
            edit = Edit(1, 1, len(first) + 1, wanted)
        else:
            edit = Edit(1, 1, 1, wanted + "\n")
        place = Place(file.name, 1, 1, max(2, len(first) + 1))
        yield RULE.at(place, nearest=wanted, edit=edit, fix="put that line first")


RULE = Rule(
    code="K007",
    level="question",
    name="the first line does not name the schema of this kind",
    why="with it an editor completes the keys and shows what each of them means",
    fix="python -m knowledge check --fix",
    bad="name: vLLM",
    good="# yaml-language-server: $schema=../schema/engine.schema.json\nname: vLLM",
    check=check,
)
