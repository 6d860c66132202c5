"""Rules whose fields do not fit their effect."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World

_NEEDS = {"nominate": ("engine", "role"), "hold-back": ("from",), "warn": ()}
_EXCLUDES = {"nominate": ("from",), "hold-back": ("role", "condition"), "warn": ("role", "from")}


def check(world: World) -> Iterator[Finding]:
    for file, rule in world.entries("rule"):
        effect = rule["effect"]
        for key in _NEEDS[effect]:
            if key not in rule:
                yield RULE.at(file.place(("effect",)), f'a rule that says {effect} needs "{key}"', fix=f"{key}: …")
        for key in _EXCLUDES[effect]:
            if key in rule:
                place = file.place((key,), on_key=True)
                yield RULE.at(place, f'a rule that says {effect} has no "{key}"', fix="leave it out")


RULE = Rule(
    code="K422",
    level="error",
    name="a rule whose fields do not fit its effect",
    why="nominate: an engine for a role; hold-back: an engine, or every engine, from roles; warn: only says something",
    fix="complete the rule or change its effect",
    bad="effect: hold-back\nengine: ollama",
    good="effect: hold-back\nengine: ollama\nfrom: [start]",
    check=check,
)
