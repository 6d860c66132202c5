"""What an importer says of a file: the one error, which names the field, and what it took for granted.

Both are sentences by id with their values; the dialog of the wizard and the commands have the words.
"""

from __future__ import annotations

from typing import Any

from wizard.refused import Refused


class Said(str):
    """A sentence by the id of its text with its values; as a string it is a short form of both, for logs."""

    id: str
    values: dict[str, Any]

    def __new__(cls, id_: str, values: dict[str, Any]) -> Said:
        self = super().__new__(cls, " ".join([id_.rpartition("-")[2], *(str(v) for v in values.values() if v != "")]))
        self.id, self.values = id_, values
        return self


class ImportProblem(ValueError):
    """A file that cannot be turned into an architecture.

    field: name of the field as the file writes it, with its path ("text_config.num_hidden_layers"); kind: of
    problem, whose sentence is the text "paste.problem-<kind>"; values: for the sentence, "value" is what was written,
    or the other names of a field that is missing.
    """

    def __init__(self, field: str, kind: str, value: Any = "", /, **more: Any) -> None:
        told = [str(v) for v in (value, *more.values()) if v != ""]
        super().__init__(f"{field}: {kind}{' ' if told else ''}{', '.join(told)}")
        self.field = field
        self.kind = kind
        self.values: dict[str, Any] = {"value": value, **more}

    def refused(self, file: str) -> Refused:
        """As a command says it: with the file."""
        known = self.kind == "missing" and self.values["value"]  # the other names of a field that is absent
        id_ = "terminal.config-missing" if known else f"paste.problem-{self.kind}"
        return Refused(id_, file=file, field=self.field, **self.values)


def taken(kind: str, field: str, value: Any = "") -> Said:
    """Something that a file leaves out and what stood in for it: the text "paste.model-said-<kind>"."""
    return Said(f"paste.model-said-{kind}", {"field": field, "value": value})


def shown(value: Any, limit: int = 60) -> str:
    """A value of a stranger's file, short and printable."""
    text = repr(value)
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= limit else text[:limit] + "…"
