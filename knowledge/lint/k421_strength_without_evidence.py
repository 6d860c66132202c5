"""Rules that are stronger than their evidence."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World

# kinds in which the project itself speaks
_OFFICIAL = {"official-docs", "release-notes", "code", "model-card"}


def allowed(readings: list[tuple[str, str]]) -> str:
    """The strongest word that (publisher, kind) pairs of a rule's sources carry."""
    kinds = {kind for _publisher, kind in readings}
    if kinds & _OFFICIAL:
        return "decisive"
    independent = {publisher for publisher, kind in readings if kind != "article"}
    if kinds & {"measurement", "paper"} or len(independent) >= 2:
        return "strong"
    if independent and "article" in kinds:
        return "strong"  # one third party and the articles: two who do not copy each other
    return "leaning"


def check(world: World) -> Iterator[Finding]:
    order = ["leaning", "strong", "decisive"]
    for file, rule in world.entries("rule"):
        ids = [id for path, id in file.mentions.sources if path[0] == "source"]
        readings = [world.knowledge.readings[id] for id in ids if id in world.knowledge.readings]
        if len(readings) != len(ids):
            continue  # K101 first: what is missing may be what carries it
        most = allowed([(publisher, str(reading.get("kind"))) for publisher, reading in readings])
        if order.index(rule["strength"]) <= order.index(most):
            continue
        kinds = ", ".join(sorted({str(reading.get("kind")) for _publisher, reading in readings}))
        said = f"{rule['strength']}, but its sources are only {kinds}"
        yield RULE.near(file, file.place(("strength",)), rule["strength"], most, message=said)


RULE = Rule(
    code="K421",
    level="error",
    name="a rule stronger than its evidence",
    why="strength is evidence: decisive when official documents or a maintainer state the case, strong when measured "
    "or said by two independent sources, leaning for advice alone",
    fix="weaken it, or add the source that carries it",
    bad="strength: decisive\nsource: seed-s0",
    good="strength: leaning\nsource: seed-s0",
    check=check,
)
