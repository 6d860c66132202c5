"""The hardware importer against mutated outputs: it answers anything, soon, with a Situation that can be read."""

from __future__ import annotations

import json
import random

from tests.wizard import pastes
from wizard.importers import hardware
from wizard.kb import KB
from wizard.situation import from_flat, read

LIMIT_S = 2.0  # of one case, on a slow machine


def cases(count: int, seed: int = 1):
    """`count` texts: one output, or several that follow each other, each changed."""
    chance = random.Random(seed)
    from .mutate import text

    samples = [*pastes.ALL.values(), pastes.topo(8, "NV18")]
    for _ in range(count):
        chosen = chance.choices(samples, k=chance.choice((1, 1, 1, 2, 3)))
        yield text("\n".join(chosen), chance)


def check(pasted: str, kb: KB) -> None:
    """One case; an assertion or any error is a defect."""
    found = hardware.read(pasted, kb)
    json.dumps(found)
    again, unread = from_flat(found["fields"])
    assert not unread, (unread, found["fields"])
    reading = read(again, kb)
    # outputs of two machines in one paste may name a system that the devices of the other do not run: that is told
    assert all(p.text == "problem.not-its-system" for p in reading.problems), reading.problems
    assert sum(d["count"] for d in reading.stated.get("devices", [])) >= min(1, len(found["devices"]))
    assert len(found["unread"]) <= hardware.SHOWN
