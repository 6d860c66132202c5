"""What the wizard shows around an answer: the spoken line, the situation in two lines, the bar of a phone.

Everything here is also in the answer itself; these are shorter forms for places where it cannot be seen.
"""

from __future__ import annotations

from . import head
from .marks import glyph
from .numbers import date
from .view import Plain, View, esc


def spoken(view: View) -> str:
    """The new answer in a sentence, for the live region: engine, format and layout, fit, speed. Plain text."""
    start = view.start
    if start is None:
        return view.p("wizard-page.live-none")
    said = view.p("wizard-page.live", engine=view.words.engine(start["engine"], start.get("mode")))
    parts = [view.words.spec_short(start)]
    if start.get("fit"):
        parts.append(view.p(f"fit.word-{start['fit']['class']}"))
    decode = (start.get("estimates") or {}).get("decode_tps")
    if decode:
        parts.append(f"{view.rough(decode['point'])} {view.unit('tps')}")
    more = ", ".join(p for p in parts if p)
    return f"{said} {more}." if more else said


def summary(view: View) -> list[str]:
    """Hardware and system on one line, model and load on the next. Plain text."""
    situation, words = view.decision["situation"], view.words
    hardware = [words.devices(situation["devices"])]
    if head.devices_present(view) > 1:
        hardware.append(words.value("links.within", situation["links"]["within"]))
    hardware.append(words.value("host.os", situation["host"]["os"]))
    load = [
        words.model(situation["model"]),
        words.value("serving", situation["serving"]),
        view.p("wizard-page.at-once", n=view.asked),
        view.p("unit.n-tokens", n=situation["context"]["tokens"]),
    ]
    return [", ".join(p for p in line if p) for line in (hardware, load)]


def before(view: View, was: Plain) -> str:
    """What the answer was when the link that was opened was made (see `stamp.changed`). Plain text."""
    words = view.words
    if was["engine"] is None:
        what = view.p("answer.nothing")
    else:
        engine = words.engine(was["engine"]) if was["engine"] in view.kb.engines else was["engine"]
        fit = view.p(f"fit.word-{was['fit']}") if was["fit"] else ""
        what = ", ".join(part for part in (engine, words.format(was["format"], True), fit) if part)
    return view.p("answer.before", date=date(was["date"], view.lang), what=what)


def bar(view: View) -> str:
    """Glyph, engine with format and layout, speed with its interval; empty when nothing starts."""
    start = view.start
    if start is None:
        return ""
    fit = start.get("fit")
    mark = glyph(fit["class"]) if fit else ""
    decode = (start.get("estimates") or {}).get("decode_tps")
    speed = (
        f"<b>{view.rough(decode['point'])}</b>&nbsp;{view.t('unit.tps')}<small>{view.span(decode)}</small>"
        if decode
        else ""
    )
    name = esc(view.words.engine(start["engine"], start.get("mode")))
    spec = esc(view.words.spec_short(start))
    return f"{mark}<span><b>{name}</b><small>{spec}</small></span><span>{speed}</span>"


def labels(view: View) -> Plain:
    """Names for answers that a list of the form may not have: {path: name}, devices as a list."""
    stated, words = view.stated, view.words
    found: Plain = {"devices": [words.devices([{**d, "count": 1}]) for d in stated.get("devices") or []]}
    for path in ("model", "format", "already"):
        if stated.get(path):
            found[path] = words.value(path, stated[path])
    cpu = (stated.get("host") or {}).get("cpu")
    if cpu:
        found["host.cpu"] = words.device(cpu)
    return found


def cannot(view: View, rows: list[Plain]) -> Plain:
    """Why answers cannot combine with the rest (see `wizard.choices`): {path: {value: reason}}, plain text.

    The value "" speaks of the whole question.
    """
    found: Plain = {}
    for row in rows:
        found.setdefault(row["path"], {})[row["value"] or ""] = _against(view, row["path"], row["against"])
    return found


def _against(view: View, path: str, against: str) -> str:
    if against == "one":
        return view.p(f"choice.one-{path.replace('.', '-')}")
    if against in ("app", "engines", "several"):
        return view.p(f"choice.{against}")
    said = view.decision["situation"]
    for key in against.split("."):
        said = said[key]
    what = view.words.devices(said) if against == "devices" else view.words.value(against, said)
    return view.p("choice.with-answer" if against in ("needs", "serving") else "choice.with", what=what)
