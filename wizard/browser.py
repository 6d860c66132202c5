"""The functions the browser's worker calls: JSON strings in, JSON strings out, state kept between calls.

The worker knows nothing of engines or sentences: it hands over the form's fields or the address and
gets rendered sections back. What-if runs in slices, so that a newer answer never waits for it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from . import whatif
from .address import from_flat, from_fragment
from .decide import decide_reading
from .decision import to_json
from .kb import KB
from .render import html, markdown
from .situation import fragment, read, to_flat
from .texts import Texts

Plain = dict[str, Any]

SLICE_S = 0.04  # one slice of what-if; the design allows 50 ms


class Session:
    """Knowledge, texts and the answer on the screen."""

    def __init__(self, core_json: str, today: str) -> None:
        self.kb = KB(json.loads(core_json))
        self.today = today
        self.texts: dict[str, Texts] = {}
        self.decision: Plain | None = None
        self._steps: Iterator[Plain] | None = None
        self._results: list[Plain] = []

    def add_texts(self, lang: str, strings_json: str) -> None:
        """Take the sentences of one language."""
        self.texts[lang] = Texts(json.loads(strings_json), lang, self.kb.terms)

    def add_measurements(self, rows_json: str) -> None:
        """Take the rows for "nearest measurements", which arrive after the first answer."""
        self.kb.measurements = json.loads(rows_json)

    def answer(self, request_json: str) -> str:
        """Decide and render.

        request: {"lang", "base", and one of "fields" (flat form fields) or "address" (a fragment)}.
        Returns {"sections", "fragment", "fields", "problems", "start", "knowledge"}.
        """
        request = json.loads(request_json)
        if "address" in request:
            data, problems = from_fragment(str(request["address"]))
        else:
            data, problems = from_flat(request.get("fields") or {})
        reading = read(data, self.kb)
        reading.problems[:0] = problems
        self.decision = decide_reading(reading, self.kb, self.today)
        self._steps = whatif.explore(reading.stated, self.kb, self.today)
        self._results = []
        return self._answer(request)

    def _answer(self, request: Plain) -> str:
        assert self.decision is not None
        lang = request["lang"]
        texts = self.texts[lang]
        start = next((r for r in self.decision["recommendations"] if r["role"] == "start"), None)
        return json.dumps(
            {
                "sections": html(self.decision, texts, self.kb, lang, request.get("base", "")),
                "fragment": fragment(self.decision["stated"]),
                "fields": to_flat(self.decision["stated"]),
                "assumed": to_flat(self.decision["situation"]),
                "problems": [
                    {"path": p["path"], "text": texts.plain(p["text"], p["params"])} for p in self.decision["problems"]
                ],
                "start": self.kb.engines[start["engine"]]["name"] if start else None,
            },
            ensure_ascii=False,
        )

    def explore(self, request_json: str) -> str:
        """One slice of what-if; {"done": false} until everything was tried, then sections again."""
        request = json.loads(request_json)
        if self._steps is None or self.decision is None:
            return json.dumps({"done": True})
        until = time.perf_counter() + SLICE_S
        while time.perf_counter() < until:
            try:
                result = next(self._steps)
            except StopIteration:
                self._steps = None
                self.decision = whatif.merge(self.decision, self._results)
                return json.dumps({"done": True, **json.loads(self._answer(request))}, ensure_ascii=False)
            if result:
                self._results.append(result)
        return json.dumps({"done": False})

    def export(self, kind: str, lang: str) -> str:
        """The Decision as "json" or "markdown"."""
        if self.decision is None:
            return ""
        return to_json(self.decision) if kind == "json" else markdown(self.decision, self.texts[lang], self.kb, lang)


def decide_json(data_json: str, kb: KB, today: str) -> str:
    """Situation JSON to Decision JSON: the function whose bytes CPython and the browser must share."""
    from .decide import decide

    return to_json(decide(json.loads(data_json), kb, today))
