"""The command: what goes in, what is left out and reported, and who may reach it."""

import copy

import pytest

from wizard.launch import command
from wizard.launch.values import fill, values
from wizard.situation import read

from . import sample_decision as sample


def build(candidate=None, base=None, **situation):
    return command(candidate or sample.recommendation(), sample.situation(**situation), base or sample.kb())


def flags(made, process=0):
    return [a["flag"] for a in made["processes"][process]["args"]]


def test_arguments_follow_condition_and_version():
    made = build()
    assert flags(made) == ["lab/Model-32B-AWQ", "--max-len", "--tp", "--new", "--tool-parser", "--host", "--port"]
    single = sample.recommendation(
        layout={"devices": [{"device": "card-a", "count": 1}], "tp": 1, "pp": 1, "ep": 1, "dp": 1, "nodes": 1}
    )
    assert "--tp" not in flags(build(single))
    assert "--old" in flags(build(sample.recommendation(version="0.9"))) and "--new" not in flags(
        build(sample.recommendation(version="0.9"))
    )


def test_a_placeholder_without_value_leaves_its_argument_out_and_is_reported():
    made = build()
    assert {"flag": "--file", "missing": ["checkpoint.file"]} in made["left_out"]
    named = copy.deepcopy(sample.recommendation())
    named["checkpoint"]["file"] = "x.bin"
    assert "--file" in flags(build(named))
    assert build(named)["left_out"] == []


def test_the_model_asks_for_its_own_arguments_before_the_address():
    assert flags(build()).index("--tool-parser") < flags(build()).index("--host")
    assert "--tool-parser" not in flags(build(needs=[]))


@pytest.mark.parametrize(("exposure", "host"), [("loopback", "127.0.0.1"), ("lan", "0.0.0.0"), ("internet", "0.0.0.0")])
def test_loopback_unless_exposure_says_otherwise(exposure, host):
    rec = sample.recommendation(settings={"context": 4096, "slots": 2})
    situation = sample.situation()
    situation["optional"]["exposure"] = exposure
    made = command(rec, situation, sample.kb())
    bound = next(a for a in made["processes"][0]["args"] if a["flag"] == "--host")
    assert bound["value"] == host
    assert (made["expose"] is None) == (exposure == "loopback")
    assert made["check"] == ["curl", "http://127.0.0.1:8000/v1/models"], "the check is made on the machine itself"


def test_weights_that_nobody_published_are_converted_and_read_from_a_folder():
    rec = sample.recommendation(checkpoint={"status": "convert", "repository": None})
    made = build(rec)
    assert made["convert"] == [{"command": "alpha-quantize lab/Model-32B", "sources": ["alpha-docs"]}]
    assert flags(made)[0] == "./model-32b-int4-g128"
    assert build()["convert"] == []


def test_a_positional_model_without_repository_falls_back_to_the_local_path():
    base = sample.kb()
    base.engines["alpha"]["launch"]["processes"][0]["args"][0]["flag"] = "{checkpoint.repository}:{format.name}"
    made = build(sample.recommendation(checkpoint={"status": "convert"}), base)
    assert flags(made)[0] == "./model-32b-int4-g128"
    assert {"flag": "{checkpoint.repository}:{format.name}", "missing": ["checkpoint.repository"]} in made["left_out"]


def test_install_ways_follow_their_conditions():
    assert [w["command"] for w in build()["install"]] == ["pip install alpha==1.2.0"]
    rocm = build(sample.recommendation(backend="rocm"))
    assert [w["how"] for w in rocm["install"]] == ["pip", "docker"]


def test_an_engine_without_launch_has_no_command():
    assert build(sample.recommendation(engine="beta")) is None


