"""Publishers without a single reading."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for file, entry in world.entries("source"):
        if not entry["readings"]:
            yield RULE.at(file.place(("readings",), on_key=True))


RULE = Rule(
    code="K105",
    level="error",
    name="a publisher without readings",
    why="a source is a page at one time; a publisher alone says nothing",
    fix="add what was read there, or remove the file",
    bad="name: vLLM\nreadings: {}",
    good="name: vLLM\nreadings:\n  vllm-readme: {url: …, title: …, kind: code, read: 2026-11-29}",
    check=check,
)
