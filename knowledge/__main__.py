"""`python -m knowledge <command>`: check, bundle, format, new, stats."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 fine, 1 something blocks, 2 misuse."""
    parser = argparse.ArgumentParser(prog="python -m knowledge", description="The knowledge base: check it, bundle it.")
    parser.add_argument("--root", type=Path, help="another knowledge folder than this one")
    commands = parser.add_subparsers(dest="command", required=True)

    check = commands.add_parser("check", help="say everything that is wrong")
    check.add_argument("paths", nargs="*", metavar="PATH", help="show only findings in these files or folders")
    form = check.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="findings as JSON")
    form.add_argument("--annotations", action="store_true", help="findings as GitHub workflow commands")
    check.add_argument("--fix", action="store_true", help="apply the corrections that need no person first")
    check.add_argument("--deep", action="store_true", help="decide a grid of situations too (minutes)")
    check.add_argument("--every", action="store_true", help="show every question in full")
    check.add_argument("--errors", action="store_true", help="leave the questions out")
    check.add_argument("--today", help="count ages to this day (YYYY-MM-DD)")

    bundle = commands.add_parser("bundle", help="write the objects that the wizard and the browser read")
    bundle.add_argument("--out", type=Path, default=Path("build/knowledge"), help="folder for the files")

    format_ = commands.add_parser("format", help="put keys in the order of the schema and write the translation locks")
    format_.add_argument("--check", action="store_true", help="write nothing; fail if something would change")
    format_.add_argument("--locks", action="store_true", help="only the locks")
    format_.add_argument(
        "--still-right", nargs="+", default=[], metavar="FILE", help="their translations fit the present English"
    )

    new = commands.add_parser("new", help="write the file of a new entry; with --like print a re-reading of a source")
    new.add_argument("kind", help="a kind of entry, such as engine")
    new.add_argument("id", help="its id: lower case, digits, hyphens")
    new.add_argument("--like", metavar="READING", help="kind source: the reading whose page was read again")
    new.add_argument("--print", action="store_true", dest="show", help="print the entry and write nothing")

    commands.add_parser("stats", help="coverage: entries, languages, sources").add_argument("--today")

    arguments = parser.parse_args(argv)
    try:
        return _COMMANDS[arguments.command](arguments)
    except BrokenPipeError:
        # the reader (head, a pager) has seen enough; nothing more can be written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _check(arguments: argparse.Namespace) -> int:
    from knowledge import check, report

    only = [_name(path, arguments.root) for path in arguments.paths]

    def run() -> check.Report:
        return check.run(arguments.root, today=arguments.today, only=only, explore=_explore if arguments.deep else None)

    result = run()
    if arguments.fix:
        done = check.fix(result)
        print(f"{done} corrected" if done else "nothing could be corrected", file=sys.stderr)
        result = run() if done else result
    if arguments.errors:
        result.findings = [finding for finding in result.findings if finding.level == "error"]
    if arguments.json:
        sys.stdout.write(report.as_json(result))
    elif arguments.annotations:
        sys.stdout.write(report.annotations(result))
    else:
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        width = min(120, shutil.get_terminal_size((100, 24)).columns) if sys.stdout.isatty() else 100
        sys.stdout.write(report.terminal(result, colour, width, arguments.every))
    return 0 if result.ok else 1


def _explore(knowledge):
    from knowledge import deep

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done:,} of {total:,} situations", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return deep.explore(knowledge, jobs=os.cpu_count() or 1, report=show)


def _bundle(arguments: argparse.Namespace) -> int:
    from knowledge import bundle
    from knowledge.load import load

    knowledge = load(arguments.root)
    made = bundle.build(knowledge)
    for name, size, packed in bundle.write(made, bundle.edits_of(knowledge), arguments.out):
        print(f"{name:<20} {size:>10,} bytes {packed:>9,} gzip")
    print(f"version {made.core['version']}, knowledge of {made.core['date'] or 'no day'}, in {arguments.out}/")
    left_out = [file for file in knowledge.files.values() if file.kind and not (file.data and file.sound)]
    for file in left_out:
        print(f"left out, it breaks its schema: {file.name}", file=sys.stderr)
    return 1 if left_out else 0


def _format(arguments: argparse.Namespace) -> int:
    from knowledge import format
    from knowledge.load import load

    still_right = {_name(path, arguments.root) for path in arguments.still_right}
    if arguments.locks:
        changed = format.write_locks(load(arguments.root), arguments.check, still_right)
    else:
        changed = format.run(arguments.root, arguments.check, still_right)
    for name in changed:
        print(f"{'would change' if arguments.check else 'changed'}  {name}")
    return 1 if changed and arguments.check else 0


def _new(arguments: argparse.Namespace) -> int:
    from knowledge import kinds, new
    from knowledge.load import load

    base = arguments.root or kinds.ROOT
    if arguments.like:
        try:
            file, text = new.reading(load(arguments.root), arguments.like)
        except KeyError:
            print(f'no source has the reading "{arguments.like}"', file=sys.stderr)
            return 2
        print(f"# add to the readings of {file} after opening the page; put the new commit or version in")
        print(f"  {arguments.id}:\n" + "".join(f"    {row}\n" for row in text.split("\n")), end="")
        return 0
    try:
        text = new.template(arguments.kind)
    except KeyError:
        print(f"kinds: {', '.join(kinds.KINDS.values())}", file=sys.stderr)
        return 2
    if arguments.show:
        print(text, end="")
        return 0
    if not kinds.ID.match(arguments.id):
        print(f'"{arguments.id}" is no id: lower case letters, digits and hyphens', file=sys.stderr)
        return 2
    target = base / kinds.FOLDERS[arguments.kind] / f"{arguments.id}.yml"
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        print(f"{target} exists and was left as it is", file=sys.stderr)
        return 2
    print(f"{target}\nis to be filled in; then: make check")
    return 0


def _stats(arguments: argparse.Namespace) -> int:
    from datetime import date

    from knowledge import stats
    from knowledge.load import load

    print(stats.table(load(arguments.root), arguments.today or date.today().isoformat()), end="")
    return 0


def _name(path: str, root: Path | None) -> str:
    """A path as a person types it, as findings print it: from the folder that holds knowledge/."""
    from knowledge import kinds

    base = (root or kinds.ROOT).resolve()
    full = Path(path).resolve()
    return full.relative_to(base.parent).as_posix() if full.is_relative_to(base.parent) else path


_COMMANDS = {"check": _check, "bundle": _bundle, "format": _format, "new": _new, "stats": _stats}

if __name__ == "__main__":
    sys.exit(main())
