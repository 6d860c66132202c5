"""What if: fixes that suffice, changes that flip the answer, and what to do when nothing fits."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wizard import whatif
from wizard.decide import decide
from wizard.fixes import admits, patches, smaller_models
from wizard.render.around import summary
from wizard.render.frontier import asked
from wizard.render.view import View
from wizard.situation import apply_patch
from wizard.vocabulary import NEEDS, OSES, PRIORITIES, SERVING
from wizard.whatif import complete, explore, merge

from .conftest import TODAY
from .small import base, device, engine, model


def small(**more):
    """One engine on two machines' worth of devices, a small and a large model."""
    kb = base(
        engines={"alpha": engine("Alpha", features={"rerank": {"is": "no", "source": "s"}}, **more)},
        devices={"big": device("Big", "sm_90", 80), "pair": device("Pair", "sm_86", 48)},
        models={"large": model(120, repository="maker/large", checkpoints=[])},
    )
    del kb.engines["beta"]
    return kb


def ask(**situation):
    return {"devices": [{"device": "card", "count": 1}], "model": "small", **situation}


def start(decision):
    return next((r for r in decision["recommendations"] if r["role"] == "start"), None)


def again(kb, decision, patch):
    return decide(apply_patch(decision["stated"], patch), kb, TODAY)


def only(decision, engine_="alpha"):
    return next(r for r in decision["rejected"] if r["id"] == f"no-{engine_}")


# ---------------------------------------------------------------------- fixes


@pytest.mark.parametrize(
    ("situation", "fix"),
    [
        (ask(host={"os": "windows"}), {"host.os": "linux"}),
        (ask(format="blocks"), {"format": None}),
        (ask(needs=["rerank"]), {"needs": []}),
        (ask(host={"os": "windows"}, needs=["rerank"]), {"needs": [], "host.os": "linux"}),
        (ask(settings={"layout": {"tp": 2}}), {"settings.layout": None}),
    ],
)
def test_the_smallest_change_that_suffices(situation, fix):
    kb = small()
    decision = complete(situation, kb, TODAY)
    row = only(decision)
    assert row["fix"] == fix and row["fix_verified"]
    assert row["fix_needs_all"] is (len(fix) > 1)
    assert start(again(kb, decision, fix))


def test_fewer_requests_are_no_change_of_hardware_for_a_batch_or_a_team():
    """What does not go in at once waits; the answer says how many, and how many are held."""
    asked = {"traffic": {"concurrency": 64}, "context": {"tokens": 4096, "input": 3000, "output": 500}}
    decision = complete(ask(**asked), small(), TODAY)
    assert start(decision)["fit"]["class"] in ("fits", "tight")
    held = decision["situation"]["traffic"]["concurrency"]
    said = next(w for w in decision["warnings"] if w["id"] == "requests-wait")
    assert 1 <= held < 64 and (said["params"]["n"], said["params"]["asked"]) == (held, 64)
    assert decision["stated"]["traffic"]["concurrency"] == 64
    batch = complete(ask(**{**asked, "traffic": {"concurrency": 64, "mode": "offline"}}), small(), TODAY)
    assert not [w for w in batch["warnings"] if w["id"] == "requests-wait"]


def test_requests_that_go_in_do_not_wait():
    decision = complete(ask(traffic={"concurrency": 1}, context={"tokens": 4096}), small(), TODAY)
    assert start(decision) and not [w for w in decision["warnings"] if w["id"] == "requests-wait"]


def test_an_unverified_fix_is_not_kept():
    """A change that the clause names but that does not suffice disappears."""
    kb = small()
    kb.engines["alpha"]["runs_on"] = [
        {"backend": "cuda", "needs": {"host.os": ["macos"], "device.arch": ["none-such"]}, "source": "s"}
    ]
    decision = complete(ask(), kb, TODAY)
    assert only(decision)["fix"] is None and not only(decision)["fix_verified"]


def test_more_or_larger_devices_are_tried_and_the_smallest_that_works_is_kept():
    decision = complete(ask(model="large", settings={"offload": "no"}), small(), TODAY)
    fix = only(decision)["fix"]
    assert fix and list(fix) == ["devices"]
    assert decision["nothing_fits"]


