"""From a folder or a kind, as people write either, to the kind."""

from __future__ import annotations

from knowledge.kinds import FOLDERS, KINDS


def kind_of_folder(name: str) -> str | None:
    """The kind called `name` or kept in the folder `name`; None if there is none."""
    return KINDS.get(name) or (name if name in FOLDERS else None)
