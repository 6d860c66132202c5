"""Conditions and values of the knowledge in the words of a language.

Names of condition paths and of their values come from the renderer (`wizard.render.words`), so that a
reference page and an answer call a thing by the same name. Groups that only pages show (`words.<group>.
<value>`) are in `knowledge/text/words.yml`; a value without a word is shown as it is.
"""

from __future__ import annotations

from html import escape
from typing import Any

from markupsafe import Markup

from macros.view import View

# Paths whose values say by themselves what they are; the others are shown as "label: value".
_BARE = frozenset({
    "host.os", "host.arch", "host.instructions", "device.vendor", "device.arch", "device.generation", "device.id",
    "device.kind", "device.segment", "candidate.backend", "situation.needs", "situation.serving", "model.kind",
    "model.id", "model.architecture", "model.tasks", "model.modality", "format.family", "format.type", "engine.mode",
})  # fmt: skip


def value(view: View, group: str, raw: Any) -> str:
    """A single value: the word `words.<group>.<value>`, an entry's name, a number, or the value itself."""
    if isinstance(raw, bool):
        return view.plain("words.yes" if raw else "words.no")
    id_ = f"words.{group}.{raw}".replace("_", "-").replace("+", "-")
    if view.has(id_):
        return view.plain(id_)
    if group in ("engine", "device", "model", "format") and raw in view.world.knowledge.entries[group]:
        return view.name(view.world.knowledge.entries[group][raw])
    if group == "generation":
        return " ".join(w.upper() if any(c.isdigit() for c in w) else w.title() for w in str(raw).split("-"))
    return view.num(raw) if isinstance(raw, int | float) else str(raw)


def joined(view: View, group: str, raw: list[Any]) -> str:
    """Several values, joined with commas."""
    return ", ".join(value(view, group, item) for item in raw)


def condition(view: View, when: Any) -> Markup:
    """A condition in words, its clauses joined with commas; empty for none."""
    return Markup(escape(", ".join(_clauses(view, when)))) if when else Markup("")


def _clauses(view: View, when: dict[str, Any]) -> list[str]:
    out: list[str] = []
    for key, needed in when.items():
        if key == "all":
            for inner in needed:
                out += _clauses(view, inner)
        elif key == "any":
            out.append(view.words.texts.either([", ".join(_clauses(view, inner)) for inner in needed]))
        elif key == "not":
            out.append(view.plain("words.not", what=", ".join(_clauses(view, needed))))
        else:
            out.append(_clause(view, key, needed))
    return out


def _clause(view: View, path: str, needed: Any) -> str:
    label = view.words.path(path)
    if isinstance(needed, bool):
        return label if needed else view.plain("words.not", what=label)
    phrase = view.words.needed(path, needed)
    return phrase if path in _BARE else f"{label}: {phrase}"
