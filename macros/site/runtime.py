"""The browser's side of the site: the bundle is written, `macros.runtime` makes its folders and installs them."""

from __future__ import annotations

from pathlib import Path

from knowledge import bundle
from macros import runtime
from macros.site.paths import BUILD, SITE
from macros.world import World


def prepare(world: World) -> list[str]:
    """Make everything the browser loads; returns the scripts that pages name, from the site root."""
    folder = BUILD / "bundle"
    bundle.write(world.bundle, bundle.edits_of(world.knowledge), folder)
    made = runtime.prepare(folder)
    return [f"_wizard/{made.app}/app.mjs"]


def install(site: Path = SITE) -> None:
    """Put it into the finished site."""
    runtime.install(site)
