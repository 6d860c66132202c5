"""Small parts of the pages: raw HTML in Markdown, kept results, ages, conditions in words, search entries."""

from __future__ import annotations

import json
import re

import markdown
import pytest

from macros import ages, raw_html, words
from macros.catalog import Page
from macros.facts import clean, spelled
from macros.keep import Keep
from macros.pages import engine
from macros.site import assets, search
from macros.site.paths import write
from macros.view import View, as_list, slug


def test_raw_html_is_taken_as_it_is_and_headings_around_it_stay_markdown():
    inside = "<div>\n\n    <p>*not* `md` &amp; {{ x }}</p>\n\n```\n</div>"
    text = f"# Title {{ #t }}\n\n<!--raw-->\n{inside}\n<!--/raw-->\n\n## Two {{ #two }}\n"
    html = markdown.markdown(text, extensions=["attr_list", "pymdownx.superfences", raw_html.RawHtml()])
    assert "<p>*not* `md` &amp; {{ x }}</p>" in html and "```" in html
    assert '<h1 id="t">Title</h1>' in html and '<h2 id="two">Two</h2>' in html


def test_raw_html_without_its_end_says_so():
    with pytest.raises(ValueError, match="never closed"):
        markdown.markdown("<!--raw-->\n<p>x</p>", extensions=[raw_html.RawHtml()])


def test_without_the_extension_the_same_text_gives_the_same_elements():
    text = '## Head { #h }\n\n<!--raw-->\n<table class="wp-table">\n<tr><td>a *b*</td></tr>\n</table>\n<!--/raw-->\n'
    ours = markdown.markdown(text, extensions=["attr_list", raw_html.RawHtml()])
    plain = markdown.markdown(text, extensions=["attr_list"])
    assert plain.replace("<!--raw-->", "").replace("<!--/raw-->", "").split() == ours.split()


def test_keep_returns_what_was_stored_until_the_stamp_changes(tmp_path):
    calls = []

    def make():
        calls.append(1)
        return {"n": (1, 2)}

    kept = Keep(tmp_path / "k.json", "a")
    assert kept.get("x", make) == {"n": [1, 2]} and kept.get("x", make) == {"n": [1, 2]} and len(calls) == 1
    kept.save()
    assert Keep(tmp_path / "k.json", "a").get("x", make) == {"n": [1, 2]} and len(calls) == 1
    assert Keep(tmp_path / "k.json", "b").get("x", make) == {"n": [1, 2]} and len(calls) == 2


def test_keep_drops_what_nobody_asked_for_and_survives_a_broken_file(tmp_path):
    kept = Keep(tmp_path / "k.json", "a")
    kept.get("old", lambda: 1)
    kept.save()
    again = Keep(tmp_path / "k.json", "a")
    again.get("new", lambda: 2)
    again.save()
    assert set(json.loads((tmp_path / "k.json").read_text())["kept"]) == {"new"}
    (tmp_path / "k.json").write_text("{")
    assert Keep(tmp_path / "k.json", "a").get("new", lambda: 3) == 3


@pytest.mark.parametrize(("today", "passed"), [("2026-06-01", 0.0), ("2026-08-30", 0.5), ("2026-12-01", 1.0)])
def test_age_is_the_share_of_the_shelf_life_that_has_passed(today, passed):
    assert ages.share("official-docs", "2026-06-01", today) == pytest.approx(passed, abs=0.02)


def test_the_ruler_shows_a_dot_within_and_a_diamond_past_the_end():
    assert "<circle" in ages.ruler(0.4, "x") and "<rect" not in ages.ruler(0.4, "x")
    assert "<rect" in ages.ruler(1.2, "x") and "<circle" not in ages.ruler(1.2, "x")
    assert 'aria-label="a &quot;b&quot;"' in ages.ruler(0.1, 'a "b"')


def test_remarks_are_joined_and_escaped():
    assert clean("One.", "", "two <3") == "One; two &lt;3"
    assert clean("Alone.") == "Alone."
    assert spelled(">=0.20,<0.24") == "≥ 0.20, < 0.24"


def test_lists_and_anchors():
    assert as_list(None) == [] and as_list("a") == ["a"] and as_list(("a", "b")) == ["a", "b"]
    assert slug("Q4_K_M") == "q4-k-m" and slug("4.0bpw") == "4-0bpw"


