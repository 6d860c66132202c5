"""Everything the pages show, loaded once per process: knowledge, texts, decisions.

Nothing here depends on a language; `macros.view.View` adds one. The pages read the full entries, the
decisions come from `wizard.decide` with the same bundle that the browser gets.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from pathlib import Path
from typing import Any

from knowledge import bundle, load, translations
from macros import keep
from wizard.kb import KB

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("en", "vi", "ru")

Entry = dict[str, Any]


class World:
    """The loaded knowledge with what is derived from it. Build with `load_world()`."""

    def __init__(self, today: str) -> None:
        self.knowledge = load.load()
        self.today = today
        self.bundle = bundle.build(self.knowledge)
        self.kb = KB(self.bundle.core, self.bundle.measurements)
        self._decisions = keep.Keep(ROOT / ".cache" / "decisions.json", self.stamp)

    def entries(self, kind: str) -> dict[str, Entry]:
        """Entries of a kind by id, in the order of their pages."""
        return self._ordered[kind]

    @cached_property
    def _ordered(self) -> dict[str, dict[str, Entry]]:
        def key(item: tuple[str, Entry]) -> tuple[int, str]:
            return (item[1].get("order", 0), item[0])

        return {kind: dict(sorted(found.items(), key=key)) for kind, found in self.knowledge.entries.items()}

    @property
    def date(self) -> str:
        """The newest day on which anything was read or checked: the date of the knowledge."""
        return self.bundle.core["date"]

    @cached_property
    def texts(self) -> dict[str, dict[str, Any]]:
        """Every text of the base by language and id, as `knowledge.bundle.texts_of` gives it."""
        return bundle.texts_of(self.knowledge)

    @cached_property
    def outdated(self) -> dict[str, set[str]]:
        """By language the translations (their words) that are older than their English."""
        ids = translations.outdated_ids(self.knowledge, translations.read(self.knowledge.root))
        return {lang: {self.texts[lang][id_] for id_ in found} for lang, found in ids.items()}

    def source(self, reading: str) -> tuple[str, Entry]:
        """Publisher id and the reading; raises KeyError that names a reading nobody entered."""
        return self.knowledge.readings[reading]

    def sources_of(self, kind: str, id_: str) -> list[str]:
        """All readings an entry rests on, each once, in the order of the file."""
        file = self.knowledge.by_entry[kind, id_]
        return list(dict.fromkeys(reading for _, reading in file.mentions.sources))

    def place(self, kind: str, id_: str, path: tuple = ()) -> tuple[str, int]:
        """File (from the root of the repository) and line of a value."""
        place = self.knowledge.where(kind, id_, path)
        return place.file, place.line

    def decide(self, situation: Entry) -> Entry:
        """The decision for a situation, kept on disk until the knowledge or the code changes."""
        key = hashlib.sha256(json.dumps(situation, sort_keys=True).encode()).hexdigest()[:24]
        decision = self._decisions.get(key, lambda: _decide(situation, self.kb, self.today))
        decision["knowledge"] = {"version": self.bundle.core["version"], "date": self.date}
        return decision

    @cached_property
    def stamp(self) -> str:
        """Hash of all that a decision depends on: the core of the bundle, measurements, code, day.

        The version of the bundle is no part of it: it changes with every sentence, decisions do not.
        """
        core = {**self.bundle.core, "version": "", "date": ""}
        total = hashlib.sha256(bundle.canonical([core, self.bundle.measurements, self.today]).encode())
        for path in sorted((ROOT / "wizard").rglob("*.py")):
            total.update(path.read_bytes())
        return total.hexdigest()

    def save(self) -> None:
        """Write kept decisions to disk."""
        self._decisions.save()


def _decide(situation: Entry, kb: KB, today: str) -> Entry:
    from wizard.decide import decide  # only builds whose decisions are not kept pay for the import

    return decide(situation, kb, today=today)


_loaded: World | None = None


def load_world(today: str | None = None, fresh: bool = False) -> World:
    """The world of this process; `fresh` reads the files again (preview).

    today: ISO day that ages and decisions are told on; default the day of the newest reading, so that
    the same knowledge always builds the same pages.
    """
    global _loaded
    if _loaded is None or fresh:
        _loaded = World(today or newest_day())
    return _loaded


def newest_day() -> str:
    """The build's day: SOURCE_DATE_EPOCH if set (reproducible builds), else the calendar's."""
    import datetime
    import os

    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch:
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC).date().isoformat()
    return datetime.date.today().isoformat()
