"""`python -m tests.fuzz [N] [--seed S]`: N mutated cases through the importers; prints what failed, and the slowest."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator

from knowledge.bundle import load_for_cli
from tests.wizard.test_gguf import header, small
from wizard.kb import KB

from . import model_files, pastes

SHOWN = 5


def main() -> int:
    """Two thirds of the cases are pasted text, the rest model files; exit code 1 when any of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    kb = KB(load_for_cli()[0])
    started = time.perf_counter()
    failed, slowest, done = 0, 0.0, 0
    for name, case in _cases(args.count, args.seed, kb):
        before = time.perf_counter()
        try:
            case()
        except Exception as error:  # whatever it is, it should not have happened
            failed += 1
            if failed <= SHOWN:
                print(f"{name}: {type(error).__name__}: {str(error)[:300]}")
        slowest = max(slowest, time.perf_counter() - before)
        done += 1
    took = time.perf_counter() - started
    print(f"{done:,} cases in {took:.0f} s, slowest {slowest * 1000:.0f} ms, {failed} failed")
    return 1 if failed else 0


def _cases(count: int, seed: int, kb: KB) -> Iterator[tuple[str, Callable[[], None]]]:
    texts = count * 2 // 3
    for number, text in enumerate(pastes.cases(texts, seed)):
        yield f"paste {number}", lambda text=text: pastes.check(text, kb)
    chance = random.Random(seed)
    configs = model_files.configs()
    gguf = header(*small())
    for number in range(count - texts):
        kind = number % 4
        if kind < 2:
            yield f"config {number}", lambda: model_files.config(chance.choice(configs), chance)
        elif kind == 2:
            yield f"gguf {number}", lambda: model_files.header(gguf, chance)
        else:
            yield f"index {number}", lambda: model_files.index(chance)


if __name__ == "__main__":
    sys.exit(main())
