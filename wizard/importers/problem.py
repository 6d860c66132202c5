"""The one error of the importers: which field, what is wrong with it."""

from __future__ import annotations

from typing import Any

from wizard.refused import Refused


class ImportProblem(ValueError):
    """A file that cannot be turned into an architecture.

    field: name of the field as the file writes it, with its path ("text_config.num_hidden_layers").
    """

    def __init__(self, field: str, what: str) -> None:
        super().__init__(f"{field}: {what}")
        self.field = field
        self.what = what

    def refused(self, file: str) -> Refused:
        """As a command says it: with the file."""
        return Refused("terminal.config-problem", file=file, field=self.field, what=self.what)


def shown(value: Any, limit: int = 60) -> str:
    """A value of a stranger's file, short and printable."""
    text = repr(value)
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= limit else text[:limit] + "…"
