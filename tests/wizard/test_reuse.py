"""What one decision leaves for the next changes no answer, and the head of an answer is the answer's head."""

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wizard.decide import decide, decide_head
from wizard.decision import to_json
from wizard.kb import KB
from wizard.render import first, html
from wizard.situation import read
from wizard.whatif import complete

from .conftest import TODAY
from .test_decide import machines

quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TEAM = {"devices": ["2x RTX 3090"], "model": "qwen3-32b", "serving": "team", "traffic": {"concurrency": 4}}


@pytest.fixture(scope="module")
def cases(kb):
    return machines(kb)


@quick
@given(st.data())
def test_a_decision_does_not_depend_on_those_before(kb, bundle, cases, data):
    situation = data.draw(cases)
    other = copy.deepcopy(situation)
    other["traffic"]["concurrency"] = data.draw(st.sampled_from([1, 2, 16]))
    other["priority"], other["serving"] = "throughput", "fleet"
    core = bundle[0]
    fresh = to_json(decide(situation, KB(core, kb.measurements), TODAY))
    used = KB(core, kb.measurements)
    for one in (other, situation, other):
        decide(one, used, TODAY)
    assert to_json(decide(situation, used, TODAY)) == fresh


def test_an_unsure_start_is_final_before_it_is_shown(kb):
    asked = {"devices": [{"device": "radeon-pro-vega-48", "count": 8}], "nodes": 2, "model": "dots-llm1-142b"}
    asked |= {"serving": "app", "priority": "latency", "context": {"tokens": 4096}}
    top, whole = decide_head(read(asked, kb), kb, TODAY)
    shown = top["recommendations"][0]["engine"]
    assert shown == whole()["recommendations"][0]["engine"]


@quick
@given(st.data())
def test_the_head_is_the_first_section_of_the_whole(kb, texts, cases, data):
    top, whole = decide_head(read(data.draw(cases), kb), kb, TODAY)
    shown = first(top, texts, kb, texts.lang, "../")
    decision = whole()
    assert shown == html(decision, texts, kb, texts.lang, "../")[:1]


def test_what_was_asked_for_is_not_kept_from_an_earlier_question(kb):
    plain = decide(TEAM, kb, TODAY)["recommendations"][0]
    asked = decide({**TEAM, "settings": {"layout": {"pp": 2}}}, kb, TODAY)["recommendations"][0]
    old = decide({**TEAM, "optional": {"engine_versions": {"vllm": "0.6.0"}}}, kb, TODAY)
    assert (plain["layout"]["tp"], asked["layout"]["pp"]) == (2, 2)
    assert decide(TEAM, kb, TODAY)["recommendations"][0] == plain
    assert to_json(old) != to_json(decide(TEAM, kb, TODAY))


def test_knowledge_that_was_not_bundled_keeps_apart_what_its_engines_ask(bundle, kb):
    bare = KB({key: value for key, value in bundle[0].items() if key != "asked"}, bundle[2])
    for os in ("linux", "windows", "linux"):
        data = {"devices": ["rtx-4090"], "model": "qwen3-8b", "host": {"os": os}}
        assert to_json(decide(data, bare, TODAY)["recommendations"]) == to_json(
            decide(data, kb, TODAY)["recommendations"]
        )
    assert bare.asked == bundle[0]["asked"]


def test_rows_that_decisions_share_stay_as_they_were(kb, texts):
    """What-if writes its fixes into copies, and a row that was shown once reads the same beside another answer."""
    before = decide(TEAM, kb, TODAY)
    plain, shown = to_json(before), html(before, texts, kb, texts.lang, "../")
    fixed = complete(TEAM, kb, TODAY)
    assert any(row["fix_verified"] for row in fixed["rejected"])
    busy = decide({**TEAM, "priority": "throughput"}, kb, TODAY)
    html(busy, texts, kb, texts.lang, "")
    after = decide(TEAM, kb, TODAY)
    assert to_json(after) == plain and to_json(before) == plain
    assert html(after, texts, kb, texts.lang, "../") == shown
    fresh = KB({k: v for k, v in kb.core.items()}, kb.measurements)
    assert html(fixed, texts, kb, texts.lang, "../") == html(
        complete(TEAM, fresh, TODAY), texts, fresh, texts.lang, "../"
    )
