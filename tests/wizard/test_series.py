"""Processors that are not listed are reckoned as a relative of their series, and the answer says so."""

import pytest

from wizard.series import relative
from wizard.situation import read


@pytest.mark.parametrize(
    ("name", "channels", "rate"),
    [
        ("Xeon Gold 6454S", 8, 4400),
        ("Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz", 6, 2933),
        ("AMD EPYC 7302 16-Core Processor", 8, 3200),
        ("EPYC 9374F", 12, 4800),
    ],
)
def test_a_server_processor_has_the_memory_of_its_series(kb, name, channels, rate):
    id_ = relative(name, kb)
    assert id_ is not None
    assert kb.devices[id_]["cpu"]["channels"] == channels
    assert kb.devices[id_]["cpu"]["memory_mts"] == rate


def test_what_only_looks_alike_is_no_relative(kb):
    assert relative("RTX 6430", kb) is None
    assert relative("M9 Ultra", kb) is None


def test_the_answer_says_whom_it_took(kb):
    reading = read({"devices": ["RTX 4090"], "host": {"cpu": "Xeon Gold 6454S"}}, kb)
    assert reading.situation["host"]["cpu"] == "xeon-gold-6430"
    assert [p.text for p in reading.problems] == ["problem.relative"]
    printed = read({"devices": ["RTX 4090"], "host": {"cpu": "Intel(R) Xeon(R) Gold 6430 CPU @ 2.10GHz"}}, kb)
    assert (printed.situation["host"]["cpu"], printed.problems) == ("xeon-gold-6430", [])
