"""Sentences by id, in one language, filled with values.

The sentences live in the knowledge base (`knowledge/text/` and beside each fact); code names them
by id and hands over values. Placeholders:

- `{name}`            a value; numbers take the marks of the language, text is escaped
- `{n|card}`          only the word: the plural form of the glossary term `card` for the number n
- `{size:gib}`        bytes shown as GiB; also `kib` (bytes), `rough` (three digits), `pct` (a share), `date`

A sentence may hold `**strong**` and `` `code` ``; a flag such as --port is code without being told, and stays on one
line. Before a per cent sign English has no space. A sentence that is not translated is English and
says so (`lang="en"`).
"""

from __future__ import annotations

import html
import re
from typing import Any

from .render import numbers

NBSP = "\u00a0"
_PLACEHOLDER = re.compile(r"\{([A-Za-z][A-Za-z0-9_.-]*)(?:\|([a-z0-9-]+)|:([a-z]+))?\}")
_MARK = re.compile(r"\*\*|`")
_MARKED = re.compile(r"(\*\*|`)")
_UNIT = re.compile(r"unit\.[a-z]+")
_FLAG = re.compile(r"(?<![\w`=/.-])--[a-z][\w-]*[a-z0-9]|(?<= )-[a-z]{1,4}(?=[ .,;:)]|$)")
_PER_CENT = re.compile(r"(?<=[\d}]) %(?!\w)")
_TAGS = {"**": ("<strong>", "</strong>"), "`": ("<code>", "</code>")}

Plain = dict[str, Any]
Placeholder = tuple[str, str | None, str | None]  # name, glossary term, form
Part = str | Placeholder


class UnknownText(KeyError):
    """No sentence has this id, or a value for one of its placeholders is missing."""


class Texts:
    """One language of the text bundle.

    strings: {text id: sentence}; the list under "$untranslated" names the ids that are still English.
    terms: {term id: {"plural": {lang: [forms]}}}, the glossary as the core bundle carries it.
    strict: raise UnknownText for an unknown id or a missing value (tests); otherwise show what there is.
    """

    def __init__(
        self,
        strings: dict[str, Any],
        lang: str,
        terms: dict[str, Any] | None = None,
        strict: bool = False,
    ) -> None:
        self.strings = strings
        self.lang = lang
        self.terms = terms or {}
        self.strict = strict
        self.untranslated = frozenset(strings.get("$untranslated", ()))
        self._parsed: dict[str, tuple[list[Part], list[Part]]] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._whole: dict[str, str] = {}  # HTML of the sentences that take no value
        self.names: dict[tuple[str, str], str] = {}  # what `Words` calls a value of a path, kept for it
        self.kept: dict[str, str] = {}  # sentences that were told before, for whoever tells them
        units = {re.escape(text) for id_, text in strings.items() if _UNIT.fullmatch(id_) and "{" not in text}
        self._unit = re.compile(rf" (?=(?:{'|'.join(['%', *sorted(units)])})(?!\w))")

    def has(self, id_: str | None) -> bool:
        """Whether a sentence with this id exists."""
        return bool(id_) and id_ in self.strings

    def is_english(self, id_: str) -> bool:
        """Whether a reader of another language gets the English sentence."""
        return self.lang != "en" and id_ in self.untranslated

    def html(self, id_: str, params: Plain | None = None, facts: Plain | None = None, /, **more: Any) -> str:
        """The sentence as HTML, every value escaped; English in a foreign page is marked with `lang`.

        A value that already is markup is passed as `Markup`. `facts` are looked at for what `params` lack.
        """
        whole = self._whole.get(id_)
        if whole is not None:
            return whole
        parts = self._parts(id_)[0]
        values = ({**params, **more} if more else params) if params else more
        out = "".join([p if type(p) is str else self._fill(id_, p, values, facts, True) for p in parts])
        if self.is_english(id_):
            out = f'<span lang="en">{out}</span>'
        if all(type(p) is str for p in parts):
            self._whole[id_] = out  # nothing to fill in
        return out

    def plain(self, id_: str, params: Plain | None = None, facts: Plain | None = None, /, **more: Any) -> str:
        """The sentence as plain text, without marks."""
        parts = self._parts(id_)[1]
        values = ({**params, **more} if more else params) if params else more
        return "".join([p if type(p) is str else self._fill(id_, p, values, facts, False) for p in parts])

    def show(self, value: Any) -> str:
        """A value as plain text: numbers in the marks of the language, lists joined with "or"."""
        if type(value) is str:
            return value
        if value is None:
            return self._word("value.unknown", "unknown")
        if isinstance(value, bool):
            return self._word("value.yes" if value else "value.no", "yes" if value else "no")
        if isinstance(value, int | float):
            return numbers.number(value, self.lang)
        if isinstance(value, dict):
            return self.plain(value["t"], value.get("p"))  # a sentence inside a sentence
        if isinstance(value, list | tuple | set | frozenset):
            items = [self.show(v) for v in (sorted(value, key=str) if isinstance(value, set | frozenset) else value)]
            return self.either(items)
        return str(value)

    def either(self, items: list[str]) -> str:
        """ "a, b or c" in the language."""
        if len(items) < 2:
            return "".join(items)
        return ", ".join(items[:-1]) + self._word("list.or", " or ") + items[-1]

    def both(self, items: list[str]) -> str:
        """ "a, b and c" in the language."""
        if len(items) < 2:
            return "".join(items)
        return ", ".join(items[:-1]) + self._word("list.and", " and ") + items[-1]

    def plural(self, n: float, term: str) -> str:
        """The form of a glossary term that goes with a number."""
        forms = (self.terms.get(term) or {}).get("plural", {}).get(self.lang)
        if not forms:
            if self.strict:
                raise UnknownText(f"the glossary has no plural of {term!r} in {self.lang}")
            return term
        return forms[min(numbers.plural_index(n, self.lang), len(forms) - 1)]

    def placeholders(self, id_: str) -> frozenset[str]:
        """Names of the values a sentence takes."""
        found = self._names.get(id_)
        if found is None:
            parts = self._parts(id_)[1]
            found = self._names[id_] = frozenset(p[0] for p in parts if not isinstance(p, str))
        return found

    # ------------------------------------------------------------------ inside

    def _word(self, id_: str, fallback: str) -> str:
        return self.strings.get(id_, fallback)

    def _parts(self, id_: str) -> tuple[list[Part], list[Part]]:
        found = self._parsed.get(id_)
        if found is None:
            sentence = self.strings.get(id_)
            if sentence is None:
                if self.strict:
                    raise UnknownText(f"no text {id_!r} in {self.lang}")
                sentence = str(id_)
            if self.lang == "en":
                sentence = _PER_CENT.sub("%", sentence)
            found = self._parsed[id_] = _parse(sentence, self._unit)
        return found

    def _fill(self, id_: str, part: Placeholder, values: Plain, facts: Plain | None, markup: bool) -> str:
        name, term, form = part
        if name in values:
            value = values[name]
        elif facts is not None and name in facts:
            value = facts[name]
        else:
            if self.strict:
                raise UnknownText(f"text {id_!r} in {self.lang} needs a value for {{{name}}}")
            return "…"
        if isinstance(value, Markup):
            return value if markup else value.plain
        if isinstance(value, dict) and "t" in value:  # a sentence inside this one, see decision.word
            return (self.html if markup else self.plain)(value["t"], value.get("p"), facts)
        if term:
            text = self.plural(value if isinstance(value, int | float) else 0, term)
        elif form and isinstance(value, int | float) and not isinstance(value, bool):
            text = self._formatted(value, form)
        elif form == "date":
            text = numbers.date(str(value), self.lang)
        else:
            text = self.show(value)
        return esc(text) if markup else text

    def _formatted(self, value: float, form: str) -> str:
        if form == "gib":
            return numbers.gib(value, self.lang)
        if form == "kib":
            return numbers.rough(value / 1024, self.lang)
        if form == "pct":
            return numbers.number(value * 100, self.lang, 0 if value >= 0.0095 else 1)
        return numbers.rough(value, self.lang)


