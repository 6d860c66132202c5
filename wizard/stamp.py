"""What a copied link remembers of its answer, so that the page can say what has changed when it is opened later.

`&at=2026-11-30&was=vllm,awq:int4-g128,fits`: the date of the knowledge; engine, format and fit of the start. Both
stand behind the Situation and never change it.
"""

from __future__ import annotations

import re
from typing import Any

Plain = dict[str, Any]

NOTHING = "none"  # in the place of an engine, where nothing started
_AT = re.compile(r"[#&]at=(\d{4}-\d{2}-\d{2})(?:&|\Z)")
_WAS = re.compile(r"[#&]was=([a-z0-9-]{1,60}),([a-z0-9_:.-]{0,60}),(fits|tight|offload|no|)(?:&|\Z)")


def stamp(decision: Plain) -> str:
    """The end of a link to this answer."""
    start = next((r for r in decision["recommendations"] if r["role"] == "start"), None)
    at = (decision.get("knowledge") or {}).get("date") or ""
    if start is None:
        return f"&at={at}&was={NOTHING},,"
    written = start["format"] or {}
    name = ":".join(str(written[k]) for k in ("family", "type") if written.get(k))
    fit = start["fit"]["class"] if start["fit"] else ""
    return f"&at={at}&was={start['engine']},{name},{fit}"


def changed(fragment: str, decision: Plain) -> Plain | None:
    """{"date", "engine" or None, "format", "fit"} of an answer that was another one when the link was made.

    None when the link remembers nothing, or what it remembers is still the answer.
    """
    at, was = _AT.search(fragment), _WAS.search(fragment)
    if not at or not was:
        return None
    now = _WAS.search(stamp(decision))
    if now and now.groups() == was.groups():
        return None
    family, _, type_ = was[2].partition(":")
    return {
        "date": at[1],
        "engine": None if was[1] == NOTHING else was[1],
        "format": {"family": family, "type": type_ or None} if family else None,
        "fit": was[3] or None,
    }
