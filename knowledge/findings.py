"""What a check says: one place, one sentence, and the way out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

LEVELS = ("error", "question")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A span in a file; `line` and `col` count from 1, `end` is the first column after it on that line."""

    file: str
    line: int = 1
    col: int = 1
    end: int = 2

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement on one line, safe to apply without a person looking: columns [col, end) become `new`."""

    line: int
    col: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One departure from a rule.

    An `error` blocks; a `question` asks whether something is intended and never fails a run. `why` is the
    reason in terms of what a reader of the site would be told, `nearest` the closest valid value, `fix`
    what to type (several lines allowed), `edit` the same for `check --fix`.
    """

    code: str
    level: str
    place: Place
    message: str
    why: str
    nearest: str | None = None
    fix: str | None = None
    edit: Edit | None = field(default=None, compare=False)

    @property
    def more(self) -> str:
        """Where the rule is explained."""
        return f"docs/en/contribute/findings.md#{self.code.lower()}"

    def as_json(self) -> dict[str, Any]:
        """The finding as plain data (`check --json`)."""
        return {
            "code": self.code,
            "level": self.level,
            "file": self.place.file,
            "line": self.place.line,
            "column": self.place.col,
            "end_column": self.place.end,
            "message": self.message,
            "why": self.why,
            "nearest": self.nearest,
            "fix": self.fix,
            "fixable": self.edit is not None,
            "more": self.more,
        }


def order(finding: Finding) -> tuple[Any, ...]:
    """Sort key: by place, errors before questions at the same place, then code and sentence."""
    place = finding.place
    return (place.file, place.line, place.col, LEVELS.index(finding.level), finding.code, finding.message)
