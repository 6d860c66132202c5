"""Words the glossary advises against."""

import re
from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World, word_place

_CODE = re.compile(r"`[^`]*`|\{[^{}]*\}")


def check(world: World) -> Iterator[Finding]:
    avoid: dict[str, dict[str, tuple[str, str]]] = {}
    for file, term in world.entries("term"):
        for lang, words in term.get("avoid", {}).items():
            for word in words:
                avoid.setdefault(lang, {})[word.lower()] = (file.id, term["name"].get(lang, term["name"]["en"]))
    patterns = {lang: _pattern(words) for lang, words in avoid.items() if words}
    for file, path, text in world.texts():
        for lang, words in text.items():
            pattern = patterns.get(lang)
            if pattern is None:
                continue
            for match in pattern.finditer(_CODE.sub(" ", words)):
                id, preferred = avoid[lang][match[0].lower()]
                if file.kind == "term" and file.id == id:
                    continue  # the entry itself speaks about the word
                place = word_place(file, (*path, lang), match[0])
                yield RULE.at(place, f'"{match[0]}" is not our word', nearest=preferred, fix=f"say {preferred}")
                break


def _pattern(words: dict[str, tuple[str, str]]) -> re.Pattern[str]:
    longest = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.I)


RULE = Rule(
    code="K305",
    level="question",
    name="a word the glossary advises against",
    why="one thing has one name on every page of a language; the glossary says which and why",
    fix="use the word of the glossary",
    bad="vi: bộ đệm KV",
    good="vi: KV cache",
    check=check,
)
