"""`python -m knowledge check`: every rule over the whole base, everything that is wrong in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowledge import translations
from knowledge.findings import Edit, Finding, order
from knowledge.lint import RULES, Rule, World
from knowledge.load import Knowledge, load


@dataclass(slots=True)
class Report:
    """What a run found. `seconds` is its wall time, `cached` the files that had not changed."""

    findings: list[Finding]
    files: int
    cached: int
    seconds: float
    knowledge: Knowledge

    def count(self, level: str) -> int:
        """Findings of a level: error or question."""
        return sum(1 for finding in self.findings if finding.level == level)

    @property
    def ok(self) -> bool:
        """True when nothing blocks; questions do not."""
        return self.count("error") == 0


def run(
    root: Path | None = None,
    cache: Path | None = None,
    today: str | None = None,
    only: Iterable[str] = (),
    rules: Iterable[Rule] = RULES,
    explore: Callable[[Knowledge], Any] | None = None,
) -> Report:
    """Check the base at `root`.

    only: names of files or folders as findings print them; the rules still see the whole base.
    today: ISO date that ages are counted to; the real one when absent.
    explore: `knowledge.deep.explore` for a deep check; it is only asked when nothing else is an error.
    """
    started = time.perf_counter()
    knowledge = load(root, cache)
    world = World(knowledge, lock=translations.read(knowledge.root))
    if today:
        world.today = today
    findings = findings_of(world, rules)
    if explore and not any(finding.level == "error" for finding in findings):
        world.deep = explore(knowledge)
        findings = findings_of(world, rules)
    wanted = [name.rstrip("/") for name in only]
    if wanted:
        findings = [f for f in findings if any(_inside(f.place.file, name) for name in wanted)]
    cached = sum(1 for file in knowledge.files.values() if file.cached)
    return Report(findings, len(knowledge.files), cached, time.perf_counter() - started, knowledge)


def findings_of(world: World, rules: Iterable[Rule] = RULES) -> list[Finding]:
    """Findings of all rules in the order of their places, each once."""
    return sorted({finding: None for rule in rules for finding in rule.check(world)}, key=order)


def fix(report: Report) -> int:
    """Write every edit that needs no person into the files; returns how many were applied.

    Of edits that overlap, the first is applied and the others are left for the next run.
    """
    by_file: dict[str, list[Edit]] = {}
    for finding in report.findings:
        if finding.edit and finding.place.file in report.knowledge.files:
            by_file.setdefault(finding.place.file, []).append(finding.edit)
    done = 0
    for name, edits in by_file.items():
        path = report.knowledge.root.parent / name
        lines = path.read_text(encoding="utf-8").split("\n")
        taken: list[Edit] = []
        for edit in sorted(set(edits), key=lambda e: (e.line, e.col, e.end, e.new)):
            if not any(t.line == edit.line and edit.col < t.end and t.col < edit.end for t in taken):
                taken.append(edit)
        for edit in reversed(taken):
            line = lines[edit.line - 1]
            lines[edit.line - 1] = line[: edit.col - 1] + edit.new + line[edit.end - 1 :]
            done += 1
        path.write_text("\n".join(lines), encoding="utf-8")
    return done


def _inside(file: str, name: str) -> bool:
    return file == name or file.startswith(f"{name}/")
