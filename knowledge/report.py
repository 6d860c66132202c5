"""Findings as people read them in a terminal, as JSON, and as annotations of a pull request."""

from __future__ import annotations

import json
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Sequence

from knowledge.check import Report
from knowledge.findings import Finding
from knowledge.load import Knowledge

# the sixteen colours every terminal has; the words say the same without them
_CODES = {"error": "1;31", "question": "1;33", "label": "36", "bold": "1", "quiet": "2"}
_MARKS = {"error": "31", "question": "33"}
_FULL_QUESTIONS = 5  # of one rule; the others are one line each, so that errors stay in sight
_WIDTH = 100


def terminal(report: Report, colour: bool = False, width: int = _WIDTH, every: bool = False) -> str:
    """All findings and the summary. `every`: questions are never shortened to one line."""
    paint = _painter(colour)
    blocks: list[str] = []
    asked: Counter[str] = Counter()
    shown, again = _repeats(report)
    for finding in shown:
        if finding.level == "question" and not every:
            asked[finding.code] += 1
            if asked[finding.code] > _FULL_QUESTIONS:
                continue
        blocks.append(block(finding, report.knowledge, paint, width, again.get(finding, ())))
    rest = _shortened(report, paint) if not every else []
    return "\n\n".join([*blocks, *rest, summary(report, paint)]) + "\n"


def block(
    finding: Finding, knowledge: Knowledge, paint=None, width: int = _WIDTH, again: Sequence[Finding] = ()
) -> str:
    """One finding: place, sentence, the line with its neighbours and a caret, then the way out.

    `again`: the same mistake elsewhere in the file; only their places are added.
    """
    paint = paint or _painter(False)
    word = paint(finding.level, f"{finding.level} {finding.code}")
    rows = [f"{paint('bold', str(finding.place))}  {word}  {finding.message}"]
    rows += _excerpt(finding, knowledge, paint, width)
    rows += _label("why", finding.why, paint, width)
    if finding.nearest:
        rows += _label("nearest", finding.nearest, paint, width)
    if finding.fix:
        fix = finding.fix
        if finding.edit and "\n" not in fix and "--fix" not in fix:
            fix += f"     {paint('quiet', 'or run with')} --fix"
        rows += _label("fix", fix, paint, width)
    if again:
        places = ", ".join(f"{other.place.line}:{other.place.col}" for other in again[:12])
        rows += _label("also", places + (f" and {len(again) - 12} more" if len(again) > 12 else ""), paint, width)
    rows += _label("more", finding.more, paint, width)
    return "\n".join(rows)


def summary(report: Report, paint=None) -> str:
    """The last two lines of a run."""
    paint = paint or _painter(False)
    errors, questions = report.count("error"), report.count("question")
    asked, files = _count(questions, "question"), _count(report.files, "file")
    counts = f"{paint('bold', _count(errors, 'error'))}, {asked} in {files}"
    quiet = paint("quiet", f"{report.seconds:.1f} s, {report.cached:,} from cache")
    if errors:
        end = paint("error", "Not ready.") + f" Fix the {'error' if errors == 1 else 'errors'}"
        end += "; a question may stay with a reason." if questions else "."
    else:
        end = paint("bold", "Ready.") + (" A question may stay with a reason." if questions else "")
    return f"{counts}        {quiet}\n{end}"


