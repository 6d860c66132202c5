"""An orchestrator's command: the engine below it comes from that engine's own entry."""

import json

from knowledge import yaml12
from wizard.decide import decide
from wizard.launch import command
from wizard.render import html, markdown

from . import sample_decision as sample
from .conftest import TODAY


def orchestrated(process, layout=None, over=None, situation=None, **launch):
    """The command of an orchestrator whose entry has one process, above the sample engine."""
    base = sample.kb()
    base.engines["above"] = {
        "name": "Above",
        "layer": "orchestrator",
        "over": [{"engine": "alpha", "called": "al", **(over or {})}],
        "versions": {"stable": "3.0"},
        "launch": {"kind": "cluster", "port": 9000, "processes": [process], **launch},
    }
    below = sample.recommendation(**({"layout": layout} if layout else {}))
    above = {**below, "engine": "above", "version": "3.0", "settings": {**below["settings"], "port": 9000}}
    return command(above, situation or sample.situation(), base, below=below)


def test_an_orchestrator_hands_on_the_flags_of_the_engine_below_it():
    spec = {"as": "flags", "leave": ["--port", "--new"], "names": {"--tp": "--ranks"}}
    process = {"id": "worker", "program": ["above", "{launch.below_name}"], "args": [], "below": spec}
    made = orchestrated(process)["processes"][0]
    words = {a["flag"]: a["value"] for a in made["args"]}
    assert words["--ranks"] == "2" and words["--max-len"] == "32768"
    assert "al" in words, "what it calls the engine"
    assert not {"--tp", "--new", "--host", "--port", "lab/Model-32B-AWQ"} & set(words)


def test_the_flags_are_those_of_the_version_it_brings_along():
    process = {"id": "worker", "program": ["above"], "args": [], "below": {"as": "flags"}}
    assert "--new" in [a["flag"] for a in orchestrated(process)["processes"][0]["args"]]
    old = orchestrated(process, over={"version": "0.9"})["processes"][0]["args"]
    assert "--old" in [a["flag"] for a in old] and "--new" not in [a["flag"] for a in old]


def test_a_file_of_an_orchestrator_holds_the_settings_as_json_yaml_or_words():
    def content(form, template):
        file = {"path": "f", "content": template}
        spec = {"as": form, "leave": ["--port", "--tool-parser"]}
        process = {"id": "p", "program": ["above"], "args": [], "files": [file], "below": spec}
        return orchestrated(process)["processes"][0]["files"][0]["content"]

    made = json.loads(content("json", '{"model": "{launch.model}",\n  {launch.below}\n}'))
    assert made["model"] == "lab/Model-32B-AWQ" and made["max_len"] == 32768 and made["tp"] == 2
    made = yaml12.parse(content("yaml", "args:\n  {launch.below}\n")).data
    assert made["args"]["tp"] == 2
    words = yaml12.parse(content("yaml-list", "args:\n  - first\n  {launch.below}\n")).data["args"]
    assert words[0] == "first" and words[words.index("--tp") + 1] == "2"


def test_its_own_arguments_go_where_those_of_the_engine_go():
    own = [{"flag": "--parser", "value": "x"}, {"flag": "--never", "when": {"engine.below": "beta"}}]
    flags_ = {"id": "worker", "program": ["above"], "args": [], "below": {"as": "flags"}}
    made = orchestrated(flags_, with_below=own)["processes"][0]["args"]
    assert made[-1]["flag"] == "--parser" and "--never" not in [a["flag"] for a in made]
    file = {"path": "f", "content": "args:\n  {launch.below}\n"}
    listed = {"id": "p", "program": ["above"], "args": [], "files": [file], "below": {"as": "yaml-list"}}
    made = orchestrated(listed, with_below=own)["processes"][0]
    assert yaml12.parse(made["files"][0]["content"]).data["args"][-2:] == ["--parser", "x"]
    assert made["args"] == []
    plain = {"id": "router", "program": ["above"], "args": []}
    assert orchestrated(plain, with_below=own)["processes"][0]["args"] == []


