"""Reads a benchmark result as people paste it, and says what it tells, what it leaves out and what to doubt.

    text -> blocks (JSON, CSV, tables, lines) -> tools' own output | our form and sentences
         -> runs in base units -> subject (model, hardware, engine) -> missing fields, rules, doubts

What tools print and how people call the fields is data: `knowledge/benchmarking/`. Nothing raises on any text.
"""

from __future__ import annotations

from typing import Any

from wizard.kb import KB

from . import bounds, doubts, free, lacks, names, tools
from .blocks import split

Plain = dict[str, Any]
__all__ = ["check"]

# Holds for every run of a report when it stands beside them.
_SHARED_NOT = frozenset({"decode_tps", "output_tps", "total_tps", "prefill_tps", "some_tps", "mixed_tps"})


def check(text: str, kb: KB, data: Plain) -> Plain:
    """The findings about one pasted text.

    data: {"fields", "rules", "tools"} of `knowledge.bundle.report_of`. Returns {"tools": [ids], "runs": [quantities
    in seconds, tokens per second, bytes], "subject": {…}, "stated": [{field, value, quantity?}],
    "missing": [{field, essential}], "rules": [{rule, kept}], "doubts": [{id, kind, params, rule}],
    "limits": {decode_tps, prefill_tps, expected} or None, "cut": bool}.
    """
    blocks = split(text)
    runs, rest = tools.read(blocks, data["tools"])
    said, known, prose = free.read(rest, data["fields"], data["tools"])
    used = list(dict.fromkeys(run.pop("tool") for run in runs if "tool" in run))
    shared = {k: v for k, v in known.items() if k.partition(".")[0] not in _SHARED_NOT} if runs else known
    whole = [{**run.pop("states"), **shared, **run} for run in runs] or ([shared] if shared else [])
    whole += [{**shared, **rates}] if runs and (rates := _rates(known)) else []
    one: Plain = {}
    for run in whole:
        for key, value in run.items():
            one.setdefault(key, value)
    subject = names.subject(one, prose, kb)
    if used:
        one["tool"] = whole[0]["tool"] = ", ".join(used)
    found = _subject_fields(subject)
    for key, value in found.items():
        if whole:
            whole[0].setdefault(key, value)
        one.setdefault(key, value)
    if found and not whole:
        whole = [dict(found)]
    top = bounds.limits(subject, one, kb)
    have = lacks.stated(data["fields"], said, whole)
    return {
        "tools": used,
        "runs": whole,
        "subject": subject._asdict(),
        "stated": [{"field": id_, **value} for id_, value in have.items()],
        "missing": lacks.missing(data["fields"], have, subject, kb),
        "rules": lacks.rules(data["rules"], whole, have),
        "doubts": doubts.find(doubts.Seen(whole, one, top, bool(said))),
        "limits": None
        if top is None
        else {"decode_tps": top.decode, "prefill_tps": top.prefill, "expected": top.expected.get("decode_tps")},
        "cut": blocks.cut,
    }


def _rates(known: Plain) -> Plain:
    return {k: v for k, v in known.items() if k.partition(".")[0] in _SHARED_NOT}


def _subject_fields(subject: names.Subject) -> Plain:
    """What the names found in the text state."""
    return {
        key: value
        for key, value in (
            ("model", subject.model_text),
            ("device", subject.device_text),
            ("engine", subject.engine_text),
            ("format", subject.format),
        )
        if value
    }
