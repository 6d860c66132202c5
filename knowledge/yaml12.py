"""YAML text to plain data, with the place of every key and value.

Scalars follow the YAML 1.2 core schema: only `true`/`false`, `null`, `~` and numbers leave the realm of
strings, so `on`, `no`, `22:22` and `2026-11-29` stay what they look like. Anything that would make a
file mean something else than it shows (duplicate keys, anchors, tags, several documents) is a problem.
The events come from libyaml; nothing here raises for any input text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.cyaml import CParser

Path = tuple[Any, ...]
Span = tuple[int, int, int, int]  # line, column, end line, end column; 1-based, end exclusive

_INT = re.compile(r"[-+]?[0-9]+\Z")
_BASED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_MAX_DEPTH = 60  # deeper than any schema; keeps a hostile file from exhausting the stack


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in one file: which rule, where, and the details its sentence needs.

    `path` names the value (or, with `on_key`, the key) when `span` is absent.
    """

    code: str
    path: Path = ()
    on_key: bool = False
    span: Span | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Parsed:
    """Data of one file; `values` and `keys` map the path of a value to the span of it or of its key."""

    data: Any = None
    values: dict[Path, Span] = field(default_factory=dict)
    keys: dict[Path, Span] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


class _TooDeep(Exception):
    def __init__(self, span: Span) -> None:
        self.span = span


def scalar(text: str) -> Any:
    """Value of a plain scalar under the YAML 1.2 core schema; infinities stay strings (JSON has none)."""
    if text in _WORDS:
        return _WORDS[text]
    head = text[0]
    if head in "+-.0123456789":
        if _INT.match(text):
            # int() refuses absurdly long digit strings; such a thing is no number of ours
            return int(text) if len(text) < 300 else text
        if _BASED.match(text):
            return int(text, 0)
        if _FLOAT.match(text):
            number = float(text)
            return text if number in (float("inf"), float("-inf")) else number
    return text


def parse(text: str) -> Parsed:
    """Read one YAML document.

    Returns data, places and problems; when the text is not YAML, `data` is None and the only problem
    is K001 at the place where the parser stopped.
    """
    result = Parsed()
    try:
        parser = CParser(text)
        _stream(parser, result)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        detail = {"reason": error.problem or "not YAML", "context": error.context}
        return Parsed(problems=[Problem("K001", span=(line, column, line, column + 1), detail=detail)])
    except (yaml.YAMLError, ValueError, UnicodeError) as error:
        reason = getattr(error, "reason", None) or str(error).splitlines()[0]
        line = text.count("\n", 0, max(0, getattr(error, "position", 0) or 0)) + 1
        return Parsed(problems=[Problem("K001", span=(line, 1, line, 2), detail={"reason": reason})])
    except _TooDeep as error:
        detail = {"reason": "nested deeper than any entry is"}
        return Parsed(problems=[Problem("K001", span=error.span, detail=detail)])
    return result


def _span(event: Any) -> Span:
    start, end = event.start_mark, event.end_mark
    return (start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def _stream(parser: CParser, result: Parsed) -> None:
    next_event = parser.get_event
    next_event()  # stream start
    event = next_event()
    if isinstance(event, yaml.StreamEndEvent):
        result.values[()] = (1, 1, 1, 2)
        return
    result.data = _node(next_event(), next_event, (), result)
    next_event()  # document end
    event = next_event()
    if not isinstance(event, yaml.StreamEndEvent):
        result.problems.append(Problem("K003", span=_span(event), detail={"what": "a second document"}))
        while not isinstance(event, yaml.StreamEndEvent):
            event = next_event()


def _node(event: Any, next_event: Any, path: Path, result: Parsed) -> Any:
    span = _span(event)
    result.values[path] = span
    if isinstance(event, yaml.AliasEvent):
        result.problems.append(Problem("K003", span=span, detail={"what": "an alias"}))
        return None
    if event.anchor:
        result.problems.append(Problem("K003", span=span, detail={"what": "an anchor"}))
    if event.tag and event.tag != "!":
        result.problems.append(Problem("K003", span=span, detail={"what": "a tag"}))
    if isinstance(event, yaml.ScalarEvent):
        return scalar(event.value) if event.implicit[0] else event.value
    if len(path) > _MAX_DEPTH:
        raise _TooDeep(span)
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Any] = []
        while not isinstance(item := next_event(), yaml.SequenceEndEvent):
            items.append(_node(item, next_event, (*path, len(items)), result))
        result.values[path] = (span[0], span[1], *_span(item)[2:])
        return items
    return _mapping(span, next_event, path, result)


def _mapping(span: Span, next_event: Any, path: Path, result: Parsed) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    while not isinstance(event := next_event(), yaml.MappingEndEvent):
        key_span = _span(event)
        if isinstance(event, yaml.ScalarEvent):
            key = event.value  # keys are names: `on`, `7` or `null` as a key is the word itself
        else:
            _node(event, next_event, (*path, "?"), result)
            result.problems.append(Problem("K003", span=key_span, detail={"what": "a key that is no word"}))
            key = f"?{key_span[0]}"
        here = (*path, key)
        if key in entry:
            first = result.keys[here][0]
            result.problems.append(Problem("K002", span=key_span, detail={"key": key, "first": first}))
            # the first one stands; the second is still read so that its own problems are seen
            _node(next_event(), next_event, (*path, f"{key}#{key_span[0]}"), result)
            continue
        result.keys[here] = key_span
        entry[key] = _node(next_event(), next_event, here, result)
    result.values[path] = (span[0], span[1], *_span(event)[2:])
    return entry
