"""Versions compare as engines count them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.versions import VersionError, compare, matches

numbers = st.lists(st.integers(0, 3000), min_size=1, max_size=4).map(lambda p: ".".join(map(str, p)))


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("0.9.0", "0.10.0"), ("1.3.0rc20", "1.3.0"), ("1.3.0rc20", "1.3.0rc21"), ("1.2.1", "1.3.0rc1"),
        ("2025.4", "2026.4.1.0"), ("b6918", "b11413"), ("0.5.23", "0.5.23.post1"), ("v0.19", "0.20"),
    ],
)  # fmt: skip
def test_order(lower, higher):
    assert compare(lower, higher) == -1
    assert compare(higher, lower) == 1


def test_trailing_zeros_do_not_count():
    assert compare("1.0", "1.0.0") == 0


@pytest.mark.parametrize(
    ("range_", "version", "holds"),
    [
        (">=0.22", "0.33.0", True), (">=0.22", "0.21.9", False), (">=0.20,<0.24", "0.23.1", True),
        (">=0.20,<0.24", "0.24", False), ("<1.3", "1.2.1", True), (None, "1", True), ("0.3.2", "0.3.2", True),
    ],
)  # fmt: skip
def test_ranges(range_, version, holds):
    assert matches(range_, version) is holds


def test_unreadable_range_says_what_would_be_right():
    with pytest.raises(VersionError, match=">=0.22"):
        matches("about 3", "3")


@given(numbers, numbers, numbers)
def test_order_is_total_and_transitive(a, b, c):
    assert compare(a, b) == -compare(b, a)
    if compare(a, b) <= 0 and compare(b, c) <= 0:
        assert compare(a, c) <= 0
