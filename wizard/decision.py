"""The shape of a Decision: plain data, every statement with an id, a reason and its sources.

A Decision names texts by id and carries the values that fill them, so one Decision is rendered in
any language. `finish` is the single place where numbers are rounded for output.
"""

from __future__ import annotations

import json
import math
from typing import Any

Plain = dict[str, Any]
SHAPE = 1  # grows when a consumer of the JSON would have to change


def statement(
    id_: str,
    text: str,
    sources: Any = (),
    *,
    strength: str | None = None,
    rule: str | None = None,
    opinion: str | None = None,
    headline: str | None = None,
    **params: Any,
) -> Plain:
    """One statement of the Decision. `text` is a text id, `params` fill its placeholders."""
    readings = [sources] if isinstance(sources, str) else list(sources or ())
    return {
        "id": id_,
        "text": text,
        "params": params,
        "sources": readings,
        "strength": strength,
        "rule": rule,
        "opinion": opinion,
        "headline": headline,
    }


def word(text: str, **params: Any) -> Plain:
    """A sentence or label inside another sentence."""
    return {"t": text, "p": params} if params else {"t": text}


class Settled(dict[str, Any]):
    """A part of a Decision that is finished and may stand in several of them: nobody changes it.

    shown: what a renderer made of it, under the renderer's own keys.
    """

    __slots__ = ("shown",)

    def __init__(self, part: Plain) -> None:
        super().__init__(finish(part))
        self.shown: dict[Any, str] = {}


_LEAVES = frozenset({str, int, bool, type(None), Settled})


def finish(value: Any) -> Any:
    """A copy with floats at six significant digits and sets as sorted lists, ready for JSON."""
    kind = type(value)
    if kind is dict:
        copy = value.copy()
        for key, inner in value.items():
            if type(inner) not in _LEAVES:
                copy[key] = finish(inner)
        return copy
    if kind is list or kind is tuple:
        return [x if type(x) in _LEAVES else finish(x) for x in value]
    if kind is float:
        if not math.isfinite(value):
            return None
        rounded = float(f"{value:.6g}")
        return int(rounded) if rounded == int(rounded) and abs(rounded) < 2**53 else rounded
    return value if kind in _LEAVES else sorted(value)


def to_json(decision: Plain) -> str:
    """Canonical JSON: the same bytes in CPython and in the browser."""
    return json.dumps(decision, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
