"""The navigation: nine tabs, their sections, titles in the language.

The pages of single publishers are left out: they are reached from chips and from the list of sources, and
a hundred lines of them beside every page would help nobody.
"""

from __future__ import annotations

from typing import Any

from macros.catalog import Page
from macros.view import View
from wizard.vocabulary import VENDORS

Node = dict[str, Any]


def tree(view: View, pages: list[Page], prose: dict[str, str]) -> list[Node]:
    """`nav` for the configuration. A page without a place in it is reached by links and by search."""
    return _Tree(view, pages, prose).tabs()


class _Tree:
    def __init__(self, view: View, pages: list[Page], prose: dict[str, str]) -> None:
        self.view = view
        self.world = view.world
        self.prose = prose
        self.by_kind: dict[str, list[Page]] = {}
        for page in pages:
            self.by_kind.setdefault(page.kind, []).append(page)

    def tabs(self) -> list[Node]:
        """The nine tabs."""
        return [
            self.section("guide", self.only("home"), self.one("guides"), self.file("method.md"), self.file("memory.md"),
                         self.file("arithmetic.md"), self.file("accuracy.md"), self.one("questions"),
                         self.group("workloads", "workload"), self.group("bottlenecks", "bottleneck"),
                         self.one("glossary")),
            self.section("wizard", self.only("wizard")),
            self.section("engines", self.only("engines"), *self.families()),
            self.section("formats", self.only("formats"), *self.all("format"), self.group("models", "model")),
            self.section("hardware", self.only("devices"), *self.vendors()),
            self.section("recipes", self.only("recipes"), *self.recipe_groups(), self.group("scenarios", "scenario")),
            self.section("mistakes", self.only("mistakes"), *self.all("mistake"), self.one("claims")),
            self.section("benchmarking", self.only("benchmarks"), self.one("report"), *self.benchmark_types(), self.one("measurements")),
            self.section("contribute", *self.files("contribute/"), self.one("findings"), self.one("coverage"), self.one("rules"),
                         self.one("sources")),
        ]  # fmt: skip

    def section(self, name: str, *children: Any) -> Node:
        """A section with its title; what is not there is left out."""
        return {self.view.plain(f"pages.nav.{name}"): [c for c in children if c]}

    def only(self, kind: str) -> str:
        """The index page of a section, without a title of its own."""
        return self.by_kind[kind][0].path

    def one(self, kind: str) -> Node | None:
        """A page of a kind that has one page, with its short title."""
        found = self.by_kind.get(kind)
        return {self.view.plain(f"pages.nav.{kind}"): found[0].path} if found else None

    def leaf(self, page: Page) -> Node:
        """A page with its own title."""
        return {page.title(self.view): page.path}

    def all(self, kind: str) -> list[Node]:
        """Every page of a kind."""
        return [self.leaf(page) for page in self.by_kind.get(kind, ())]

    def group(self, index: str, kind: str) -> Node | None:
        """An index page with the pages of its kind below it."""
        if index not in self.by_kind:
            return None
        return self.section(index, self.only(index), *self.all(kind))

    def families(self) -> list[Node]:
        """Engines by family."""
        engines = {page.id: page for page in self.by_kind.get("engine", ())}
        groups = []
        for family, entry in self.world.entries("family").items():
            members = [e for e, x in self.world.entries("engine").items() if x["family"] == family]
            if members:
                groups.append({self.view.name(entry): [self.leaf(engines[e]) for e in members]})
        return groups

    def vendors(self) -> list[Node]:
        """Devices by maker."""
        from macros import words

        groups = []
        for vendor in VENDORS:
            pages = [p for p in self.by_kind.get("device", ()) if self.world.entries("device")[p.id]["vendor"] == vendor]
            if pages:
                groups.append({words.value(self.view, "vendor", vendor): [self.leaf(p) for p in pages]})
        return groups

    def recipe_groups(self) -> list[Node]:
        """Recipes by group of the guide."""
        from macros import words

        groups = []
        for group in ("desk", "datacentre", "embedded"):
            pages = [p for p in self.by_kind.get("recipe", ()) if self.world.entries("recipe")[p.id]["group"] == group]
            if pages:
                groups.append({words.value(self.view, "recipe-group", group): [self.leaf(p) for p in pages]})
        return groups

    def benchmark_types(self) -> list[Node]:
        """Benchmarking pages by type."""
        from macros import words

        groups = []
        for type_ in ("rule", "tool", "metric", "field"):
            entries = self.world.entries("benchmarking")
            pages = [p for p in self.by_kind.get("benchmark", ()) if entries[p.id]["type"] == type_]
            if pages:
                groups.append({words.value(self.view, "benchmark-type", type_): [self.leaf(p) for p in pages]})
        return groups

    def file(self, name: str) -> Node | None:
        """A hand-written page, titled by its first heading."""
        text = self.prose.get(name)
        return {heading(text): name} if text else None

    def files(self, folder: str) -> list[Any]:
        """The hand-written pages of a folder, index first; front matter `order` decides."""
        names = sorted(n for n in self.prose if n.startswith(folder))
        names.sort(key=lambda n: (not n.endswith("index.md"), order(self.prose[n]), n))
        return [n if n.endswith("index.md") else self.file(n) for n in names]


def heading(text: str) -> str:
    """The first heading of a page, without its id."""
    line = next(line for line in text.splitlines() if line.startswith("# "))
    return line[2:].partition(" {")[0].strip()


def order(text: str) -> int:
    """`order:` of the front matter; 99 without one."""
    for line in text.split("---")[1].splitlines() if text.startswith("---") else ():
        if line.startswith("order:"):
            return int(line.partition(":")[2])
    return 99
