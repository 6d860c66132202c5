"""One language over the world, for one page: text, numbers, links, source chips.

Templates get a View as `v`. Whatever it returns is markup, escaped where it came from data.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from jinja2 import Undefined
from markupsafe import Markup

from knowledge import shelf
from knowledge.kinds import FOLDERS
from macros import ages
from macros.world import Entry, World
from wizard.address import fragment
from wizard.render import numbers
from wizard.render.words import Words
from wizard.texts import Texts

# kinds that are anchors on the index page of their folder instead of a page each
ANCHORED = {
    "term": "glossary", "rule": "rules", "claim": "claims", "measurement": "measurements", "guide": "guides",
    "family": "engines", "question": "questions",
}  # fmt: skip
PAGELESS = ("text", "order")
_FOLDER = {kind: ANCHORED.get(kind, folder) for kind, folder in FOLDERS.items()}
_MEMO: dict[tuple[int, str], Texts] = {}


class View:
    """What a page of one language can say. `page` is its address below the language: engines/vllm/."""

    def __init__(self, world: World, lang: str, page: str = "", site: Entry | None = None) -> None:
        self.world = world
        self.lang = lang
        self.page = page
        self.base = "../" * page.count("/")
        self.site = site or {}
        self.texts = _texts(world, lang)
        self.answers = _answers(world, lang)
        self.words = Words(self.texts, world.kb)

    def at(self, page: str) -> View:
        """The same language on another page."""
        return View(self.world, self.lang, page, self.site)

    # ------------------------------------------------------------------ text

    def t(self, id_: str, /, **params: Any) -> Markup:
        """A sentence of the interface by id; raises KeyError naming an id or value that is missing."""
        text = self.texts.html(id_, params)
        return self._marked(text) if self.texts.is_english(id_) else Markup(text)

    def plain(self, id_: str, /, **params: Any) -> str:
        """The same without markup, for attributes and titles."""
        return self.texts.plain(id_, params)

    def raw(self, id_: str) -> str:
        """The sentence with its placeholders, for a script that fills them."""
        return self.texts.strings[id_]

    def has(self, id_: str) -> bool:
        """Whether a sentence exists."""
        return self.texts.has(id_)

    def say(self, text: dict[str, str], /, **params: Any) -> Markup:
        """A text of an entry; English with its mark where this language has none."""
        sentence = text.get(self.lang)
        if sentence is not None:
            markup = _lenient(self).html(sentence, params)
            if sentence in self.world.outdated.get(self.lang, ()):
                markup = f'<span class="wp-stale">{markup}</span>'
            return Markup(markup)
        return self._marked(_lenient(self).html(text["en"], params))

    def said(self, text: dict[str, str] | str) -> str:
        """The same as plain text."""
        if isinstance(text, str):
            return text
        return _lenient(self).plain(text.get(self.lang, text["en"]))

    def lang_of(self, text: dict[str, str]) -> str:
        """The language in which this reader gets a text."""
        return self.lang if self.lang in text else "en"

    def _marked(self, markup: str) -> Markup:
        word = escape(self.texts.plain("pages.untranslated"))
        bare = markup.removeprefix('<span lang="en">').removesuffix("</span>")
        return Markup(f'<span class="wp-untranslated">{word}</span><span lang="en">{bare}</span>')

    # ------------------------------------------------------------------ numbers and dates

    def num(self, value: float, decimals: int | None = None) -> str:
        """A number with the marks of the language."""
        return numbers.number(value, self.lang, decimals)

    def exact(self, value: float) -> str:
        """A number as the entry has it, every decimal kept."""
        text = repr(value)
        return numbers.number(value, self.lang, len(text.partition(".")[2]) if "." in text and "e" not in text else 0)

    def rough(self, value: float) -> str:
        """Three significant digits at most."""
        return numbers.rough(value, self.lang)

    def gib(self, size: float) -> str:
        """Bytes as GiB."""
        return numbers.gib(size, self.lang)

    def interval(self, low: float, high: float, point: float | None = None) -> str:
        """Both ends with an en dash."""
        return numbers.interval(low, high, self.lang, point)

    def date(self, day: str) -> str:
        """A day or month in the order of the language."""
        return numbers.date(day, self.lang)

    # ------------------------------------------------------------------ links

    def url(self, kind: str, id_: str, anchor: str = "") -> str:
        """Address of an entry from this page."""
        if kind in ANCHORED:
            return f"{self.base}{ANCHORED[kind]}/#{id_}"
        if kind == "benchmarking" and self.world.entries(kind).get(id_, {}).get("type") == "field":
            return f"{self.base}benchmarking/#{id_}"
        return f"{self.base}{_FOLDER[kind]}/{id_}/" + (f"#{anchor}" if anchor else "")

    def to(self, page: str) -> str:
        """Address of a page given below the language: `wizard/`."""
        return self.base + page or "./"

    def link(self, kind: str, id_: str) -> Markup:
        """A link with the entry's name, or its id where it has none; plain text for an entry that does not exist.

        An entry that no page shows (sentences, the order of rules) leads to its file in the repository.
        """
        entry = self.world.knowledge.entries[kind].get(id_)
        if entry is None:
            return Markup(escape(id_))
        if kind in PAGELESS:
            file, _ = self.world.place(kind, id_)
            return Markup(f'<a href="{self.blob_url(file)}"><code>{escape(file)}</code></a>')
        name = self.said(entry.get("called") or entry.get("name") or entry.get("heading") or id_)
        return Markup(f'<a href="{self.url(kind, id_)}">{escape(name)}</a>')

    def fragment(self, situation: Entry) -> str:
        """The fragment of an address that fills the wizard with a situation."""
        return fragment(situation)

    def links(self, kind: str, ids: list[str]) -> Markup:
        """Several links, separated by commas."""
        return Markup(", ").join(self.link(kind, id_) for id_ in ids)

    def worked(self, situation: Entry) -> str:
        """A situation in a phrase: hardware and model."""
        model = situation.get("model")
        parts = [self.words.devices(situation.get("devices", [])), self.words.model(model) if model else ""]
        return ", ".join(part for part in parts if part)

    def billions(self, count: int) -> str:
        """Parameters in billions, with the unit of the language."""
        return self.plain("pages.billions", n=self.rough(count / 1e9))

    def name(self, entry: Entry) -> str:
        """The name of an entry in this language."""
        return self.said(entry.get("called") or entry["name"])

    def edit(self, kind: str, id_: str, *path: Any) -> Markup:
        """A link that opens the line of a value in the repository's editor."""
        href = self.edit_url(kind, id_, *path)
        label = escape(self.texts.plain("pages.edit-label", place="/".join(map(str, path)) or id_))
        return Markup(f'<a class="wp-edit" href="{href}" aria-label="{label}">{self.t("pages.edit")}</a>')

    def edit_url(self, kind: str, id_: str, *path: Any) -> str:
        """Address of that line."""
        file, line = self.world.place(kind, id_, tuple(path))
        return f"{self.site.get('repository', '')}/edit/{self.site.get('branch', 'main')}/{file}#L{line}"

    def blob_url(self, file: str, line: int | None = None) -> str:
        """Address at which a file of the repository can be read."""
        tail = f"#L{line}" if line else ""
        return f"{self.site.get('repository', '')}/blob/{self.site.get('branch', 'main')}/{file}{tail}"

    # ------------------------------------------------------------------ sources

    def chip(self, source: str | list[str] | None, opinion: str | None = None) -> Markup:
        """Kind and date of the newest reading, and how many stand beside it; links to the first."""
        ids = as_list(source)
        if not ids:
            return Markup("")
        first = max(ids, key=lambda id_: (self.world.source(id_)[1]["read"], -ids.index(id_)))
        publisher, reading = self.world.source(first)
        kind = escape(self.texts.plain(f"pages.source.{reading['kind']}"))
        tail = f" +{len(ids) - 1}" if len(ids) > 1 else ""
        mark = "wp-src"
        if opinion:
            mark += " wp-src--opinion"
            kind = escape(self.texts.plain("pages.source.opinion"))
            tail = f" {escape(self.words.publisher(opinion))}" + tail
        title = escape(reading["title"], quote=True)
        return Markup(
            f'<a class="{mark}" href="{self.url("source", publisher, first)}" title="{title}">'
            f"<b>{kind}</b> {self.date(reading['read'])}{tail}</a>"
        )

    def age(self, source: str | list[str] | None) -> Markup:
        """The little ruler: start, end of shelf life, today; a diamond past the end."""
        reading = self.freshest(source)
        if reading is None:
            return Markup("")
        share = ages.share(reading["kind"], reading["read"], self.world.today)
        return ages.ruler(share, self.texts.plain("pages.age", pct=round(share * 100)))

    def overdue(self, source: str | list[str] | None) -> str | None:
        """Since when a fact should have been looked at again, in this language; None if it holds."""
        reading = self.freshest(source)
        if reading is None or not shelf.overdue(reading["kind"], reading["read"], self.world.today):
            return None
        return self.date(shelf.end_of_life(reading["kind"], reading["read"]).isoformat())

    def freshest(self, source: str | list[str] | None) -> Entry | None:
        """The reading of a claim that holds longest; several readings carry one claim together."""
        readings = [self.world.source(id_)[1] for id_ in as_list(source)]
        if not readings:
            return None
        return max(readings, key=lambda r: shelf.end_of_life(r["kind"], r["read"]))


def as_list(value: Any) -> list[Any]:
    """A value, a list of values or nothing, as a list."""
    if value is None or isinstance(value, Undefined):
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def slug(text: str) -> str:
    """An ASCII anchor for a name such as Q4_K_M or 4.0bpw."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _texts(world: World, lang: str) -> Texts:
    key = (id(world), lang)
    if key not in _MEMO:
        _MEMO[key] = Texts(world.texts[lang], lang, world.kb.terms, strict=True)
    return _MEMO[key]


def _answers(world: World, lang: str) -> Texts:
    """The sentences of answers as the browser has them: a value that is missing shows as an ellipsis."""
    key = (id(world), f"{lang}-answers")
    if key not in _MEMO:
        _MEMO[key] = Texts(world.texts[lang], lang, world.kb.terms)
    return _MEMO[key]


def _lenient(view: View) -> Texts:
    """Texts without ids: a sentence is its own id, and a value it has not got shows as an ellipsis."""
    key = (-1, view.lang)
    if key not in _MEMO:
        _MEMO[key] = Texts({}, view.lang, view.world.kb.terms)
    return _MEMO[key]
