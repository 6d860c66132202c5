"""The clauses of every condition, with the words their place may use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from knowledge.findings import Place
from knowledge.lint.rule import World
from knowledge.load import File
from knowledge.yaml12 import Path
from wizard.vocabulary import PATHS, SCOPES

# answers about production read the same words as answers about features
_SAME = {"engine.production": "engine.features"}


@dataclass(frozen=True, slots=True)
class Clause:
    """One `path: needed` of a condition; `scope` is a key of SCOPES, or None where every path may be read."""

    file: File
    scope: str | None
    at: Path
    word: str
    needed: Any

    @property
    def allowed(self) -> frozenset[str]:
        """Paths that may be read here."""
        return SCOPES[self.scope] if self.scope else frozenset(PATHS)

    def key_place(self) -> Place:
        """Place of the path that the clause names."""
        return self.file.place(self.at, on_key=True)

    def place(self, *inner: int) -> Place:
        """Place of the needed value, or of one item of a list of them."""
        return self.file.place((*self.at, *inner))


@dataclass(frozen=True, slots=True)
class Malformed:
    """A part of a condition that has no meaning at all."""

    file: File
    at: Path
    said: str


def scope_of(file: File, path: Path) -> str | None:
    """Which scope the condition at `path` belongs to."""
    name = f"{file.kind}.{path[0]}"
    if file.kind == "rule" and file.data.get("effect") == "warn":
        return "rule.warn"
    name = _SAME.get(name, name)
    return name if name in SCOPES else None


def conditions(world: World) -> Iterator[Clause | Malformed]:
    """Every clause of every condition, and what cannot be read as one."""
    for file in world.knowledge.readable():
        for path, condition in file.mentions.conditions:
            yield from _clauses(file, scope_of(file, path), path, condition)


def clauses(world: World) -> Iterator[Clause]:
    """Every clause of every condition."""
    return (part for part in conditions(world) if isinstance(part, Clause))


def _clauses(file: File, scope: str | None, path: Path, condition: Any) -> Iterator[Clause | Malformed]:
    if not isinstance(condition, dict):
        yield Malformed(file, path, "a condition is a map of paths to values")
        return
    for key, needed in condition.items():
        here = (*path, key)
        if key == "not":
            yield from _clauses(file, scope, here, needed)
        elif key in ("any", "all"):
            if not isinstance(needed, list) or not needed:
                yield Malformed(file, here, f"`{key}` takes a list of conditions")
                continue
            for index, part in enumerate(needed):
                yield from _clauses(file, scope, (*here, index), part)
        else:
            yield Clause(file, scope, here, key, needed)
