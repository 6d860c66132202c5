"""which-engine: the same decision on the command line.

`which-engine decide FILE` reads a Situation as YAML or JSON ("-" is standard input) and prints the
answer as Markdown or JSON. Exit codes: 0 an answer, 1 an answer with fields that were not
understood, 2 nothing could be read.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from pathlib import Path
from typing import Any

from . import hardware_command, memory_command, report_command, speed_command
from .decide import decide
from .decision import to_json
from .flags import LANGUAGES
from .kb import KB
from .render import markdown, problems
from .texts import Texts
from .whatif import complete


def main(argv: list[str] | None = None) -> int:
    """Entry point of the console command."""
    parser = argparse.ArgumentParser(prog="which-engine", description="Which LLM inference engine to run, and how.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("decide", help="decide a Situation")
    one.add_argument("file", metavar="FILE", help='Situation as YAML or JSON; "-" reads standard input')
    one.add_argument("--json", action="store_true", help="print the Decision as JSON")
    one.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the answer")
    one.add_argument("--what-if", action="store_true", help="also verify fixes and what would change the answer")
    one.add_argument("--today", type=_day, default=None, help="ISO date to decide for; default: today")
    one.set_defaults(run=_decide)
    for command in (memory_command, speed_command, hardware_command, report_command):
        command.add(commands).set_defaults(run=lambda args, command=command: command.run(args, _knowledge()))
    args = parser.parse_args(argv)
    try:
        return args.run(args)
    except BrokenPipeError:
        # the reader (head, a pager) has seen enough; nothing more can be written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _day(text: str) -> str:
    """An ISO date, or the message of argparse."""
    return datetime.date.fromisoformat(text).isoformat()


def _decide(args: argparse.Namespace) -> int:
    try:
        text = sys.stdin.read() if args.file == "-" else Path(args.file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        print(f"which-engine: {args.file}: cannot be read: {reason}", file=sys.stderr)
        return 2
    data, wrong = _parse(text)
    if wrong:
        print(f"which-engine: {args.file}: {wrong}", file=sys.stderr)
        return 2
    core, texts, measurements = _knowledge()
    kb = KB(core, measurements)
    today = args.today or datetime.date.today().isoformat()
    decision = (complete if args.what_if else decide)(data, kb, today)
    words = Texts(texts[args.lang], args.lang, kb.terms)
    for problem in problems(decision, words, kb, args.lang):
        print(f"which-engine: {problem['text']}", file=sys.stderr)
    print(to_json(decision) if args.json else markdown(decision, words, kb, args.lang), flush=True)
    return 1 if decision["problems"] else 0


def _parse(text: str) -> tuple[Any, str | None]:
    """YAML or JSON text as plain data, or the sentence that says where it stops being either."""
    from knowledge.yaml12 import parse

    parsed = parse(text)
    for found in parsed.problems:
        line, column = (found.span or parsed.values.get(found.path) or (1, 1))[:2]
        what = found.detail.get("reason") or found.detail.get("what")
        if not what:
            what = f"the key {found.detail.get('key', '')!r} already stands on line {found.detail.get('first', 1)}"
        return None, f"line {line}, column {column}: {what}"
    return parsed.data, None


def _knowledge() -> tuple[Any, Any, Any]:
    from knowledge.bundle import load_for_cli

    return load_for_cli()


if __name__ == "__main__":
    sys.exit(main())
