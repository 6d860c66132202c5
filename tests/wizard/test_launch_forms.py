"""Kubernetes and systemd: the same words as the command, safely quoted; and no form holds a flag nobody documents."""

import copy
import re
import shlex

import pytest
import yaml

from wizard.decide import decide
from wizard.launch import command, compose, docker, manifest, posix, powershell, unit
from wizard.launch.kubernetes import label

from . import sample_decision as sample

TODAY = "2026-11-30"
SERVERS = (
    {"devices": [{"device": "rtx-3090", "count": 2}], "model": "qwen3-32b", "serving": "team"},
    {"devices": [{"device": "h100-sxm", "count": 8}], "model": "qwen3-235b-a22b", "serving": "customers"},
    {"devices": [{"device": "mi300x"}], "model": "gpt-oss-120b", "serving": "customers"},
    {"devices": [{"device": "rtx-3090"}], "model": "qwen3-8b", "serving": "self", "format": "gguf"},
    {"devices": [{"device": "rtx-4090"}], "model": "bge-m3", "serving": "team"},
    {"devices": [{"device": "m4-max"}], "model": "qwen3-8b", "serving": "self"},
    {"devices": [{"device": "xeon-6980p"}], "model": "qwen3-8b", "serving": "team"},
    {"devices": [{"device": "v100", "count": 4}], "model": "qwen2-5-32b", "serving": "team"},
)


def text(lines):
    return "\n".join(line.code for line in lines)


def commands(kb):
    for said in SERVERS:
        for rec in decide(said, kb, TODAY)["recommendations"]:
            if rec.get("command"):
                yield rec, rec["command"]


def built(**fields):
    made = command(sample.recommendation(**fields), sample.situation(), sample.kb())
    made["processes"][0]["image"] = "lab/alpha:1.2"
    return made


def words(process):
    return [w for a in process["args"] for w in (a["flag"], a["value"]) if w is not None]


def test_the_manifest_is_yaml_with_the_words_of_the_command():
    made = built()
    deployment, service = yaml.safe_load_all(text(manifest(made)))
    pod = deployment["spec"]["template"]["spec"]
    (box,) = pod["containers"]
    said = [w.replace("127.0.0.1", "0.0.0.0") for w in words(made["processes"][0])]
    assert box["args"] == said and "command" not in box, "the image starts the program by itself"
    made["processes"][0]["entrypoint"] = False
    again = next(yaml.safe_load_all(text(manifest(made))))["spec"]["template"]["spec"]["containers"][0]
    assert again["command"] == made["processes"][0]["program"]
    assert box["resources"]["limits"] == {"nvidia.com/gpu": "2"}
    assert {"name": "shm", "emptyDir": {"medium": "Memory"}} in pod["volumes"]
    assert service["spec"]["type"] == "ClusterIP", "nobody outside reaches it before the person says so"
    assert service["spec"]["selector"] == deployment["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["ports"] == [{"port": 8000, "targetPort": 8000}]


def test_what_the_cluster_would_fill_in_is_doubled():
    made = built()
    made["processes"][0]["args"][0] = {**made["processes"][0]["args"][0], "value": 'a "$(HOME)" : # b'}
    args = next(yaml.safe_load_all(text(manifest(made))))["spec"]["template"]["spec"]["containers"][0]["args"]
    assert 'a "$$(HOME)" : # b' in args


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made["values"].update({"launch.model": "./weights"}),
        lambda made: made["values"].update({"candidate.nodes": 2}),
        lambda made: made["values"].update({"candidate.backend": "metal"}),
        lambda made: made["processes"][0].update(image=None),
        lambda made: made["processes"].append(copy.deepcopy(made["processes"][0])),
    ],
)
def test_no_manifest_where_one_deployment_is_not_enough(change):
    made = built()
    assert manifest(made)
    change(made)
    assert manifest(made) == []


@pytest.mark.parametrize(
    ("name", "safe"),
    [("Qwen3-32B", "qwen3-32b"), ("BGE Reranker v2 M3", "bge-reranker-v2-m3"), ("01.AI", "llm-01-ai"), ("Ж", "llm")],
)
def test_names_are_what_the_cluster_takes(name, safe):
    assert label(name) == safe and re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", safe)
    assert len(label("x" * 90)) <= 50


def unquoted(line):
    """A line of a unit as the service manager splits it: double quotes, backslashes, %% and $$."""
    return [w.replace("%%", "%").replace("$$", "$") for w in shlex.split(line)]


def test_a_unit_passes_the_words_on_unchanged():
    made = built()
    process = made["processes"][0]
    process["args"][0] = {**process["args"][0], "value": 'a "$x" 50% \\ b'}
    process["env"] = [{"name": "A", "value": "1 2", "why": None, "bind": False}]
    lines = text(unit(made))
    start = lines[lines.index("ExecStart=") + 10 : lines.index("Restart=")].replace("\\\n", " ")
    assert unquoted(start) == ["/usr/bin/env", *process["program"], *words(process)]
    assert 'Environment="A=1 2"' in lines
    assert "0.0.0.0" not in lines


def test_a_unit_needs_one_process_that_listens():
    made = built()
    assert unit(made)
    made["values"]["candidate.nodes"] = 2
    assert unit(made) == []
    made = built()
    made["processes"][0]["files"] = [{"path": "a.yml", "content": "x"}]
    assert unit(made) == []


