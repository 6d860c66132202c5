"""A claim of the articles that is wrong or outdated today must not steer an answer."""

import pytest

from knowledge.load import load
from wizard.decide import decide

from .conftest import TODAY

CLAIMS = load().entries["claim"]
ENDED = {"exllamav2", "tgi", "ipex-llm"}
RTX = {"devices": [{"device": "rtx-3090", "count": 1}], "model": "qwen3-8b"}


def shown(kb, situation):
    return decide(situation, kb, TODAY)["recommendations"]


def two_cards_run_llama_cpp(kb):
    for serving in ("self", "team"):
        asked = {"devices": [{"device": "rtx-3090", "count": 2}], "model": "llama-3-3-70b", "format": "gguf"}
        start = next(r for r in shown(kb, asked | {"serving": serving}) if r["role"] == "start")
        assert (start["engine"], start["layout"]["devices"][0]["count"]) == ("llama-cpp", 2)
    held_back = [r for r in kb.rules.values() if r.get("engine") == "llama-cpp" and r["effect"] == "hold-back"]
    assert not [r for r in held_back if any("count" in path for path in r["when"])]


def onnx_is_not_offered_for_radeon_compute(kb):
    paths = [line["backend"] for line in kb.engines["onnxruntime-genai"]["runs_on"]]
    assert "rocm" not in paths
    asked = {"devices": [{"device": "rx-7900-xtx", "count": 1}], "model": "phi-4-mini", "serving": "app"}
    assert all(r["engine"] != "onnxruntime-genai" for r in shown(kb, asked | {"host": {"os": "linux"}}))


def ended_engines_are_never_shown(kb):
    asked = (
        RTX | {"serving": "self"},
        RTX | {"serving": "self", "format": "exl2"},
        RTX | {"serving": "customers"},
        {"devices": [{"device": "h100-sxm", "count": 8}], "model": "llama-3-3-70b", "serving": "customers"},
        {"devices": [{"device": "arc-b580", "count": 1}], "model": "qwen3-8b", "serving": "self"},
    )
    for situation in asked:
        assert not {r["engine"] for r in shown(kb, situation)} & ENDED, situation


def tensorrt_llm_builds_no_engine(kb):
    asked = {"devices": [{"device": "h100-sxm", "count": 8}], "model": "llama-3-3-70b", "serving": "customers"}
    rows = [r for r in shown(kb, asked) if r["engine"] == "tensorrt-llm"]
    assert rows
    assert "trtllm-build" not in str(rows)


def vllm_reads_gguf_only_as_an_experiment(kb):
    lines = [line for line in kb.engines["vllm"]["formats"] if line["format"] == "gguf" and "cuda" in line["backend"]]
    assert lines and all(line["kernel"] == "experimental" for line in lines)
    assert all(line.get("via") or "versions" in line for line in lines)  # the own reader ended


def a_newer_chip_has_more_bandwidth(kb):
    assert kb.devices["m5-ultra"]["bandwidth_gbs"]["is"] > kb.devices["m3-ultra"]["bandwidth_gbs"]["is"] == 819


STEER = {
    "c007": ended_engines_are_never_shown,
    "c028": a_newer_chip_has_more_bandwidth,
    "c047": ended_engines_are_never_shown,
    "c048": ended_engines_are_never_shown,
    "c058": two_cards_run_llama_cpp,
    "c069": ended_engines_are_never_shown,
    "c076": ended_engines_are_never_shown,
    "c080": vllm_reads_gguf_only_as_an_experiment,
    "c100": tensorrt_llm_builds_no_engine,
    "c103": ended_engines_are_never_shown,
    "c106": onnx_is_not_offered_for_radeon_compute,
    "c116": ended_engines_are_never_shown,
}


@pytest.mark.parametrize("claim", sorted(STEER))
def test_what_is_refuted_does_not_steer_an_answer(kb, claim):
    STEER[claim](kb)


def test_every_refuted_claim_is_tried():
    refuted = {id for id, claim in CLAIMS.items() if claim["verdict"] in ("wrong", "outdated")}
    assert refuted <= set(STEER)
