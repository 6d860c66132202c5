"""A pasted text cut into what can be read: JSON documents, CSV, tables, and lines; nothing is lost.

Whatever does not parse stays among the lines. A table of statistics ("avg | p99 | …" in its head) becomes one
record, metric by metric, as the JSON of the same tools has it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field
from typing import Any

from . import numbers

MOST = 2_000_000  # characters that are looked at
DEPTH = 60  # of nested JSON
_EDGE = re.compile(r"^[\s|+:=\-─━┄═┌┐└┘├┤┬┴┼╇┏┓┗┛┡┩┳┻╋╈╪╞╡╰╯╭╮]*$")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass
class Blocks:
    """records: dicts of JSON or CSV; tables: rows as dicts by column; lines: everything else, in order."""

    records: list[dict[str, Any]] = field(default_factory=list)
    tables: list[list[dict[str, str]]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    cut: bool = False


def split(text: str) -> Blocks:
    """The parts of a text. Never raises; a text longer than `MOST` is cut and says so."""
    found = Blocks(cut=len(text) > MOST)
    text = _ANSI.sub("", text[:MOST]).replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    rest = _documents(text, found)
    lines = rest.split("\n")
    at = 0
    while at < len(lines):
        step = _table(lines, at, found) or _csv(lines, at, found)
        if not step:
            found.lines.append(lines[at])
            step = 1
        at += step
    return found


# ---------------------------------------------------------------------- JSON


def _documents(text: str, found: Blocks) -> str:
    """Take the JSON documents out; returns what stands around them."""
    decoder = json.JSONDecoder()
    rest: list[str] = []
    at = tries = 0
    for match in re.finditer(r"^[ \t]*(?=[\[{])", text, re.M):
        start = match.end()
        if start < at or tries > 500:
            continue
        tries += 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        taken = list(_dicts(value))
        if not taken:
            continue
        found.records += taken
        rest.append(text[at:start])
        at = end
    return "".join([*rest, text[at:]])


def _dicts(value: Any) -> Any:
    """The objects of a document: itself, or the items of a list."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict) and item and _depth(item) <= DEPTH:
            yield item


def _depth(value: Any) -> int:
    level, here = 0, [value]
    while here and level <= DEPTH:
        here = [x for v in here if isinstance(v, dict | list) for x in (v.values() if isinstance(v, dict) else v)]
        level += 1
    return level


# ---------------------------------------------------------------------- tables and CSV


def _table(lines: list[str], at: int, found: Blocks) -> int:
    """Rows between bars from this line on; returns how many lines it took."""
    end = at
    rows: list[list[str]] = []
    while end < len(lines) and (_barred(lines[end]) or (rows and _EDGE.match(lines[end]) and lines[end].strip())):
        if not _EDGE.match(lines[end]):
            rows.append(_cells(lines[end]))
        end += 1
    if len(rows) < 2 or len(rows[0]) < 2:
        return 0
    head, body = rows[0], rows[1:]
    stats = [numbers.stat(name) for name in head[1:]]
    if sum(s is not None for s in stats) >= 2:
        found.records.append(_by_metric(head, body))
    elif len(head) == 2:
        found.lines += [f"{row[0]}: {row[1]}" for row in rows if len(row) == 2]
    else:
        found.tables.append([dict(zip(head, row, strict=False)) for row in body])
    return end - at


def _by_metric(head: list[str], body: list[list[str]]) -> dict[str, Any]:
    """{metric: {statistic: cell}}; a row whose cells are empty carries on the name of the one above."""
    record: dict[str, Any] = {}
    last = ""
    for row in body:
        values = {name: cell for name, cell in zip(head[1:], row[1:], strict=False) if cell}
        if values:
            last = row[0]
            record[last] = values
        elif last in record and row[0]:
            record[f"{last} {row[0]}"] = record.pop(last)
            last = f"{last} {row[0]}"
    return record


def _barred(line: str) -> bool:
    return line.count("|") + line.count("│") + line.count("┃") >= 2 or (_EDGE.match(line) and "━" in line)  # type: ignore[return-value]


def _cells(line: str) -> list[str]:
    text = line.strip().replace("│", "|").replace("┃", "|")
    cells = [c.strip().strip("*`").strip() for c in text.split("|")]
    return cells[1 if text.startswith("|") else 0 : -1 if text.endswith("|") else None]


def _csv(lines: list[str], at: int, found: Blocks) -> int:
    """A head of at least five names and rows of as many cells; returns how many lines it took."""
    head = lines[at]
    if head.count(",") < 4 or at + 1 >= len(lines) or lines[at + 1].count(",") < 4:
        return 0
    names = _row(head)
    if not names or not all(re.fullmatch(r"[A-Za-z][\w .()/%-]*", name) for name in names):
        return 0
    end = at + 1
    while end < len(lines) and lines[end].count(",") >= 4:
        row = _row(lines[end])
        if len(row) != len(names):
            break
        found.records.append(dict(zip(names, row, strict=True)))
        end += 1
    return end - at if end > at + 1 else 0


def _row(line: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader(io.StringIO(line)), [])]
    except (csv.Error, ValueError):
        return []
