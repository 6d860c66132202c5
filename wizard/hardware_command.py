"""which-engine hardware: what system tools print about a machine, as the hardware of a Situation.

Standard output is a Situation that `which-engine decide` reads; what there is to say about it, and the lines that
were not understood, go to standard error: `nvidia-smi | which-engine hardware - | which-engine decide -`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from .flags import LANGUAGES, choice, one_of, unreadable, visible
from .importers import hardware
from .kb import KB
from .texts import Texts

Plain = dict[str, Any]


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the subcommands of `which-engine`; returns its parser."""
    one = commands.add_parser("hardware", help="read the hardware from the output of nvidia-smi, lscpu, …")
    one.add_argument("file", metavar="FILE", help='outputs of system tools; "-" reads standard input')
    one.add_argument("--json", action="store_true", help="print all that was understood as JSON")
    one.add_argument("--lang", metavar=choice(LANGUAGES), type=one_of("--lang", LANGUAGES), default="en",
                     help="language of the notes")  # fmt: skip
    return one


def run(args: argparse.Namespace, knowledge: tuple[Any, Any, Any]) -> int:
    """Print the hardware. Exit code 0, 1 with lines not understood or no device. Refused: a file that cannot be read.

    knowledge: core, texts and measurements of the base.
    """
    core, texts, _ = knowledge
    try:
        data = sys.stdin.buffer.read() if args.file == "-" else Path(args.file).read_bytes()
    except OSError as error:
        raise unreadable(args.file, error) from None
    kb = KB(core)
    found = hardware.read(_decoded(data), kb)
    if args.json:
        print(json.dumps(found, ensure_ascii=False, indent=1), flush=True)
    else:
        print(_situation(found), flush=True)
        for line in _said(found, Texts(texts[args.lang], args.lang, kb.terms)):
            print(f"which-engine: {visible(line)}", file=sys.stderr)
    return 0 if found["devices"] and not found["unread"] else 1


def _decoded(data: bytes) -> str:
    """Text in UTF-8, or in the UTF-16 that PowerShell redirects in."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def _situation(found: Plain) -> str:
    """YAML with one line a group; the values are JSON, which YAML includes."""
    groups = [(key, found[key]) for key in ("devices", "host", "links") if found[key]]
    return "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in groups) or "{}"


def _said(found: Plain, words: Texts) -> list[str]:
    said = [] if found["devices"] else [words.plain("paste.nothing")]
    said += [words.plain(f"paste.note-{note['id']}", **note["params"]) for note in found["notes"]]
    free = found["free"]
    if free and free["used_gib"] >= 1:
        said.append(words.plain("paste.in-use", gib=free["used_gib"]))
    for line in found["unread"]:
        said.append(f"{words.plain('paste.unread')}, {words.plain('paste.line', n=line['line'])}: {line['text']}")
    if found["more"]:
        said.append(words.plain("paste.more", n=found["more"]))
    return said
