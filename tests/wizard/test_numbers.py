"""Numbers, dates and plural forms as each language writes them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.render import numbers as n

THIN = "\u202f"


@pytest.mark.parametrize(("lang", "shown"), [("en", "1,234.5"), ("vi", "1.234,5"), ("ru", "1234,5")])
def test_marks_of_the_language(lang, shown):
    assert n.number(1234.5, lang, 1) == shown


@pytest.mark.parametrize(("lang", "shown"), [("en", "32,768"), ("vi", "32.768"), ("ru", f"32{THIN}768")])
def test_whole_numbers_are_exact(lang, shown):
    assert n.number(32768, lang) == shown


def test_russian_groups_digits_from_five_on():
    assert n.number(4000, "ru") == "4000"
    assert n.number(10000, "ru") == f"10{THIN}000"


def test_negative_numbers_have_a_minus_sign_and_zero_has_none():
    assert n.number(-1.5, "en", 1) == "−1.5"
    assert n.number(-0.01, "en", 1) == "0.0"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(52.3456, "52"), (9.31234, "9.3"), (0.351234, "0.35"), (168.0, "168"), (1358.88, "1,360"), (91712, "91,700")],
)
def test_six_digits_are_never_shown_raw(value, shown):
    assert n.rough(value, "en") == shown


def test_interval_takes_the_decimals_of_its_point():
    assert n.interval(44.12, 60.21, "en", 52.3) == "44–60"
    assert n.interval(3.31, 5.94, "vi", 4.41) == "3,3–5,9"
    assert n.interval(1010.2, 1811.4, "ru", 1360) == "1010–1810"


@pytest.mark.parametrize(
    ("size", "shown"), [(24 * n.GIB, "24.0"), (101 * n.GIB, "101"), (round(0.05 * n.GIB), "0.05"), (0, "0.0")]
)
def test_gib(size, shown):
    assert n.gib(size, "en") == shown


@pytest.mark.parametrize(
    ("day", "lang", "shown"),
    [
        ("2026-11-29", "en", "2026-11-29"),
        ("2026-11-29", "vi", "29/11/2026"),
        ("2026-11-29", "ru", "29.11.2026"),
        ("2026-11", "ru", "11.2026"),
    ],
)
def test_dates(day, lang, shown):
    assert n.date(day, lang) == shown


@pytest.mark.parametrize(
    ("number", "form"),
    [
        (1, 0),
        (21, 0),
        (101, 0),
        (2, 1),
        (4, 1),
        (22, 1),
        (5, 2),
        (11, 2),
        (12, 2),
        (14, 2),
        (111, 2),
        (112, 2),
        (0, 2),
        (1.5, 1),
    ],
)
def test_russian_plural_forms(number, form):
    assert n.plural_index(number, "ru") == form


def test_english_and_vietnamese_plural_forms():
    assert [n.plural_index(x, "en") for x in (0, 1, 2, 1.5)] == [1, 0, 1, 1]
    assert [n.plural_index(x, "vi") for x in (0, 1, 2)] == [0, 0, 0]


@given(st.floats(min_value=1e-3, max_value=1e9, allow_nan=False))
def test_rough_stays_within_one_percent_or_half_a_last_digit(value):
    shown = n.rough(value, "en").replace(",", "")
    read = float(shown)
    last = 0.5 * 10 ** -(len(shown.partition(".")[2]))
    assert abs(read - value) <= max(0.006 * value, last * 1.000001)
    assert len(shown.replace(".", "").strip("0")) <= 3


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12),
    st.sampled_from(["en", "vi", "ru"]),
)
def test_a_number_reads_back(value, lang):
    point, group = {"en": (".", ","), "vi": (",", "."), "ru": (",", THIN)}[lang]
    shown = n.number(value, lang, 2).replace(group, "").replace(point, ".").replace("−", "-")
    assert math.isclose(float(shown), value, abs_tol=0.0051)
