"""The search index: what the generated pages say, and words without diacritics for those who type so.

Material's search plugin would parse every page again to learn what our templates just wrote, so the
entries of generated pages are made here, section by section, while the pages are assembled. Hand-written
pages stay with the plugin. Its search folds nothing, so each entry also gets the folded form of its words
in a hidden paragraph, found but not shown: Vietnamese loses its marks and đ; Russian ё becomes е, й stays й; an
English -ization is an -isation too. Titles in the form that is typed are tags, the field that counts most, which the
style sheet hides.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from macros.catalog import Page
from macros.raw_html import CLOSE, OPEN, QUIET

_HEADING = re.compile(r"^#{1,3} (?P<title>.*?) \{ #(?P<id>[\w.-]+)[^}]*\}\s*$")
# what says nothing about the page: drawings, source chips, edit links
_NOISE = re.compile(
    r"<svg\b.*?</svg>|<a class=\"(?:wp-src|wp-edit|we-chip)[^>]*>.*?</a>|<span class=\"wp-hide\">.*?</span>", re.S
)
_TAG = re.compile(r"<[^>]*>")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W\d_]+")
_BRITISH = re.compile(r"(?<=\w{4}i)z(?=(?:ations?|e[drs]?|ers|ing)$)")
_NUMBERED = re.compile(r"\b([^\W\d_]{2,}) (\d[\w.]*)") # RTX 4090, Llama 3.1

Entry = dict[str, Any]


def entries(page: Page, title: str, markdown: str) -> list[Entry]:
    """Entries of a generated page: the page itself, then each section under its anchor."""
    if not page.search:
        return []
    found: list[Entry] = [{"location": page.address, "title": title, "text": []}]
    quiet = raw = False
    for line in markdown.split("\n"):
        mark = line.strip()
        if mark in (OPEN, QUIET):
            raw, quiet = True, mark == QUIET
        elif mark == CLOSE:
            raw = quiet = False
        elif raw:
            if not quiet:
                found[-1]["text"].append(line)
        elif match := _HEADING.match(line):
            if line.startswith("# "):
                continue
            name = _TAG.sub("", match["title"])
            found.append({"location": f"{page.address}#{match['id']}", "title": name, "text": []})
        else:
            found[-1]["text"].append(line)
    for entry in found:
        entry["text"] = plain("\n".join(entry["text"]))
        if page.boost != 1.0:
            entry["boost"] = page.boost
    return [found[0], *(entry for entry in found[1:] if entry["text"])]


def plain(html: str) -> str:
    """The words of a piece of HTML; entities stay as they are, since the index holds HTML."""
    return _SPACE.sub(" ", _TAG.sub(" ", _NOISE.sub(" ", html))).strip()


def fold(word: str, lang: str) -> str:
    """The form a hurried person types."""
    if lang == "en":
        return _BRITISH.sub("s", word)
    if lang == "ru":
        return word.replace("ё", "е").replace("Ё", "Е")
    if word.isascii():
        return word
    bare = unicodedata.normalize("NFD", word.replace("đ", "d").replace("Đ", "D"))
    return "".join(c for c in bare if not unicodedata.combining(c))


def complete(site: Path, lang: str, generated: list[Entry]) -> None:
    """Put the entries of generated pages before those of the plugin and fold the words of all."""
    file = site / "search" / "search_index.json"
    index = json.loads(file.read_text(encoding="utf-8"))
    ours = {entry["location"].partition("#")[0] for entry in generated}
    rest = [entry for entry in index["docs"] if entry["location"].partition("#")[0] not in ours]
    if lang == "vi":
        # the theme's Vietnamese module warns in the console of every page, and its stop words hide words that
        # matter here; without module and pipeline words are taken as they are, which Vietnamese wants
        index["config"] |= {"lang": ["en"], "pipeline": []}
    index["docs"] = [folded(entry, lang) for entry in [*generated, *rest]]
    file.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def folded(entry: Entry, lang: str) -> Entry:
    """The entry with the folded form of the words that have one, and with its title as tags."""
    title = _TAG.sub(" ", entry["title"])
    typed = _WORD.sub(lambda word: fold(word[0], lang), title)
    entry = {**entry, "tags": [typed, *("".join(name) for name in _NUMBERED.findall(title))]}
    # of two names that hold what was typed, the shorter one
    entry["boost"] = round(entry.get("boost", 1.0) * (1 + 0.1 / max(1, len(title.replace("-", " ").split()))), 3)
    words = _WORD.findall(_TAG.sub(" ", f"{entry['title']} {entry['text']}"))
    extra = dict.fromkeys(f.lower() for word in dict.fromkeys(words) if (f := fold(word, lang)) != word)
    return {**entry, "text": f"{entry['text']}<p hidden>{' '.join(extra)}</p>"} if extra else entry
