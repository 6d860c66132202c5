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
from itertools import pairwise
from pathlib import Path
from typing import Any

from . import hardware_command, memory_command, names_command, report_command, speed_command
from .decide import decide
from .decision import to_json
from .flags import LANGUAGES, Parser, choice, one_of, unreadable, visible
from .kb import KB
from .refused import Refused
from .render import markdown, problems
from .speed.alike import variants
from .speed.names import counted
from .texts import Texts
from .whatif import complete

COMMANDS = ("decide", "memory", "speed", "names", "hardware", "report")


def main(argv: list[str] | None = None) -> int:
    """Entry point of the console command."""
    argv = sys.argv[1:] if argv is None else argv
    try:
        args = _parser().parse_args(argv)
    except Refused as refused:
        sys.exit(_refuse(refused, _language(argv), argv))
    try:
        return args.run(args)
    except Refused as refused:
        return _refuse(refused, getattr(args, "lang", "en"), argv)
    except BrokenPipeError:
        # the reader (head, a pager) has seen enough; nothing more can be written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _parser() -> Parser:
    parser = Parser(prog="which-engine", description="Which LLM inference engine to run, and how.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("decide", help="decide a Situation")
    one.add_argument("file", metavar="FILE", help='Situation as YAML or JSON; "-" reads standard input')
    one.add_argument("--json", action="store_true", help="print the Decision as JSON")
    lang = one_of("--lang", LANGUAGES)
    one.add_argument("--lang", metavar=choice(LANGUAGES), type=lang, default="en", help="language of the answer")
    one.add_argument("--what-if", action="store_true", help="also verify fixes and what would change the answer")
    one.add_argument("--today", type=_day, default=None, help="ISO date to decide for; default: today")
    one.set_defaults(run=_decide)
    for command in (memory_command, speed_command, names_command, hardware_command, report_command):
        command.add(commands).set_defaults(run=lambda args, command=command: command.run(args, _knowledge()))
    return parser


def _language(argv: list[str]) -> str:
    """The asked language of a command line that cannot be read; English for one we do not have."""
    for flag, value in pairwise([*argv, ""]):
        asked = value if flag == "--lang" else flag.removeprefix("--lang=")
        if asked != flag and asked.lower() in LANGUAGES:
            return asked.lower()
    return "en"


def _refuse(refused: Refused, lang: str, argv: list[str]) -> int:
    """The sentence and where to read more, on standard error; exit code 2."""
    core, texts, _ = _knowledge()
    words = Texts(texts[lang], lang, core.get("terms"))
    print(f"which-engine: {visible(words.plain(refused.id, refused.values))}", file=sys.stderr)
    if refused.id.startswith("terminal.flag-"):
        command = next((word for word in argv[:1] if word in COMMANDS), None)
        say = " ".join(["which-engine", *([command] if command else []), "--help"])
        print(words.plain("terminal.flag-help", command=say), file=sys.stderr)
    return 2


def _day(text: str) -> str:
    """An ISO date. Raises Refused."""
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise Refused("terminal.flag-day", flag="--today", value=text) from None


def _decide(args: argparse.Namespace) -> int:
    try:
        text = sys.stdin.read() if args.file == "-" else Path(args.file).read_text(encoding="utf-8")
    except OSError as error:
        raise unreadable(args.file, error) from None
    except UnicodeDecodeError:
        raise Refused("terminal.file-not-text", file=args.file) from None
    data = _parse(text, args.file)
    core, texts, measurements = _knowledge()
    kb = KB(core, measurements)
    today = args.today or datetime.date.today().isoformat()
    decision = (complete if args.what_if else decide)(data, kb, today)
    words = Texts(texts[args.lang], args.lang, kb.terms)
    for problem in problems(decision, words, kb, args.lang):
        print(f"which-engine: {visible(problem['text'])}", file=sys.stderr)
    for note in _taken(data, kb, words):
        print(f"which-engine: {visible(note)}", file=sys.stderr)
    shown = to_json(decision) if args.json else visible(markdown(decision, words, kb, args.lang), lines=True)
    print(shown, flush=True)
    return 1 if decision["problems"] else 0


def _taken(data: Any, kb: KB, words: Texts) -> list[str]:
    """What was taken for names of devices that mean several."""
    raw = data.get("devices") if isinstance(data, dict) else None
    listed = raw if isinstance(raw, list) else [raw]
    names = (item.get("device") if isinstance(item, dict) else item for item in listed)
    said = []
    for name in dict.fromkeys(name for name in names if isinstance(name, str)):
        bare = counted(name)[1].strip()
        found = kb.find_device(bare[:120]) if bare not in kb.devices else None
        others = variants(bare, found[0], kb) if found else []
        if found and others:
            values = {"name": name, "taken": kb.devices[found[0]]["name"], "others": ", ".join(others)}
            said.append(words.plain("terminal.variant", values))
    return said


def _parse(text: str, file: str) -> Any:
    """YAML or JSON text as plain data. Raises Refused, which says where it stops being either."""
    from knowledge.yaml12 import parse

    parsed = parse(text)
    for found in parsed.problems:
        line, column = (found.span or parsed.values.get(found.path) or (1, 1))[:2]
        place = {"file": file, "line": line, "column": column}
        reason = found.detail.get("reason") or found.detail.get("what")
        if reason:
            raise Refused("terminal.file-not-yaml", **place, reason=reason)
        raise Refused("terminal.file-twice", **place, **{k: found.detail.get(k, 1) for k in ("key", "first")})
    return parsed.data


def _knowledge() -> tuple[Any, Any, Any]:
    from knowledge.bundle import load_for_cli

    return load_for_cli()


if __name__ == "__main__":
    sys.exit(main())
