"""The browser's Python: built by `wizard.web` into /_wizard/<hash>/, shared by the languages."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

from macros.world import World


def build(world: World, out: Path) -> None:
    """Let the wizard put its runtime, package and data into the site."""
    if importlib.util.find_spec("wizard.web.build") is None:
        print("no wizard.web.build yet: the wizard page stays without its runtime")
        return
    importlib.import_module("wizard.web.build").build(world.bundle, out)