def test_copies_are_workers_of_their_own_beside_what_stands_once():
    layout = {
        "devices": [{"device": "card-a", "count": 4, "name": "A"}], "tp": 2, "pp": 1, "ep": 1, "dp": 2, "nodes": 1,
    }  # fmt: skip
    base = sample.situation(devices=[{"device": "card-a", "custom": None, "count": 4, "memory_gib": 24}])
    process = {"id": "worker", "program": ["above"], "args": [], "below": {"as": "flags", "leave": ["--port"]}}
    made = orchestrated(process, layout, situation=base)["processes"]
    assert [p["id"] for p in made] == ["worker", "worker-2"]
    seen = [next(e["value"] for e in p["env"] if e["name"] == "CUDA_VISIBLE_DEVICES") for p in made]
    assert seen == ["0,1", "2,3"]
    once = orchestrated({**process, "once": True, "args": [{"flag": "{launch.copies}"}]}, layout, situation=base)
    assert [p["id"] for p in once["processes"]] == ["worker"]
    assert once["processes"][0]["args"][0]["flag"] == "2", "the number of copies is still known"


def test_real_orchestrators_start_each_engine_below_them(kb):
    """Whatever engine an orchestrator drives, its command names the model and hands on the split."""
    for id_, entry in kb.engines.items():
        if entry["layer"] not in ("orchestrator", "host") or not entry.get("launch"):
            continue
        if not any(p.get("below") for p in entry["launch"]["processes"]):
            continue  # it starts its engine by itself, and the model is chosen on its own page
        for line in entry["over"]:
            for nodes in (1, 2):
                below = real(kb, line["engine"], nodes)
                above = {**below, "engine": id_, "version": entry["versions"]["stable"], "mode": None}
                cards = [{"device": "h100-sxm", "custom": None, "count": 8, "memory_gib": 80}]
                situation = sample.situation(devices=cards, model={"id": "qwen3-32b"})
                situation["nodes"] = nodes
                made = command(above, situation, kb, below=below)
                assert made and made["processes"], (id_, line["engine"], nodes)
                assert not [x for x in made["left_out"] if x["flag"].startswith("-")], (id_, made["left_out"])
                said = repr([(p["program"], p["args"], p["files"]) for p in made["processes"]])
                assert "Qwen/Qwen3-32B" in said and "{launch." not in said, (id_, line["engine"], nodes)


def real(kb, engine, nodes):
    """A recommendation of a real engine: Qwen3-32B in two shards, one copy a machine."""
    return sample.recommendation(
        engine=engine,
        version=kb.engines[engine]["versions"]["stable"],
        format={"family": "safetensors", "type": "bf16"},
        checkpoint={"status": "published", "repository": "Qwen/Qwen3-32B"},
        layout={
            "devices": [{"device": "h100-sxm", "count": 2, "name": "H100"}],
            "tp": 2, "pp": 1, "ep": 1, "dp": nodes, "nodes": nodes,
        },
    )  # fmt: skip


# ---------------------------------------------------------------------- in a decision


def fleet(kb, **situation):
    asked = {"devices": [{"device": "h100-sxm", "count": 8}], "model": "qwen3-32b", "traffic": {"concurrency": 64}}
    return decide({**asked, "serving": "fleet", **situation}, kb, TODAY)


def above(decision):
    return [r for r in decision["recommendations"] if r["role"] == "orchestrate-with"]


def test_an_orchestrator_starts_the_engine_that_the_answer_names(kb):
    decision = fleet(kb)
    start = next(r for r in decision["recommendations"] if r["role"] == "start")
    for rec in above(decision):
        assert rec["via"] in (start["engine"], *start["tied_with"]) and rec["command"]["processes"]
        assert "Qwen/Qwen3-32B" in repr(rec["command"]["processes"])


def test_it_stands_over_a_tied_engine_when_it_cannot_drive_the_start(kb):
    decision = fleet(kb, nodes=2, devices=[{"device": "mi300x", "count": 8}], serving="customers")
    start = next(r for r in decision["recommendations"] if r["role"] == "start")
    drives = {line["engine"] for rec in above(decision) for line in kb.engines[rec["engine"]]["over"]}
    assert above(decision) and all(rec["via"] in drives for rec in above(decision))
    assert {rec["via"] for rec in above(decision)} <= {start["engine"], *start["tied_with"]}


def test_its_command_is_shown_in_every_language(kb, texts):
    decision = fleet(kb)
    body = "".join(part["html"] for part in html(decision, texts, kb, texts.lang))
    page = markdown(decision, texts, kb, texts.lang)
    for rec in above(decision):
        program = " ".join(rec["command"]["processes"][0]["program"][:2])
        assert f'id="we-above-{rec["engine"]}-0"' in body and program in body and program in page


def test_one_person_sees_no_orchestrator(kb):
    decision = fleet(kb, serving="self", traffic={"concurrency": 1})
    assert not above(decision)
