"""`python -m tests.fuzz [N] [--seed S]`: N mutated cases through parsers and importers, one in fifty of them through
decision and page as well; prints what failed, and the slowest."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator

from knowledge.bundle import load_for_cli
from tests.wizard.test_gguf import header, small
from wizard.kb import KB
from wizard.texts import Texts

from . import addresses, model_files, pastes

SHOWN = 5
DECIDED = 12  # every twelfth address is answered too: one case in 48


def main() -> int:
    """Half of the cases are pasted text, a quarter each model files and addresses; exit code 1 when any failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    core, words, measurements = load_for_cli()
    kb = KB(core, measurements)
    texts = [Texts(words[lang], lang, kb.terms) for lang in words]
    started = time.perf_counter()
    failed, slowest, done = 0, (0.0, ""), 0
    for name, case in _cases(args.count, args.seed, kb, texts):
        before = time.process_time()
        try:
            case()
        except Exception as error:  # whatever it is, it should not have happened
            failed += 1
            if failed <= SHOWN:
                print(f"{name}: {type(error).__name__}: {str(error)[:300]}")
        slowest = max(slowest, (time.process_time() - before, name))
        done += 1
    took = time.perf_counter() - started
    print(f"{done:,} cases in {took:.0f} s, {failed} failed; slowest {slowest[0] * 1000:.0f} ms: {slowest[1][:300]}")
    return 1 if failed else 0


def _cases(count: int, seed: int, kb: KB, words: list[Texts]) -> Iterator[tuple[str, Callable[[], None]]]:
    quarter = count // 4
    for number, address in enumerate(addresses.cases(quarter, kb, seed)):
        if number % DECIDED == 0:
            yield f"answer {address!r}", lambda a=address, w=words[number % 3]: addresses.answer(a, kb, w)
        else:
            yield f"address {address!r}", lambda a=address: addresses.check(a, kb)
    texts = count - 2 * quarter
    for number, text in enumerate(pastes.cases(texts, seed)):
        yield f"paste {number}", lambda text=text: pastes.check(text, kb)
    chance = random.Random(seed)
    configs = model_files.configs()
    gguf = header(*small())
    for number in range(quarter):
        kind = number % 4
        if kind < 2:
            yield f"config {number}", lambda: model_files.config(chance.choice(configs), chance)
        elif kind == 2:
            yield f"gguf {number}", lambda: model_files.header(gguf, chance)
        else:
            yield f"index {number}", lambda: model_files.index(chance)


if __name__ == "__main__":
    sys.exit(main())
