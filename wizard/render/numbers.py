"""How numbers, dates and plurals are written in each language.

A decision carries six significant digits; a reader sees two or three. Decimal and thousands marks
follow the language: 1,234.5 in English, 1.234,5 in Vietnamese, 1 234,5 (narrow no-break space) in
Russian. Intervals use an en dash and repeat no unit.
"""

from __future__ import annotations

import math

GIB = 1024**3
DASH = "–"  # en dash, for intervals
_THIN = "\u202f"  # narrow no-break space
_TABLES = {  # from the marks of format()
    "vi": str.maketrans(",.", ".,"),
    "ru": str.maketrans(",.", f"{_THIN},"),
    "few": {ord(","): "", ord("."): ","},
}


def number(value: float, lang: str, decimals: int | None = None) -> str:
    """A number with the marks of the language. `decimals` None: whole numbers exact, others three digits or so."""
    if decimals is None:
        size = abs(value)
        decimals = 0 if value == int(value) or size >= 99.95 else 1 if size >= 0.995 else 2 if size >= 0.0995 else 3
        if 0 < size < 0.0005:  # rather than nothing
            decimals = 4
    text = f"{abs(value):,.{decimals}f}"
    if lang != "en":
        # Russian groups digits from five on
        text = text.translate(_TABLES["few" if lang == "ru" and abs(value) < 9999.5 else lang])
    return f"−{text}" if value < 0 and text.strip("0.,") else text


def places(value: float) -> int:
    """Decimals that leave two or three significant digits: 52, 9.3, 0.35."""
    size = abs(value)
    return 0 if size >= 9.95 or size == 0 else 1 if size >= 0.995 else 2 if size >= 0.0995 else 3


def rounded(value: float, digits: int = 3) -> int | float:
    """`value` at so many significant digits; an int where nothing is left after the point."""
    if value == 0 or not math.isfinite(value):
        return 0
    step = digits - 1 - _magnitude(abs(value))
    result = round(value, step)
    return int(result) if result == int(result) else result


def _magnitude(size: float) -> int:
    return int(f"{size:e}".split("e")[1])


def rough(value: float, lang: str) -> str:
    """An estimate as a reader should see it: at most three significant digits."""
    if abs(value) >= 999.5:
        return number(rounded(value), lang, 0)
    return number(value, lang, places(value))


def interval(low: float, high: float, lang: str, point: float | None = None) -> str:
    """`44–60`: both ends with the decimals of the point, or of the lower end."""
    if point is None:
        point = low
    if max(abs(low), abs(high)) >= 999.5:
        return f"{rough(low, lang)}{DASH}{rough(high, lang)}"
    decimals = places(point)
    return f"{number(low, lang, decimals)}{DASH}{number(high, lang, decimals)}"


def gib(size: float, lang: str) -> str:
    """Bytes as GiB: one decimal, none from 100 on, two below a tenth; what is there is never shown as nothing."""
    value = max(size / GIB, 0.01) if size > 0 else size / GIB
    return number(value, lang, 0 if abs(value) >= 99.95 else 1 if abs(value) >= 0.0995 or not size else 2)


def beyond(used: float, whole: float, over: float) -> float:
    """Bytes over, such that used, whole and over add up as they are shown, each rounded to a tenth of a GiB."""
    shown = (round(used / GIB, 1) - round(whole / GIB, 1)) * GIB
    return shown if shown > 0 and abs(shown - over) < GIB / 10 else over


def date(day: str, lang: str) -> str:
    """An ISO day or month in the order of the language: 2026-11-29, 29/11/2026, 29.11.2026."""
    parts = day.split("-")
    if lang == "en" or len(parts) == 1:
        return day
    return {"vi": "/", "ru": "."}.get(lang, "-").join(reversed(parts))


def plural_index(n: float, lang: str) -> int:
    """Which plural form a number takes: en [one, other], ru [one, few, many], vi [other].

    Russian fractions take the second form ("1,5 карты"), as the CLDR category `other` is written.
    """
    if lang == "en":
        return 0 if n == 1 else 1
    if lang != "ru":
        return 0
    if n != int(n):
        return 1
    n = abs(int(n))
    if n % 10 == 1 and n % 100 != 11:
        return 0
    return 1 if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14) else 2
