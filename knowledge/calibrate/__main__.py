"""`python -m knowledge.calibrate [--check]`: write `knowledge/constants/speed.json`, or compare with it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

# small matrices: threads only get in each other's way
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

FILE = Path(__file__).resolve().parents[1] / "constants" / "speed.json"


def produce() -> dict[str, Any]:
    """The constants of the base as it is on disk."""
    from knowledge.load import load

    from .constants import compute

    knowledge = load()
    measured = knowledge.entries["measurement"]
    read = [knowledge.readings[id][1]["read"] for entry in measured.values() for id in _listed(entry["source"])]
    return compute(measured, knowledge.entries["device"], max(read, default=""))


def _listed(source: str | list[str]) -> list[str]:
    return [source] if isinstance(source, str) else source


def text_of(constants: dict[str, Any]) -> str:
    """The file's content."""
    return json.dumps(constants, indent=1, sort_keys=False) + "\n"


def main(arguments: list[str]) -> int:
    """Exit code 0; 1 when `--check` finds a difference; 2 for an unknown argument."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m knowledge.calibrate [--check]", file=sys.stderr)
        return 2
    text = text_of(produce())
    if arguments:
        same = FILE.exists() and FILE.read_text(encoding="utf-8") == text
        print("up to date" if same else f"{FILE.name} differs: run python -m knowledge.calibrate")
        return 0 if same else 1
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text, encoding="utf-8")
    print(f"wrote {FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
