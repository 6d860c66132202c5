"""The small condition language of the knowledge base, evaluated to true, false or unknown.

A condition is a mapping of paths to needed values; every clause must hold. `any`, `all` and `not`
combine conditions. A needed value is a value, a list (any of), a comparison (">=7.5") or a range
("1..4"); where the path holds a set, a value means "contains". The evaluation returns each clause
that failed or could not be decided, with the person's value and the needed one: every "why not"
and every fix comes from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .versions import compare
from .vocabulary import PATHS

Condition = dict[str, Any]
Lookup = Callable[[str], Any]

COMPARISON = re.compile(r"^(>=|<=|<|>)\s*([0-9][0-9.]*)$")
RANGE = re.compile(r"^([0-9][0-9.]*)\.\.([0-9][0-9.]*)$")
_ORDERED = re.compile(r"[<>0-9]")  # how a comparison or a range begins


class ConditionError(ValueError):
    """A condition that cannot be read; `knowledge check` finds these before anyone meets them."""


@dataclass(frozen=True)
class Clause:
    """One clause that stands in the way. `unknown` is true when the person's value is not known."""

    path: str
    needed: Any
    yours: Any
    unknown: bool = False
    negated: bool = False


@dataclass(frozen=True)
class Result:
    """`value` is True, False or None (unknown); `failed` holds the clauses that decided it."""

    value: bool | None
    failed: tuple[Clause, ...] = ()

    def __bool__(self) -> bool:
        return self.value is True


TRUE = Result(True)


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set | frozenset) else list(value) if isinstance(value, tuple) else value


@lru_cache(maxsize=8192)
def _test(needed: Any, kind: str) -> Callable[[Any], bool]:
    """A test for one needed value, made once: conditions are evaluated thousands of times a decision."""
    if isinstance(needed, bool):
        return lambda yours: yours is needed or (not isinstance(yours, bool) and bool(yours) is needed)
    if isinstance(needed, int | float):
        return lambda yours: yours == needed if isinstance(yours, int | float) else str(yours) == str(needed)
    text = str(needed)
    match = COMPARISON.match(text)
    if match:
        sign, bound = match.groups()
        wanted = {">=": (0, 1), "<=": (-1, 0), "<": (-1,), ">": (1,)}[sign]
        if kind == "version":
            return lambda yours: compare(str(yours), bound) in wanted
        limit = float(bound)
        return lambda yours: (float(yours) > limit) - (float(yours) < limit) in wanted
    match = RANGE.match(text)
    if match and kind in ("number", "version"):
        low, high = match.groups()
        if kind == "version":
            return lambda yours: compare(str(yours), low) >= 0 and compare(str(yours), high) <= 0
        bottom, top = float(low), float(high)
        return lambda yours: bottom <= float(yours) <= top
    if kind == "version":
        return lambda yours: compare(str(yours), text) == 0
    return lambda yours: yours == text or (not isinstance(yours, str) and _word(yours) == text)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_KINDS = {path: word.kind for path, word in PATHS.items()}


def holds(path: str, yours: Any, needed: Any) -> bool:
    """Whether a known value satisfies what is needed (lists mean any of, sets mean contains)."""
    return _any_of(needed, _KINDS.get(path, "text"))(yours)


def _any_of(needed: Any, kind: str) -> Callable[[Any], bool]:
    words = _words(needed, kind)
    if words is not None:
        return _words_of(words)
    several = needed if isinstance(needed, list | tuple) else (needed,)
    tests = [_test(one, kind) for one in several]
    only = tests[0] if len(tests) == 1 else None

    def check(yours: Any) -> bool:
        if isinstance(yours, tuple | list | set | frozenset):
            return any(test(one) for one in yours for test in tests)
        return only(yours) if only else any(test(yours) for test in tests)

    return check


def _words(needed: Any, kind: str) -> frozenset[str] | None:
    """What is needed, when it is plain words; None for numbers, versions and comparisons."""
    several = needed if isinstance(needed, list | tuple) else (needed,)
    plain = kind == "text" and all(isinstance(one, str) and not _ORDERED.match(one) for one in several)
    return frozenset(several) if plain else None


def _words_of(wanted: frozenset[str]) -> Callable[[Any], bool]:
    """`_any_of` for plain words, which nearly all conditions need: one look into a set."""

    def check(yours: Any) -> bool:
        if type(yours) is str:
            return yours in wanted
        if isinstance(yours, tuple | list | set | frozenset):
            return any((one if type(one) is str else _word(one)) in wanted for one in yours)
        return (yours if isinstance(yours, str) else _word(yours)) in wanted

    return check


class _Compiled:
    """A condition with its tests made; kept by the identity of the entry it stands in."""

    __slots__ = ("condition", "plain", "nested")

    def __init__(self, condition: Condition) -> None:
        self.condition = condition
        # the words stand beside their test: most values are words, and a look into a set saves the call
        self.plain: list[tuple[str, Any, Callable[[Any], bool], frozenset[str] | None]] = []
        self.nested: list[tuple[str, Any]] = []
        for key, needed in condition.items():
            if key in _NESTED:
                self.nested.append((key, needed))
            else:
                kind = _KINDS.get(key, "text")
                self.plain.append((key, needed, _any_of(needed, kind), _words(needed, kind)))


