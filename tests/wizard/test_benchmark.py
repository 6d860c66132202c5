"""The benchmark plan: which tool measures which predicted number, filled with the person's own load."""

import pytest

from wizard.benchmark import plan

from . import sample_decision as sample


def by_quantity(made):
    return {p["quantity"]: p for p in made["predictions"]}


def test_single_stream_and_sum_are_measured_apart():
    found = by_quantity(plan(sample.recommendation(), sample.situation(), sample.kb()))
    one, many = found["decode_tps"], found["throughput_tps"]
    assert one["command"] == ["bench", "--concurrency", "1", "--in", "6000", "--model", "lab/Model-32B-AWQ"]
    assert many["command"][2] == "4"
    assert (one["low"], one["point"], one["high"]) == (44.1, 52.3, 60.2)
    assert one["tool"] == "serve-bench" and one["trap"] == "sample.trap"


def test_a_flag_goes_with_its_missing_value():
    command = by_quantity(plan(sample.recommendation(), sample.situation(), sample.kb()))["decode_tps"]["command"]
    assert "--file" not in command


def test_a_run_that_measures_two_numbers_is_named_once():
    found = by_quantity(plan(sample.recommendation(), sample.situation(), sample.kb()))
    assert found["ttft_s"]["same_as"] == "throughput_tps" and found["ttft_s"]["concurrency"] == 4
    assert found["decode_tps"]["same_as"] is None


def test_the_first_token_is_measured_with_the_load_it_is_predicted_for():
    alone = sample.situation(traffic={"concurrency": 1, "shared_prefix": 0, "mode": "online"})
    assert by_quantity(plan(sample.recommendation(), alone, sample.kb()))["ttft_s"]["same_as"] == "decode_tps"
    base = sample.kb()
    for entry in base.benchmarking.values():  # no tool sends several at once
        if "command" in entry:
            entry["command"] = [w for w in entry["command"] if "concurrency" not in w]
    assert by_quantity(plan(sample.recommendation(), sample.situation(), base))["ttft_s"]["tool"] is None


def test_tokens_that_the_command_names_are_no_estimate():
    rec = sample.recommendation()
    rec["fit"] = {**rec["fit"], "reserves": False, "allocated_tokens": 65536}
    pool = by_quantity(plan(rec, sample.situation(), sample.kb()))["pool_tokens"]
    assert (pool["low"], pool["point"], pool["high"]) == (65536, 65536, 65536)
    rec["fit"]["allocated_tokens"] = None  # taken as requests come: no log says a number
    assert "pool_tokens" not in by_quantity(plan(rec, sample.situation(), sample.kb()))


def test_one_user_has_no_sum():
    situation = sample.situation(traffic={"concurrency": 1, "shared_prefix": 0, "mode": "online"})
    assert "throughput_tps" not in by_quantity(plan(sample.recommendation(), situation, sample.kb()))


def test_the_pool_has_the_error_of_the_fit_in_tokens():
    pool = by_quantity(plan(sample.recommendation(), sample.situation(), sample.kb()))["pool_tokens"]
    spread = sample.fit()["error_bytes"] // 262144
    assert (pool["low"], pool["point"], pool["high"]) == (91700 - spread, 91700, 91700 + spread)
    assert pool["tool"] is None and pool["command"] == []


def test_memory_is_that_of_the_fullest_device_without_other_programs():
    memory = by_quantity(plan(sample.recommendation(), sample.situation(), sample.kb()))["memory"]
    assert round(memory["point"], 1) == 22.1
    assert memory["low"] < memory["point"] < memory["high"]


def test_nothing_is_predicted_without_fit_and_estimates():
    made = plan(sample.recommendation(fit=None, estimates=None), sample.situation(), sample.kb())
    assert made["predictions"] == []


def test_rules_apply_by_their_condition():
    made = plan(sample.recommendation(), sample.situation(), sample.kb())
    assert [r["id"] for r in made["rules"]] == ["warm-up"]
    base = sample.kb()
    base.models["model-32b"]["kind"] = "moe"
    assert [r["id"] for r in plan(sample.recommendation(), sample.situation(), base)["rules"]] == [
        "warm-up",
        "only-moe",
    ]


def test_the_engines_own_tool_comes_before_a_general_one():
    base = sample.kb()
    base.benchmarking["own"] = {**base.benchmarking["serve-bench"], "engines": ["alpha"], "order": 9}
    assert by_quantity(plan(sample.recommendation(), sample.situation(), base))["decode_tps"]["tool"] == "own"