@pytest.mark.parametrize(
    ("device", "count", "model"),
    [("rtx-4060", 1, "llama-3-3-70b"), ("m2", 1, "llama-3-3-70b"), ("rx-7900-xtx", 1, "qwen3-32b"),
     ("h100-sxm", 8, "deepseek-v3"), ("pixel-9", 1, "llama-3-3-70b")],
)  # fmt: skip
def test_other_devices_are_those_the_same_person_would_buy(kb, device, count, model):
    mine = kb.devices[device]
    decision = decide({"devices": [{"device": device, "count": count}], "model": model, "serving": "self"}, kb, TODAY)
    seen = [p["devices"][0] for r in decision["rejected"] for p in patches(r, decision, kb) if "devices" in p]
    assert seen or device == "pixel-9"
    for other in (kb.devices[d["device"]] for d in seen):
        assert set(other["os"]) & set(mine["os"])
        assert {other["segment"], mine["segment"]} != {"consumer", "datacenter"}
    # a chip that is the whole machine is not put into a machine twice
    assert all(d["count"] <= (8 if mine["kind"] == "gpu" else 1) for d in seen if d["device"] == device)


def test_a_full_server_is_followed_by_a_second_one(kb):
    asked = {"devices": [{"device": "h100-sxm", "count": 8}], "model": "deepseek-v3", "serving": "customers"}
    decision = decide(asked, kb, TODAY)
    row = next(r for r in decision["rejected"] if r["scope"] == {"kind": "format", "value": "fp8"})
    assert {"nodes": 2} in list(patches(row, decision, kb))


def test_admits_only_when_the_row_is_no_longer_impossible():
    kb = small()
    blocked = decide(ask(host={"os": "windows"}), kb, TODAY)
    row = only(blocked)
    assert not admits(blocked, row)
    assert admits(decide(ask(), kb, TODAY), row)


def test_patches_stay_inside_what_can_be_read():
    kb = small()
    many = decide(
        ask(model="large", devices=[{"device": "card", "count": 300}], settings={"layout": {"tp": 1, "pp": 1}}),
        kb,
        TODAY,
    )
    for row in many["rejected"]:
        for patch in patches(row, many, kb):
            assert not again(kb, many, patch)["problems"], patch


def test_smaller_models_are_known_chat_models_that_four_bits_bring_in():
    kb = base(models={"large": model(200), "mid": model(30), "embed": model(5, tasks=["embeddings"])})
    decision = decide(ask(model="large"), kb, TODAY)
    assert list(smaller_models(decision, kb)) == [{"model": {"id": "mid"}}, {"model": {"id": "small"}}]


# ---------------------------------------------------------------------- what would change it


def test_a_change_tells_what_would_then_be_the_answer():
    rule = {
        "when": {"situation.traffic.concurrency": ">=4"}, "effect": "nominate", "engine": "beta", "role": "start",
        "strength": "strong", "reason": "r", "source": "s",
    }  # fmt: skip
    kb = base(rules={"many": rule})
    decision = complete(ask(traffic={"concurrency": 2}), kb, TODAY)
    change = next(c for c in decision["would_change"] if c["path"] == "traffic.concurrency")
    assert (change["now"], change["value"], change["then"]["engine"]) == (2, 4, "beta")
    assert start(again(kb, decision, change["patch"]))["engine"] == "beta"


def test_changes_are_told_smallest_first_and_no_more_than_eight(kb):
    situation = {"devices": [{"device": "rtx-3090", "count": 2}], "model": "qwen3-32b", "serving": "team"}
    decision = complete(situation, kb, TODAY)
    weights = [c["weight"] for c in decision["would_change"]]
    assert weights == sorted(weights) and 0 < len(weights) <= whatif.MAX_CHANGES


def test_neighbours_stay_in_range():
    kb = small()
    edge = ask(
        traffic={"concurrency": 1_000_000}, context={"tokens": 100_000_000}, devices=[{"device": "card", "count": 512}]
    )
    for change in complete(edge, kb, TODAY)["would_change"]:
        assert not again(kb, decide(edge, kb, TODAY), change["patch"])["problems"]


# ---------------------------------------------------------------------- steps


def test_exploring_goes_in_small_steps_that_can_be_dropped():
    kb = small()
    steps = explore(ask(host={"os": "windows"}), kb, TODAY)
    assert next(steps) == {}
    steps.close()
    kinds = {k for step in explore(ask(host={"os": "windows"}), kb, TODAY) for k in step}
    assert kinds <= {"fix", "change", "nothing_fits"}


def test_merging_is_collecting():
    kb = small()
    data = ask(host={"os": "windows"})
    assert merge(decide(data, kb, TODAY), explore(data, kb, TODAY)) == complete(data, kb, TODAY)


def test_without_hardware_there_is_nothing_to_explore():
    assert list(explore({"model": "small"}, small(), TODAY)) == []


