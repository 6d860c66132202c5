"""What a rule of the check is made of, and what its check may look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from knowledge.findings import Edit, Finding, Place
from knowledge.load import File, Knowledge
from knowledge.nearest import is_slip
from knowledge.yaml12 import Path, Problem


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `why`, `fix`, `bad` and `good` (YAML) also fill the page that explains the findings."""

    code: str
    level: str  # error | question
    name: str
    why: str
    fix: str
    bad: str
    good: str
    check: Callable[[World], Iterator[Finding]] = field(repr=False)

    def at(
        self,
        place: Place,
        message: str | None = None,
        why: str | None = None,
        nearest: str | None = None,
        fix: str | None = None,
        edit: Edit | None = None,
    ) -> Finding:
        """A finding of this rule; what is not said is taken from the rule."""
        return Finding(
            self.code, self.level, place, message or self.name, why or self.why, nearest, fix or self.fix, edit
        )

    def near(self, file: File, place: Place, old: str, nearest: str | None, **said: Any) -> Finding:
        """A finding about a wrong word, with the nearest valid one as the fix when there is one.

        Only a plain slip of the fingers is corrected without a person; a word that is merely similar may
        be what is still missing.
        """
        slip = nearest is not None and is_slip(old, nearest)
        edit = replacement(file, place, old, nearest) if slip else None
        other = said.pop("fix", None)
        fix = f"{place.line}:{place.col}  {old} → {nearest}" if slip else other
        return self.at(place, nearest=nearest, fix=fix, edit=edit, **said)


@dataclass(slots=True)
class World:
    """Everything a rule may look at.

    `today` is ISO; `lock` maps a folder to its translation lock; `deep` is what deciding the grid of
    situations has shown (`knowledge.deep.Result`), None in a quick check.
    """

    knowledge: Knowledge
    today: str = field(default_factory=lambda: date.today().isoformat())
    lock: dict[str, Any] = field(default_factory=dict)
    deep: Any = None
    _ids: dict[str, set[str]] = field(default_factory=dict, repr=False)

    def problems(self, code: str) -> Iterator[tuple[File, Problem, Place]]:
        """Problems of this code that reading the files has shown, with their places."""
        for file in self.knowledge.files.values():
            for problem in file.problems:
                if problem.code == code:
                    place = file.at(problem.span) if problem.span else file.place(problem.path, problem.on_key)
                    yield file, problem, place

    def ids(self, kind: str) -> set[str]:
        """Ids of a kind, also of entries that could not be read: one broken file is one finding."""
        if not self._ids:
            for of, id in self.knowledge.by_entry:
                self._ids.setdefault(of, set()).add(id)
        return self._ids.get(kind, set())

    def entries(self, kind: str) -> Iterator[tuple[File, dict[str, Any]]]:
        """Entries of a kind that follow their schema."""
        for file in self.knowledge.sound():
            if file.kind == kind:
                yield file, file.data

    def texts(self) -> Iterator[tuple[File, Path, dict[str, str]]]:
        """Every text in languages, of every file that could be read."""
        for file in self.knowledge.readable():
            for path, text in file.mentions.texts:
                yield file, path, text


def replacement(file: File, place: Place, old: str, new: str | None) -> Edit | None:
    """The edit that turns `old` into `new` inside a place; None unless it stands there exactly once."""
    lines = file.text.split("\n")
    if new is None or place.line > len(lines):
        return None
    shown = lines[place.line - 1][place.col - 1 : place.end - 1]
    if shown.count(old) != 1:
        return None
    start = place.col + shown.index(old)
    return Edit(place.line, start, start + len(old), new)


def word_place(file: File, path: Path, word: str) -> Place:
    """Place of the first `word` inside the value at `path`, or of the value when it is broken over lines."""
    whole = file.place(path)
    values = file._spans[0] if file._spans else {}
    first, _, last, _ = values.get(path, (whole.line, 0, whole.line, 0))
    lines = file.text.split("\n")
    for number in range(first, min(last, len(lines)) + 1):
        start = whole.col - 1 if number == whole.line else 0
        found = lines[number - 1].find(word, start)
        if found >= 0:
            return Place(file.name, number, found + 1, found + 1 + len(word))
    return whole


def dotted(path: Path) -> str:
    """A path as people read it: `formats.3.source`."""
    return ".".join(str(step) for step in path)
