"""Properties of every Decision, on real knowledge and on nonsense."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wizard.decide import decide
from wizard.decision import to_json
from wizard.fixes import admits
from wizard.render import html, markdown
from wizard.situation import apply_patch
from wizard.vocabulary import NEEDS, OSES, PRIORITIES, ROLES, SERVING
from wizard.whatif import complete

from .conftest import TODAY
from .test_situation import anything, keys

quick = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
WHOLE = ("engine", "backend", "os", "hardware", "model", "feature")


@st.composite
def machines(draw, kb):
    devices = draw(st.lists(st.sampled_from(sorted(kb.devices)), min_size=1, max_size=2, unique=True))
    data = {
        "devices": [{"device": d, "count": draw(st.sampled_from([1, 1, 2, 3, 4, 8]))} for d in devices],
        "model": draw(st.sampled_from([*sorted(kb.models), None, {"params_b": 13}, {"params_b": 120, "active_b": 5}])),
        "serving": draw(st.sampled_from(SERVING)),
        "priority": draw(st.sampled_from(PRIORITIES)),
        "needs": draw(st.lists(st.sampled_from(NEEDS), max_size=2, unique=True)),
        "traffic": {"concurrency": draw(st.sampled_from([1, 3, 8, 100]))},
        "context": {"tokens": draw(st.sampled_from([4096, 32768, 200_000]))},
        "format": draw(st.sampled_from(["auto", "auto", "auto", *sorted(kb.formats)])),
        "nodes": draw(st.sampled_from([1, 1, 1, 2])),
    }
    if draw(st.booleans()):
        data["host"] = {"os": draw(st.sampled_from(OSES)), "ram_gib": draw(st.sampled_from([8, 64, 512]))}
    return data


@pytest.fixture(scope="module")
def cases(kb):
    return machines(kb)


def whole(decision):
    """Engines rejected as such, not one of their formats, layouts or modes."""
    return {r["engine"] for r in decision["rejected"] if r["scope"]["kind"] in WHOLE and r["mode"] is None}


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_every_decision_is_sound(kb, cases, data):
    situation = data.draw(cases)
    d = decide(situation, kb, TODAY)
    assert json.loads(to_json(d)) == d
    named = [r["engine"] for r in d["recommendations"]]
    assert not set(named) & whole(d), "recommended and rejected"
    assert sum(r["role"] == "start" for r in d["recommendations"]) <= 1
    for rec in d["recommendations"]:
        assert rec["role"] in ROLES
        entry = kb.engines[rec["engine"]]
        assert entry["status"]["is"] not in ("archived", "inactive")
        assert rec["reasons"] or rec["role"] == "start"
        if rec["layout"]:
            used = sum(x["count"] for x in rec["layout"]["devices"])
            assert used <= sum(x["count"] for x in situation["devices"])
            if len({x["device"] for x in rec["layout"]["devices"]}) > 1:
                assert rec["layout"]["tp"] == 1, "unequal cards never go tensor parallel"
        if rec["fit"]:
            assert rec["fit"]["class"] != "no"
        if rec["format"] and d["situation"]["format"] != "auto":
            asked = d["situation"]["format"]["family"]
            carried = {line["format"] for line in kb.formats[asked].get("carried_by", [])}
            assert rec["format"]["family"] in {asked, *carried}
    for row in d["rejected"]:
        assert row["obstacles"] or row["reasons"], row["id"]
        for stop in row["obstacles"]:
            if stop["kind"] == "false" and stop["clause"] not in ("memory", "candidate.tp", "hardware.kinds"):
                assert stop["sources"], (row["id"], stop)
    ids = [r["id"] for r in d["rejected"]]
    assert len(ids) == len(set(ids))
    # every engine is accounted for: recommended, rejected, or a path of another
    plugins = {e for e, x in kb.engines.items() if x["layer"] == "plugin"}
    assert set(kb.engines) - plugins == set(named) | {r["engine"] for r in d["rejected"]}


@quick
@given(st.data())
def test_every_decision_can_be_shown(kb, texts, cases, data):
    d = decide(data.draw(cases), kb, TODAY)
    sections = html(d, texts, kb, texts.lang, "../")
    assert sections and all(s["html"].startswith("<") for s in sections)
    assert len({s["id"] for s in sections}) == len(sections)
    assert "…" not in markdown(d, texts, kb, texts.lang).split("\n")[0]


@quick
@given(st.one_of(anything, st.dictionaries(keys, anything, max_size=8)))
def test_decide_never_raises(kb, data):
    json.loads(to_json(decide(data, kb, TODAY)))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_equal_inputs_give_equal_bytes(kb, cases, data):
    situation = data.draw(cases)
    assert to_json(decide(situation, kb, TODAY)) == to_json(decide(json.loads(json.dumps(situation)), kb, TODAY))


FIXABLE = [
    {"devices": [{"device": "rtx-4090", "count": 1}], "host": {"os": "windows"}, "model": "qwen3-14b"},
    {"devices": [{"device": "rtx-3090", "count": 2}], "model": "qwen3-32b", "serving": "team"},
    {"devices": [{"device": "m4-max", "count": 1}], "model": "qwen3-8b", "needs": ["rerank"]},
    {"devices": [{"device": "mi300x", "count": 1}], "model": "qwen3-32b", "format": "awq"},
    {"devices": [{"device": "rtx-3060", "count": 1}], "model": "qwen3-235b-a22b"},
]


@pytest.mark.parametrize("situation", FIXABLE, ids=lambda s: s["devices"][0]["device"])
def test_every_fix_shown_is_enough_by_itself(kb, situation):
    d = complete(situation, kb, TODAY)
    shown = [r for r in d["rejected"] if r["fix_verified"]]
    assert shown
    for row in shown:
        again = decide(apply_patch(d["stated"], row["fix"]), kb, TODAY)
        assert not again["problems"]
        assert admits(again, row), row["id"]
    for change in d["would_change"]:
        again = decide(apply_patch(d["stated"], change["patch"]), kb, TODAY)
        start = next((r for r in again["recommendations"] if r["role"] == "start"), None)
        assert (start["engine"] if start else None) == (change["then"]["engine"] if change["then"] else None)


def test_nothing_fits_shows_three_changes_that_work(kb):
    d = complete(
        {"devices": [{"device": "rtx-3060", "count": 1}], "host": {"ram_gib": 16}, "model": "deepseek-v3-1"}, kb, TODAY
    )
    assert not [r for r in d["recommendations"] if r["role"] == "start"]
    assert d["nothing_fits"]
    for way in d["nothing_fits"]:
        again = decide(apply_patch(d["stated"], way["patch"]), kb, TODAY)
        assert [r["engine"] for r in again["recommendations"] if r["role"] == "start"] == [way["engine"]]


def test_no_hardware_is_asked_for_not_guessed(kb):
    d = decide({"model": "qwen3-32b"}, kb, TODAY)
    assert not d["recommendations"]
    assert [p["path"] for p in d["problems"]] == ["devices"]


def test_without_a_model_engines_are_ranked_without_numbers(kb):
    d = decide({"devices": [{"device": "rtx-3090", "count": 1}], "serving": "team"}, kb, TODAY)
    start = next(r for r in d["recommendations"] if r["role"] == "start")
    assert start["fit"] is None and start["estimates"] is None and start["format"] is None


def test_a_format_that_removes_every_engine_shows_the_free_choice(kb):
    d = decide({"devices": [{"device": "rx-7900-xtx"}], "model": "qwen3-8b", "format": "exl3"}, kb, TODAY)
    assert not d["recommendations"]
    assert d["auto_format"]["engine"]


def test_parameters_only_still_answer(kb):
    d = decide({"devices": [{"device": "rtx-3090", "count": 2}], "model": {"params_b": 32}}, kb, TODAY)
    start = next(r for r in d["recommendations"] if r["role"] == "start")
    assert start["fit"]["class"] in ("fits", "tight")


def test_an_own_device_works(kb):
    own = {"arch": "sm_86", "memory_gib": 48, "bandwidth_gbs": 768, "name": "own card"}
    d = decide({"devices": [{"custom": own, "count": 1}], "model": "qwen3-32b"}, kb, TODAY)
    assert not d["problems"]
    assert [r for r in d["recommendations"] if r["role"] == "start"]


def test_memory_of_a_board_is_not_made_larger(kb):
    """Where nobody said how much system memory there is, more is tried; what a board or a processor has, it has."""
    for device in ("raspberry-pi-4", "intel-n150"):
        devices = [{"device": device, "count": 1, "memory_gib": 8}]
        decision = decide({"devices": devices, "model": "qwen3-8b", "serving": "agents"}, kb, TODAY)
        assert {a["value"] for a in decision["assumptions"] if a["path"] == "host.ram_gib"} <= {8}
        assert not [r for r in decision["recommendations"] if r["format"]["type"] == "q8_0"]


def test_several_models_for_customers_are_several_servers(kb):
    """One server holds one model, and a router stands before them: that is no reason for a desktop engine."""
    eight = {"devices": [{"device": "h100-sxm", "count": 8}], "model": "llama-3.3-70b", "needs": ["multi-model"]}
    served = decide({**eight, "serving": "customers"}, kb, TODAY)
    assert served["recommendations"][0]["engine"] == "vllm"
    assert "rule-warn-several-models" in {w["id"] for w in served["warnings"]}
    # the search that an earlier situation left is not taken for one with other people
    alone = decide({**eight, "serving": "team"}, kb, TODAY)
    assert alone["recommendations"][0]["engine"] == "llama-cpp"


@pytest.mark.parametrize("priority", ["latency", "throughput", None])
def test_between_equals_latency_takes_the_one_whose_first_token_surely_comes_sooner(kb, priority):
    asked = {"devices": [{"device": "h100-sxm", "count": 8}], "model": "deepseek-r1", "serving": "customers"}
    answer = decide({**asked, "traffic": {"concurrency": 100}, "priority": priority}, kb, TODAY)
    start, tied = answer["recommendations"][:2]
    assert tied["tied_with"] == [start["engine"]]
    wait, other = start["estimates"]["ttft_s"], tied["estimates"]["ttft_s"]
    told = [r for r in start["reasons"] if r["id"] == "sooner"]
    if priority == "latency":
        assert wait["high"] < other["low"]
        assert told[0]["params"] == {"mine": wait["point"], "theirs": other["point"]}
    else:
        assert not told