def test_the_same_change_is_decided_once_and_there_is_an_end(monkeypatch):
    kb = small()
    count = 0
    real = whatif.decide_briefly

    def counted(*args, **more):
        nonlocal count
        count += 1
        return real(*args, **more)

    monkeypatch.setattr(whatif, "decide_briefly", counted)
    monkeypatch.setattr(whatif, "MAX_DECISIONS", 10)
    complete(ask(model="large", host={"os": "windows"}, traffic={"concurrency": 50}), kb, TODAY)
    assert 0 < count <= 40  # the fixes stop; what would change the answer is a fixed few


# ---------------------------------------------------------------------- on the real knowledge


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_is_shown_was_tried(kb, data):
    """Every verified fix admits its row, every change gives what it says, whatever is asked."""
    situation = {
        "devices": [{"device": data.draw(st.sampled_from(sorted(kb.devices))), "count": data.draw(st.integers(1, 4))}],
        "model": data.draw(st.sampled_from(sorted(kb.models))),
        "serving": data.draw(st.sampled_from(SERVING)),
        "priority": data.draw(st.sampled_from(PRIORITIES)),
        "needs": data.draw(st.lists(st.sampled_from(NEEDS), max_size=1)),
        "traffic": {"concurrency": data.draw(st.sampled_from([1, 4, 64]))},
        "host": {"os": data.draw(st.sampled_from(OSES)), "ram_gib": data.draw(st.sampled_from([16, 256]))},
    }
    decision = complete(situation, kb, TODAY)
    for row in [r for r in decision["rejected"] if r["fix_verified"]][:6]:
        after = again(kb, decision, row["fix"])
        assert not after["problems"] and admits(after, row), row["id"]
    for change in decision["would_change"][:4]:
        then = start(again(kb, decision, change["patch"]))
        assert (then and then["engine"]) == (change["then"] and change["then"]["engine"])
    for way in decision["nothing_fits"] or []:
        assert start(again(kb, decision, way["patch"]))["engine"] == way["engine"]
    if start(decision):
        assert decision["nothing_fits"] is None


def test_the_bits_of_the_release_are_kept_when_a_few_requests_can_wait(kb):
    """160 requests of DeepSeek-V3 on 8 H200: nobody takes four bits so that the last twenty need not wait."""
    asked = {"devices": [{"device": "h200", "count": 8}], "links": {"within": "nvswitch"}, "model": "deepseek-v3"}
    asked |= {"serving": "customers", "context": {"input": 4000, "output": 800}}
    decision = decide({**asked, "traffic": {"concurrency": 160}}, kb, TODAY)
    assert start(decision)["format"]["family"] == "fp8" and start(decision)["layout"]["tp"] == 8
    assert next(w for w in decision["warnings"] if w["id"] == "requests-wait")["params"]["asked"] == 160
    wide = {"devices": [{"device": "mi300x", "count": 8}], "model": "deepseek-r1", "traffic": {"concurrency": 400}}
    layout = start(decide({**wide, "serving": "customers"}, kb, TODAY))["layout"]
    assert (layout["tp"], layout["pp"]) == (8, 1)  # nor stages, which would hold them all at half the speed


def test_requests_are_counted_for_the_engine_that_starts(kb):
    pair = {"devices": [{"device": "rtx-5060-ti", "count": 2, "memory_gib": 16}], "model": "qwen3-32b"}
    decision = decide({**pair, "serving": "team", "traffic": {"concurrency": 28}}, kb, TODAY)
    held = decision["situation"]["traffic"]["concurrency"]
    assert held * 2 > start(decision)["fit"]["max_concurrency"]  # not a third of what it holds


@pytest.mark.parametrize("users", [13, 14])
def test_a_length_that_nobody_gave_costs_no_request_that_somebody_asked_for(users, kb):
    """Two RTX 5060 Ti: the engine for several people, all of them at once, and the assumption it stands on."""
    pair = {"devices": [{"device": "rtx-5060-ti", "count": 2, "memory_gib": 16}], "model": "qwen3.8-27b"}
    asked = {**pair, "serving": "team", "traffic": {"concurrency": users}}
    decision = decide(asked, kb, TODAY)
    load = decision["situation"]
    told = next(w for w in decision["warnings"] if w["id"] == "requests-brief")["params"]
    assert load["traffic"]["concurrency"] == told["n"] == users and start(decision)["layout"]["tp"] == 2
    assumed = {a["path"]: a["value"] for a in decision["assumptions"]}
    assert assumed["context.input"] == load["context"]["input"] == told["input"] < 4000
    given = decide({**asked, "context": {"input": 4000, "output": 800}}, kb, TODAY)  # what was said is kept
    assert given["situation"]["context"]["input"] == 4000
    assert not [w for w in given["warnings"] if w["id"] == "requests-brief"]


