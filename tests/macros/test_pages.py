"""Every page of every kind renders in every language, and the stubs stay as they are until a page changes."""

from __future__ import annotations

import ast
import re

import pytest
import yaml

from macros import catalog, kernels, matrix
from macros.catalog import Page
from macros.site.assemble import stub
from macros.site.paths import ROOT
from macros.view import View
from macros.world import LANGUAGES, World
from wizard import paths
from wizard.facts import Facts
from wizard.situation import read

SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["extra"]


@pytest.fixture(scope="module")
def pages(world: World) -> list[Page]:
    return list(catalog.pages(world))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", catalog.KINDS)
def test_every_page_of_a_kind_renders(world, kind, lang):
    view = View(world, lang, "", SITE)
    for page in catalog.module(kind).pages(world):
        text = catalog.markdown(page, view)
        assert re.match(r"# \S.* \{ #[a-z0-9][\w.-]*( \.[\w-]+)* \}", text), f"{page.path}: no title with an anchor"
        assert page.title(view).strip()
        for head in re.findall(r"^#{2,3} .*$", text, flags=re.M):
            assert re.search(r"\{ #[A-Za-z0-9][\w.-]*( \.[\w-]+)* \}$", head), f"{page.path}: {head}"
        assert text.count("<!--raw") == text.count("<!--/raw-->")


def test_every_entry_has_its_page_or_anchor(world, pages):
    made = {page.path for page in pages}
    for kind, folder in (
        ("engine", "engines"), ("device", "devices"), ("model", "models"), ("format", "formats"), ("recipe", "recipes"),
        ("scenario", "scenarios"), ("mistake", "mistakes"), ("bottleneck", "bottlenecks"), ("workload", "workloads"),
        ("source", "sources"),
    ):  # fmt: skip
        for id_ in world.entries(kind):
            assert f"{folder}/{id_}.md" in made
    view = View(world, "en", "", SITE)
    for kind, page in (
        ("term", "glossary"),
        ("rule", "rules"),
        ("claim", "claims"),
        ("guide", "guides"),
        ("question", "questions"),
    ):
        text = catalog.markdown(next(p for p in pages if p.kind == page), view)
        for id_ in world.entries(kind):
            assert f'id="{id_}"' in text or f"#{id_} }}" in text, f"{kind} {id_} is no anchor"


def test_addresses_of_pages():
    assert Page("index.md", "home").address == ""
    assert Page("engines/index.md", "engines").address == "engines/"
    assert Page("engines/x.md", "engine").address == "engines/x/"


def test_a_stub_changes_exactly_when_its_page_changes():
    page = Page("engines/x.md", "engine", "x", hide=("toc",))
    one = stub(page, 'A "name": yes', "text")
    assert one == stub(page, 'A "name": yes', "text") != stub(page, 'A "name": yes', "text.")
    meta = yaml.safe_load(one.split("---")[1])
    assert meta["title"] == 'A "name": yes' and meta["hide"] == ["toc"] and meta["render_macros"] is True
    assert '{{ engine_page("x") }}' in one


def test_the_matrix_agrees_with_the_paths_of_the_decision(world):
    """A cell is the best kernel that the path stage gives a device of the column on any of its systems."""
    table = kernels.table(world)
    checked = 0
    for column in kernels.columns(world):
        for device in column.devices[:1]:
            entry = world.entries("device")[device]
            for os in (entry.get("os") or ["linux"])[:1]:
                facts = Facts(read({"devices": [{"device": device}], "host": {"os": os}}, world.kb).situation, world.kb)
                for option in paths.find(facts).options:
                    kernel = kernels.UNKNOWN if option.kinds.get(device) else option.path.kernel
                    cell = table[option.path.engine, option.path.family, column.arch]
                    assert kernels.ORDER.index(cell.kernel) <= kernels.ORDER.index(kernel)
                    checked += 1
    assert checked > 100


def test_columns_that_stand_as_one_behave_alike(world):
    table = kernels.table(world)
    for column in matrix.joined_columns(world):
        views = [{(e, f): c.kernel for (e, f, a), c in table.items() if a == arch} for arch in column["archs"]]
        assert all(view == views[0] for view in views)


def test_no_engine_is_named_in_the_code_of_the_pages(world):
    """What is particular to an engine is data: no id of one stands in macros/ or in the scripts of the pages."""
    ids = set(world.entries("engine"))
    found = []
    for file in (ROOT / "macros").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
            if text in ids or (name and name.replace("_", "-") in ids):
                found.append(f"{file.relative_to(ROOT)}:{node.lineno} {text or name}")
    for script in (ROOT / "docs" / "assets" / "js").glob("*.js"):
        words = set(re.findall(r"[\w-]+", script.read_text(encoding="utf-8")))
        found += [f"{script.name} {word}" for word in sorted(words & ids)]
    assert not found, found


def test_the_short_form_asks_with_the_usual_number_of_requests(world):
    """What the form shows is all that its answer was asked, and the number comes from the questions."""
    from macros.wizard_form import example, short_form

    view = View(world, "en")
    form = str(short_form(view))
    asked = dict(re.findall(r' data-set-([a-z-]+)="([^"]*)"', form))
    usual = world.decide({name: example(view)[name] for name in ("devices", "model", "serving")})
    assert set(asked) == {"devices", "model", "serving", "traffic-concurrency"}
    assert asked["traffic-concurrency"] == str(usual["situation"]["traffic"]["concurrency"])


def test_the_home_page_counts_engines_and_tools_apart(world):
    from macros.pages.home import counts

    found = counts(world)
    assert found["engine"] + found["tool"] == len(world.entries("engine")) and min(found["engine"], found["tool"]) > 0
