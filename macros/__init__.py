"""The mkdocs-macros adapter: one macro per page kind, called from the stub that assemble writes.

Here is no fact and no decision. The language is asked for when a macro is called, never when it is
defined, so one process can build several languages.
"""

from __future__ import annotations

from typing import Any


def define_env(env: Any) -> None:
    """Hook of mkdocs-macros: register `<kind>_page(id)` for every page kind."""
    from macros import adapter

    adapter.register(env)
