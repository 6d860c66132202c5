"""A small memo for what depends only on knowledge entries, not on the person.

One decision sizes some sixty candidates of the same model; what they share is worked out once. Entries
are plain dicts, so they are kept by identity together with a reference that keeps the identity theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Memo:
    """Remember `make()` for an owner object and a hashable key; forgets everything when full."""

    def __init__(self, limit: int = 2048) -> None:
        self._limit = limit
        self._kept: dict[tuple[int, Any], tuple[Any, Any]] = {}

    def get(self, owner: Any, key: Any, make: Callable[[], Any]) -> Any:
        """The value for this very `owner` and `key`. The owner must not change afterwards."""
        full = (id(owner), key)
        found = self._kept.get(full)
        if found is not None and found[0] is owner:
            return found[1]
        value = make()
        if len(self._kept) >= self._limit:
            self._kept.clear()
        self._kept[full] = (owner, value)
        return value
