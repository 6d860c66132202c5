"""CPython: checking the knowledge, deciding and rendering, what-if."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator

from scripts.benchmarks import ROOT, Row, median, spread

LANGUAGES = ("en", "vi", "ru")
SITUATIONS = 42
WHATIFS = 12


def check() -> Iterator[Row]:
    """`python -m knowledge check`, with nothing kept from an earlier run and with everything kept."""

    def run() -> float:
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "knowledge", "check", "--errors"], cwd=ROOT, capture_output=True)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr.decode())
        return time.perf_counter() - started

    (ROOT / ".cache" / "knowledge.pickle").unlink(missing_ok=True)
    yield Row("check, cold", run(), "s", 10)
    warm = [run() for _ in range(5)]
    yield Row("check, warm", median(warm), "s", 2, spread(warm))


def decide() -> Iterator[Row]:
    """Decide and render over the situations of real people, and what-if until it is through.

    The situations of the parity tests beside them: every device in turn with answers that do not go together, most of
    which nothing fits, so that the search goes all the way.
    """
    from knowledge.bundle import load_for_cli
    from tests.parity.test_parity import situations
    from wizard import render, whatif
    from wizard.decide import decide as decision_of
    from wizard.kb import KB
    from wizard.texts import Texts

    core, texts, measurements = load_for_cli()
    kb = KB(core, measurements)
    words = {lang: Texts(texts[lang], lang, kb.terms) for lang in LANGUAGES}
    today = core["date"]
    asked = _scenarios()
    for group, limit in ((asked, 10), (list(situations(core, SITUATIONS)), None)):
        decided, rendered, both = [], [], []
        for index, data in enumerate(group):
            lang = LANGUAGES[index % 3]
            # once to fill what is kept between answers, as a page that is open has it
            render.html(decision_of(data, kb, today), words[lang], kb, lang)
            started = time.perf_counter()
            decision = decision_of(data, kb, today)
            middle = time.perf_counter()
            render.html(decision, words[lang], kb, lang)
            ended = time.perf_counter()
            decided.append(1e3 * (middle - started))
            rendered.append(1e3 * (ended - middle))
            both.append(1e3 * (ended - started))
        of = "scenarios" if limit else "far-fetched"
        yield Row(f"decide, {of}", median(decided), "ms", None, spread(decided))
        yield Row(f"render, {of}", median(rendered), "ms", None, spread(rendered))
        yield Row(f"decide + render, {of}", median(both), "ms", limit, spread(both))
    complete, steps = [], []
    for data in asked[:: len(asked) // WHATIFS]:
        started = time.perf_counter()
        step = started
        for _ in whatif.explore(data, kb, today):
            now = time.perf_counter()
            steps.append(1e3 * (now - step))
            step = now
        complete.append(time.perf_counter() - started)
    yield Row("what-if to the end, CPython", median(complete), "s", 1.5, spread(complete))
    yield Row("what-if, one step", median(steps), "ms", 50, spread(steps))
    size = len(json.dumps(decision_of(asked[0], kb, today)).encode())
    yield Row("a Decision as JSON", size / 1e3, "kB")


def _scenarios() -> list[dict]:
    """The situations of `knowledge/scenarios/`, in the order of their names."""
    from knowledge.load import load

    return [entry["situation"] for _, entry in sorted(load(ROOT / "knowledge").entries["scenario"].items())]
