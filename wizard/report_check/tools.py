"""Output of known tools, read by what their entries say about it: which keys, which meaning, which factor.

A tool's `output` lists forms; the first form whose `has` is all there and whose `lacks` is absent reads the
block. Keys are compared folded (letters and digits), since versions differ in capitals and spaces.
"""

from __future__ import annotations

import re
from typing import Any

from wizard.kb import fold

from . import numbers
from .blocks import Blocks

Plain = dict[str, Any]
Run = dict[str, Any]

# Quantities that are words; all others are numbers.
WORDS = frozenset(
    ("model", "model_type", "format", "dtype", "engine", "version", "commit", "backend", "device", "cpu", "kv_type")
    + ("layout", "driver", "date", "tool", "tool_version", "command", "prefix_cache", "streaming", "arrivals")
    + ("shared_prefix", "speculation", "warmup", "gpu_layers", "data", "profile", "forced", "memory_fraction")
    + ("cost", "power")
)
_STATS = ("mean", "p50", "p90", "p95", "p99", "max", "std")
_LABEL = re.compile(r"^\s*(?:[-*•]\s+)?\**([^:=]{2,60}?)\**\s*[:=]\s*\**\s*(.*?)\s*$")


def read(blocks: Blocks, tools: Plain) -> tuple[list[Run], list[str]]:
    """(runs, lines that no tool claimed). A run has "tool", "states" (what that tool does unless
    told otherwise) and quantities; a statistic follows a dot."""
    runs: list[Run] = []
    for record in blocks.records:
        runs += _record(record, tools)
    for table in blocks.tables:
        runs += _table(table, tools)
    found, rest = _lines(blocks.lines, tools)
    return runs + found, rest


# ---------------------------------------------------------------------- forms


def _record(record: Plain, tools: Plain) -> list[Run]:
    keys = {fold(str(key)) for key in record}
    for name, form in _forms(tools, "records"):
        if not _is(keys, form):
            continue
        inner = form.get("runs")
        items = record.get(inner) if inner else [record]
        items = items if isinstance(items, list) else []
        runs = [_run(name, form, item, record) for item in items if isinstance(item, dict)]
        return [run for run in runs if len(run) > 2][:200]
    return []


def _table(rows: list[Plain], tools: Plain) -> list[Run]:
    keys = {fold(str(key)) for key in rows[0]} if rows else set()
    for name, form in _forms(tools, "table"):
        if _is(keys, form):
            return [_run(name, form, row, row) for row in rows[:200]]
    return []


def _lines(lines: list[str], tools: Plain) -> tuple[list[Run], list[str]]:
    """Each block of labelled lines that a tool prints is one run; a label that comes again begins the next."""
    labelled = [(n, m) for n, m in ((n, _LABEL.match(line)) for n, line in enumerate(lines)) if m]
    keys = {fold(m[1]) for _, m in labelled}
    for name, form in _forms(tools, "lines"):
        if not _is(keys, form):
            continue
        wanted = {fold(item["at"]) for item in form["read"]}
        taken = {n for n, m in labelled if fold(m[1]) in wanted}
        groups: list[Plain] = [{}]
        first = fold(form["has"][0])
        for n, m in labelled:
            key = fold(m[1])
            if n not in taken:
                continue
            if key == first and first in {fold(k) for k in groups[-1]}:
                groups.append({})
            groups[-1].setdefault(m[1], m[2])
        runs = [_run(name, form, group, group) for group in groups[:200]]
        return runs, [line for n, line in enumerate(lines) if n not in taken]
    return [], lines


def _forms(tools: Plain, kind: str) -> list[tuple[str, Plain]]:
    return [(name, form) for name, tool in tools.items() for form in tool.get("output", ()) if form["form"] == kind]


def _is(keys: set[str], form: Plain) -> bool:
    return all(fold(k) in keys for k in form["has"]) and not any(fold(k) in keys for k in form.get("lacks", ()))


# ---------------------------------------------------------------------- values


def _run(tool: str, form: Plain, item: Plain, whole: Plain) -> Run:
    run: Run = {"tool": tool, "states": form.get("states", {})}
    for line in form["read"]:
        value = at(item, whole, line["at"])
        if value is None or not _beside(item, line.get("when")):
            continue
        if line.get("stats"):
            _put_stats(run, line["as"], value, line.get("times", 1.0))
        elif line.get("count"):
            if isinstance(value, list) and value:
                run.setdefault(line["as"], float(len(value)))
        else:
            names = line["as"] if isinstance(line["as"], list) else [line["as"]]
            _put(run, names, value, line)
    return run


def at(item: Plain, whole: Plain, path: str) -> Any:
    """The value at a path: a key as it stands, else its dotted steps; folded where exact keys differ."""
    root, path = (whole, path[1:]) if path.startswith("/") else (item, path)
    value = _key(root, path)
    if value is not None or "." not in path:
        return value
    here: Any = root
    steps = path.split(".")
    for n, step in enumerate(steps):
        here = _key(here, step)
        if here is None and n == 0:  # a key that holds a dot itself
            return _key(_key(root, path.rpartition(".")[0]), steps[-1])
    return here


def _key(value: Any, key: str) -> Any:
    if not isinstance(value, dict):
        return None
    if key in value:
        return value[key]
    wanted = fold(key)
    return next((v for k, v in value.items() if fold(str(k)) == wanted), None)


def _beside(item: Plain, when: Plain | None) -> bool:
    return all(re.fullmatch(pattern, _word(at(item, item, key))) for key, pattern in (when or {}).items())


def _put(run: Run, names: list[str], value: Any, line: Plain) -> None:
    parts: tuple[Any, ...] = (value,)
    if "like" in line:
        match = re.fullmatch(line["like"], _word(value), re.I)
        if not match:
            return
        parts = match.groups()
    for name, part in zip(names, parts, strict=False):
        if part is None or name in run:
            continue
        if name.partition(".")[0] in WORDS:
            text = _word(part)
            if text.lower() not in ("", "none", "null", "not set", "inf", "n/a"):
                run[name] = text
        else:
            read_ = numbers.number(part)
            if read_ is not None:
                run[name] = read_ * line.get("times", 1.0)


def _put_stats(run: Run, name: str, value: Any, times: float) -> None:
    """Statistics of a map; percentiles may lie one level deeper. A number alone is the mean."""
    if not isinstance(value, dict):
        value = {"mean": value}
    inner = value.get("percentiles")
    for key, cell in [*value.items(), *(inner.items() if isinstance(inner, dict) else ())]:
        stat = numbers.stat(str(key))
        number = numbers.number(cell)
        if stat in _STATS and number is not None:
            run.setdefault(f"{name}.{stat}", number * times)


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_word(v) for v in value[:8] if not isinstance(v, dict | list))
    if isinstance(value, float) and value == value and abs(value) < 1e15 and value == int(value):
        return str(int(value))
    return "" if value is None or isinstance(value, dict) else str(value).strip()[:400]
