"""Which English each translation was made from.

One lock file per folder of entries, `knowledge/translations/<folder>.lock`, one sorted line per
translation: text id, language, hash of the English it was made from, hash of the translation. The
second hash tells a translation that was changed (then it counts as made from the present English)
from one that merely moved, for instance when a list item was inserted above it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from knowledge import kinds
from knowledge.load import File, Knowledge

LANGUAGES = ("en", "vi", "ru")
_NOTICE = "# Written by `python -m knowledge format`: text id, language, English it was made from, translation\n"


def digest(text: str) -> str:
    """Short hash of a text; equal up to white space, since YAML folds lines."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:10]


def entry_of(id: str) -> str:
    """The entry a text belongs to: list positions may shift inside it, hashes do not."""
    return ".".join(id.split(".")[:2])


@dataclass(slots=True)
class Lock:
    """Lines of one lock file: (text id, language) -> (hash of the English, hash of the translation)."""

    lines: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    _by_words: dict[tuple[str, str, str], set[str]] | None = field(default=None, repr=False)

    def made_from(self, id: str, lang: str, translation: str) -> set[str]:
        """Hashes of the English that exactly this translation was made from, within its entry."""
        exact = self.lines.get((id, lang))
        if exact and exact[1] == translation:
            return {exact[0]}
        if self._by_words is None:
            self._by_words = {}
            for (known, language), (english, words) in self.lines.items():
                self._by_words.setdefault((entry_of(known), language, words), set()).add(english)
        return self._by_words.get((entry_of(id), lang, translation), set())

    def knows(self, id: str, lang: str, translation: str) -> bool:
        """Whether exactly this translation is recorded."""
        return bool(self.made_from(id, lang, translation))

    def outdated(self, id: str, lang: str, english: str, translation: str) -> bool:
        """Whether the translation is recorded as made from another English than the present."""
        made_from = self.made_from(id, lang, translation)
        return bool(made_from) and english not in made_from

    def dump(self) -> str:
        """The file's content."""
        rows = sorted(f"{id} {lang} {english} {words}\n" for (id, lang), (english, words) in self.lines.items())
        return _NOTICE + "".join(rows)


def read(root: Path) -> dict[str, Lock]:
    """All locks of the base at `root`, by folder. A line that makes no sense is as good as missing."""
    found = {}
    for file in sorted((root / "translations").glob("*.lock")):
        lock = Lock()
        for row in file.read_text(encoding="utf-8").splitlines():
            parts = row.split()
            if len(parts) == 4 and not row.startswith("#"):
                lock.lines[parts[0], parts[1]] = (parts[2], parts[3])
        found[file.stem] = lock
    return found


def texts_by_id(knowledge: Knowledge) -> dict[str, dict[str, str]]:
    """Every text of the base in all its languages."""
    return {file.text_id(path): text for file in knowledge.readable() for path, text in file.mentions.texts}


def outdated_ids(knowledge: Knowledge, locks: dict[str, Lock]) -> dict[str, set[str]]:
    """Text ids per language whose translation is older than its English; pages mark these."""
    found: dict[str, set[str]] = {lang: set() for lang in LANGUAGES[1:]}
    for file, id, lang, english, words in _translations(knowledge):
        lock = locks.get(kinds.FOLDERS[file.kind or ""])
        if lock and lock.outdated(id, lang, english, words):
            found[lang].add(id)
    return found


def renew(knowledge: Knowledge, locks: dict[str, Lock], still_right: set[str] = frozenset()) -> dict[str, Lock]:
    """The locks as they should be now.

    A new or changed translation is recorded as made from the present English; an unchanged one keeps
    its English, so that it stays outdated until somebody touches it. `still_right` names files whose
    translations a person has read against the present English.
    """
    fresh: dict[str, Lock] = {}
    for file, id, lang, english, words in _translations(knowledge):
        folder = kinds.FOLDERS[file.kind or ""]
        made_from = locks[folder].made_from(id, lang, words) if folder in locks else set()
        if made_from and english not in made_from and file.name not in still_right:
            english = min(made_from)
        fresh.setdefault(folder, Lock()).lines[id, lang] = (english, words)
    return fresh


def _translations(knowledge: Knowledge) -> list[tuple[File, str, str, str, str]]:
    found = []
    for file in knowledge.readable():
        for path, text in file.mentions.texts:
            if "en" not in text:
                continue
            english = digest(text["en"])
            for lang in LANGUAGES[1:]:
                if lang in text:
                    found.append((file, file.text_id(path), lang, english, digest(text[lang])))
    return found
