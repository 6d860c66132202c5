"""Rules of equal weight that name different engines where nobody said which comes first."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for (first, second), where in sorted(world.deep.ties.items()) if world.deep else ():
        yield RULE.at(
            world.knowledge.where("rule", first, ("strength",)),
            f"{first} and {second} are equal and name different engines",
            why=f"nothing says which of the two is the start for {where}",
            fix=f"knowledge/rules/order.yml: - rules: [{first}, {second}]\n"
            f"or `over: [{second}]` here, if a source says so",
        )


RULE = Rule(
    code="K501",
    level="error",
    name="two rules of equal weight name different engines",
    why="the page would have to pick one without saying why",
    fix="declare the tie in rules/order.yml, or say with `over` which one precedes",
    bad="two decisive rules, one for vllm and one for sglang, that hold for the same situation",
    good="ties: [{rules: [moe-sglang, serve-vllm]}]",
    check=check,
)
