"""The functions the browser's worker calls: JSON strings in, JSON strings out, state kept between calls.

The worker knows nothing of engines or sentences: it hands over the form's fields or the address and
gets rendered sections back. What-if runs in slices, so that a newer answer never waits for it.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from .address import from_flat, from_fragment
from .decide import decide_head, decide_reading
from .decision import to_json
from .kb import KB
from .render import around, compact, first, html, pair, problems
from .render.view import View
from .situation import fragment, read, to_flat
from .stamp import changed, stamp
from .texts import Texts

Plain = dict[str, Any]
Json = str | bytes | memoryview  # a file of the bundle; as bytes, UTF-8

# A slice of what-if ends with the first step after this time. A step is one decision, so a newer answer
# waits for one step at most.
SLICE_S = 0.008


class Session:
    """Knowledge, texts and the answer on the screen."""

    def __init__(self, core_json: Json, today: str) -> None:
        self.kb = KB(_loads(core_json))
        # It lives as long as the page: the collector need not walk it again and again while deciding.
        gc.freeze()
        gc.enable()
        self.today = today
        self.texts: dict[str, Texts] = {}
        self.decision: Plain | None = None
        self._whole: Callable[[], Plain] | None = None  # makes the whole of a decision whose head was shown
        self.reports: dict[str, Plain] = {}  # by language, when the checker was asked for
        self._forms = False  # whether the further forms of the command are still to be shown
        self._steps: Iterator[Plain] | None = None
        self._choices: Iterator[Plain] | None = None
        self._results: list[Plain] = []
        self._opened = ""  # the link that the present question came from

    def add_texts(self, lang: str, strings_json: Json) -> None:
        """Take the sentences of one language."""
        self.texts[lang] = Texts(_loads(strings_json), lang, self.kb.terms)

    def add_measurements(self, rows_json: Json) -> None:
        """Take the rows for "nearest measurements", which arrive after the first answer."""
        self.kb.measurements = _loads(rows_json)

    def answer(self, request_json: str) -> str:
        """Decide and render.

        request: {"lang", "base", "wizard", "brief", and "fields" (flat form fields) or "address"
        (a fragment), or both, fields over address}. base: path from the page to the root of its language.
        With "brief" the result is {"brief": HTML, "fragment", "problems"}, the short answer of the home page,
        `wizard` being the address of the wizard page. Otherwise {"sections", "fragment", "fields", "assumed", "labels",
        "problems", "said", "summary", "bar", "assumptions"}; a problem is {"path", "text", "value"}. With
        "head" only the first section is there, so that it can be painted early, and the first slice of
        `explore` brings all of them.
        """
        request = json.loads(request_json)
        fields, before = request.get("fields") or {}, []
        if "address" in request:
            said, before = from_fragment(str(request["address"]))
            fields = {**to_flat(said), **fields}
        data, unread = from_flat(fields)
        unread[:0] = before
        reading = read(data, self.kb)
        reading.problems[:0] = unread
        self._whole, self._forms = None, False
        self._opened = "" if request.get("fields") else str(request.get("address", ""))
        if request.get("brief"):
            return self._brief(decide_head(reading, self.kb, self.today)[0], request)
        if request.get("head"):
            self.decision, self._whole = decide_head(reading, self.kb, self.today)
        else:
            self.decision = decide_reading(reading, self.kb, self.today)
        self._steps, self._choices = self._whatif(reading.stated), self._combine(reading.stated)
        self._results = []
        return json.dumps(self._answer(request, head=bool(request.get("head"))), ensure_ascii=False)

    def _brief(self, decision: Plain, request: Plain) -> str:
        lang, base, wizard = request["lang"], request.get("base", ""), request.get("wizard", "")
        texts = self.texts[lang]
        found = {
            "brief": compact(decision, texts, self.kb, lang, base, wizard),
            "fragment": fragment(decision["stated"]),
            "problems": self._problems(decision, lang),
        }
        return json.dumps(found, ensure_ascii=False)

    def _answer(self, request: Plain, head: bool = False, forms: bool = True) -> Plain:
        assert self.decision is not None
        lang, base = request["lang"], request.get("base", "")
        texts = self.texts[lang]
        view = View(self.decision, texts, self.kb, lang, base)
        was = changed(self._opened, self.decision)
        return {
            "head": head,
            "sections": first(self.decision, texts, self.kb, lang, base)
            if head
            else html(self.decision, texts, self.kb, lang, base, forms=forms),
            "fragment": fragment(self.decision["stated"]),
            "fields": to_flat(self.decision["stated"]),
            "assumed": to_flat(self.decision["situation"]),
            "labels": around.labels(view),
            "problems": self._problems(self.decision, lang),
            "said": around.spoken(view),
            "summary": around.summary(view),
            "bar": around.bar(view),
            "stamp": stamp(self.decision),
            "before": around.before(view, was) if was else "",
            "assumptions": view.p("wizard-page.assumed-count", n=len(self.decision["assumptions"])),
        }

    def _problems(self, decision: Plain, lang: str) -> list[Plain]:
        found = problems(decision, self.texts[lang], self.kb, lang)
        return [{**shown, "value": p["value"]} for shown, p in zip(found, decision["problems"], strict=True)]

    def _whatif(self, stated: Plain) -> Iterator[Plain]:
        from . import whatif  # not needed for the first answer

        yield from whatif.explore(stated, self.kb, self.today, self.decision)

    def _combine(self, stated: Plain) -> Iterator[Plain]:
        from . import choices  # nor this

        yield from choices.explore(stated, self.kb)

    def explore(self, request_json: str) -> str:
        """One slice: the whole answer when only its head was given, then the further forms of its command, else
        some of what-if, at last which answers of the form cannot combine.

        {"done": false} until everything was tried; the answer again after the first two and after what-if; at the end
        {"done": true, "choices": …} as `around.cannot` makes them.
        """
        if self.decision is None or self._choices is None:
            return json.dumps({"done": True})
        if self._whole:
            self.decision, self._whole, self._forms = self._whole(), None, True
            return self._said(self._answer(json.loads(request_json), forms=False))
        if self._forms:
            self._forms = False
            return self._said(self._answer(json.loads(request_json)))
        if self._steps:
            if _slice(self._steps, self._results):
                return json.dumps({"done": False})
            from . import whatif

            self._steps = None
            self.decision = whatif.merge(self.decision, self._results)
            self._results = []
            return self._said(self._answer(json.loads(request_json)))
        if _slice(self._choices, self._results):
            return json.dumps({"done": False})
        self._choices = None
        request = json.loads(request_json)
        view = View(self.decision, self.texts[request["lang"]], self.kb, request["lang"])
        cannot = around.cannot(view, self._results[-1]["choices"])
        return json.dumps({"done": True, "choices": cannot}, ensure_ascii=False)

    def _said(self, answer: Plain) -> str:
        return json.dumps({"done": False, **answer}, ensure_ascii=False)

    def use(self, tool: str, payload_json: str, data: Any = None) -> str:
        """What is no question: read what was pasted or dropped (see `paste`), give the answer out, compare it.

        tool and payload: "export" with {"kind", "lang"}; "pair" with {"address", "lang", "base"}: the answer to that
        address and the present one as a table; "hardware" with a text; "model" with {"files": [{"name", "text"}],
        "name"}; "gguf" with {"name", "whole"} and the beginning of the file as `data`; "report" with {"text", "lang",
        "base"}.
        """
        from . import paste  # not needed for an answer

        payload = json.loads(payload_json)
        if tool == "report":
            return self._report(payload)
        if tool == "export":
            return json.dumps(self.export(payload["kind"], payload["lang"], True), ensure_ascii=False)
        if tool == "pair":
            return json.dumps(self._pair(payload), ensure_ascii=False)
        if tool == "hardware":
            found = paste.read_hardware(payload, self.kb)
        elif tool == "model":
            found = paste.read_model(payload["files"], self.kb, str(payload.get("name", "")))
        else:
            content = data.to_bytes() if hasattr(data, "to_bytes") else bytes(data)
            found = paste.read_gguf(content, bool(payload["whole"]), self.kb, str(payload["name"]))
        return json.dumps(found, ensure_ascii=False)

    def add_report(self, lang: str, data_json: Json) -> None:
        """Take what the report checker reads and says in one language."""
        self.reports[lang] = _loads(data_json)

    def _report(self, request: Plain) -> str:
        """Check a pasted benchmark result: {"html", "said"}."""
        from .report_check import check, show

        lang, data = request["lang"], self.reports[request["lang"]]
        texts = show.texts_with(self.texts[lang], data, self.kb)
        found = check(str(request["text"]), self.kb, data)
        page = show.html(found, texts, self.kb, request.get("base", ""))
        return json.dumps({"html": page, "said": show.said(found, texts, self.kb)}, ensure_ascii=False)

    def _pair(self, payload: Plain) -> str:
        if self.decision is None:
            return ""
        kept = decide_head(read(from_fragment(str(payload["address"]))[0], self.kb), self.kb, self.today)[0]
        lang = payload["lang"]
        return pair(kept, self.decision, self.texts[lang], self.kb, lang, payload.get("base", ""))

    def export(self, kind: str, lang: str, complete: bool = False) -> str:
        """The Decision as "json" or "markdown". complete: with what would change it, even where `explore` is still
        looking for that."""
        if self.decision is None:
            return ""
        if self._whole:
            self.decision, self._whole = self._whole(), None
        decision = self.decision
        if complete and self._steps:
            from . import whatif

            self._results += [result for result in self._steps if result]  # an answer given out has all of it
            decision = whatif.merge(deepcopy(decision), self._results)
        if kind == "json":
            return to_json(decision)
        from .render import markdown

        return markdown(decision, self.texts[lang], self.kb, lang)


def _loads(data: Json) -> Any:
    return json.loads(data if isinstance(data, str) else str(data, "utf-8"))


def _slice(steps: Iterator[Plain], results: list[Plain]) -> bool:
    """Some steps, their results kept; whether there are more."""
    until = time.perf_counter() + SLICE_S
    for result in steps:
        if result:
            results.append(result)
        if time.perf_counter() > until:
            return True
    return False


def decide_json(data_json: str, kb: KB, today: str) -> str:
    """Situation JSON to Decision JSON: the function whose bytes CPython and the browser must share."""
    from .decide import decide

    return to_json(decide(json.loads(data_json), kb, today))
