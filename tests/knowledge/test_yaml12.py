"""Reading YAML: core scalars, places, and no exception for any text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.yaml12 import parse, scalar


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("on", "on"), ("off", "off"), ("yes", "yes"), ("No", "No"), ("y", "y"),
        ("22:22", "22:22"), ("2026-11-29", "2026-11-29"), ("2026-11", "2026-11"), ("1_000", "1_000"),
        ("0b1", "0b1"), ("1.2.3", "1.2.3"), ("b7083", "b7083"), ("=", "="), ("<<", "<<"),
        (".inf", ".inf"), (".nan", ".nan"),
        ("true", True), ("False", False), ("TRUE", True), ("tRue", "tRue"),
        ("null", None), ("~", None), ("", None), ("nULL", "nULL"),
        ("12", 12), ("-3", -3), ("+4", 4), ("007", 7), ("0x1F", 31), ("0o17", 15), ("017", 17),
        ("0.92", 0.92), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("-1.5E-2", -0.015),
        ("1e999", "1e999"), ("8.10", 8.1),
        ("1e", "1e"), ("+", "+"), ("-", "-"), (".", "."), ("٣", "٣"),
    ],
)  # fmt: skip
def test_plain_scalars_follow_the_core_schema(written: str, value: object) -> None:
    read = scalar(written)
    assert read == value
    assert type(read) is type(value)


def test_quoted_and_block_scalars_are_always_text() -> None:
    data = parse("a: \"7.5\"\nb: '1'\nc: |\n  true\nd: >-\n  12\n  13\n").data
    assert data == {"a": "7.5", "b": "1", "c": "true\n", "d": "12 13"}


def test_keys_are_words_whatever_they_look_like() -> None:
    assert parse("on: 1\n7: 2\nnull: 3\n2026-11-29: 4\n").data == {"on": 1, "7": 2, "null": 3, "2026-11-29": 4}


def test_places_of_keys_and_values() -> None:
    text = "имя: vLLM\nformats:\n  - {format: fp8, types: [a, “b”]}\nnote: >-\n  folded\n  text\nlast: 1\n"
    parsed = parse(text)
    assert parsed.keys[("имя",)] == (1, 1, 1, 4)
    assert parsed.values[("имя",)] == (1, 6, 1, 10)
    assert parsed.values[("formats", 0, "format")] == (3, 14, 3, 17)
    assert parsed.values[("formats", 0, "types", 1)] == (3, 30, 3, 33)
    assert parsed.keys[("formats", 0, "types")] == (3, 19, 3, 24)
    assert parsed.values[("note",)][0] == 4
    assert parsed.values[("last",)] == (7, 7, 7, 8)


def test_duplicate_keys_keep_the_first_and_tell_the_second() -> None:
    parsed = parse("a: 1\nb: {c: 1, c: 2}\na: {x: [1, 2]}\n")
    assert parsed.data == {"a": 1, "b": {"c": 1}}
    assert [(p.code, p.span[:2], p.detail) for p in parsed.problems] == [
        ("K002", (2, 11), {"key": "c", "first": 2}),
        ("K002", (3, 1), {"key": "a", "first": 1}),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1\nb: 2", 2),
        ("a: 1\n\tb: 2", 2),
        ("a: 1\nb: \x01", 2),
        ("a: 'x", 1),
        ("a: b: c", 1),
        ("- 1\nb: 2", 2),
        ("%", 1),
    ],
)
def test_what_is_not_yaml_is_one_problem_with_its_line(text: str, line: int) -> None:
    parsed = parse(text)
    assert parsed.data is None
    assert [problem.code for problem in parsed.problems] == ["K001"]
    assert parsed.problems[0].span[0] == line
    assert parsed.problems[0].detail["reason"]


@pytest.mark.parametrize("text", ["a: &x 1\nb: *x", "a: !!str 1", "? [1]\n: 2", "a: 1\n---\nb: 2"])
def test_yaml_that_hides_what_it_says_is_told(text: str) -> None:
    assert {problem.code for problem in parse(text).problems} == {"K003"}


def test_depth_is_no_way_to_exhaust_the_stack() -> None:
    for text in ("[" * 100_000, "[" * 500 + "]" * 500, "\n".join("  " * i + "a:" for i in range(400))):
        assert parse(text).problems[0].code == "K001"


plain_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(
        st.characters(
            codec="utf-8", exclude_characters="\u2028\u2029\ufeff\ufffe\uffff", exclude_categories=("Cc", "Cs")
        )
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcdef-_.", max_size=6), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(plain_json)
def test_json_is_read_as_json(value: object) -> None:
    # a JSON text (without surrogate escapes) is YAML 1.2; the independent reader is the json module
    for text in (json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1, ensure_ascii=False)):
        parsed = parse(text)
        assert not parsed.problems
        assert parsed.data == json.loads(text)
        for path, (line, col, end_line, end) in parsed.keys.items():
            shown = text.split("\n")[line - 1][col - 1 : end - 1]
            assert end_line == line and json.loads(shown) == path[-1]


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from(list("ab:-[]{},&*!|>'\"#%@`?~ \n\t\\01.é")), max_size=40) | st.text(max_size=30))
def test_no_text_raises(text: str) -> None:
    parsed = parse(text)
    assert parsed.problems or parsed.values
    for line, col, end_line, end in [*parsed.values.values(), *parsed.keys.values()]:
        assert 1 <= line <= end_line and col >= 1 and (end_line, end) >= (line, col)
