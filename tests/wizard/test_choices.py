"""Answers of the form that cannot combine, and with what: from the knowledge as it is, and shown in words."""

from __future__ import annotations

import pytest

from wizard import choices
from wizard.decide import decide
from wizard.render import around
from wizard.render.view import View
from wizard.situation import apply_patch, read
from wizard.vocabulary import OSES

TODAY = "2026-11-30"
CARDS = {"devices": [{"device": "rtx-3090", "count": 2}], "model": "qwen3-32b", "serving": "team"}


def against(data, kb, path):
    """{value: what stands against it} of one question."""
    return {row["value"]: row["against"] for row in choices.complete(data, kb) if row["path"] == path}


def test_systems_that_do_not_run_on_the_hardware(kb):
    assert set(against(CARDS, kb, "host.os")) == set(OSES) - {"linux", "windows", "wsl2"}
    mac = {"devices": ["m4-max"]}
    assert set(against(mac, kb, "host.os")) == set(OSES) - {"macos"}
    own = {"devices": [{"custom": {"memory_gib": 24, "vendor": "nvidia", "kind": "gpu"}}]}
    assert against(own, kb, "host.os")["macos"] == "devices"
    unknown = {"devices": [{"custom": {"memory_gib": 24}}]}
    assert "macos" not in against(unknown, kb, "host.os")


def test_formats_say_what_keeps_them_out(kb):
    found = against(CARDS, kb, "format")
    assert found["openvino-ir"] == "devices" and found["exl2"] == "engines" and found["onnx"] == "app"
    assert not {"gguf", "awq", "exl3", "safetensors"} & set(found)
    windows = {"devices": ["rtx-4090"], "host": {"os": "windows"}}
    assert against(windows, kb, "format")["nvfp4"] == "host.os"


def test_must_haves_that_the_model_cannot_meet(kb):
    found = against(CARDS, kb, "needs")
    assert {"vision", "embeddings"} <= set(found) and set(found.values()) == {"model"}
    assert "needs" not in {row["path"] for row in choices.complete({**CARDS, "model": None}, kb)}


def test_an_engine_in_use_and_the_system(kb):
    found = against({"devices": ["rtx-4090"], "host": {"os": "windows"}}, kb, "already")
    assert found["vllm"] == "host.os" and "llama-cpp" not in found and "ollama" not in found
    assert "vllm" not in against({"devices": ["rtx-4090"]}, kb, "already")


def test_questions_without_effect(kb):
    rows = choices.complete({"devices": ["rtx-4090"]}, kb)
    assert {(r["path"], r["against"]) for r in rows if r["value"] is None} == {
        ("links.within", "one"),
        ("links.between", "one"),
    }
    several = choices.complete({"devices": [{"device": "h100-sxm", "count": 8}], "nodes": 2}, kb)
    assert not [r for r in several if r["value"] is None]
    assert against({"devices": [{"device": "rx-7900-xtx", "count": 2}]}, kb, "links.within") == {
        "nvswitch": "devices",
        "unified": "devices",
    }


def test_where_nothing_starts_only_what_was_said_is_looked_at(kb):
    data = {"devices": ["rtx-3060"], "format": "exl3", "needs": ["vision"], "model": "qwen3-8b"}
    rows = [r for r in choices.complete(data, kb) if r["against"] not in ("one", "devices")]
    assert {(r["path"], r["value"]) for r in rows} <= {("format", "exl3"), ("needs", "vision")}
    assert ("needs", "vision", "model") in {tuple(r.values()) for r in rows}


def test_without_hardware_everything_is_open(kb):
    assert choices.complete({"model": "qwen3-8b"}, kb) == []


@pytest.mark.parametrize(
    "data",
    [CARDS, {"devices": ["rtx-4090"], "host": {"os": "windows"}}, {"devices": ["m4-max"], "model": "qwen3-32b"}],
)
def test_what_cannot_combine_indeed_starts_nothing(kb, data):
    """`decide` agrees: with the answer nothing starts, or the model lacks what is asked."""
    stated = read(data, kb).stated
    for row in choices.complete(data, kb):
        path, value = row["path"], row["value"]
        if value is None or path not in ("format", "serving", "needs") or row["against"] == "model":
            continue
        patch = {path: {"family": value, "type": None} if path == "format" else [value] if path == "needs" else value}
        decision = decide(apply_patch(stated, patch), kb, TODAY)
        assert not [r for r in decision["recommendations"] if r["role"] == "start"], row


def test_reasons_in_words(kb, texts):
    said = {
        "en": "not with 2 × RTX 3090",
        "vi": "không dùng được với 2 × RTX 3090",
        "ru": "не вместе с 2 × RTX 3090",
    }
    rows = choices.complete(CARDS, kb)
    shown = around.cannot(View(decide(CARDS, kb, TODAY), texts, kb, texts.lang), rows)
    assert shown["host.os"]["macos"] == said[texts.lang]
    assert "Qwen3-32B" in shown["needs"]["vision"]
    assert shown["links.between"][""]


def test_a_fabric_of_its_own_is_a_direct_link(kb):
    for device in ("gaudi-3", "mi300x", "h100-sxm"):
        data = {"devices": [{"device": device, "count": 8}]}
        within = decide(data, kb, TODAY)["situation"]["links"]["within"]
        assert within in ("nvlink", "nvswitch") and within not in against(data, kb, "links.within")
    assert against({"devices": [{"device": "arc-b580", "count": 2}]}, kb, "links.within")["nvlink"] == "devices"
