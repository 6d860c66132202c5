"""Which pages the site has, in the order of the navigation, without a word of any language."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from macros.view import View
from macros.world import World

# page kind -> module; the name of the macro in a stub is the kind with `_page`
KINDS = (
    "home", "wizard", "engine", "engines", "format", "formats", "device", "devices", "model", "models",
    "recipe", "recipes", "scenario", "scenarios", "mistake", "mistakes", "bottleneck", "bottlenecks",
    "workload", "workloads", "benchmark", "benchmarks", "report", "measurements", "claims", "sources", "publisher",
    "rules", "glossary", "guides", "questions", "findings", "coverage",
)  # fmt: skip


@dataclass(frozen=True)
class Page:
    """One page made by a macro. `path` is the file below docs/; the address is the folder of that name."""

    path: str
    kind: str
    id: str = ""
    title: Callable[[View], str] = field(default=lambda view: "", compare=False)
    hide: tuple[str, ...] = ()
    search: bool = True
    boost: float = 1.0
    meta: tuple[tuple[str, Any], ...] = ()

    @property
    def address(self) -> str:
        """Address below the language: engines/vllm/."""
        folder = self.path.removesuffix(".md")
        if folder == "index":
            return ""
        return folder.removesuffix("index") if folder.endswith("/index") else f"{folder}/"


def module(kind: str) -> Any:
    """The module that renders a page kind."""
    return importlib.import_module(f"macros.pages.{kind}")


def pages(world: World) -> Iterator[Page]:
    """Every generated page."""
    for kind in KINDS:
        yield from module(kind).pages(world)


def markdown(page: Page, view: View) -> str:
    """The Markdown of one page in the language of the view."""
    try:
        text = module(page.kind).render(view.at(page.address), page.id)
        return with_outdated(text, view.at(page.address)) if 'class="wp-stale"' in text else text
    except Exception as error:
        error.add_note(f"while making the {page.kind} page {page.path} in {view.lang}")
        raise


def with_outdated(text: str, view: View) -> str:
    """The page with a notice after its title: passages marked in it are older than the English."""
    title, _, rest = text.partition("\n<!--raw-->")
    english = f"{view.base}../en/{view.page}"
    notice = (
        f'<div class="wp-notice"><p><strong>{view.t("pages.outdated.title")}</strong> '
        f"{view.t('pages.outdated.text')}</p>"
        f'<span><a href="{english}" hreflang="en">{view.t("pages.outdated.english")}</a>'
        f'<a href="{view.to("contribute/")}#languages">{view.t("pages.outdated.fix")}</a></span></div>'
    )
    return f"{title}\n<!--raw-->\n{notice}{rest}" if rest else text
