"""Situations nobody should have, and what every answer keeps even then."""

import json
import math
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wizard import choices
from wizard.decide import decide
from wizard.decision import to_json
from wizard.launch import compose, docker, posix, powershell
from wizard.render import cells, compact, html, markdown, problems
from wizard.situation import read
from wizard.vocabulary import DEVICE_KINDS, LINKS_BETWEEN, LINKS_WITHIN, NEEDS, OSES, PRIORITIES, SERVING, VENDORS
from wizard.whatif import complete

from .conftest import TODAY

DANGER = ("0.1; rm -rf /", "$(reboot)", "`id`", "1\n2", "0.33.0 && true")
NAMES = ("own", "<b>x</b>", "$(reboot)", "a'b\"c`d", "…", "x" * 60)
ARCHS = (
    "sm_50",
    "sm_61",
    "sm_75",
    "sm_90",
    "sm_120",
    "gfx906",
    "gfx942",
    "apple-m4",
    "x86-64",
    "riscv64",
    "odd; ls",
    "sm_",
)


@st.composite
def own_devices(draw):
    """A device that is no entry, from the smallest to the absurd."""
    more = {
        "arch": st.sampled_from(ARCHS), "vendor": st.sampled_from(VENDORS), "kind": st.sampled_from(DEVICE_KINDS),
        "bandwidth_gbs": st.sampled_from([0.1, 50, 936, 100_000]), "name": st.sampled_from(NAMES),
        "tflops": st.sampled_from([0.1, 70, 100_000]),
    }  # fmt: skip
    return {"memory_gib": draw(st.sampled_from([0.25, 1, 8, 24, 80, 10_000]))} | draw(
        st.fixed_dictionaries({}, optional=more)
    )


@st.composite
def situations(draw, kb):
    """Anything that can be read, also what contradicts itself or is far too large."""
    some = st.sampled_from
    count = some([1, 1, 2, 3, 5, 8, 72, 512])
    known = st.fixed_dictionaries({"device": some(sorted(kb.devices)), "count": count})
    own = st.fixed_dictionaries({"custom": own_devices(), "count": count})
    size = some([{"params_b": 0.001}, {"params_b": 70}, {"params_b": 2000, "active_b": 30}])
    degrees = st.dictionaries(some(["tp", "pp", "ep", "dp"]), some([1, 2, 3, 5, 8, 16]), min_size=1, max_size=4)
    parts = {
        "model": some(sorted(kb.models)) | size | st.none(),
        "serving": some(SERVING), "priority": some(PRIORITIES), "already": some(sorted(kb.engines)),
        "needs": st.lists(some(NEEDS), max_size=3, unique=True),
        "nodes": some([1, 2, 3, 16, 1000, 4096]),
        "links": st.fixed_dictionaries({}, optional={"within": some(LINKS_WITHIN), "between": some(LINKS_BETWEEN)}),
        "traffic": st.fixed_dictionaries({
            "concurrency": some([1, 3, 8, 300, 1_000_000]), "shared_prefix": some([0, 0.9, 1]),
            "mode": some(["online", "offline"]),
        }),
        "context": st.fixed_dictionaries({"tokens": some([1, 128, 8192, 131_072, 100_000_000])}, optional={
            "input": some([1, 2000, 100_000_000]), "output": some([1, 500, 100_000_000]),
        }),
        "format": st.fixed_dictionaries({"family": some(sorted(kb.formats))}, optional={
            "type": some(["q4_k_m", "bf16", "int4", "e4m3"]),
        }),
        "settings": st.fixed_dictionaries({}, optional={
            "kv": some(["fp8", "q8_0", "int4"]), "offload": some(["yes", "no"]), "layout": degrees,
        }),
        "host": st.fixed_dictionaries({}, optional={
            "os": some(OSES), "ram_gib": some([0.25, 8, 64, 100_000]), "free_vram_gib": some([0, 5, 10_000]),
            "arch": some(["x86_64", "aarch64"]),
        }),
        "optional": st.fixed_dictionaries({}, optional={
            "exposure": some(["loopback", "lan", "internet"]), "air_gapped": st.booleans(),
            "engine_versions": st.dictionaries(some(sorted(kb.engines)), some(["0.1", "99", *DANGER]), max_size=2),
        }),
    }  # fmt: skip
    devices = st.lists(known | own, min_size=1, max_size=3)
    return draw(st.fixed_dictionaries({"devices": devices}, optional=parts))


@pytest.fixture(scope="module")
def cases(kb):
    return situations(kb)