def test_several_machines_share_or_split_the_processes():
    base = sample.kb()
    process = base.engines["alpha"]["launch"]["processes"][0]
    rec = sample.recommendation(
        layout={"devices": [{"device": "card-a", "count": 2}], "tp": 2, "pp": 4, "ep": 1, "dp": 1, "nodes": 4}
    )
    made = command(rec, sample.situation(nodes=4), base)
    assert [(p["node"], p["repeat"]) for p in made["processes"]] == [(0, 1)], "head runs on the first machine only"
    process["id"] = "server"
    made = command(rec, sample.situation(nodes=4), base)
    assert [(p["node"], p["repeat"]) for p in made["processes"]] == [(0, 4)]
    process["args"] += [
        {"flag": "--rank", "value": "{launch.node_rank}", "source": "x"},
        {"flag": "--head", "value": "{launch.head_address}", "source": "x"},
    ]
    made = command(rec, sample.situation(nodes=4), base)
    ranks = [
        (p["node"], p["repeat"], next(a["value"] for a in p["args"] if a["flag"] == "--rank"))
        for p in made["processes"]
    ]
    assert ranks == [(0, 1, "0"), (1, 3, "1")]


def test_a_run_on_some_of_the_devices_is_kept_to_them():
    fit = sample.fit()
    fit["devices"] = [fit["devices"][1]]
    rec = sample.recommendation(
        fit=fit, layout={"devices": [{"device": "card-a", "count": 1}], "tp": 1, "pp": 1, "ep": 1, "dp": 1, "nodes": 1}
    )
    env = {e["name"]: e["value"] for e in build(rec)["processes"][0]["env"]}
    assert env["CUDA_VISIBLE_DEVICES"] == "1"
    assert "CUDA_VISIBLE_DEVICES" not in {e["name"] for e in build()["processes"][0]["env"]}


def test_embedding_code_is_filled_and_escaped():
    rec = sample.recommendation(engine="gamma")
    rec["checkpoint"]["repository"] = 'a"b\\c'
    made = build(rec)
    assert made["kind"] == "library" and made["processes"] == []
    assert made["code"] == []  # a statement has no value, and the rest of it would not run
    assert made["left_out"] == [{"flag": 'f("{checkpoint.file}")', "missing": ["checkpoint.file"]}]
    rec["checkpoint"]["file"] = "b"
    lines = build(rec)["code"][0]["lines"]
    assert lines == ["import gamma", 'model = gamma.load("a\\"b\\\\c")', 'x = {"a": 1}', 'f("b")']


def test_a_comment_without_its_value_takes_nothing_else_along():
    base = sample.kb()
    base.engines["gamma"]["launch"]["code"][0]["lines"] = ["# get {checkpoint.file}", "import gamma"]
    made = build(sample.recommendation(engine="gamma"), base)
    assert made["code"][0]["lines"] == ["import gamma"] and made["left_out"]


def test_braces_of_json_and_code_are_no_placeholders():
    assert fill('{"method": "mtp", "n": {situation.nodes}}', {"situation.nodes": 2}) == (
        '{"method": "mtp", "n": 2}',
        [],
    )
    assert fill("{launch.nothing}", {}) == (None, ["launch.nothing"])


def test_values_have_no_language_marks():
    known = values(sample.recommendation(settings={"context": 1_000_000}), sample.situation(), sample.kb())
    assert fill("{launch.context}", known)[0] == "1000000"
    assert fill("{x.y}", {"x.y": 4.0})[0] == "4"
    assert known["launch.tensor_split"] == "24,24"
    assert "launch.threads" not in known, "no processor was named"


