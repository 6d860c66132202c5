"""The placeholders in a text or a command template."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BRACES = re.compile(r"\{([^{}]*)\}")
# as wizard/texts.py reads them
_NAME = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)(?:\|([a-z0-9-]+)|:([a-z]+))?\Z")
_ALMOST = re.compile(r"[\w.|:\s-]*\Z")
FORMS = frozenset({"gib", "kib", "rough", "pct", "date"})


@dataclass(frozen=True, slots=True)
class Placeholder:
    """`{name}`, `{name|term}` for the plural form of a glossary term, `{name:form}` for a form of number.

    `name` is None when it is malformed.
    """

    written: str
    name: str | None = None
    term: str | None = None
    form: str | None = None


def placeholders(text: str) -> list[Placeholder]:
    """Placeholders of a translated text in order; braces around something else (JSON) are left alone."""
    found = []
    for match in _BRACES.finditer(text):
        name = _NAME.match(match[1])
        if name:
            found.append(Placeholder(match[0], name[1], name[2], name[3]))
        elif _ALMOST.match(match[1]):
            found.append(Placeholder(match[0]))
    return found


def template_names(text: str) -> list[str]:
    """Names in a command or code template: only dotted ones, since code has braces of its own."""
    found = []
    for match in _BRACES.finditer(text):
        name = _NAME.match(match[1])
        if name and "." in name[1]:
            found.append(name[1])
    return found