def esc(text: str) -> str:
    """HTML-escape; most strings have nothing to escape, and looking is cheaper than replacing."""
    if text.isalnum():
        return text
    if "&" in text or "<" in text or ">" in text or '"' in text or "'" in text:
        return html.escape(text)
    return text


class Markup(str):
    """HTML made by a renderer, put into a sentence as it is; `plain` is its text without tags."""

    plain: str

    def __new__(cls, markup: str, plain: str | None = None) -> Markup:
        self = super().__new__(cls, markup)
        self.plain = re.sub(r"<[^>]*>", "", markup) if plain is None else plain
        return self


def _parse(sentence: str, unit: re.Pattern[str] | None = None) -> tuple[list[Part], list[Part]]:
    """Split a sentence into literals and placeholders, once as HTML and once as plain text.

    unit: matches the space before a unit; in HTML a number and its unit stay on one line.
    """
    rich: list[Part] = []
    plain: list[Part] = []
    open_: list[str] = []
    at = 0
    for match in _PLACEHOLDER.finditer(sentence):
        _literal(sentence[at : match.start()], rich, plain, open_, unit if at else None)
        rich.append(match.groups())  # type: ignore[arg-type]
        plain.append(match.groups())  # type: ignore[arg-type]
        at = match.end()
    _literal(sentence[at:], rich, plain, open_, unit if at else None)
    rich += [_TAGS[mark][1] for mark in reversed(open_)]
    return rich, plain


def _literal(text: str, rich: list[Part], plain: list[Part], open_: list[str], unit: re.Pattern[str] | None) -> None:
    if not text:
        return
    plain.append(_MARK.sub("", text))
    if unit and unit.match(text):
        text = NBSP + text[1:]

    def tag(match: re.Match[str]) -> str:
        mark = match[0]
        if mark in open_:
            open_.remove(mark)
            return _TAGS[mark][1]
        open_.append(mark)
        return _TAGS[mark][0]

    for index, part in enumerate(_MARKED.split(html.escape(text, quote=True))):
        if index % 2:
            rich.append(_MARK.sub(tag, part))
        elif part:
            rich.append(part if "`" in open_ else _FLAG.sub(r'<code class="f">\g<0></code>', part))
