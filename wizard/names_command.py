"""which-engine names: every name that the other commands take, of one kind, or those that hold a text."""

from __future__ import annotations

import argparse
import json
from typing import Any

from .flags import LANGUAGES, choice, one_of, visible
from .kb import KB, fold
from .speed.names import CLASSES
from .vocabulary import BACKENDS

KINDS = ("devices", "models", "engines", "formats", "classes", "backends")
Row = tuple[str, list[str]]  # a name, and what else it may be called


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the subcommands of `which-engine`; returns its parser."""
    one = commands.add_parser("names", help="list the names that the other commands take")
    one.add_argument("kind", metavar=choice(KINDS), type=one_of("names", KINDS), help="of what")
    one.add_argument("text", metavar="TEXT", nargs="?", default="", help="only names that hold this text")
    one.add_argument("--json", action="store_true", help="print JSON")
    one.add_argument("--lang", metavar=choice(LANGUAGES), type=one_of("--lang", LANGUAGES), default="en",
                     help="language of messages")  # fmt: skip
    return one


def run(args: argparse.Namespace, knowledge: tuple[Any, Any, Any]) -> int:
    """Print a line per name. Exit code 0, 1 when no name holds the text."""
    wanted = fold(args.text)
    rows = [row for row in names(args.kind, KB(knowledge[0])) if any(wanted in fold(n) for n in (row[0], *row[1]))]
    if args.json:
        print(json.dumps([{"name": name, "also": also} for name, also in rows], ensure_ascii=False, indent=1))
    else:
        print("\n".join(visible(f"{name}  ({', '.join(also)})" if also else name) for name, also in rows), flush=True)
    return 0 if rows else 1


def names(kind: str, kb: KB) -> list[Row]:
    """All names of a kind of thing, in order."""
    if kind in ("classes", "backends"):
        return [(name, []) for name in (sorted(CLASSES) if kind == "classes" else BACKENDS)]
    if kind == "formats":
        return [
            (f"{family} {type_['id']}", _more([type_["name"], *type_.get("aka", [])]))
            for family, entry in sorted(kb.formats.items())
            for type_ in entry["types"]
        ]
    entries = {"devices": kb.devices, "models": kb.models, "engines": kb.engines}[kind]
    return sorted((entry["name"], _more([id_, *entry.get("aka", [])])) for id_, entry in entries.items())


def _more(names_: list[Any]) -> list[str]:
    return list(dict.fromkeys(name for name in names_ if isinstance(name, str)))
