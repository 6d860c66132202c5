"""Each line of the one-page guide, the final map and the recipes: situation in, engine out."""

import pytest

from knowledge.load import load
from wizard.decide import decide

from .conftest import TODAY
from .expectations import misses

KNOWLEDGE = load()


def cases():
    for kind in ("recipe", "scenario"):
        for id_, entry in KNOWLEDGE.entries[kind].items():
            yield pytest.param(entry, id=f"{kind}-{id_}")
    for id_, guide in KNOWLEDGE.entries["guide"].items():
        for row in guide["rows"]:
            yield pytest.param(row, id=f"{id_}-{row['id']}")
    for id_, workload in KNOWLEDGE.entries["workload"].items():
        if "situation" in workload and "expect" in workload:
            yield pytest.param(workload, id=f"workload-{id_}")


@pytest.mark.parametrize("entry", list(cases()))
def test_the_decision_says_what_the_entry_expects(entry, kb):
    decision = decide(entry["situation"], kb, TODAY)
    assert not decision["problems"]
    assert not decision["evidence"]["undeclared_ties"]
    assert not misses(decision, entry["expect"])


def test_all_articles_lines_are_there():
    assert len(KNOWLEDGE.entries["recipe"]) >= 13
    assert sum(len(g["rows"]) for g in KNOWLEDGE.entries["guide"].values()) >= 15
