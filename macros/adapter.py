"""Macros by page kind. A page that was already rendered in this process is taken as it is."""

from __future__ import annotations

from typing import Any

from macros import catalog, memory_numbers, speed
from macros.templates import render as fill
from macros.view import View
from macros.world import load_world
from wizard.vocabulary import PATHS, SCOPES

# Markdown rendered while the stubs were written: {(language, file): Markdown}
rendered: dict[tuple[str, str], str] = {}


def register(env: Any) -> None:
    """Give the stubs their macros."""
    for kind in catalog.KINDS:
        env.macro(_macro(env, kind), f"{kind}_page")
    env.macro(_condition_paths(env), "condition_paths")
    env.macro(lambda name: memory_numbers.number(name, _view(env)), "memory_number")
    env.macro(lambda: memory_numbers.accuracy(_view(env)), "memory_accuracy")
    for name, macro in speed.macros(env).items():
        env.macro(macro, name)


def _macro(env: Any, kind: str) -> Any:
    def page(id_: str = "") -> str:
        """The Markdown of the page whose stub calls it."""
        lang = env.conf["theme"]["language"]
        path = env.page.file.src_uri
        if (lang, path) in rendered:
            return rendered[lang, path]
        view = View(load_world(), lang, "", env.conf["extra"])
        return catalog.markdown(catalog.Page(path, kind, id_), view)

    return page


def _view(env: Any) -> View:
    return View(load_world(), env.conf["theme"]["language"], env.page.url, env.conf["extra"])


def _condition_paths(env: Any) -> Any:
    def condition_paths() -> str:
        """The table of every path that conditions may read, for the contributor's page."""
        view = View(load_world(), env.conf["theme"]["language"], env.page.url, env.conf["extra"])
        return fill("condition_paths.md", view, paths=PATHS, scopes=SCOPES)

    return condition_paths
