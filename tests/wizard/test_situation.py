"""Situations are read leniently: nothing raises, nothing is lost, each problem names its field."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

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
    h100 = read({"devices": [{"device": "h100-sxm", "count": 8}]}, kb).situation
    assert h100["links"]["within"] == "nvswitch"


def test_each_problem_names_its_field_and_the_rest_is_kept(kb):
    reading = read(
        {
            "devices": [{"device": "RTX 3090x", "count": 2}, {"device": "rtx-4090", "count": "two"}],
            "model": "Qwen3-33B",
            "context": {"tokens": "32 k", "input": 2.5, "output": 800},
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
