"""Text, bytes and JSON data that went wrong in the ways that copying, cutting and malice make it go wrong."""

from __future__ import annotations

import copy
import random
from typing import Any

_ODD = (
    "\x00", "\x1b[31m", "\u202e", "\ud800", "<script>alert(1)</script>", "\r", "\t", "|", ":", "+---+", "9" * 40, "-1",
    "NaN", "MiB", "GPU 0:", "GPU[0]: x: y", "0x744c", "Name : ", "----", "Mem:", "{n}", "%s", "é́", "∞", "1e308", "﷽",
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 1e308, float("nan"), float("inf"), 0.5, "", "x", "0", [], {},
    [[]], {"a": {}}, ["x"] * 50, "<b>", "\u0000", "é" * 300,
)  # fmt: skip


def text(sample: str, chance: random.Random) -> str:
    """One to six changes: a piece cut, doubled, moved, a character or a number changed, something odd put in."""
    for _ in range(chance.randint(1, 6)):
        at, to = sorted((chance.randint(0, len(sample)), chance.randint(0, len(sample))))
        to = min(to, at + chance.choice((1, 10, 200)))
        kind = chance.randint(0, 6)
        if kind == 0:
            sample = sample[:at] + sample[to:]
        elif kind == 1:
            sample = sample[:to] + sample[at:to] + sample[to:]
        elif kind == 2:
            sample = sample[:at] + chance.choice(_ODD) + sample[at:]
        elif kind == 3:
            sample = sample[:at] + chr(chance.randint(32, 0x24FF)) + sample[at + 1 :]
        elif kind == 4:
            lines = sample.split("\n")
            chance.shuffle(lines)
            sample = "\n".join(lines)
        elif kind == 5:
            digits = [n for n, c in enumerate(sample) if c.isdigit()]
            if digits:
                place = chance.choice(digits)
                sample = sample[:place] + chance.choice(("", "-", "99999999", "0", ".")) + sample[place + 1 :]
        else:
            sample = sample.replace(" ", chance.choice(("", "  ", "\t", "\u00a0")), chance.randint(1, 20))
    return sample


def data(sample: Any, chance: random.Random) -> Any:
    """A copy of JSON data with one to four values or keys changed, taken away or put in another's place."""
    sample = copy.deepcopy(sample)
    for _ in range(chance.randint(1, 4)):
        places = list(_places(sample))
        if not places:
            return chance.choice(_VALUES)
        holder, key = chance.choice(places)
        kind = chance.randint(0, 3)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, dict):
            holder[chance.choice(("x", "num_hidden_layers", "hidden_size", "model_type"))] = holder[key]
        elif kind == 2:
            other, name = chance.choice(places)
            holder[key] = copy.deepcopy(other[name]) if name in other or isinstance(other, list) else None
        else:
            holder[key] = chance.choice(_VALUES)
    return sample


def _places(value: Any, depth: int = 0) -> Any:
    if depth > 6:
        return
    if isinstance(value, dict):
        for key, inner in list(value.items()):
            yield value, key
            yield from _places(inner, depth + 1)
    elif isinstance(value, list):
        for key in range(min(len(value), 20)):
            yield value, key
            yield from _places(value[key], depth + 1)


def binary(sample: bytes, chance: random.Random) -> bytes:
    """Bytes changed, cut, or with a count blown up."""
    changed = bytearray(sample)
    for _ in range(chance.randint(1, 8)):
        if not changed:
            break
        at = chance.randrange(len(changed))
        kind = chance.randint(0, 3)
        if kind == 0:
            changed[at] = chance.randint(0, 255)
        elif kind == 1:
            del changed[at : at + chance.choice((1, 8, 100))]
        elif kind == 2:
            changed[at : at + 8] = chance.choice((b"\xff" * 8, b"\x00" * 8, (2**40).to_bytes(8, "little")))
        else:
            changed = changed[: at + 1]
    return bytes(changed)
