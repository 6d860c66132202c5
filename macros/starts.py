"""Which worked situations start with an engine: the decisions of recipes and scenarios, read backwards."""

from __future__ import annotations

from functools import lru_cache

from macros.world import World


@lru_cache(maxsize=2)
def table(world: World) -> dict[str, list[tuple[str, str]]]:
    """{engine: [(kind, id) of each recipe or scenario whose decision starts with it]}."""
    found: dict[str, list[tuple[str, str]]] = {}
    for kind in ("recipe", "scenario"):
        for id_, entry in world.entries(kind).items():
            engine = start(world.decide(entry["situation"]))
            if engine:
                found.setdefault(engine, []).append((kind, id_))
    return found


def of_engine(world: World, engine: str) -> list[tuple[str, str]]:
    """Recipes and scenarios that start with this engine."""
    return table(world).get(engine, [])


def recommendation(decision: dict, role: str = "start") -> dict | None:
    """The first recommendation in a role."""
    return next((r for r in decision["recommendations"] if r["role"] == role), None)


def start(decision: dict) -> str | None:
    """The engine a decision starts with; None when nothing may start."""
    found = recommendation(decision)
    return found["engine"] if found else None
