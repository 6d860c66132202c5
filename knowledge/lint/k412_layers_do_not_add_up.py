"""Models whose attention kinds do not cover their layers."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for file, model in world.entries("model"):
        added = sum(part["layers"] for part in model["attention"])
        if added != model["layers"]:
            said = f"attention covers {added} layers, the model has {model['layers']}"
            yield RULE.at(file.place(("layers",)), said)


RULE = Rule(
    code="K412",
    level="error",
    name="attention does not cover all layers",
    why="the KV cache is computed per layer from its kind of attention",
    fix="list every layer under one kind; layers without attention are kind: none",
    bad="layers: 48\nattention: [{kind: full, layers: 12}, {kind: linear, layers: 35}]",
    good="layers: 48\nattention: [{kind: full, layers: 12}, {kind: linear, layers: 36}]",
    check=check,
)
