"""Situations in which an engine beside the well-known ones is named, and those in which it must not be."""

import pytest

from wizard.decide import decide

from .conftest import TODAY
from .expectations import by_role


def ask(kb, device, count=1, **situation):
    return decide({"devices": [{"device": device, "count": count}], **situation}, kb, TODAY)


def engines(decision):
    return {r["engine"] for r in decision["recommendations"]}


@pytest.mark.parametrize("serving", ["self", "agents", "team"])
def test_an_embedding_model_alone_gets_the_server_made_for_it(kb, serving):
    decision = ask(kb, "rtx-4090", model="qwen3-embedding-0-6b", serving=serving)
    assert by_role(decision, "start") == ["text-embeddings-inference"]
    assert "vllm" in by_role(decision, "alternative") or serving != "team"


@pytest.mark.parametrize("model", ["qwen3-8b", "llama-3-1-8b", None])
@pytest.mark.parametrize("device", ["rtx-4090", "h100-sxm", "m4-max", "xeon-6980p"])
def test_it_is_never_named_for_a_model_that_writes(kb, device, model):
    decision = ask(kb, device, model=model, serving="team", traffic={"concurrency": 8})
    assert "text-embeddings-inference" not in engines(decision)


def test_several_people_on_a_mac_see_vllm_through_its_plugin(kb):
    mac = {"host": {"os": "macos"}, "model": "qwen3-8b"}
    decision = ask(kb, "m4-max", serving="team", traffic={"concurrency": 8}, **mac)
    found = next(r for r in decision["recommendations"] if r["engine"] == "vllm")
    assert found["role"] == "alternative" and found["via"] == "vllm-metal"
    assert "vllm-metal-alpha" in repr([c["id"] for c in found["cautions"]])
    assert any("vllm-metal" in way["command"] for way in found["command"]["install"])
    assert "vllm" not in engines(ask(kb, "m4-max", serving="self", **mac))
    assert "vllm" not in engines(ask(kb, "m4-max", serving="customers", traffic={"concurrency": 8}, **mac))


def test_phones_have_a_choice_of_runtimes(kb):
    decision = ask(kb, "pixel-9", host={"os": "android"}, model="qwen3-1-7b", serving="mobile")
    assert {"litert-lm", "executorch", "llama-cpp"} <= set(by_role(decision, "alternative"))
    for engine in ("litert-lm", "executorch"):
        found = next(r for r in decision["recommendations"] if r["engine"] == engine)
        assert found["command"]["code"][0]["language"] == "kotlin"


def test_exl3_for_a_team_can_be_batched_but_its_own_server_comes_first(kb):
    asked = {"model": "qwen3-32b", "format": "exl3", "serving": "team", "traffic": {"concurrency": 6}}
    decision = ask(kb, "rtx-3090", 2, **asked)
    assert by_role(decision, "start") == ["exllamav3"]
    assert "aphrodite" in by_role(decision, "alternative")


def test_what_nobody_has_compared_is_measured_not_started_with(kb):
    asked = {"model": "qwen3-32b", "serving": "customers", "traffic": {"concurrency": 64}}
    for device in ("b200", "mi300x"):
        decision = ask(kb, device, 8, **asked)
        assert "modular-max" in by_role(decision, "benchmark-against")
    assert "modular-max" not in engines(ask(kb, "rtx-4090", **asked))
