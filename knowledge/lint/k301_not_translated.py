"""Texts that some language does not have."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World, dotted
from knowledge.translations import LANGUAGES


def check(world: World) -> Iterator[Finding]:
    for file, path, text in world.texts():
        missing = [lang for lang in LANGUAGES if lang not in text]
        if missing and "en" in text:
            said = f"{dotted(path)} is not translated into {' and '.join(missing)}"
            yield RULE.at(file.place((*path, "en"), on_key=True), said)


RULE = Rule(
    code="K301",
    level="question",
    name="a text that is not translated",
    why="readers of that language get the English with a notice",
    fix="add the missing language, as an engineer there would write it",
    bad="summary: {en: Runs on anything.}",
    good="summary: {en: Runs on anything., vi: Chạy được ở mọi nơi., ru: Работает везде.}",
    check=check,
)
