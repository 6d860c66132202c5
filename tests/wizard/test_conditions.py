"""The condition language: true, false or unknown, with the clauses that decided."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.conditions import ConditionError, evaluate, paths_of, refuted, satisfied

VALUES = {
    "device.compute_capability": "8.6",
    "device.arch": "sm_86",
    "host.os": "linux",
    "situation.needs": ("tool-calls", "lora"),
    "situation.traffic.concurrency": 4,
    "device.unified": False,
    "model.hybrid": None,
}


def look(path):
    return VALUES.get(path)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ({}, True),
        (None, True),
        ({"device.compute_capability": ">=7.5"}, True),
        ({"device.compute_capability": ">=8.9"}, False),
        ({"device.compute_capability": "<10.0"}, True),
        ({"device.compute_capability": "8.0..8.6"}, True),
        ({"device.arch": ["sm_80", "sm_86"]}, True),
        ({"device.arch": "sm_89"}, False),
        ({"situation.needs": "lora"}, True),
        ({"situation.needs": ["vision", "lora"]}, True),
        ({"situation.needs": "vision"}, False),
        ({"situation.traffic.concurrency": "1..4"}, True),
        ({"situation.traffic.concurrency": ">=5"}, False),
        ({"situation.traffic.concurrency": 4}, True),
        ({"device.unified": False}, True),
        ({"model.hybrid": True}, None),
        ({"model.hybrid": True, "host.os": "windows"}, False),
        ({"model.hybrid": True, "host.os": "linux"}, None),
        ({"any": [{"host.os": "windows"}, {"device.arch": "sm_86"}]}, True),
        ({"any": [{"host.os": "windows"}, {"model.hybrid": True}]}, None),
        ({"any": [{"host.os": "windows"}, {"device.arch": "sm_90"}]}, False),
        ({"all": [{"host.os": "linux"}, {"device.arch": "sm_86"}]}, True),
        ({"not": {"host.os": "windows"}}, True),
        ({"not": {"host.os": "linux"}}, False),
        ({"not": {"model.hybrid": True}}, None),
    ],
)
def test_value(condition, value):
    assert evaluate(condition, look).value is value


def test_twelve_is_above_nine():
    """Compute capabilities are versions, not decimals: 12.0 > 9.0 > 8.6."""
    assert evaluate({"device.compute_capability": ">=9.0"}, lambda _: "12.0").value is True
    assert evaluate({"device.compute_capability": ">=9.0"}, lambda _: "10.3").value is True


def test_failed_clauses_carry_both_values():
    result = evaluate({"device.compute_capability": ">=8.9", "host.os": ["windows", "macos"]}, look)
    assert [(c.path, c.yours, c.needed) for c in result.failed] == [
        ("device.compute_capability", "8.6", ">=8.9"),
        ("host.os", "linux", ["windows", "macos"]),
    ]


def test_false_hides_unknown_clauses():
    result = evaluate({"model.hybrid": True, "host.os": "windows"}, look)
    assert [c.path for c in result.failed] == ["host.os"]


def test_any_reports_the_nearest_way():
    result = evaluate({"any": [{"host.os": "windows", "device.arch": "sm_90"}, {"host.os": "macos"}]}, look)
    assert [c.needed for c in result.failed] == ["macos"]


def test_not_a_condition():
    with pytest.raises(ConditionError):
        evaluate(["host.os"], look)


def test_paths():
    condition = {"host.os": "linux", "any": [{"device.arch": "x"}, {"not": {"model.hybrid": True}}]}
    assert paths_of(condition) == {"host.os", "device.arch", "model.hybrid"}


clauses = st.sampled_from(
    [
        {"host.os": "linux"},
        {"host.os": ["windows", "macos"]},
        {"situation.needs": ["lora", "vision"]},
        {"situation.traffic.concurrency": ["4", "8"]},
        {"model.hybrid": True},
        {"device.compute_capability": ">=7.5"},
        {"host.os": "linux", "device.arch": "sm_90"},
    ]
)
conditions = st.recursive(
    clauses,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda p: {"any": p}),
        st.lists(inner, min_size=1, max_size=3).map(lambda p: {"all": p}),
        inner.map(lambda p: {"not": p}),
    ),
    max_leaves=8,
)


@given(conditions)
def test_unknown_never_decides_against_itself(condition):
    """Filling in an unknown value may settle an unknown result, never overturn a settled one."""
    before = evaluate(condition, look).value
    for filled in (True, False):
        after = evaluate(condition, lambda p, f=filled: f if p == "model.hybrid" else VALUES.get(p)).value
        assert before is None or before is after


@given(conditions)
def test_double_negation(condition):
    assert evaluate({"not": {"not": condition}}, look).value is evaluate(condition, look).value


@given(conditions)
def test_without_reasons_the_result_is_the_same(condition):
    value = evaluate(condition, look).value
    assert satisfied(condition, look) is (value is True)
    assert refuted(condition, look) is (value is False)


@given(conditions)
def test_true_has_no_failed_clause(condition):
    result = evaluate(condition, look)
    assert (result.value is True) == (not result.failed) or result.value is False
