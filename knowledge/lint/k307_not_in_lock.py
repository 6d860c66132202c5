"""Translations of which nobody knows what English they were made from."""

from collections.abc import Iterator

from knowledge.findings import Finding, Place
from knowledge.kinds import FOLDERS
from knowledge.lint.rule import Rule, World
from knowledge.translations import LANGUAGES, digest


def check(world: World) -> Iterator[Finding]:
    open_: dict[str, list[str]] = {}
    for file, path, text in world.texts():
        folder = FOLDERS[file.kind or ""]
        lock = world.lock.get(folder)
        id = file.text_id(path)
        for lang in LANGUAGES[1:]:
            if lang in text and (lock is None or not lock.knows(id, lang, digest(text[lang]))):
                open_.setdefault(folder, []).append(f"{id} {lang}")
    for folder, ids in sorted(open_.items()):
        place = Place(f"{world.knowledge.root.name}/translations/{folder}.lock")
        first = ", ".join(ids[:2]) + (" …" if len(ids) > 2 else "")
        yield RULE.at(place, f"{len(ids)} new or changed translations are not recorded: {first}")


RULE = Rule(
    code="K307",
    level="question",
    name="translations that the lock does not record",
    why="without the line nobody will notice when the English changes and the translation does not",
    fix="python -m knowledge format",
    bad="a text was translated and the lock file not written",
    good="engines.vllm.summary vi 4be0b1a9c2 77f0c31d05",
    check=check,
)