def test_forms_are_those_the_engine_names(kb):
    seen = set()
    for rec, made in commands(kb):
        listed = {f["form"] for f in (kb.engines[rec["engine"]].get("launch") or {}).get("forms", ())}
        assert {f["form"] for f in made["forms"]} <= listed
        assert all(f["sources"] for f in made["forms"])
        for form in made["forms"]:
            lines = {"kubernetes": manifest, "systemd": unit}[form["form"]](made)
            seen.add(form["form"]) if lines else None
            if form["form"] == "kubernetes" and lines:
                list(yaml.safe_load_all(text(lines)))
    assert seen == {"kubernetes", "systemd"}


# ---------------------------------------------------------------------- flags

# What containers and service managers themselves take; everything else has to stand in an entry.
DOCKER = {"--rm", "--gpus", "--device", "--security-opt", "--ipc", "--publish", "--volume", "--workdir", "--env"}
OTHERS = {"---", "-p", "--", "-ItemType", "-Force", "-Path", "-Value", "--user", "--now", "-f"}


def documented(kb, rec):
    """Every flag the entries of this command hold with a source: the engine's, of the ones below, the model's."""
    ids = [rec["engine"], rec.get("via"), rec.get("below")]
    entries = [kb.engines[i] for i in ids if i in kb.engines]
    args = [a for e in entries for p in (e.get("launch") or {}).get("processes", ()) for a in p["args"]]
    args += [a for e in entries for a in (e.get("launch") or {}).get("with_below", ())]
    args += [a for m in kb.models.values() for a in m.get("engine_args", ()) if a["engine"] in ids]
    assert all(a.get("source") for a in args)
    names = {n for e in entries for p in (e.get("launch") or {}).get("processes", ())
             for n in (p.get("below") or {}).get("names", {}).values()}  # fmt: skip
    programs = {w for e in entries for p in (e.get("launch") or {}).get("processes", ()) for w in p["program"]}
    return {a["flag"].rstrip("=") for a in args} | names | programs


def flags_of(code):
    """Words of rendered lines that are flags: after a blank, a quote or a bracket, without their value."""
    return {f.rstrip("=") for f in re.findall(r"(?:(?<=[\s\"'\[])|^)(--?[A-Za-z][\w.-]*=?)", code, re.M)}


def test_no_form_holds_a_flag_outside_the_documented_ones(kb):
    checked = 0
    for rec, made in commands(kb):
        if made["kind"] not in ("server", "library", "app") or rec["role"] == "orchestrate-with":
            continue
        known = documented(kb, rec)
        forms = [(p, f) for p in made["processes"] for f in (posix(p), powershell(p))]
        code = [text(f) for p, f in forms if not p["files"]]
        code += [text(docker(p, made)) for p in made["processes"] if p["image"] and not p["files"]]
        code += [text(compose(made)), text(manifest(made)), text(unit(made))]
        for block in code:
            block = "\n".join(line for line in block.split("\n") if not line.startswith("#"))
            found = {f for f in flags_of(block) if f not in DOCKER | OTHERS}
            assert found <= known, (rec["engine"], found - known)
            checked += len(found)
    assert checked > 100


def test_the_first_answer_has_one_form_and_the_next_slice_brings_the_others(kb):
    """What is needed first is painted first: the command in the person's shell; tabs follow before what-if."""
    import json

    from knowledge.bundle import load_for_cli
    from wizard.browser import Session

    session = Session(json.dumps(kb.core), TODAY)
    session.add_texts("en", json.dumps(load_for_cli()[1]["en"]))
    fields = {"devices": "2*rtx-3090", "model": "qwen3-32b", "serving": "team"}
    request = json.dumps({"fields": fields, "lang": "en", "base": "", "head": True})
    session.answer(request)
    slices = [json.loads(session.explore(request)) for _ in range(2)]
    first, second = ({s["id"]: s["html"] for s in part["sections"]}["command"] for part in slices)
    assert [part["done"] for part in slices] == [False, False]
    assert "we-panel-posix" in first and "we-panel-docker" not in first
    assert "we-panel-docker" in second and "we-panel-kubernetes" in second
    assert len(first) < len(second) / 2


@pytest.mark.parametrize(
    ("device", "model", "serving"),
    [
        ("iphone-16-pro", "qwen3-1-7b", "self"),
        ("pixel-9", "gemma-3-1b", "mobile"),
        ("browser-tab", "qwen3-1-7b", "browser"),
    ],
)
def test_nobody_types_commands_on_a_phone_or_into_a_tab(kb, device, model, serving):
    """An app, a page or code to embed instead; installing is for those who build the app."""
    made = decide({"devices": [{"device": device}], "model": model, "serving": serving}, kb, TODAY)
    recs = [r for r in made["recommendations"] if r.get("command")]
    assert recs
    for rec in recs:
        assert rec["command"]["processes"] == [] and rec["command"]["check"] is None
        assert serving in ("mobile", "browser") or rec["command"]["install"] == []
    offered = [item for rec in recs for item in (*rec["command"]["open"], *rec["command"]["code"])]
    assert offered and all(item["sources"] for item in offered)


def test_a_computer_is_offered_commands_and_no_app_for_phones(kb):
    for _, made in commands(kb):
        assert made["open"] == []
