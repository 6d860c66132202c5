"""Measure what the design sets a number for, and print it beside its limit.

    make bench                              everything, about ten minutes on two cores
    .venv/bin/python scripts/bench.py decide browser      only these subjects
    .venv/bin/python scripts/bench.py --strict            exit with 1 if a limit is broken

Times depend on the machine; the limits are meant for two slow cores with nothing else running.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.benchmarks import Row, load  # noqa: E402 (the path first)


def subjects() -> dict[str, Callable[[], Iterator[Row]]]:
    """Name and function of each subject, in the order of the table."""
    from scripts.benchmarks import browser, build, python, sizes

    return {
        "check": python.check,
        "decide": python.decide,
        "sizes": sizes.sizes,
        "browser": browser.browser,
        "build": build.build,
    }


def main(argv: list[str] | None = None) -> int:
    """Run the subjects and print their rows as they come; returns the exit status."""
    known = subjects()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(known), default=[])
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a limit is broken")
    options = parser.parse_args(argv)
    for name in options.subjects:
        if name not in known:
            parser.error(f"no subject {name!r}; there are {', '.join(known)}")
    cores = os.cpu_count() or 1
    if load() > cores / 2:
        print(
            f"note: {load():.1f} processes wanted one of {cores} cores during the last minute; times will be too long"
        )
    print(f"{'':42}{'measured':>10} {'limit':>9}  {'':4} ")
    over = 0
    for name in options.subjects or known:
        for row in known[name]():
            print(line(row), flush=True)
            over += row.over
    print(f"{over} over the limit" if over else "all within the limits")
    return 1 if over and options.strict else 0


def line(row: Row) -> str:
    """One line of the table."""
    limit = "" if row.limit is None else f"{row.limit:.3g}"
    mark = "" if row.limit is None else "over" if row.over else "ok"
    return f"{row.what:42}{row.value:>10.3g} {limit:>9}  {mark:4} {row.unit:8} {row.note}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
