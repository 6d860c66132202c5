"""Results kept on disk as long as a stamp is the same."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Keep:
    """A JSON file of results by key. Another stamp, or a file that cannot be read, starts it anew."""

    def __init__(self, path: Path, stamp: str) -> None:
        self.path = path
        self.stamp = stamp
        self._new = False
        self._used: set[str] = set()
        self._kept: dict[str, Any] = {}
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if stored["stamp"] == stamp:
                self._kept = stored["kept"]
        except (OSError, ValueError, KeyError, TypeError):
            self._kept = {}

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """The kept result, or the one that `make` returns; what comes back is what JSON carries."""
        self._used.add(key)
        if key not in self._kept:
            self._kept[key] = json.loads(json.dumps(make()))
            self._new = True
        return self._kept[key]

    def save(self) -> None:
        """Write what was used, if anything is new. A folder that cannot be written is no error."""
        if not self._new:
            return
        kept = {key: self._kept[key] for key in sorted(self._used)}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            scratch = self.path.with_suffix(f".{os.getpid()}")
            scratch.write_text(json.dumps({"stamp": self.stamp, "kept": kept}), encoding="utf-8")
            scratch.replace(self.path)
        except OSError:
            return
        self._new = False
