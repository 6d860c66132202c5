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
    """A share as an SVG percentage, two decimals at most."""
    return f"{min(max(part / whole, 0.0), 1.0) * 100:.2f}".rstrip("0").rstrip(".") + "%"


def scale(top: float, ticks: int = 8) -> tuple[float, float]:
    """(round maximum, step) of a ruler from zero that holds `top` with at most `ticks` steps."""
    if top <= 0 or not math.isfinite(top):
        return 1.0, 0.25
    size = 10.0 ** int(f"{top / ticks:e}".split("e")[1])
    step = next(size * m for m in (1, 2, 4, 5, 10, 20) if top / (size * m) <= ticks)
    return step * math.ceil(top / step - 1e-9), step


def mini(interval: Plain) -> str:
    """The small ruler of a readout: band, needle, baseline; its numbers stand beside it."""
    top, _ = scale(interval["high"] * 1.2)
    return f'<svg class="we-mini" aria-hidden="true"><line x1="0" x2="100%" y1="13" y2="13"/>{_band(interval, top, 5, 8, 2)}</svg>'


def _band(interval: Plain, top: float, y: int, height: int, needle: int) -> str:
    low, high = interval["low"], interval["high"]
    x = pct(low, top)
    width = pct(max(high - low, 0), top)
    return (
        f'<rect class="i" x="{x}" y="{y}" width="{width}" height="{height}"/>'
        f'<line class="e" x1="{x}" x2="{x}" y1="{y}" y2="{y + height}"/>'
        f'<line class="e" x1="{pct(high, top)}" x2="{pct(high, top)}" y1="{y}" y2="{y + height}"/>'
        f'<line class="n" x1="{pct(interval["point"], top)}" x2="{pct(interval["point"], top)}" y1="{needle}" y2="{y + height + 3}"/>'
    )


def ruler(view: View, interval: Plain, sentence: str, letters: list[tuple[str, float]]) -> str:
    """A full ruler: ticks, numbers, band, needle, and lettered ticks for measurements.

    sentence: the plain-text version for those who do not see it. letters: (letter, value) pairs.
    """
    top, step = scale(max([interval["high"] * 1.2, *(value * 1.02 for _, value in letters)]))
    count = round(top / step)
    decimals = 0 if step >= 1 and step == int(step) else min(3, -int(f"{step:e}".split("e")[1]))
    ticks = "".join(
        f'<line x1="{pct(i, count)}" x2="{pct(i, count)}" y1="26" y2="{31 if i else 33}"/>' for i in range(count + 1)
    )
    every = 1 if count <= 8 else 2
    labels = "".join(
        f'<text x="{pct(i, count)}" y="45"{_anchor(i, count)}>{esc(view.num(i * step, decimals))}</text>'
        for i in range(0, count + 1, every)
    )
    marks = ""
    taken: list[float] = []
    for letter, value in sorted(letters, key=lambda item: item[1]):
        at = pct(value, top)
        row = 0 if all(abs(value - v) > top * 0.03 for v in taken) else 1
        taken.append(value)
        marks += f'<line class="m" x1="{at}" x2="{at}" y1="12" y2="26"/>'
        shift = ' dx="9"' if row else ""
        marks += f'<text class="l" x="{at}" y="9"{shift} text-anchor="middle">{letter}</text>'
    return (
        f'<svg class="we-ruler" role="img" aria-label="{esc(sentence)}">'
        f'<line x1="0" x2="100%" y1="26" y2="26"/>{ticks}{labels}{_band(interval, top, 18, 8, 13)}{marks}</svg>'
    )


def _anchor(index: int, last: int) -> str:
    return "" if index == 0 else ' text-anchor="end"' if index == last else ' text-anchor="middle"'
