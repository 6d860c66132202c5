"""Translations made from an older English text."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.kinds import FOLDERS
from knowledge.lint.rule import Rule, World, dotted
from knowledge.translations import LANGUAGES, digest


def check(world: World) -> Iterator[Finding]:
    for file, path, text in world.texts():
        lock = world.lock.get(FOLDERS[file.kind or ""])
        if lock is None or "en" not in text:
            continue
        english = digest(text["en"])
        for lang in LANGUAGES[1:]:
            if lang in text and lock.outdated(file.text_id(path), lang, english, digest(text[lang])):
                said = f"the English of {dotted(path)} has changed since it was translated into {lang}"
                yield RULE.at(file.place((*path, lang)), said)


RULE = Rule(
    code="K306",
    level="question",
    name="a translation older than its English",
    why="readers of that language get it with a notice that the English has changed",
    fix="translate anew and run: python -m knowledge format\n"
    "if the translation still holds: python -m knowledge format --still-right <file>",
    bad="the English was edited, vi and ru were not",
    good="all three say the same again",
    check=check,
)
