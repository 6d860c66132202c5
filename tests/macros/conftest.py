"""Fixtures for the pages: the loaded world, and the built site (made by `make build`, which `make test` runs first)."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from macros.site.paths import SITE
from macros.world import World, load_world

_TAG = re.compile(r"<([a-zA-Z][\w-]*)([^>]*)>")
_ATTRIBUTE = re.compile(r"""([\w:-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")


class BuiltPage:
    """Tags and ids of one built page. `tags`: (name, attributes)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        bare = re.sub(r"<(script|style)\b[^>]*>.*?</\1>", lambda m: m[0][: m[0].index(">") + 1], self.text, flags=re.S)
        self.tags = [(name.lower(), _attributes(rest)) for name, rest in _TAG.findall(bare)]
        self.ids = {attributes["id"] for _, attributes in self.tags if "id" in attributes}


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): unescape(value.strip("\"'")) for name, value in _ATTRIBUTE.findall(text)}


@pytest.fixture(scope="session")
def world() -> World:
    """The knowledge with everything derived from it."""
    return load_world()


@pytest.fixture(scope="session")
def site() -> dict[str, BuiltPage]:
    """{path below site/: page} of every HTML page of the built site."""
    if not (SITE / "index.html").exists():
        pytest.fail("site/ is not built; run `make build` (`make test` does)")
    return {file.relative_to(SITE).as_posix(): BuiltPage(file) for file in sorted(SITE.rglob("*.html"))}
