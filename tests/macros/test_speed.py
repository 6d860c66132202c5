"""Hand-written pages about speed: every number computed, in the form of the language, the same in all three."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import Environment, StrictUndefined

from macros import speed
from macros.view import View
from macros.world import load_world

DOCS = Path(__file__).parents[2] / "docs"
LANGUAGES = ("en", "vi", "ru")


@pytest.fixture(scope="module")
def pages():
    world, found = load_world(), {}
    for lang in LANGUAGES:
        view = View(world, lang, "arithmetic/")
        env = Environment(undefined=StrictUndefined)
        env.globals |= {
            "speed_constant": lambda path, form="number", view=view: speed.constant(view, path, form),
            "speed_example": lambda view=view, **flags: speed.worked(view, **flags),
            "speed_classes": lambda view=view: speed.class_rows(view),
        }
        for name in ("arithmetic", "accuracy"):
            found[lang, name] = env.from_string((DOCS / lang / f"{name}.md").read_text(encoding="utf-8")).render()
    return found


@pytest.mark.parametrize("name", ["arithmetic", "accuracy"])
def test_the_three_languages_say_the_same_numbers(pages, name):
    digits = {}
    for lang in LANGUAGES:
        text = re.sub(
            r"\]\([^)]*\)|`[^`]*`|Q4_K_M|\d{4}-\d\d-\d\d|\d\d[./]\d\d[./]\d{4}|\{ #[^}]*\}", "", pages[lang, name]
        )
        # marks of thousands and decimals differ by language, the digits do not
        digits[lang] = sorted(re.findall(r"\d{2,}", re.sub(r"(?<=\d)[.,\s](?=\d)", "", text)))
    assert digits["en"] == digits["vi"]
    assert [d for d in digits["ru"] if d != "32"] == [d for d in digits["en"] if d != "32"]


@pytest.mark.parametrize("name", ["arithmetic", "accuracy"])
def test_headings_have_the_same_anchors(pages, name):
    anchors = [re.findall(r"\{ #([a-z-]+) \}", pages[lang, name]) for lang in LANGUAGES]
    assert anchors[0] == anchors[1] == anchors[2] and len(anchors[0]) > 4


def test_examples_obey_the_arithmetic(pages):
    view = View(load_world(), "en", "arithmetic/")
    one = speed.worked(view, model="Llama 3.1 8B", format="Q4_K_M", device="RTX 3090", engine="llama.cpp")
    assert float(one["gb"]) / float(one["bandwidth"]) * 1e3 == pytest.approx(float(one["floor_ms"]), rel=0.06)
    assert float(one["floor_ms"]) < float(one["step_ms"]) and float(one["tps"]) < float(one["floor_tps"])
    assert one["shares"]["weights"].endswith("%")
    with pytest.raises(ValueError, match="bandwidth"):
        speed.worked(view, model="Llama 3.1 8B", format="Q4_K_M", device="A card nobody knows")


def test_a_row_for_every_class_that_was_measured():
    rows = speed.class_rows(View(load_world(), "en", "accuracy/")).splitlines()
    assert len(rows) >= 10 and all(row.count("|") == 6 for row in rows)
    assert any("Apple silicon (CPU)" in row for row in rows)
