"""Placeholders that one language has and another has not."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.placeholders import placeholders
from knowledge.lint.rule import Rule, World


def check(world: World) -> Iterator[Finding]:
    for file, path, text in world.texts():
        if "en" not in text or not any("{" in words for words in text.values()):
            continue
        wanted = {p.name for p in placeholders(text["en"]) if p.name}
        for lang, words in text.items():
            has = {p.name for p in placeholders(words) if p.name}
            if has == wanted:
                continue
            lost = [f"lacks {{{name}}}" for name in sorted(wanted - has)]
            extra = [f"has {{{name}}}, which the English has not" for name in sorted(has - wanted)]
            yield RULE.at(file.place((*path, lang)), f"{lang} {', '.join(lost + extra)}")


RULE = Rule(
    code="K302",
    level="error",
    name="placeholders differ between languages",
    why="the value would be missing for readers of that language, or a bare name in braces would be shown",
    fix="use the same placeholders in every language; their order is free",
    bad="{en: 'needs {n|card}', vi: 'cần card'}",
    good="{en: 'needs {n|card}', vi: 'cần {n|card}'}",
    check=check,
)
