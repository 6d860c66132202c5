"""What every section needs at hand: the decision, the sentences, the names, the links."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..kb import KB
from ..models import writes
from ..situation import apply_patch, fragment
from ..texts import Markup, Texts, esc
from . import numbers
from .words import Words

Plain = dict[str, Any]
KEPT = 6000  # pieces of HTML kept for other answers, a few hundred bytes each


def _named(words: Words, path: str, value: Any) -> Any:
    """A value by its name when it is one of a condition path."""
    return words.value(path, value) if "." in path and isinstance(value, str | list | bool) else value


class _Named(dict[str, Any]):
    """Values by their names, looked up when a sentence asks: a decision has far more facts than it tells."""

    def __init__(self, values: Plain, words: Words) -> None:
        super().__init__(values)
        self._words = words

    def __getitem__(self, path: str) -> Any:
        return _named(self._words, path, super().__getitem__(path))


class View:
    """One decision to be shown in one language.

    `t` and `p` fill a sentence as HTML and as plain text; params whose name is a condition path
    ("situation.serving") are shown by their names. forms: also the further forms of the command; without
    them an answer is there sooner.
    """

    def __init__(
        self, decision: Plain, texts: Texts, kb: KB, lang: str, base: str = "", wizard: str = "", forms: bool = True
    ) -> None:
        self.decision = decision
        self.texts = texts
        self.kb = kb
        self.lang = lang
        self.base = base
        self.wizard = wizard
        self.forms = forms
        self.words = Words(texts, kb)

    # ------------------------------------------------------------------ sentences and numbers

    def t(self, id_: str, params: Plain | None = None, /, **more: Any) -> str:
        """A sentence as HTML; every value escaped."""
        if params:
            more = {**self.named(params), **more} if more else self.named(params)
        return self.texts.html(id_, more, self._facts)

    def p(self, id_: str, params: Plain | None = None, /, **more: Any) -> str:
        """A sentence as plain text."""
        if params:
            more = {**self.named(params), **more} if more else self.named(params)
        return self.texts.plain(id_, more, self._facts)

    def statement(self, statement: Plain) -> str:
        """The sentence of a Statement as HTML, with a mark when it is not translated."""
        text = self.t(statement["text"], statement.get("params"))
        return text + self.untranslated(statement["text"])

    def untranslated(self, id_: str) -> str:
        """The boxed note behind a sentence that is still English, or nothing."""
        return f' <span class="we-nt">{self.t("pages.untranslated")}</span>' if self.texts.is_english(id_) else ""

    @cached_property
    def _facts(self) -> Plain:
        return _Named((self.decision.get("evidence") or {}).get("facts") or {}, self.words)

    def named(self, params: Plain) -> Plain:
        """Values of condition paths by their names."""
        for key in params:
            if "." in key:
                params = {k: _named(self.words, k, v) for k, v in params.items()}
                break
        device = params.get("device")
        if isinstance(device, str) and device in self.words.called:
            return {**params, "device": self.words.called[device]}
        return params

    def num(self, value: float, decimals: int | None = None) -> str:
        """A number with the marks of the language."""
        return numbers.number(value, self.lang, decimals)

    def rough(self, value: float) -> str:
        """An estimate with at most three significant digits."""
        return numbers.rough(value, self.lang)

    def gib(self, size: float) -> str:
        """Bytes as GiB, without the unit."""
        return numbers.gib(size, self.lang)

    def span(self, interval: Plain) -> str:
        """Both ends of an interval."""
        return numbers.interval(interval["low"], interval["high"], self.lang, interval["point"])

    def unit(self, name: str) -> str:
        """A unit as the language writes it: gib, gb, kib, tps, s, tokens."""
        return self.texts.plain(f"unit.{name}")

    # ------------------------------------------------------------------ parts of the decision

    @cached_property
    def start(self) -> Plain | None:
        """The recommendation to start with, or None when nothing starts."""
        return next((r for r in self.decision["recommendations"] if r["role"] == "start"), None)

    @cached_property
    def others(self) -> list[Plain]:
        """Every other recommendation, in order."""
        return [r for r in self.decision["recommendations"] if r["role"] != "start"]

    @cached_property
    def stated(self) -> Plain:
        """What the person said: the Situation without its assumed answers."""
        given = self.decision.get("stated")
        if given is not None:
            return given
        said = apply_patch(self.decision["situation"], {})
        return apply_patch(said, {a["path"]: None for a in self.decision.get("assumptions", [])})

    @property
    def concurrency(self) -> int:
        """Requests at the same time that the answer counts with."""
        return self.decision["situation"]["traffic"]["concurrency"]

    @property
    def asked(self) -> int:
        """Requests at the same time that somebody asked for; some of them may have to wait."""
        return (self.stated.get("traffic") or {}).get("concurrency") or self.concurrency

    @cached_property
    def writes(self) -> bool:
        """False for a model that only reads (embeddings, rerank): no decode, no first token, no cache to fill."""
        model = self.kb.models.get((self.decision["situation"].get("model") or {}).get("id") or "") or {}
        return writes(model) or not {"embeddings", "rerank"} & set(model["tasks"])

    # ------------------------------------------------------------------ links

    def link(self, path: str, label: str) -> str:
        """A link to a page of this language; the label is HTML."""
        return f'<a href="{esc(self.base + path)}">{label}</a>'

    def engine_link(self, engine: str, mode: str | None = None) -> str:
        """The engine's name, linked to its page."""
        return self.link(f"engines/{engine}/", esc(self.words.engine(engine, mode)))

    def patch_link(self, patch: Plain, label: str) -> str:
        """A link that applies a change to the Situation; the label is HTML."""
        data = json.dumps(patch, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        target = self.wizard + fragment(apply_patch(self.stated, patch))
        return f'<a class="we-patch" href="{esc(target)}" data-patch="{esc(data)}">{label}</a>'

    def keep(self, key: str, make: Callable[[], str]) -> str:
        """HTML that says nothing of this decision, made once for this page's links. key: all that it depends on."""
        kept, name = self.texts.kept, f"{self.base} {key}"
        found = kept.get(name)
        if found is None:
            if len(kept) >= KEPT:
                kept.clear()
            found = kept[name] = make()
        return found

    def chip(self, sources: list[str], opinion: str | None = None) -> str:
        """The source chip: kind and date of the newest reading, "+2" for two more; opinion says whose."""
        if not sources:
            return ""
        return self.keep(f"chip {opinion or ''} {' '.join(sources)}", lambda: self._chip(sources, opinion))

    def _chip(self, sources: list[str], opinion: str | None) -> str:
        known = [s for s in sources if s in self.kb.sources]
        if not known:
            return ""
        rows = [(self.kb.sources[s]["d"], -i, s) for i, s in enumerate(known)]
        date, _, id_ = max(rows)
        entry = self.kb.sources[id_]
        more = f" +{len(known) - 1}" if len(known) > 1 else ""
        kind = self.p(f"pages.source.{entry['k']}")
        day = numbers.date(date, self.lang)
        css = "we-chip"
        if opinion:
            css += " we-opinion"
            kind, day = self.p("pages.source.opinion"), self.words.publisher(opinion)
        where = f"{self.base}sources/{entry['p']}/#{id_}"
        return f'<a class="{css}" href="{esc(where)}"><b>{esc(kind)}</b> {esc(day)}{more}</a>'


def heading(view: View, id_: str, text: str, level: int = 3) -> str:
    """A section heading: an h4, so that no theme lists it, with the level readers of the page need."""
    return f'<h4 class="we-h" id="we-{id_}-h" aria-level="{level}">{view.t(text)}</h4>'


def section(id_: str, body: str) -> Plain:
    """A keyed section."""
    block = f'<section class="we-section" id="we-{id_}" aria-labelledby="we-{id_}-h">{body}</section>'
    return {"id": id_, "html": block}


def folded(id_: str, summary: str, body: str) -> str:
    """A block that opens on demand; its id lets the page keep it open over a new answer."""
    return f'<details class="we-more" id="we-more-{id_}"><summary>{summary}</summary>{body}</details>'


def warning(view: View, statement: Plain) -> str:
    """A warning or caution: an ochre line, the sentence, the source."""
    chip = view.chip(statement["sources"], statement.get("opinion"))
    return f'<p class="we-warn">{view.statement(statement)} {chip}</p>'


__all__ = ["Markup", "View", "esc", "folded", "heading", "section", "warning"]
