"""How many requests of one length run at once, for every length: where it stops fitting, with the asked point.

Both axes are logarithmic: each step to the right doubles the tokens, each step up doubles the requests. Below the
curve of what surely fits the area is filled, up to the curve of what fits within the stated errors it is pale.
Coordinates: percentages wide, pixels high; shapes are stretched over the width and their lines keep their own.
"""

from __future__ import annotations

from math import log

from .marks import pct
from .view import Plain, View, esc, folded

HEIGHT, LOW, MARGIN = 150, 132, 34  # pixels of the drawing, of its baseline, and the room for numbers at its left
_LABELS = 6  # numbers on the lower axis, at most
_TOP = 256  # requests that are shown where nobody asks for as many


def frontier(view: View) -> str:
    """The drawing, its sentence, and the same in numbers; empty where nothing is known of the KV cache."""
    points = shown(view)
    if not points or view.start is None:
        return ""
    said = _said(view)
    return (
        f'<h5 class="we-h5" id="we-frontier-h" aria-level="4">{view.t("fit.frontier")}</h5>'
        f'<p class="we-quiet">{view.t("fit.frontier-asked", said)}</p>{_drawing(view, points, said)}'
        + folded("frontier", view.t("fit.frontier-table"), table(view, points))
    )


def shown(view: View) -> list[list[int | None]]:
    """Points of the curve; none where it says nothing: a model that only reads keeps no cache."""
    points = view.decision.get("frontier") or []
    return points if view.writes and len(points) > 1 else []


def _said(view: View) -> Plain:
    situation = view.decision["situation"]
    tokens = situation["context"]["input"] + situation["context"]["output"]
    assert view.start
    return {"tokens": tokens, "n": view.asked, "most": view.start["fit"].get("max_concurrency") or 0}


def asked(view: View) -> str:
    """The sentence alone, as HTML."""
    return view.t("fit.frontier-asked", _said(view))


def _drawing(view: View, points: list[list[int | None]], said: Plain) -> str:
    first, last = _number(points[0][0]), _number(points[-1][0])
    tokens, requests = min(max(said["tokens"], 1), last), said["n"]
    first = min(first, tokens)
    top = _power(max(4, requests * 2, min(_TOP, max(_number(p[1]) for p in points))))

    def across(value: float) -> float:
        return log(max(value, first) / first) / log(max(last / first, 2))

    def down(value: float | None) -> float:
        share = 1.0 if value is None else log(max(value, 1)) / log(top)
        return LOW - min(share, 1.0) * (LOW - 10)

    sure, most = (_path(points, at, across, down) for at in (2, 1))
    shapes = (
        f'<svg x="{MARGIN}" width="100%" height="{LOW}" viewBox="0 0 1000 {LOW}" preserveAspectRatio="none">'
        f'<path class="f" d="M0 {LOW}{most}V{LOW}Z"/><path class="i" d="M0 {LOW}{sure}V{LOW}Z"/>'
        f'<path class="e" d="M0 {down(_number(points[0][1])):.4g}{most}"/></svg>'
    )
    spoken = view.p("fit.frontier-spoken", {**said, "first": first, "last": last, "many": _number(points[0][1])})
    inside = requests <= said["most"]
    return (
        f'<svg class="we-front" role="img" aria-label="{esc(spoken)}"><svg class="we-front-in" height="{HEIGHT}">'
        f"{shapes}{_rows(view, top, down)}{_columns(view, first, last, across)}"
        f"{_words(view)}{_point(view, across(tokens), down(requests), inside)}</svg></svg>"
    )


def _number(value: int | None) -> int:
    return _TOP if value is None else max(value, 0)


def _power(value: int) -> int:
    return 1 << max(1, (value - 1).bit_length())


def _path(points: list[list[int | None]], at: int, across, down) -> str:  # type: ignore[no-untyped-def]
    return "".join(f"L{across(_number(p[0])) * 1000:.4g} {down(p[at]):.4g}" for p in points)


def _rows(view: View, top: int, down) -> str:  # type: ignore[no-untyped-def]
    """Numbers of requests at the left, every second or fourth doubling."""
    powers = (top - 1).bit_length()
    step = 1 if powers <= 3 else 2 if powers <= 6 else 3
    marks = ""
    for power in range(0, powers + 1, step):
        y = down(1 << power)
        marks += f'<text class="en" x="{MARGIN - 6}" y="{y + 4:.4g}">{view.num(1 << power)}</text>'
    return marks


def _columns(view: View, first: int, last: int, across) -> str:  # type: ignore[no-untyped-def]
    """Numbers of tokens below, at doublings."""
    powers = [1 << p for p in range((first - 1).bit_length(), last.bit_length() + 1) if first <= 1 << p <= last]
    step = max(1, -(-len(powers) // _LABELS))
    marks = ""
    for tokens in powers[::step]:
        share = across(tokens)
        css = "st" if share < 0.06 else "en" if share > 0.94 else "mi"
        text = f'<text class="{css}" x="{pct(share, 1)}" y="{HEIGHT - 2}">{view.num(tokens)}</text>'
        marks += f'<svg x="{MARGIN}">{text}</svg>'
    line = f'<line class="x" x1="0" x2="100%" y1="{LOW}" y2="{LOW}"/>'
    return marks + f'<svg x="{MARGIN}">{line}</svg>'


def _words(view: View) -> str:
    """What the two sides of the curve mean, where there is room for it."""
    return (
        f'<text class="st o" x="{MARGIN + 8}" y="{LOW - 8}">{view.t("fit.word-fits")}</text>'
        f'<text class="en o" x="99%" y="20">{view.t("fit.word-no-fit")}</text>'
    )


def _point(view: View, share: float, y: float, inside: bool) -> str:
    css = "n" if inside else "v"
    side = "en" if share > 0.6 else "st"
    shift = -9 if side == "en" else 9
    return (
        f'<svg x="{MARGIN}"><circle class="{css}" cx="{pct(share, 1)}" cy="{y:.4g}" r="4.5"/>'
        f'<text class="{side} b" x="{pct(share, 1)}" dx="{shift}" y="{max(y - 6, 12):.4g}">'
        f"{view.t('fit.frontier-you')}</text></svg>"
    )


def rows(view: View, points: list[list[int | None]]) -> list[list[str]]:
    """[tokens, at most, surely] of doublings and the longest, as text."""
    chosen = [p for p in points if p is points[-1] or not _number(p[0]) & (_number(p[0]) - 1)]
    none = view.p("fit.frontier-free")
    return [[view.num(_number(p[0])), *(none if v is None else view.num(v) for v in p[1:])] for p in chosen]


def table(view: View, points: list[list[int | None]]) -> str:
    """The text version of the drawing."""
    heads = "".join(f"<th scope=col class=num>{view.t(f'fit.frontier-{c}')}</th>" for c in ("tokens", "most", "sure"))
    body = "".join(
        f"<tr><th scope=row class=num>{row[0]}</th><td class=num>{row[1]}</td><td class=num>{row[2]}</td></tr>"
        for row in rows(view, points)
    )
    return (
        f'<table class="we-table we-narrow"><caption>{view.t("fit.frontier")}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )
