"""How wrong the speed estimates are: held out when they were fitted, and through `which-engine speed`.

Every record is asked as a person would ask, by names and numbers its page prints, and the answer is compared
with what was measured. Beside it stands the rule of a peer on the same rows: llmfit (PyPI: llmfit) takes
bandwidth / bytes x 0.55.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

from knowledge.calibrate.rows import SERVED, Row, rows_of
from knowledge.speed_records import own, read_extra, read_serving
from wizard.kb import KB
from wizard.speed import ask, lookup, terms
from wizard.speed.nodes import NETWORK

PEER_EFFICIENCY = 0.55
_HELD_OUT = {
    "training": "fitted rows", "row_out": "tenths left out", "hardware_out": "hardware left out",
    "source_out": "pages left out",
}  # fmt: skip


class Point(NamedTuple):
    """One comparison. error: log(estimated / measured rate); inside: in the 80 % interval, None without one."""

    group: str
    error: float
    inside: bool | None


class Asked(NamedTuple):
    """A record as a question, with what was measured: rates, or None."""

    group: str
    question: ask.Question
    decode_tps: float | None
    prefill_tps: float | None
    throughput_tps: float | None
    peer: float | None = None
    ttft_s: float | None = None


def predicted(row: Row, fitted: dict[str, Any]) -> tuple[float, lookup.Basis] | None:
    """Seconds of one step by the formula the wizard uses, at the age of the record; None without a basis."""
    basis = lookup.basis_at(
        fitted,
        row.path,
        row.family,
        row.unpacking,
        row.link,
        device=row.key,
        across=NETWORK if row.machines > 1 else None,
        integers=row.integers,
    )
    if basis is None:
        return None
    if row.unpacking:
        basis = lookup.of_engine(fitted, basis, row.engine)
    if not row.flash:
        basis = lookup.without_flash(fitted, basis)
    aged = exp(row.age * (fitted["age"].get("", 0.0) + fitted["age"].get(row.family, 0.0)))
    constants = basis.constants._replace(overhead=basis.constants.overhead * aged)
    parts = terms.step(
        terms.Step(
            row.layers, row.moe, row.dense, row.experts, row.share, row.kv, row.active, row.batch, row.ranks,
            row.bandwidth, row.compute, row.prompt if row.answer else 0, row.answer, row.machines, row.state,
        ),
        constants,
    )  # fmt: skip
    return sum(parts), basis


def asked(records: Iterable[Asked], kb: KB) -> Iterator[tuple[str, Point]]:
    """(quantity, comparison) of every number of every record; quantities are decode, prefill, throughput, first
    (the time to the first token, as a rate), peer."""
    for record in records:
        found = ask.answer(record.question, kb)
        for name, measured in (
            ("decode", record.decode_tps),
            ("prefill", record.prefill_tps),
            ("throughput", record.throughput_tps),
        ):
            interval = found[f"{name}_tps"]
            if measured and interval:
                held = interval["low"] <= measured <= interval["high"]
                yield name, Point(record.group, log(interval["point"] / measured), held)
        first = found["ttft_s"]
        if record.ttft_s and first:
            held = first["low"] <= record.ttft_s <= first["high"]
            yield "first", Point(record.group, log(record.ttft_s / first["point"]), held)
        if record.decode_tps and record.peer:
            yield "peer", Point(record.group, log(record.peer / record.decode_tps), None)


def table(title: str, found: list[Point]) -> str:
    """One line per group and one for all: rows, median and upper quartile of the error, within 20 %, coverage."""
    groups: dict[str, list[Point]] = {}
    for point in found:
        groups.setdefault(point.group, []).append(point)
    lines = [title, f"  {'group':34}{'rows':>6}{'median':>9}{'75 %':>8}{'in 20 %':>9}{'in interval':>13}"]
    for name in [*sorted(groups), "all"]:
        rows = groups.get(name, found)
        if rows:
            off = sorted(abs(exp(-point.error) - 1) for point in rows)
            inside = [point.inside for point in rows if point.inside is not None]
            share = f"{sum(inside) / len(inside):>12.0%}" if inside else f"{'':>12}"
            near = sum(value <= 0.2 for value in off) / len(off)
            lines.append(f"  {name:34}{len(off):>6}{_at(off, 0.5):>9.1%}{_at(off, 0.75):>8.0%}{near:>9.0%} {share}")
    return "\n".join(lines)


def _at(values: list[float], share: float) -> float:
    position = share * (len(values) - 1)
    low = int(position)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (position - low)


def peer(rows: Iterable[Row]) -> list[Point]:
    """The same rows by bandwidth over bytes times one efficiency."""
    found = []
    for row in rows:
        read = row.dense + row.share * row.experts + row.kv * row.ranks
        rate = PEER_EFFICIENCY * row.bandwidth * row.ranks / read
        found.append(Point("bandwidth / bytes x 0.55", log(rate * row.time), None))
    return found


def files_of(paths: Iterable[Path]) -> list[Path]:
    """Files to read: each path, or the YAML, JSON and CSV files of a directory."""
    found: list[Path] = []
    for path in paths:
        inside = (
            sorted(f for f in path.iterdir() if f.suffix in (".yaml", ".yml", ".json", ".csv"))
            if path.is_dir()
            else [path]
        )
        found += inside
    return found


def report(extra: list[Path]) -> str:
    """Everything as text."""
    from knowledge.bundle import load_for_cli
    from knowledge.load import load

    core, _, measurements = load_for_cli()
    kb = KB(core, measurements)
    fitted = lookup.constants_of(kb)
    knowledge = load()
    rows = rows_of(knowledge.entries["measurement"], knowledge.entries["device"])
    single = [r for r in rows if r.time and r.quality != "low" and r.single]
    parts = [held_out(fitted)]
    parts += _tables("Records of the base, asked by name", own(measurements), kb)
    parts += ["", table("Decode of the same records by one constant (llmfit's rule):", peer(single))]
    for path in files_of(extra):
        read = read_serving if path.suffix == ".csv" else read_extra
        records = read(path)
        if records:
            parts += _tables(path.name, records, kb)
    return "\n".join(parts)


def held_out(fitted: dict[str, Any]) -> str:
    """The errors written beside the constants, as text."""
    errors, counts = fitted["errors"], fitted["counts"]
    parts = [
        f"Speed, constants of {fitted['date']}: {counts['single_stream']} single-stream, {counts['batched']} batched "
        f"and {counts['prefill']} prompt records on {counts['machines']} machines from {counts['pages']} pages.",
        "Single-stream decode, |predicted / measured - 1| of the time per token:",
    ]
    for name, words in _HELD_OUT.items():
        parts.append(f"  {words:20}{_line(errors[name])}")
    parts.append(
        f"  the 80 % interval held {errors['coverage_row']:.0%} with a tenth of the rows left out and "
        f"{errors['coverage']:.0%} of rows of pages left out; by class of 10 or more:"
    )
    for name, node in fitted["nodes"].items():
        if node["records"] >= 10:
            parts.append(
                f"    {name:32}{node['records']:>5} rows   median {node['error']:>5.1%}   held {node['coverage']:.0%}"
            )
    batched, prefill = fitted["batched"], fitted["prefill"]
    parts.append("Batched steps:")
    parts.append(f"  {'fitted rows':20}{_line(batched['training'])}")
    parts.append(f"  {'models left out':20}{_line(batched['model_out'])}   interval held {batched['coverage']:.0%}")
    for kind, words in (
        ("prompts", "Prompts read alone:"),
        ("first_token", f"First token of servers, up to {SERVED} requests:"),
    ):
        parts.append(words)
        for name, left in {**_HELD_OUT, "model_out": "models left out"}.items():
            if name in prefill[kind]:
                parts.append(f"  {left:20}{_line(prefill[kind][name])}")
        parts.append(
            f"  the 80 % interval held {prefill[kind]['coverage']:.0%} of machines of a page left out, "
            f"{prefill[kind]['coverage_hardware']:.0%} of hardware left out"
        )
    return "\n".join(parts)


def _line(e: dict[str, float]) -> str:
    return f"{e['rows']:>6} rows   median {e['median']:.1%}   75 % {e['p75']:.0%}   within 20 % {e['within_20']:.0%}"


def _tables(title: str, records: Iterable[Asked], kb: KB) -> list[str]:
    found: dict[str, list[Point]] = {}
    for name, point in asked(records, kb):
        found.setdefault(name, []).append(point)
    words: dict[str, str] = {
        "decode": "decode of one request", "prefill": "prompts", "throughput": "all requests together",
        "first": "time to the first token of servers",
        "peer": "the same decode rows by one constant (llmfit's rule)",
    }  # fmt: skip
    return [
        line for name, text in words.items() if name in found for line in ("", table(f"{title}: {text}:", found[name]))
    ]
