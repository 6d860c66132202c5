"""Small drawn marks: fit glyph with its word, strength bars, rulers. Lengths come from data only.

SVG attributes carry the widths, so that no style attribute is needed and a strict content policy
stays strict. Coordinates are percentages of the drawing and pixels of its fixed height.
"""

from __future__ import annotations

import math

from .view import Plain, View, esc

# A bar with its fill: half full, full, full with a second part, crossed out.
_GLYPHS = {
    "fits": '<rect x="3" y="3" width="7" height="6"/>',
    "tight": '<rect x="3" y="3" width="12" height="6"/>',
    "offload": '<rect x="3" y="3" width="12" height="6"/><rect x="18.5" y="2" width="2" height="8"/>',
    "no": '<path d="M5 3l8 6M13 3l-8 6"/>',
}
_STRENGTH = {"decisive": 3, "strong": 3, "leaning": 2}
STRENGTHS = ("decisive", "strong", "leaning")


def glyph(kind: str) -> str:
    """The fit glyph alone; a word must stand beside it."""
    width = 22 if kind == "offload" else 18
    return (
        f'<svg class="we-g we-{kind}" viewBox="0 0 {width} 12" width="{width}" height="12" aria-hidden="true">'
        f'<rect class="o" x=".75" y=".75" width="16.5" height="10.5"/>{_GLYPHS[kind]}</svg>'
    )


def status(kind: str, word: str) -> str:
    """Glyph and word; the word is HTML."""
    return f'<span class="we-status we-{kind}">{glyph(kind)} {word}</span>'


def strength(view: View, value: str, rest: str = "") -> str:
    """Three rising bars and the word."""
    bars = "".join(
        f'<rect{"" if _lit(value, i) else " class=off"} x="{i * 5}" y="{6 - i * 2}" width="4" height="{3 + i * 2}"/>'
        for i in range(_STRENGTH[value])
    )
    return (
        f'<span class="we-strength"><svg width="14" height="9" viewBox="0 0 14 9" aria-hidden="true">{bars}</svg> '
        f"{view.t(f'answer.{value}')}{rest}</span>"
    )


def _lit(value: str, bar: int) -> bool:
    return value == "decisive" or bar < (2 if value == "strong" else 1)


# ---------------------------------------------------------------------- rulers


def pct(part: float, whole: float) -> str:
    """A share as an SVG percentage, a hundredth at the finest."""
    return f"{min(max(part / whole, 0.0), 1.0) * 100:.4g}%"


def scale(top: float, ticks: int = 8) -> tuple[float, float]:
    """(round maximum, step) of a ruler from zero that holds `top` with at most `ticks` steps."""
    if top <= 0 or not math.isfinite(top):
        return 1.0, 0.25
    size = 10.0 ** int(f"{top / ticks:e}".split("e")[1])
    step = next(size * m for m in (1, 2, 4, 5, 10, 20) if top / (size * m) <= ticks)
    return step * math.ceil(top / step - 1e-9), step


def mini(interval: Plain) -> str:
    """The small ruler of a readout: band, needle, baseline; its numbers stand beside it."""
    return mini_on(interval, scale(interval["high"] * 1.2)[0])


def mini_on(interval: Plain, top: float) -> str:
    """The small ruler from zero to a given end, so that several can be compared."""
    line = '<line x1="0" x2="100%" y1="13" y2="13"/>'
    return f'<svg class="we-mini" aria-hidden="true">{line}{_band(interval, top, 5, 8, 2)}</svg>'


def _band(interval: Plain, top: float, y: int, height: int, needle: int) -> str:
    low, high = interval["low"], interval["high"]
    x = pct(low, top)
    width = pct(max(high - low, 0), top)
    return (
        f'<rect class="i" x="{x}" y="{y}" width="{width}" height="{height}"/>'
        f"{_line('e', x, y, y + height)}{_line('e', pct(high, top), y, y + height)}"
        f"{_line('n', pct(interval['point'], top), needle, y + height + 3)}"
    )


def _line(css: str, x: str, top: int, bottom: int) -> str:
    return f'<line class="{css}" x1="{x}" x2="{x}" y1="{top}" y2="{bottom}"/>'


def ruler(view: View, interval: Plain, sentence: str, letters: list[tuple[str, float]]) -> str:
    """A full ruler: ticks, numbers, band, needle, and lettered ticks for measurements.

    sentence: the plain-text version for those who do not see it. letters: (letter, value) pairs.
    """
    top, step = scale(max([interval["high"] * 1.2, *(value * 1.02 for _, value in letters)]))
    count = round(top / step)
    decimals = 0 if step >= 1 and step == int(step) else min(3, -int(f"{step:e}".split("e")[1]))
    labels = "".join(
        f'<text{_end(i, count)} x="{pct(i, count)}" y="45">{view.num(i * step, decimals)}</text>'
        for i in range(count + 1)
    )
    marks = ""
    taken: list[float] = []
    for letter, value in sorted(letters, key=lambda item: item[1]):
        at = pct(value, top)
        row = 0 if all(abs(value - v) > top * 0.03 for v in taken) else 1
        taken.append(value)
        marks += _line("m", at, 12, 26)
        shift = ' dx="9"' if row else ""
        marks += f'<text class="l" x="{at}" y="9"{shift}>{letter}</text>'
    line = f'<line x1="0" x2="100%" y1="26" y2="26"/>{ticks(count, 26)}'
    band = _band(interval, top, 18, 8, 13)
    return f'<svg class="we-ruler" role="img" aria-label="{esc(sentence)}">{line}{labels}{band}{marks}</svg>'


def ticks(count: float, y: int, every: int = 1) -> str:
    """Ticks below a baseline: one drawing stretched over the width, its lines keep their own."""
    path = "".join(f"M{i} 0V{8 if i % every == 0 else 5}" for i in range(int(count + 1e-9) + 1))
    view_box = f"0 0 {count:.4g} 8"
    return f'<svg y="{y}" height="8" viewBox="{view_box}" preserveAspectRatio="none"><path d="{path}"/></svg>'


def _end(index: int, last: int) -> str:
    """Class of a number below a tick: the ends lean inwards, a phone shows every other one, counted from the last."""
    if index in (0, last):
        return " class=st" if index == 0 else " class=en"
    return " class=wide" if last > 4 and ((last - index) % 2 or index == 1) else ""