_kept: dict[int, _Compiled] = {}
_KEPT_MAX = 20_000  # conditions of the knowledge base are some thousands; anything beyond is not ours


def _compile(condition: Condition) -> _Compiled:
    found = _kept.get(id(condition))
    if found is not None and found.condition is condition:
        return found
    if not isinstance(condition, dict):
        raise ConditionError(f"a condition is a mapping of paths to values, not {type(condition).__name__}")
    if len(_kept) >= _KEPT_MAX:
        _kept.clear()
    made = _kept[id(condition)] = _Compiled(condition)
    return made


def evaluate(condition: Condition | None, lookup: Lookup) -> Result:
    """Evaluate a condition. `lookup(path)` returns the value, or None when it is not known.

    False wins over unknown, unknown over true. `failed` lists every clause that is false or
    unknown, so that one look shows all that stands in the way. A condition must not change once it
    was evaluated. Raises ConditionError when the condition is malformed.
    """
    if not condition:
        return TRUE
    compiled = _compile(condition)
    failed: list[Clause] = []
    false = unknown = False
    for path, needed, test, _ in compiled.plain:
        yours = lookup(path)
        if yours is None:
            unknown = True
            failed.append(Clause(path, needed, None, unknown=True))
        elif not test(yours):
            false = True
            failed.append(Clause(path, needed, _plain(yours)))
    for key, parts in compiled.nested:
        result = _NESTED[key](parts, lookup)
        if result.value is True:
            continue
        false |= result.value is False
        unknown |= result.value is None
        failed.extend(result.failed)
    if false:
        return Result(False, tuple(c for c in failed if not c.unknown) or tuple(failed))
    if unknown:
        return Result(None, tuple(failed))
    return TRUE


def satisfied(condition: Condition | None, lookup: Lookup) -> bool:
    """Whether a condition surely holds: `evaluate(...).value is True` for those who need no reason."""
    if not condition:
        return True
    compiled = _kept.get(id(condition))
    if compiled is None or compiled.condition is not condition:
        compiled = _compile(condition)
    for path, _, test, words in compiled.plain:
        yours = lookup(path)
        if words is not None and type(yours) is str:
            if yours not in words:
                return False
        elif yours is None or not test(yours):
            return False
    for key, parts in compiled.nested:
        if key == "not":
            if not refuted(parts, lookup):
                return False
        elif key == "all":
            for part in parts:
                if not satisfied(part, lookup):
                    return False
        else:
            for part in parts:
                if satisfied(part, lookup):
                    break
            else:
                return False
    return True


def refuted(condition: Condition | None, lookup: Lookup) -> bool:
    """Whether a condition surely does not hold: `evaluate(...).value is False` without the reasons."""
    if not condition:
        return False
    compiled = _compile(condition)
    for path, _, test, _ in compiled.plain:
        yours = lookup(path)
        if yours is not None and not test(yours):
            return True
    for key, parts in compiled.nested:
        if key == "not":
            false = satisfied(parts, lookup)
        elif key == "all":
            false = any(refuted(part, lookup) for part in parts)
        else:
            false = all(refuted(part, lookup) for part in parts)
        if false:
            return True
    return False


def _all(parts: list[Condition], lookup: Lookup) -> Result:
    results = [evaluate(part, lookup) for part in parts]
    failed = tuple(c for r in results for c in r.failed)
    if any(r.value is False for r in results):
        return Result(False, failed)
    return Result(None, failed) if any(r.value is None for r in results) else TRUE


def _any(parts: list[Condition], lookup: Lookup) -> Result:
    """One of the alternatives must hold; of several failures the one with fewest clauses is told."""
    results = [evaluate(part, lookup) for part in parts]
    if any(r.value is True for r in results):
        return TRUE
    open_ = [r for r in results if r.value is None]
    if open_:
        return min(open_, key=lambda r: len(r.failed))
    nearest = min(results, key=lambda r: len(r.failed), default=Result(False))
    return Result(False, nearest.failed)


def _not(part: Condition, lookup: Lookup) -> Result:
    result = evaluate(part, lookup)
    if result.value is None:
        return result
    if result.value is False:
        return TRUE
    clauses = tuple(
        Clause(path, needed, _plain(lookup(path)), negated=True)
        for path, needed in part.items()
        if path not in ("any", "all", "not")
    )
    return Result(False, clauses)


_NESTED: dict[str, Callable[[Any, Lookup], Result]] = {"any": _any, "all": _all, "not": _not}


def paths_of(condition: Condition | None) -> set[str]:
    """Every path a condition reads."""
    found: set[str] = set()
    for key, needed in (condition or {}).items():
        if key in ("any", "all"):
            for part in needed:
                found |= paths_of(part)
        elif key == "not":
            found |= paths_of(needed)
        else:
            found.add(key)
    return found
