"""Files of a model to fields of the form: config.json with what lies beside it, GGUF headers, refusals."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from knowledge.bundle import load_for_cli
from tests.fuzz import model_files
from wizard import paste
from wizard.browser import Session
from wizard.situation import from_flat, from_fragment, read

from . import pastes
from . import shapes_of_models as m
from .test_gguf import header, small


def config(data, name="config.json"):
    return {"name": name, "text": json.dumps(data)}


def test_a_known_model_is_taken_by_its_matrices(kb):
    found = paste.read_model([config(m.QWEN3_32B | {"torch_dtype": "bfloat16"})], kb)
    assert found["known"] == "Qwen3-32B"
    assert found["fields"] == {"model": "qwen3-32b"}


def test_the_file_of_a_quantizer_gives_the_format(kb):
    gptq = config({"bits": 4, "group_size": 128, "desc_act": False}, "quantize_config.json")
    awq = config({"w_bit": 4, "q_group_size": 128, "zero_point": True, "version": "GEMM"}, "quant_config.json")
    assert paste.read_model([config(m.QWEN3_32B), gptq], kb)["fields"]["format"] == "gptq:int4-g128"
    assert paste.read_model([awq, config(m.QWEN3_32B)], kb)["fields"]["format"].startswith("awq")
    # alone it does not say what the model is
    assert paste.read_model([gptq], kb)["problem"]["id"] == "no-config"


def test_an_own_model_answers_and_its_link_reproduces_it(kb):
    own = m.QWEN3_32B | {"num_hidden_layers": 61, "torch_dtype": "bfloat16"}
    found = paste.read_model([config(own)], kb, "me/My-61-layers")
    assert found["known"] is None and found["name"] == "me/My-61-layers" and found["layers"] == 61
    data, unread = from_flat({**found["fields"], "devices": "2*rtx-3090"})
    reading = read(data, kb)
    assert not unread and not reading.problems
    from wizard.situation import fragment

    link = fragment(reading.stated)
    again, problems = from_fragment(link)
    assert not problems and read(again, kb).stated == reading.stated
    assert found["link"] < len(link) < 1500


def test_bytes_and_files_of_an_index(kb):
    index = {"metadata": {"total_size": 65524246528}, "weight_map": {"a": "1.safetensors", "b": "2.safetensors"}}
    found = paste.read_model([config(index, "model.safetensors.index.json"), config(m.QWEN3_32B)], kb)
    assert found["index"] == {"bytes": 65524246528, "files": 2}
    alone = paste.read_model([config(index)], kb)
    assert alone["problem"]["id"] == "no-config" and alone["index"]["files"] == 2


@pytest.mark.parametrize(
    ("text", "id_", "field"),
    [
        ("{", "not-json", ""), ("[" * 100_000, "not-json", ""), ("[]", "not-map", "config.json"),
        ("{}", "missing", "num_hidden_layers"), ('{"model_type": "nobody"}', "unknown", "model_type"),
        (json.dumps(m.QWEN3_32B | {"hidden_size": "<b>"}), "impossible", "hidden_size"),
    ],
)  # fmt: skip
def test_refusals_name_file_and_field(kb, text, id_, field):
    problem = paste.read_model([{"name": "config.json", "text": text}], kb)["problem"]
    assert problem["params"]["file"] == "config.json"
    assert (problem["id"], problem["params"]["field"]) == (id_, field)


@pytest.mark.parametrize(
    ("name", "text", "id_"),
    [
        ("empty.gguf", "", "empty"), ("model.safetensors", "\x08\x00{}", "weights"), ("x.png", "\x89PNG", "not-json"),
        ("config.json", "[" * 100_000, "not-json"), ("config.json", '{"a":' * 70_000, "not-json"),
        ("tokenizer.json", '{"version": "1.0", "added_tokens": [], "model": {}}', "no-config"),
    ],
)  # fmt: skip
def test_files_that_describe_no_model_are_told_apart(kb, name, text, id_):
    found = paste.read_model([{"name": name, "text": text}], kb)
    assert found["problem"]["id"] == id_


def test_a_whole_folder_is_read_by_its_config(kb):
    beside = [
        config({"tokenizer_class": "X"}, "tokenizer_config.json"),
        config({"do_sample": True}, "generation_config.json"),
    ]
    assert paste.read_model([config(m.QWEN3_32B), *beside], kb)["known"] == "Qwen3-32B"


def test_a_header_of_a_gguf_comes_in_pieces(kb):
    data = header(*small())
    assert paste.read_gguf(data[:100], False, kb) == {"more": True}
    assert paste.read_gguf(data[:100], True, kb, "x.gguf")["problem"]["id"] == "cut"
    found = paste.read_gguf(data + b"\0" * 1000, False, kb, "x.gguf")
    assert found["layers"] == 4 and found["index"]["files"] == 1
    assert paste.read_gguf(b"GGML", True, kb, "x")["problem"]["id"] == "not-gguf"


def test_every_refusal_has_its_sentence():
    texts = load_for_cli()[1]
    raised = {"not-json", "no-config"}
    for file in (Path(paste.__file__).parent / "importers").glob("*.py"):
        for call in (n for n in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(n, ast.Call)):
            name = getattr(call.func, "id", "")
            if name == "ImportProblem":
                assert isinstance(call.args[1], ast.Constant), f"{file.name}: a sentence in the place of a kind"
                raised.add(call.args[1].value)
            elif name == "taken" and isinstance(call.args[0], ast.Constant):
                raised.add(f"said-{call.args[0].value}")
            elif getattr(call.func, "attr", "") == "append" and getattr(call.func.value, "attr", "") == "said":
                assert isinstance(call.args[0], ast.Call), f"{file.name}: a sentence in the place of its id"
    assert len(raised) > 20
    for id_ in raised:
        text = f"paste.model-{id_}" if id_.startswith("said-") else f"paste.problem-{id_}"
        assert all(text in texts[lang] for lang in ("en", "vi", "ru")), text


def test_the_session_reads_for_the_page(kb):
    session = Session(json.dumps(kb.core), "2026-11-30")
    found = json.loads(session.use("hardware", json.dumps(pastes.NVIDIA_SMI)))
    assert found["fields"]["devices"] == "2*rtx-3090" and found["shown"] == [[2, "GeForce RTX 3090", None]]
    sent = json.dumps({"files": [config(m.QWEN3_32B)], "name": "Qwen/Qwen3-32B"})
    assert json.loads(session.use("model", sent))["known"] == "Qwen3-32B"
    piece = json.dumps({"name": "x.gguf", "whole": False})
    assert json.loads(session.use("gguf", piece, header(*small())[:50])) == {"more": True}


def test_mutated_files_are_read_or_refused():
    import random

    chance = random.Random(3)
    configs, gguf = model_files.configs(), header(*small())
    for _ in range(1000):
        model_files.config(chance.choice(configs), chance)
    for _ in range(500):
        model_files.header(gguf, chance)
        model_files.index(chance)
