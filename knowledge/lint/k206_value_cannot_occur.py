"""Conditions that need a value which no fact can have."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from knowledge.findings import Finding
from knowledge.kinds import schema
from knowledge.lint.clauses import Clause, clauses
from knowledge.lint.operators import is_comparison
from knowledge.lint.rule import Rule, World
from knowledge.nearest import nearest
from wizard.vocabulary import PATHS

# targets that kernels are built for; new chips appear before anyone has an entry for them
_ARCH = re.compile(
    r"(sm_\d{2,3}[af]?|gfx[0-9a-f]{3,4}|xe\d?-(lp|hp|hpc|lpg|hpg)|apple-[am]\d+|x86-64|armv[89]|riscv64|phone-gpu|browser)\Z"
)


def check(world: World) -> Iterator[Finding]:
    find = partial(_valid, world, {})
    for clause in clauses(world):
        if clause.word not in PATHS:
            continue
        items = clause.needed if isinstance(clause.needed, list) else [clause.needed]
        for index, value in enumerate(items):
            if isinstance(value, (dict, list)) or value is None or is_comparison(value):
                continue
            valid = find(clause.word)
            if valid is None or str(value) in valid:
                continue
            if clause.word == "device.arch" and _ARCH.match(str(value)):
                continue
            yield _finding(clause, index, value, valid)


def _finding(clause: Clause, index: int, value: Any, valid: set[str]) -> Finding:
    place = clause.place(index) if isinstance(clause.needed, list) else clause.place()
    near = nearest(str(value), valid)
    listed = f"one of: {', '.join(sorted(valid))}" if 0 < len(valid) <= 25 else None
    why = f"{PATHS[clause.word].help}: no fact can have this value, so the line would never be true"
    said = f'"{value}" is no value of {clause.word}'
    return RULE.near(clause.file, place, str(value), near, message=said, why=why, fix=listed)


def _valid(world: World, memo: dict[str, set[str] | None], path: str) -> set[str] | None:
    """Values that can occur on a path, or None when any can."""
    if path not in memo:
        memo[path] = _values(world, path)
    return memo[path]


def _values(world: World, path: str) -> set[str] | None:
    word = PATHS[path]
    if word.values:
        return set(word.values)
    if word.entries:
        return world.ids(word.entries)
    if path in ("device.generation", "device.arch"):
        return {str(e[path.split(".")[1]]) for _f, e in world.entries("device")}
    if path in ("format.type", "situation.format.type"):
        return {t["id"] for _f, e in world.entries("format") for t in e["types"]}
    if path == "engine.mode":
        return {m["id"] for _f, e in world.entries("engine") for m in e.get("modes", [])}
    if path == "candidate.kv_type":
        field = schema("engine")["properties"]["kv_types"]["items"]["properties"]["type"]
        return set(field["enum"])
    if path == "device.native":
        return set(schema("device")["properties"]["native"]["properties"]["types"]["items"]["enum"])
    return None


RULE = Rule(
    code="K206",
    level="error",
    name="a value that cannot occur",
    why="no fact can have this value, so the line would never be true",
    fix="use a value that occurs",
    bad="needs: {device.vendor: nvida}",
    good="needs: {device.vendor: nvidia}",
    check=check,
)