def test_a_general_server_tool_is_not_offered_for_a_library():
    made = plan(sample.recommendation(engine="gamma"), sample.situation(), sample.kb())
    assert {p["tool"] for p in made["predictions"]} == {None}


def test_what_the_tool_should_print_is_the_prediction_in_its_own_unit():
    base = sample.kb()
    base.benchmarking["serve-bench"]["shows"] = [
        {"quantity": "decode_tps", "label": "TPOT at {input.tokens} (ms)", "as": "ms-per-token"},
        {"quantity": "ttft_s", "label": "TTFT (ms)", "as": "ms"},
    ]
    found = by_quantity(plan(sample.recommendation(), sample.situation(), base))
    shown = found["decode_tps"]["shows"]
    assert shown["label"] == "TPOT at 6000 (ms)"
    assert (shown["low"], shown["high"]) == (1000 / 60.2, 1000 / 44.1)
    assert found["ttft_s"]["shows"]["low"] == found["ttft_s"]["low"] * 1000
    assert found["throughput_tps"]["shows"] is None


def test_a_common_beginning_belongs_to_the_load_and_not_to_one_request_alone():
    base = sample.kb()
    base.benchmarking["serve-bench"]["instead"] = [
        {"for": "shared-prefix", "command": ["bench", "--prefix", "{input.shared}", "--rest", "{input.own}"]}
    ]
    traffic = {"concurrency": 4, "shared_prefix": 0.25, "mode": "online"}
    found = by_quantity(plan(sample.recommendation(), sample.situation(traffic=traffic), base))
    assert found["throughput_tps"]["command"] == ["bench", "--prefix", "1500", "--rest", "4500"]
    assert "--prefix" not in found["decode_tps"]["command"]


@pytest.mark.parametrize(("model", "case"), [("qwen3-embedding-4b", "embeddings"), ("bge-reranker-v2-m3", "rerank")])
def test_a_model_that_only_reads_has_no_chat_no_decode_and_no_cache_to_measure(kb, model, case):
    from wizard.decide import decide

    said = {"devices": [{"device": "rtx-4090"}], "model": model, "serving": "team", "traffic": {"concurrency": 8}}
    decision = decide(said, kb, "2026-11-30")
    predictions = decision["benchmark"]["predictions"]
    assert {p["quantity"] for p in predictions} == {"input_s", "prefill_tps", "memory"}
    words = " ".join(w for p in predictions for w in p["command"])
    assert "chat" not in words and "output" not in words
    start = decision["recommendations"][0]
    assert any("embed" in w or "rerank" in w for w in start["command"]["check"]), start["command"]["check"]
    own = plan({**start, "engine": "vllm"}, decision["situation"], kb)["predictions"][0]
    assert ("/v1/embeddings" if case == "embeddings" else "/v1/rerank") in own["command"]


def test_every_real_tool_names_quantities_and_commands_that_fill(kb):
    """With the real base: each tool's placeholders are known words."""
    from wizard.launch.values import PLACEHOLDER
    from wizard.vocabulary import LAUNCH_PLACEHOLDERS, PATHS

    tools = {id_: e for id_, e in kb.benchmarking.items() if e["type"] == "tool"}
    assert tools
    for id_, entry in tools.items():
        commands = [entry.get("command", ()), *(other["command"] for other in entry.get("instead", ()))]
        names = {n for words in commands for word in words for n in PLACEHOLDER.findall(word)}
        assert names <= set(LAUNCH_PLACEHOLDERS) | set(PATHS), id_


def test_a_lone_first_token_is_measured_on_a_prompt_of_which_nothing_is_cached():
    alone = sample.situation(traffic={"concurrency": 1, "shared_prefix": 0.5, "mode": "online"})
    found = by_quantity(plan(sample.recommendation(), alone, sample.kb()))
    assert "--prefix" not in found["ttft_s"]["command"] and found["ttft_s"]["same_as"] == "decode_tps"


def test_a_run_by_the_clock_lasts_until_slow_requests_have_ended():
    base = sample.kb()
    for entry in base.benchmarking.values():
        if "command" in entry:
            entry["command"] = ["bench", "--seconds", "{run.seconds}"]
    rec = sample.recommendation()
    assert by_quantity(plan(rec, sample.situation(), base))["decode_tps"]["command"][2] == "120"
    slow = {"low": 1.0, "point": 1.5, "high": 2.0}
    rec["estimates"] = {**rec["estimates"], "decode_tps": slow, "throughput_tps": None}
    seconds = int(by_quantity(plan(rec, sample.situation(), base))["decode_tps"]["command"][2])
    assert seconds >= 2 * sample.situation()["context"]["output"]
