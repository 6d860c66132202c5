"""Sentences: filling, escaping, plural forms, English left-overs, and that every one can be filled."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from wizard.texts import Markup, Texts, UnknownText

from . import sample_decision as sample

TERMS = sample.core()["terms"]
ROOT = Path(__file__).resolve().parents[2]


def texts(sentence, lang="en", strict=True, **more):
    return Texts({"a.b": sentence, **more}, lang, TERMS, strict)


def test_values_are_escaped_and_marks_become_tags():
    t = texts("**{x}** & `{y}` < {z}")
    assert t.html("a.b", x="<b>", y='"', z=1) == "<strong>&lt;b&gt;</strong> &amp; <code>&quot;</code> &lt; 1"
    assert t.plain("a.b", x="<b>", y='"', z=1) == '<b> & " < 1'


def test_markup_is_put_in_as_it_is():
    t = texts("see {x}")
    assert t.html("a.b", x=Markup("<a href=x>y</a>")) == "see <a href=x>y</a>"
    assert t.plain("a.b", x=Markup("<a href=x>y</a>")) == "see y"


def test_numbers_take_the_marks_of_the_language():
    assert texts("{n}", "ru").plain("a.b", n=32768) == "32\u202f768"
    assert texts("{n:gib}", "vi").plain("a.b", n=24 * 1024**3) == "24,0"
    assert texts("{n:kib} {n:rough}").plain("a.b", n=262144) == "256 262,000"
    assert texts("{n:pct} %").plain("a.b", n=0.081) == "8%"
    assert texts("{n:pct} %", "ru").html("a.b", n=0.081) == "8\u00a0%"


def test_a_flag_is_code_that_stays_on_one_line():
    made = texts("set --dp-size and -c, not `--x`, a-b or --").html("a.b")
    assert made == 'set <code class="f">--dp-size</code> and <code class="f">-c</code>, not <code>--x</code>, a-b or --'


@pytest.mark.parametrize(("n", "shown"), [(1, "1 карта"), (3, "3 карты"), (5, "5 карт"), (21, "21 карта")])
def test_plural_of_a_glossary_term(n, shown):
    assert texts("{n} {n|card}", "ru").plain("a.b", n=n) == shown


def test_a_term_without_plural_forms_raises_in_tests():
    with pytest.raises(UnknownText, match="glossary"):
        texts("{n|no-such-term}").plain("a.b", n=2)


def test_unknown_ids_and_missing_values_raise_in_tests_and_never_for_a_reader():
    strict, lenient = texts("{x}"), texts("{x}", strict=False)
    with pytest.raises(UnknownText):
        strict.plain("no.such")
    with pytest.raises(UnknownText):
        strict.html("a.b")
    assert lenient.plain("no.such") == "no.such"
    assert lenient.html("a.b") == "…"


def test_untranslated_sentences_are_marked_as_english():
    t = Texts({"a.b": "words", "$untranslated": ["a.b"]}, "vi")
    assert t.html("a.b") == '<span lang="en">words</span>'
    assert t.is_english("a.b")
    assert not Texts({"a.b": "words", "$untranslated": ["a.b"]}, "en").is_english("a.b")


def test_sentences_inside_sentences():
    t = texts("then {x}.", inner="the {y} one")
    assert t.html("a.b", x={"t": "inner", "p": {"y": "<i>"}}) == "then the &lt;i&gt; one."


def test_lists_are_joined_in_the_language():
    assert texts("{x}", "ru", **{"list.or": " или "}).plain("a.b", x=["a", "b", "c"]) == "a, b или c"


@given(st.text())
def test_any_value_stays_text(value):
    shown = texts("{x}").html("a.b", x=value)
    assert "<" not in shown
    assert re.fullmatch(r"(?:[^&<>\"']|&(?:amp|lt|gt|quot|#x27);)*", shown, re.S)


@given(st.text(max_size=40))
def test_any_sentence_parses(sentence):
    t = texts(sentence, strict=False)
    assert isinstance(t.html("a.b"), str)
    assert isinstance(t.plain("a.b"), str)


def sentences():
    for path in sorted((ROOT / "knowledge" / "text").glob("*.yml")):
        for id_, text in yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["texts"].items():
            yield f"{path.stem}.{id_}", text


def test_every_interface_sentence_is_in_three_languages():
    assert [id_ for id_, text in sentences() if set(text) != {"en", "vi", "ru"}] == []


def test_every_language_takes_the_same_values_in_the_same_form():
    differing = []
    for id_, text in sentences():
        forms = {
            lang: set(re.findall(r"\{([a-z0-9_.-]+(?::[a-z]+)?)(?:\|[a-z-]+)?\}", words))
            for lang, words in text.items()
        }
        if len({frozenset(f) for f in forms.values()}) != 1:
            differing.append((id_, forms))
    assert differing == []


def test_every_interface_sentence_can_be_filled_in_every_language(bundle, kb):
    for lang in ("en", "vi", "ru"):
        t = Texts(bundle[1][lang], lang, kb.terms, strict=True)
        for id_ in (id_ for id_, _ in sentences() if t.has(id_)):  # the browser's bundle leaves page texts out
            values = dict.fromkeys(t.placeholders(id_), 3)
            assert t.plain(id_, values)
            assert "{" not in t.plain(id_, values), id_