def leaves(value, way=()):
    """(path, value) of everything in a Decision that is no container."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, dict | list):
        for key, part in inner:
            yield from leaves(part, (*way, str(key)))
    else:
        yield way, value


SIZES = ("pool_tokens", "max_context", "max_concurrency", "slots", "context_total", "gpu_layers", "cpu_moe_layers")


def check_numbers(decision):
    for way, value in leaves(decision):
        if isinstance(value, float):
            assert math.isfinite(value), way
        if isinstance(value, int | float) and not isinstance(value, bool) and ("bytes" in way[-1] or way[-1] in SIZES):
            assert value >= 0, way
    for rec in decision["recommendations"]:
        for name in ("decode_tps", "throughput_tps", "prefill_tps", "ttft_s", "tpot_s"):
            one = (rec["estimates"] or {}).get(name)
            assert one is None or 0 < one["low"] <= one["point"] <= one["high"], name
        if rec["fit"] and rec["fit"]["class"] == "fits":
            for device in rec["fit"]["devices"]:
                assert sum(p["bytes"] for p in device["parts"]) <= device["capacity_bytes"]


def check_layouts(decision):
    situation = decision["situation"]
    for rec in decision["recommendations"]:
        layout = rec["layout"]
        if not layout:
            continue
        used = sum(d["count"] for d in layout["devices"])
        assert layout["tp"] * layout["pp"] * layout["dp"] == used * layout["nodes"]
        assert layout["nodes"] <= situation["nodes"]
        wanted = situation["settings"]["layout"]
        assert wanted == "auto" or all(layout[k] == n for k, n in wanted.items())


def check_commands(decision):
    for rec in decision["recommendations"]:
        command = rec["command"]
        if not command:
            continue
        words = [w for p in command["processes"] for a in p["args"] for w in (a["flag"], a["value"]) if w is not None]
        words += command["check"] or []
        words += [way["command"] for way in command["install"]]
        for word in words:
            assert word and word not in ("None", "nan", "inf", "True", "False"), words
            assert not re.search(r"\{[a-z]+\.[a-z_]+\}|…", word), word
        for word in words:
            assert "rm -rf" not in word and "reboot" not in word, word
        ids = [p["id"] for p in command["processes"]]
        assert len(ids) == len(set(ids))
        for process in command["processes"]:
            assert posix(process) and powershell(process)
            if process["image"]:
                assert docker(process, command)
        compose(command)


def check_rejections(kb, decision):
    named = {r["engine"] for r in decision["recommendations"]}
    whole = [r["engine"] for r in decision["rejected"] if r["id"] == f"no-{r['engine']}"]
    plugins = {e for e, x in kb.engines.items() if x["layer"] == "plugin"}
    assert len(whole) == len(set(whole)) and not named & set(whole)
    assert named | set(whole) == set(kb.engines) - plugins
    for row in decision["rejected"]:
        assert row["reasons"] or row["obstacles"], row["id"]
        for stop in row["obstacles"]:
            if row["group"] == "impossible":
                assert stop["kind"] == "false", (row["id"], stop)
            yours, needed = stop["yours"], stop["needed"]
            if stop["clause"] not in ("memory", "candidate.tp") and not stop.get("negated") and yours is not None:
                accepted = needed if isinstance(needed, list) else [needed]
                assert isinstance(yours, list) or yours not in accepted, (row["id"], stop)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_every_answer_is_sound(kb, cases, data):
    decision = decide(data.draw(cases), kb, TODAY)
    assert json.loads(to_json(decision)) == decision
    check_numbers(decision)
    check_layouts(decision)
    check_commands(decision)
    check_rejections(kb, decision)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_every_answer_can_be_shown(kb, texts, cases, data):
    """No sentence is missing, no placeholder stays empty, nothing a person wrote becomes markup."""
    decision = decide(data.draw(cases), kb, TODAY)
    page = "".join(s["html"] for s in html(decision, texts, kb, texts.lang, "../", "wizard/"))
    page += compact(decision, texts, kb, texts.lang, "../", "wizard/")
    page += "".join(cells(decision, texts, kb, texts.lang, "../", "wizard/").values())
    assert "<b>x</b>" not in page
    assert not re.search(r">(None|nan|NaN|undefined)<|\{(launch|candidate|checkpoint)\.", page)
    assert markdown(decision, texts, kb, texts.lang)
    problems(decision, texts, kb, texts.lang)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_every_answer_can_be_explored(kb, cases, data):
    json.loads(to_json(complete(data.draw(cases), kb, TODAY)))


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_every_form_can_be_marked(kb, cases, data):
    situation = data.draw(cases)
    for row in choices.complete(situation, kb):
        assert row["value"] is not None or row["against"] == "one", row


# ---------------------------------------------------------------------- single oddities


def start(decision):
    return next((r for r in decision["recommendations"] if r["role"] == "start"), None)


def test_a_thousand_machines_give_a_short_answer(kb):
    many = {"devices": [{"device": "h100-sxm", "count": 8}], "nodes": 1000, "model": "llama-3-1-8b", "serving": "fleet",
            "traffic": {"concurrency": 100_000}, "context": {"tokens": 8192}}  # fmt: skip
    decision = decide(many, kb, TODAY)
    assert start(decision)["layout"]["dp"] > 1000
    assert len(to_json(decision)) < 200_000
    assert len(start(decision)["fit"]["devices"]) == 8, "one machine stands for all"


@pytest.mark.parametrize("version", DANGER)
def test_what_is_no_version_reaches_no_command(kb, version):
    named = {"optional": {"engine_versions": {"vllm": version}}}
    decision = decide({"devices": ["rtx-4090"], "model": "qwen3-8b", "serving": "team", **named}, kb, TODAY)
    assert [p["text"] for p in decision["problems"]] == ["problem.not-a-version"]
    assert version not in json.dumps(decision["recommendations"], ensure_ascii=False)


def test_a_model_that_embeds_has_no_decode_speed_and_cannot_call_tools(kb):
    decision = decide({"devices": ["rtx-4090"], "model": "qwen3-embedding-0-6b", "needs": ["tool-calls"]}, kb, TODAY)
    first = start(decision)
    assert first["estimates"]["decode_tps"] is None and first["estimates"]["missing"] == "no-text"
    assert decision["bottleneck"] is None
    assert "model-lacks-tool-calls" in {w["id"] for w in decision["warnings"]}


def test_a_context_beyond_the_model_is_warned_of_with_its_source(kb):
    decision = decide(
        {"devices": [{"device": "h100-sxm", "count": 8}], "model": "qwen3-8b", "context": {"tokens": 1_000_000}},
        kb,
        TODAY,
    )
    warning = next(w for w in decision["warnings"] if w["id"] == "model-context")
    assert warning["params"]["longest"] < warning["params"]["tokens"] == 1_000_000
    assert warning["sources"]
    fine = decide({"devices": ["rtx-4090"], "model": "qwen3-8b", "context": {"tokens": 32_768}}, kb, TODAY)
    assert "model-context" not in {w["id"] for w in fine["warnings"]}


def test_copies_an_engine_does_not_start_itself_are_processes_of_their_own(kb):
    two = {"devices": [{"device": "rtx-3090", "count": 2}], "model": "qwen3-8b", "host": {"os": "windows"},
           "serving": "team", "traffic": {"concurrency": 8}, "format": "gguf"}  # fmt: skip
    first = start(decide(two, kb, TODAY))
    assert first["layout"]["dp"] == 2
    processes = first["command"]["processes"]
    assert [p["port"] for p in processes] == [8080, 8081]
    assert [e["value"] for p in processes for e in p["env"] if e["name"] == "CUDA_VISIBLE_DEVICES"] == ["0", "1"]
    assert len({p["id"] for p in processes}) == 2
    assert first["settings"]["slots"] == 4


def test_the_second_card_is_the_second_card(kb):
    """A run that uses only the larger, second card is kept to that card."""
    cards = [{"device": "rtx-3060", "count": 1}, {"device": "rtx-4090", "count": 1}]
    first = start(decide({"devices": cards, "model": "qwen3-14b", "format": "gguf"}, kb, TODAY))
    assert [d["device"] for d in first["layout"]["devices"]] == ["rtx-4090"]
    env = {e["name"]: e["value"] for p in first["command"]["processes"] for e in p["env"]}
    assert env["CUDA_VISIBLE_DEVICES"] == "1"


def test_wider_weights_than_published_are_never_the_choice(kb):
    for device in ("rtx-pro-6000-blackwell", "h100-sxm", "dgx-spark"):
        for priority in PRIORITIES:
            first = start(decide({"devices": [device], "model": "gpt-oss-120b", "priority": priority}, kb, TODAY))
            assert kb.type_of(first["format"]["family"], first["format"]["type"])["bits"] < 6, (device, priority)


def test_blocks_of_two_dimensions_do_not_forbid_what_divides(kb):
    """FP8 with blocks of 128 by 128: 25,600 ÷ 2 is 100 whole blocks."""
    two = {"devices": [{"device": "l40s", "count": 2}], "model": "qwen3-32b", "serving": "team",
           "format": {"family": "fp8", "type": "e4m3"}, "settings": {"layout": {"tp": 2}}}  # fmt: skip
    first = start(decide(two, kb, TODAY))
    assert first["layout"]["tp"] == 2 and first["layout"]["ep"] == 1


def test_a_batch_job_has_no_more_slots_than_fit(kb):
    job = {"devices": ["l40s"], "model": "llama-3-1-8b", "priority": "throughput",
           "traffic": {"concurrency": 4000, "mode": "offline"}}  # fmt: skip
    first = start(decide(job, kb, TODAY))
    assert first["fit"]["class"] == "fits"
    assert first["settings"]["slots"] <= first["fit"]["max_concurrency"]


def test_reading_is_done_once(kb):
    """What was understood, said again, is understood as the same."""
    data = {
        "devices": ["2x RTX 3090", "Ryzen 9 9950X"],
        "context": {"input": 50_000},
        "optional": {"engine_versions": {"vLLM": "0.30"}},
    }
    first = read(data, kb)
    second = read(first.stated, kb)
    assert second.situation == first.situation and second.stated == first.stated and not second.problems


def test_two_small_different_cards_without_a_layer_on_either(kb):
    decision = decide(
        {"devices": ["gtx-1050-ti", "gtx-1060"], "model": "deepseek-r1", "host": {"ram_gib": 512}, "serving": "self"},
        kb,
        TODAY,
    )
    assert decision["problems"] == [] and json.loads(to_json(decision))["rejected"]