def test_what_was_asked_is_what_is_told(kb, texts):
    """28 requests that partly wait are 28 in every line that repeats the question."""
    pair = {"devices": [{"device": "rtx-3090", "count": 2}], "model": "qwen3-32b", "serving": "team"}
    long = {"tokens": 32768, "input": 4000, "output": 800}
    decision = complete({**pair, "traffic": {"concurrency": 28}, "context": long}, kb, TODAY)
    assert decision["situation"]["traffic"]["concurrency"] < 28
    view = View(decision, texts, kb, texts.lang)
    assert "28" in summary(view)[1] and "28" in asked(view)
    assert next(a for a in decision["answers"] if a["number"] == 4)["params"]["users"] == 28
    change = next((c for c in decision["would_change"] if c["path"] == "traffic.concurrency"), None)
    assert change is None or change["now"] == 28


def test_a_model_that_reads_is_offered_no_schema_and_no_chat_model(kb):
    tiny = {"custom": {"kind": "gpu", "vendor": "nvidia", "arch": "sm_86", "memory_gib": 3}, "count": 1}
    base = {"devices": [tiny], "host": {"os": "linux", "ram_gib": 4}, "serving": "team", "settings": {"offload": "no"}}
    decision = complete({**base, "model": "qwen3-embedding-8b"}, kb, TODAY)
    others = [w["patch"]["model"]["id"] for w in decision["nothing_fits"] or [] if "model" in w["patch"]]
    assert others and all(kb.models[m]["tasks"] == ["embeddings"] for m in others)
    rerank = complete({"devices": [{"device": "l4", "count": 1}], "model": "bge-reranker-v2-m3"}, kb, TODAY)
    assert not [c for c in rerank["would_change"] if c["path"] == "needs"]


def test_what_makes_room_for_those_that_wait_stands_beside_them(kb):
    """Requests whose length was given: the smallest changes are counted for all of them, a smaller cache first."""
    card = {"devices": [{"device": "a100", "count": 1, "memory_gib": 80}], "model": "qwen3-32b", "serving": "customers"}
    long = {"tokens": 32768, "input": 8000, "output": 1000}
    decision = decide({**card, "traffic": {"concurrency": 40}, "context": long}, kb, TODAY)
    assert decision["situation"]["traffic"]["concurrency"] < 40
    found = start(decision)["fit"]["changes"]
    assert found[0]["change"] == "kv" and all(c["all"] == 40 and c["fit"] == "fits" for c in found)
    more = {**card, "settings": {"kv": found[0]["to"]}, "traffic": {"concurrency": 40}, "context": long}
    after = decide(more, kb, TODAY)
    assert not [w for w in after["warnings"] if w["id"] == "requests-wait"]


def test_stages_of_unknown_speed_are_no_better_than_one_machine(kb):
    """Two GH200 and a 70B model: eight bits fit one of them, so no pipeline is laid over the network for them."""
    chip = {"custom": {"name": "GH200", "vendor": "nvidia", "arch": "sm_90", "memory_gib": 96, "bandwidth_gbs": 4000}}
    asked = {"devices": [{**chip, "count": 1}], "nodes": 2, "links": {"between": "ethernet"}, "model": "llama-3-1-70b"}
    layout = start(decide({**asked, "serving": "self"}, kb, TODAY))["layout"]
    assert (layout["pp"], layout["nodes"]) == (1, 1)
    whole = {**asked, "format": {"family": "safetensors", "type": "bf16"}, "serving": "self"}
    layout = start(decide(whole, kb, TODAY))["layout"]
    assert (layout["pp"], layout["nodes"]) == (2, 2)  # sixteen bits need both


def test_where_no_one_change_helps_a_change_goes_with_a_smaller_model(kb):
    """A large model in a web page, with a phone named: the tab, and what fits into it."""
    asked = {"devices": [{"device": "pixel-9", "count": 1}], "model": "qwen3-32b", "serving": "browser"}
    (found,) = whatif.complete(asked, kb, TODAY)["nothing_fits"]
    assert found["patch"]["devices"][0]["device"] == "browser-tab" and found["patch"]["model"]
    again = decide(apply_patch(asked, found["patch"]), kb, TODAY)
    assert again["recommendations"][0]["engine"] == found["engine"]
