"""Obstacles: what stands in the way of a path, with the person's value, the needed one, and the source."""

from __future__ import annotations

from typing import Any

from .conditions import Clause, Result

Plain = dict[str, Any]


def sources_of(line: Any) -> list[str]:
    """The readings a fact cites, as a list."""
    source = line.get("source") if isinstance(line, dict) else line
    if source is None:
        return []
    return [source] if isinstance(source, str) else list(source)


def obstacle(
    clause: str,
    yours: Any,
    needed: Any,
    sources: Any,
    *,
    unknown: bool = False,
    text: str | None = None,
    **params: Any,
) -> Plain:
    """One obstacle in the Decision's shape. `text` is a text id that says more than the clause does."""
    return {
        "clause": clause,
        "yours": _plain(yours),
        "needed": _plain(needed),
        "kind": "unknown" if unknown else "false",
        "sources": sources_of(sources) if isinstance(sources, dict | str) else list(sources or []),
        "text": text,
        "params": params,
    }


def from_result(result: Result, line: Plain) -> list[Plain]:
    """The failed clauses of one line of knowledge as obstacles."""
    found = []
    for clause in result.failed:
        entry = obstacle(clause.path, clause.yours, clause.needed, line, unknown=clause.unknown)
        if clause.negated:
            entry["negated"] = True
        note = line.get("note")
        if isinstance(note, str):
            entry["note"] = note
        found.append(entry)
    return found


def clause_key(entry: Plain) -> tuple[str, str]:
    """What makes two obstacles the same."""
    return entry["clause"], str(entry["needed"])


def merge(obstacles: list[Plain]) -> list[Plain]:
    """Without repetitions, order kept."""
    if len(obstacles) < 2:
        return list(obstacles)
    seen: set[tuple[str, str]] = set()
    kept = []
    for entry in obstacles:
        key = clause_key(entry)
        if key not in seen:
            seen.add(key)
            kept.append(entry)
    return kept


def _plain(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


__all__ = ["Clause", "clause_key", "from_result", "merge", "obstacle", "sources_of"]
