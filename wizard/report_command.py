"""which-engine report: what a pasted benchmark result tells, what it leaves out and what to doubt."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from .decision import finish, to_json
from .flags import LANGUAGES, choice, one_of, unreadable, visible
from .kb import KB
from .refused import Refused
from .texts import Texts


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the subcommands of `which-engine`; returns its parser."""
    one = commands.add_parser("report", help="check a benchmark result: what it leaves out, what to doubt")
    one.add_argument(
        "file", metavar="FILE", nargs="?", help='output of a benchmark tool or text; "-" is standard input'
    )
    one.add_argument("--form", action="store_true", help="print the empty report form instead")
    one.add_argument("--json", action="store_true", help="print JSON")
    lang = one_of("--lang", LANGUAGES)
    one.add_argument("--lang", metavar=choice(LANGUAGES), type=lang, default="en", help="language")
    return one


def run(args: argparse.Namespace, knowledge: tuple[Any, Any, Any]) -> int:
    """Print the findings. Exit code 0 when something was read, 1 when nothing was, 2 for a file that cannot be read.

    knowledge: core, texts and measurements of the base.
    """
    from knowledge.bundle import report_for_cli

    from .report_check import check, show

    core, strings, measurements = knowledge
    kb = KB(core, measurements)
    data = report_for_cli()[args.lang]
    texts = show.texts_with(Texts(strings[args.lang], args.lang, kb.terms), data, kb)
    if args.form:
        print(show.form(texts, data, kb), end="")
        return 0
    if not args.file:
        raise Refused("terminal.flag-needed", flag="FILE")
    try:
        raw = sys.stdin.buffer.read() if args.file == "-" else Path(args.file).read_bytes()
    except OSError as error:
        raise unreadable(args.file, error) from None
    found = check(raw.decode("utf-8", "replace"), kb, data)
    print(
        to_json(finish(found)) if args.json else visible(show.markdown(found, texts, kb), lines=True),
        end="",
        flush=True,
    )
    return 0 if found["stated"] else 1
