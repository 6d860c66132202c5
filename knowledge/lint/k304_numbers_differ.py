"""Numbers typed into a text that differ between languages."""

import re
from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World

_NUMBER = re.compile(r"\d+(?:[.,\u00a0\u202f]\d+)*")
_MARKS = re.compile(r"[.,\u00a0\u202f]")
_BRACES = re.compile(r"\{[^{}]*\}")
# a month in words stands beside a day or a year; "may" and "март" alone are no dates
_MONTHS = (
    "January|январ[ьяею]", "February|феврал[ьяею]", "March|март[аеу]?", "April|апрел[ьяею]", "May|ма[йяею]",
    "June|июн[ьяею]", "July|июл[ьяею]", "August|август[аеу]?", "September|сентябр[ьяею]", "October|октябр[ьяею]",
    "November|ноябр[ьяею]", "December|декабр[ьяею]",
)  # fmt: skip
_THANG = ("một", "hai", "ba", "tư", "năm", "sáu", "bảy", "tám", "chín", "mười(?! một| hai)", "mười một", "mười hai")
_DATES = [
    re.compile(rf"\b(?:{month})\b(?=\s\d)|(?<=\d\s)(?:{month})\b|(?<=[Tt]háng\s){word}\b")
    for month, word in zip(_MONTHS, _THANG, strict=True)
]
_MAY_HAVE_ONE = re.compile("háng |" + "|".join(month.split("[")[0] for month in _MONTHS))


def numbers(text: str) -> set[str]:
    """Digits of every number, decimal and thousands marks removed: 1.5, 1,5 are equal, 32,768 and 32.768 too.

    A month in words counts as its number, so that 2026-03, 03/2026 and "March 2026" are equal.
    """
    plain = _BRACES.sub("", text)
    if _MAY_HAVE_ONE.search(plain):  # a dozen searches more, in few of the texts
        for place, month in enumerate(_DATES, 1):
            plain = month.sub(str(place), plain)
    return {n[1:] if len(n) == 2 and n[0] == "0" else _MARKS.sub("", n) for n in _NUMBER.findall(plain)}


def check(world: World) -> Iterator[Finding]:
    for file, path, text in world.texts():
        if "en" not in text:
            continue
        wanted = numbers(text["en"])
        for lang, words in text.items():
            has = numbers(words)
            if has == wanted:
                continue
            lost = f"lacks {', '.join(sorted(wanted - has))}, which the English has" if wanted - has else ""
            extra = f"says {', '.join(sorted(has - wanted))}, which the English does not" if has - wanted else ""
            yield RULE.at(file.place((*path, lang)), f"{lang} {' and '.join(part for part in (lost, extra) if part)}")


RULE = Rule(
    code="K304",
    level="question",
    name="numbers differ between languages",
    why="one of the languages tells its readers something else, or was not corrected with the others",
    fix="make them equal; better still, a placeholder filled from data",
    bad="{en: 'takes 0.92 of the memory', ru: 'занимает 0,9 памяти'}",
    good="{en: 'takes {launch.context} tokens', ru: 'занимает {launch.context} токенов'}",
    check=check,
)
