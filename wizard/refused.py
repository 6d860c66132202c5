"""A question that cannot be answered: a sentence by id with its values, so that it is said in the asked language."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """What is wrong with a question, where, and what would be right.

    id: of a text ("terminal.flag-range"); values: for its placeholders. Not a ValueError: a parser of command
    lines would turn that into a sentence of its own.
    """

    def __init__(self, id_: str, /, **values: Any) -> None:
        super().__init__(f"{id_}: {', '.join(f'{name}={value!r}' for name, value in values.items())}")
        self.id = id_
        self.values = values
