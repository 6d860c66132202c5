"""The grid of the deep check, and what is read out of the decisions on it."""

from __future__ import annotations

from collections import Counter

import pytest
from samples import BASE, HEAD

from knowledge import bundle, check, deep
from knowledge.load import load

DEVICE = (
    HEAD.format("device")
    + """\
name: NAME
vendor: nvidia
kind: gpu
segment: consumer
generation: ampere
arch: sm_86
compute_capability: "8.6"
backends: [cuda]
memory: {options: [12, 24], unified: false, source: vllm-readme}
bandwidth_gbs: {is: 936, source: vllm-readme}
speed_class: nv-consumer
source: vllm-readme
checked: 2026-11-29
"""
)
MODEL = (
    HEAD.format("model")
    + """\
name: NAME
publisher: P
family: m
architecture: MForCausalLM
kind: dense
modality: [text]
tasks: [chat]
params: {total: TOTAL, source: vllm-readme}
context: {native: 4096, source: vllm-readme}
layers: 2
hidden: 64
heads: 4
vocab: 100
tied: false
attention: [{kind: full, layers: 2, kv_heads: 1, head_dim: 16}]
groups: [{group: mlp, params: TOTAL}]
config: vllm-readme
checked: 2026-11-29
"""
)
RECIPE = (
    HEAD.format("recipe")
    + """\
name: {en: One card}
group: desk
order: 1
situation: {devices: [{device: card-a}], serving: team}
intro: {en: A card.}
expect: {start: [vllm]}
checked: 2026-11-29
"""
)
QUESTION = (
    HEAD.format("question")
    + """\
number: 1
heading: {en: For whom?}
answered_by: person
fields:
  - {path: optional.air_gapped, widget: select, label: {en: L}, why: {en: W}}
  - {path: priority, widget: select, label: {en: L}, why: {en: W}}
checked: 2026-11-29
"""
)


@pytest.fixture
def base(tree, monkeypatch):
    monkeypatch.setattr(deep, "LIMIT", 1000)
    files = {
        **BASE,
        "devices/card-a.yml": DEVICE.replace("NAME", "Card A"),
        "devices/card-b.yml": DEVICE.replace("NAME", "Card B"),
        "models/small.yml": MODEL.replace("NAME", "Small").replace("TOTAL", "8"),
        "models/large.yml": MODEL.replace("NAME", "Large").replace("TOTAL", "8000"),
        "models/as-large.yml": MODEL.replace("NAME", "As large").replace("TOTAL", "8100"),
        "recipes/one.yml": RECIPE,
        "questions/whom.yml": QUESTION,
        "rules/other.yml": BASE["rules/start-vllm.yml"],
    }
    return load(tree(files))


def test_the_grid_covers_what_the_base_has(base) -> None:
    core = bundle.build(base).core
    stated = [{"devices": [{"device": "card-a"}], "serving": "team"}]
    points = deep.grid(core, stated)
    assert points[0].situation == stated[0]
    assert len(points) <= deep.LIMIT
    plain = [p.situation for p in points if p.of is None]
    assert {d["device"] for s in plain for d in s["devices"]} == {"card-a", "card-b"}
    assert {s["serving"] for s in plain} == set(deep.words.SERVING)
    # large differs from as-large in nothing that the grid looks at
    assert {(s.get("model") or {}).get("id") for s in plain} == {None, "as-large", "small"}
    assert any(len(s["devices"]) == 2 for s in plain)
    varied = Counter(p.path for p in points if p.path)
    assert {"priority", "needs", "host.os", "nodes", "already", "optional.air_gapped"} <= set(varied)
    for point in points:
        if point.of is not None:
            assert point.situation != points[point.of].situation
    assert deep.grid(core, stated) == points


def test_the_grid_stays_within_the_limit_and_varies_every_answer(base) -> None:
    core = bundle.build(base).core
    points = deep.grid(core, [])
    assert 900 < len(points) <= 1000
    assert {path for path, _value in deep._variants(core)} == {p.path for p in points if p.path}


def fake(situation, kb, today):
    """A decision that depends on the priority, but not on whether there is internet."""
    from wizard.situation import read

    reading = read(situation, kb)
    ranked = "vllm" if reading.situation["priority"] != "cost" else None
    part = {"engine": ranked, "orchestrator": None, "via": None}
    return {
        "situation": reading.situation, "recommendations": [part], "rejected": [], "bottleneck": None, "warnings": [],
        "benchmark": None, "nothing_fits": None,
        "evidence": {"rules": [], "undeclared_ties": [["start-vllm", "other"]]},
    }  # fmt: skip


def test_what_the_grid_shows(base) -> None:
    seen = []
    result = deep.explore(base, decide=fake, report=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] == result.situations
    assert set(result.fired) == {"start-vllm", "other"} and 0 < result.fired["start-vllm"] < result.situations
    assert result.ties.keys() == {("other", "start-vllm")}
    assert result.ties["other", "start-vllm"].startswith("#v=1&devices=")
    assert 0 < result.engines["vllm"] < result.situations
    assert result.answers["optional.air_gapped"] == 0 < result.answers["priority"]


def test_findings_of_a_deep_check(base) -> None:
    report = check.run(base.root, today="2026-11-30", explore=lambda knowledge: deep.explore(knowledge, decide=fake))
    errors = [f for f in report.findings if f.code.startswith("K5")]
    assert [(f.code, f.place.file.rpartition("/")[2], f.place.line) for f in errors] == [
        ("K504", "whom.yml", 6),
        ("K501", "other.yml", 6),
    ]


def test_a_base_with_errors_is_not_explored(tree) -> None:
    root = tree({**BASE, "engines/odd.yml": "name: [\n"})

    def never(knowledge):
        raise AssertionError("asked in spite of an error")

    assert not check.run(root, explore=never).ok