def test_every_real_entry_gives_a_command_with_a_model(kb):
    """Each engine on the machines it starts on: the words are filled and the model is among them."""
    from wizard.facts import Facts
    from wizard.launch.values import PLACEHOLDER
    from wizard.paths import find
    from wizard.situation import read

    seen = set()
    for devices, model, serving in (
        ([{"device": "rtx-3090", "count": 2}], "qwen3-32b", "team"),
        ([{"device": "m4-max"}], "qwen3-8b", "self"),
        ([{"device": "xeon-6980p"}], "qwen3-8b", "self"),
        ([{"device": "mi300x"}], "gpt-oss-120b", "customers"),
        ([{"device": "browser-tab"}], "qwen3-1-7b", "browser"),
    ):
        situation = read({"devices": devices, "model": model, "serving": serving}, kb).situation
        facts = Facts(situation, kb)
        count = sum(k.count for k in facts.kinds)
        for option in find(facts).options:
            path = option.path
            seen.add(path.engine)
            rec = {
                "engine": path.engine,
                "mode": path.mode,
                "backend": path.backend,
                "kernel": path.kernel,
                "via": path.via,
                "format": {"family": path.family, "type": path.type},
                "checkpoint": path.checkpoint,
                "version": path.version,
                "layout": {
                    "devices": [{"device": k.device, "count": k.count} for k in facts.kinds],
                    "tp": count,
                    "pp": 1,
                    "ep": 1,
                    "dp": 1,
                    "nodes": 1,
                },
                "fit": None,
                "settings": {"context": 8192, "slots": 2, "kv_type": "f16", "gpu_layers": 32},
            }
            made = command(rec, situation, kb, facts)
            if made is None:
                continue
            words = [w for p in made["processes"] for a in p["args"] for w in (a["flag"], a["value"] or "")]
            words += [line for snippet in made["code"] for line in snippet["lines"]]
            assert words, path.engine
            assert not any(PLACEHOLDER.search(w) for w in words), (path.engine, words)
            assert all(a["sources"] for p in made["processes"] for a in p["args"] if a["flag"].startswith("-")), (
                path.engine
            )
    assert len(seen) >= 8


CARDS = [{"device": "rtx-3090", "custom": None, "count": 2, "memory_gib": 24}]


def real(id_, entry, **more):
    return sample.recommendation(engine=id_, mode=None, version=entry["versions"]["stable"], **more)


def test_what_is_quantized_is_what_is_started(kb):
    """The last step of making weights writes the file that the command reads."""
    seen = 0
    for id_, entry in kb.engines.items():
        steps = (entry.get("launch") or {}).get("convert", [])
        if not steps or steps[-1]["format"] != "gguf":
            continue
        weights = {"format": {"family": "gguf", "type": "q4_k_m"}, "checkpoint": {"status": "convert"}}
        situation = sample.situation(devices=CARDS, model={"id": "qwen3-8b"})
        made = command(real(id_, entry, **weights), situation, kb)
        started = [a["value"] for p in made["processes"] for a in p["args"] if str(a["value"]).endswith(".gguf")]
        assert started and started[0] in made["convert"][-1]["command"], id_
        seen += 1
    assert seen


def test_a_check_is_whole_or_absent(kb):
    """Without a model a request cannot be written; a cut one would not run."""
    for id_, entry in kb.engines.items():
        check = (entry.get("launch") or {}).get("check")
        if check:
            made = command(real(id_, entry, format={}, checkpoint={}), sample.situation(devices=CARDS, model=None), kb)
            assert made["check"] is None or len(made["check"]) == len(check["argv"]), id_


@pytest.mark.parametrize(
    ("engine", "family", "type_", "backend", "words"),
    [
        ("mlx-lm", "mlx", "int8", "metal", ["--q-bits 8", "--mlx-path ./small-int8"]),
        ("exllamav3", "exl3", "6_0bpw", "cuda", ["-b 6.0"]),
        ("lmdeploy", "awq", "int4-g128", "cuda", ["--work-dir ./small-int4-g128"]),
        ("onnxruntime-genai", "onnx", "int4", "directml", ["-p int4 -e dml"]),
        ("openvino-genai", "openvino-ir", "int4", "openvino-npu", ["--sym --ratio 1.0 --group-size -1"]),
    ],
)
def test_weights_are_made_with_the_bits_and_the_place_that_the_start_reads(kb, engine, family, type_, backend, words):
    situation = read({"devices": [{"device": "rtx-4090", "count": 1}], "model": "qwen3-8b"}, kb).situation
    rec = {**sample.recommendation(), "engine": engine, "mode": None, "backend": backend, "version": None}
    rec |= {"format": {"family": family, "type": type_}, "checkpoint": {"status": "convert", "repository": None}}
    made = " ".join(step["command"] for step in command(rec, situation, kb)["convert"])
    assert all(word.replace("small", "qwen3-8b") in made for word in words), made
