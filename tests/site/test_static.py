"""The files of the built site, without a browser: pages say what the renderer says, and what is loaded is there.

Links, languages and anchors of all pages are looked at in tests/macros/test_built_site.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from knowledge.bundle import load_for_cli
from macros.world import newest_day
from scripts.benchmarks.sizes import packed
from tests.site.conftest import LANGUAGES
from wizard import render
from wizard.decide import decide
from wizard.kb import KB
from wizard.texts import Texts


def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_recipe_pages_say_what_the_renderer_says(site, lang):
    core, texts, measurements = load_for_cli()
    kb = KB(core, measurements)
    words = Texts(texts[lang], lang, kb.terms)
    recipes = sorted(core["recipes"])
    assert len(recipes) >= 9
    for id_ in recipes:
        decision = json.loads(render.to_json(decide(core["recipes"][id_]["situation"], kb, newest_day())))
        page = text(site / lang / "recipes" / id_ / "index.html")
        sections = render.html(decision, words, kb, lang, base="../../", wizard="../../wizard/")
        assert len(sections) >= 5
        for section in sections:
            assert section["html"] in page, f"{lang}/recipes/{id_}/: section {section['id']} differs"


def test_sizes_of_what_the_browser_loads(site):
    """The budget of the design: 6.0 MB for a first answer, 200 kB of facts, 80 kB of text, compressed."""
    core = packed(next(site.glob("_wizard/*/core.json")))
    texts = [packed(file) for file in site.glob("_wizard/*/text.*.json")]
    folder = next(site.glob("_wizard/*/pyodide.asm.wasm")).parent
    runtime = sum(packed(file) for file in folder.iterdir() if file.suffix != ".txt")
    assert core <= 200_000
    assert len(texts) == 3 and max(texts) <= 80_000
    assert runtime + core + max(texts) <= 6_000_000


@pytest.mark.parametrize("lang", LANGUAGES)
def test_forms_name_folders_that_are_there(site, lang):
    for address in ("", "wizard/"):
        page = text(site / lang / address / "index.html")
        for key, name in (("runtime", "pyodide.asm.wasm"), ("data", "core.json"), ("data", f"text.{lang}.json")):
            folders = set(re.findall(rf'data-{key}="\.\./([^"]+)"', page))
            assert len(folders) == 1
            assert (site / "_wizard" / folders.pop() / name).is_file()
    wizard = text(site / lang / "wizard" / "index.html")
    assert re.search(r'<script src="\.\./\.\./_wizard/app-[0-9a-f]+/early\.js"', wizard)


def test_only_the_folders_of_this_build_are_published(site):
    assert len(list((site / "_wizard").iterdir())) == 3
