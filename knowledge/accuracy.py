"""`python -m knowledge.accuracy [--extra PATH]...`: how wrong the estimates are, on public measurements.

`--extra` adds records that the base has never seen: a YAML or JSON list of single-stream records, a CSV table
of serving runs, or a directory of such files; the fields are listed in `knowledge.speed_records`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from knowledge import memory_accuracy, speed_accuracy


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0, or 2 when a file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m knowledge.accuracy", description=__doc__.split("\n")[0])
    parser.add_argument("--extra", action="append", default=[], type=Path, metavar="PATH", help="more records")
    chosen = parser.parse_args(arguments)
    missing = [str(path) for path in chosen.extra if not path.exists()]
    if missing:
        print(f"no such file: {', '.join(missing)}", file=sys.stderr)
        return 2
    print(memory_accuracy.report())
    print()
    print(speed_accuracy.report(chosen.extra))
    return 0


if __name__ == "__main__":
    sys.exit(main())