def as_json(report: Report) -> str:
    """The run as one JSON object: findings, and the counts by level."""
    data = {
        "errors": report.count("error"),
        "questions": report.count("question"),
        "files": report.files,
        "findings": [finding.as_json() for finding in report.findings],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def annotations(report: Report) -> str:
    """One workflow command a finding, shown by GitHub at the line: questions as warnings."""
    rows = []
    for finding in report.findings:
        place = finding.place
        command = "error" if finding.level == "error" else "warning"
        where = f"file={_property(place.file)},line={place.line},col={place.col},endColumn={place.end}"
        title = _property(f"{finding.level} {finding.code}: {finding.message}")
        parts = [finding.why, finding.nearest and f"nearest: {finding.nearest}", finding.fix and f"fix: {finding.fix}"]
        body = _data("\n".join(part for part in [*parts, finding.more] if part))
        rows.append(f"::{command} {where},title={title}::{body}")
    return "".join(f"{row}\n" for row in rows)


def _repeats(report: Report) -> tuple[list[Finding], dict[Finding, list[Finding]]]:
    """Findings with those left out that say the same about the same file, and the latter by the first of them."""
    first: dict[tuple[str, str, str], Finding] = {}
    again: dict[Finding, list[Finding]] = {}
    for finding in report.findings:
        key = (finding.code, finding.place.file, finding.message)
        if key in first and finding.level == "error":
            again.setdefault(first[key], []).append(finding)
        else:
            first.setdefault(key, finding)
    left_out = {id(finding) for group in again.values() for finding in group}
    return [finding for finding in report.findings if id(finding) not in left_out], again


def _painter(colour: bool):
    def paint(style: str, text: str) -> str:
        return f"\033[{_CODES[style]}m{text}\033[0m" if colour else text

    paint.colour = colour  # type: ignore[attr-defined]
    return paint


def _excerpt(finding: Finding, knowledge: Knowledge, paint, width: int) -> list[str]:
    file = knowledge.files.get(finding.place.file)
    if file is None:
        return []
    lines = file.text.split("\n")
    place = finding.place
    digits = max(4, len(str(place.line + 1)) + 2)
    room = width - digits - 4
    # a long flow map is shown around the caret, its neighbours from the same column on
    shift = max(0, min(place.col - 1 - room // 3, len(lines[place.line - 1]) - room)) if place.line <= len(lines) else 0
    rows = []
    for number in (place.line - 1, place.line, place.line + 1):
        if not 1 <= number <= len(lines) or (number != place.line and not lines[number - 1].strip()):
            continue
        line = lines[number - 1].replace("\t", " ")
        shown = line[shift : shift + room]
        if number != place.line:
            rows.append(f"{paint('quiet', f'{number:>{digits}}')}    {_clip(shown, line, shift, room)}")
            continue
        start, end = place.col - 1 - shift, max(place.col, min(place.end - 1, len(line))) - shift
        end = min(max(end, start + 1), room)
        before, marked, after = shown[:start], shown[start:end], shown[end:]
        coloured = f"\033[{_MARKS[finding.level]}m{marked}\033[0m" if paint.colour and marked else marked
        text = _clip(before + "\0" + after, line, shift, room).replace("\0", coloured)
        rows.append(f"{paint('quiet', f'{number:>{digits}}')}    {text}")
        caret = "^" * max(1, _cells(marked))
        caret = f"\033[{_MARKS[finding.level]}m{caret}\033[0m" if paint.colour else caret
        rows.append(" " * (digits + 4 + _cells(before)) + caret)
    return rows


def _clip(shown: str, line: str, shift: int, room: int) -> str:
    if shift and shown:
        shown = "…" + shown[1:]
    return shown[:-1] + "…" if len(line) - shift > room and shown else shown.rstrip()


def _cells(text: str) -> int:
    """Columns a text takes in a terminal: marks that combine take none, wide letters two."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _label(name: str, text: str, paint, width: int) -> list[str]:
    rows: list[str] = []
    for line in text.split("\n"):
        plain_width = width - 11
        fits = len(line) <= plain_width or "\033" in line
        rows += [line] if fits else textwrap.wrap(line, plain_width, break_long_words=False, break_on_hyphens=False)
    head = f"  {paint('label', name)}{' ' * (9 - len(name))}"
    return [f"{head if index == 0 else ' ' * 11}{row}" for index, row in enumerate(rows)]


def _shortened(report: Report, paint) -> list[str]:
    by_code: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if finding.level == "question":
            by_code.setdefault(finding.code, []).append(finding)
    blocks = []
    for code, findings in sorted(by_code.items()):
        rest = findings[_FULL_QUESTIONS:]
        if rest:
            head = f"{paint('question', f'question {code}')}  {len(rest):,} more, in full with --every"
            blocks.append("\n".join([head, *(f"  {finding.place}  {finding.message}" for finding in rest)]))
    return blocks


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
