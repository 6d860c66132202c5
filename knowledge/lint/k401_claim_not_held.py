"""Claims of the source articles that no entry holds."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for file, claim in world.entries("claim"):
        held, left_out = claim.get("held_by"), claim.get("left_out")
        if not held and not left_out:
            yield RULE.at(file.place())
        elif held and left_out:
            yield RULE.at(file.place(("left_out",), on_key=True), "a claim is held by entries or left out, not both")


RULE = Rule(
    code="K401",
    level="error",
    name="a claim that no entry holds",
    why="nothing of the source articles is lost without a word: each claim lives in an entry or says why not",
    fix="held_by: [engines/vllm]      or      left_out: {en: …, vi: …, ru: …}",
    bad="number: 12\nverdict: qualified",
    good="number: 12\nverdict: qualified\nheld_by: [rules/fleet-dynamo]",
    check=check,
)