def test_files_are_rewritten_only_when_they_differ(tmp_path):
    file = tmp_path / "deep" / "x.md"
    assert write(file, "a") is True
    before = file.stat().st_mtime_ns
    assert write(file, "a") is False and file.stat().st_mtime_ns == before
    assert write(file, "b") is True and file.read_text() == "b"


def test_style_keeps_strings_and_loses_comments():
    css = 'a::after { content: "a  /* b */ : c"; }\n/* gone */\n.x > .y { color : red ; }\n'
    small = assets.minified(css)
    assert '"a  ' in small and "gone" not in small and ".x>.y{" in small


@pytest.mark.parametrize(
    ("lang", "word", "folded"),
    [
        ("vi", "lượng", "luong"),
        ("vi", "Định", "Dinh"),
        ("vi", "đo", "do"),
        ("ru", "ещё", "еще"),
        ("ru", "мой", "мой"),
        ("en", "quantization", "quantisation"),
        ("en", "sizes", "sizes"),
    ],
)
def test_folding(lang, word, folded):
    assert search.fold(word, lang) == folded


def test_search_entries_follow_the_sections_and_leave_quiet_blocks_out():
    text = (
        "# vLLM { #vllm }\n\n<!--raw-->\n<p>An engine <a class=\"wp-src\" href=\"x\">docs</a></p>\n<!--/raw-->\n\n"
        "## Facts { #facts }\n\n<!--raw-->\n<td>3</td><td>a &lt; b</td>\n<!--/raw-->\n\n"
        "## Sources { #sources }\n\n<!--raw:quiet-->\n<p>secret</p>\n<!--/raw-->\n"
    )  # fmt: skip
    found = search.entries(Page("engines/vllm.md", "engine", "vllm"), "vLLM", text)
    assert found == [
        {"location": "engines/vllm/", "title": "vLLM", "text": "An engine"},
        {"location": "engines/vllm/#facts", "title": "Facts", "text": "3 a &lt; b"},
    ]
    assert search.entries(Page("x.md", "engine", search=False), "x", text) == []


def test_vietnamese_entries_get_their_words_without_marks():
    entry = search.folded({"location": "x", "title": "Định dạng", "text": "lượng tử, engine"}, "vi")
    assert entry["text"] == "lượng tử, engine<p hidden>dinh dang luong tu</p>"
    assert entry["tags"] == ["Dinh dang"]


def test_a_name_is_found_without_its_space_and_the_shorter_of_two_names_first():
    card, model, vision = (
        search.folded({"location": "x", "title": title, "text": ""}, "en")
        for title in ("RTX 4090", "Qwen3-32B", "Qwen3-VL-32B")
    )
    assert "RTX4090" in card["tags"]
    assert model["boost"] > vision["boost"] > 1


def test_every_parameter_of_the_memory_rules_has_a_name(world):
    view = View(world, "ru", "engines/x/")
    for entry in world.entries("engine").values():
        for fact, rule in zip(engine.memory(view, entry), entry.get("memory", []), strict=True):
            assert not [name for name in rule if "_" in name and re.search(rf"\b{name}\b", str(fact.note))]


def test_conditions_in_words(world):
    view = View(world, "en", "engines/x/")
    text = str(words.condition(view, {"device.compute_capability": ">=7.5", "host.os": ["linux", "wsl2"]}))
    assert "7.5" in text and "Linux" in text and "WSL2" in text and ">=" not in text
    assert words.condition(view, None) == ""
    either = str(words.condition(view, {"any": [{"model.kind": "moe"}, {"not": {"device.vendor": "nvidia"}}]}))
    assert " or " in either and "not " in either


def test_a_text_without_translation_is_english_and_marked(world):
    view = View(world, "vi", "x/")
    shown = view.say({"en": "Only <here>"})
    assert 'lang="en"' in shown and "Only &lt;here&gt;" in shown and "wp-untranslated" in shown
    assert view.say({"en": "a", "vi": "b"}) == "b"


def test_links_are_relative_to_the_page(world):
    engine = next(iter(world.entries("engine")))
    assert View(world, "en", "").url("engine", engine) == f"engines/{engine}/"
    assert View(world, "en", "recipes/x/").url("engine", engine) == f"../../engines/{engine}/"
    assert View(world, "en", "").to("") == "./"


def test_the_chip_names_the_newest_reading_and_counts_the_others(world):
    view = View(world, "en", "")
    two = list(world.knowledge.readings)[:2]
    chip = str(view.chip(two))
    assert " +1" in chip and 'href="sources/' in chip
    assert view.chip(None) == ""
