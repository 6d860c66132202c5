"""The generated constants: equal to what the command makes, as good as promised, and made of usable records."""

from __future__ import annotations

import json
import os
from math import exp, log

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # many small matrices: threads only get in each other's way
pytest.importorskip("numpy")

from knowledge.accuracy import main as accuracy
from knowledge.calibrate import fit as fitting
from knowledge.calibrate.__main__ import FILE, produce, text_of
from knowledge.calibrate.rows import age_of, chosen, row_of, rows_of, split_experts
from knowledge.load import load
from knowledge.speed_accuracy import Point, asked, predicted, table
from knowledge.speed_records import own, read_extra, read_serving
from wizard.kb import KB
from wizard.speed import nodes


@pytest.fixture(scope="module")
def knowledge():
    return load()


@pytest.fixture(scope="module")
def rows(knowledge):
    return rows_of(knowledge.entries["measurement"], knowledge.entries["device"])


@pytest.fixture(scope="module")
def constants():
    return json.loads(FILE.read_text())


@pytest.mark.slow
def test_the_committed_file_is_what_the_command_makes():
    assert FILE.read_text() == text_of(produce())


def test_errors_held_out(constants):
    errors = constants["errors"]
    assert errors["row_out"]["median"] <= 0.09
    assert errors["hardware_out"]["median"] <= 0.12
    assert errors["source_out"]["median"] <= 0.10
    assert 0.75 <= errors["coverage"] <= 0.85 and 0.75 <= errors["coverage_row"] <= 0.86
    assert errors["training"]["median"] < errors["source_out"]["median"]
    assert constants["batched"]["model_out"]["median"] <= 0.20
    assert 0.75 <= constants["batched"]["coverage"] <= 0.85
    prompts = constants["prefill"]["prompts"]
    for left_out in ("row_out", "hardware_out", "source_out"):
        assert prompts[left_out]["median"] <= 0.25, left_out
    # of servers nearly all times come from one page, so models are left out and not pages
    first = constants["prefill"]["first_token"]
    assert (
        first["row_out"]["median"] <= 0.25 and first["model_out"]["median"] <= 0.35 and first["row_out"]["rows"] > 100
    )
    for kind in ("prompts", "first_token"):
        held = constants["prefill"][kind]
        assert 0.72 <= held["coverage"] <= 0.88 and 0.72 <= held["coverage_hardware"] <= 0.88, kind


def test_the_interval_holds_in_every_class(constants):
    large = {name: node["coverage"] for name, node in constants["nodes"].items() if node["records"] >= 10}
    assert len(large) > 15 and min(large.values()) >= 0.65, large


def test_every_interval_holds_its_point(constants):
    spreads = [
        *constants["nodes"].values(),
        *constants["fallback"].values(),
        constants["batched"],
        constants["prefill"]["unpeaked"],
        *constants["prefill"]["nodes"].values(),
        *constants["prefill"]["unseen"].values(),
    ]
    assert all(s["low"] < 1 < s["high"] for s in spreads)
    assert all(0.3 < n["efficiency"] < 1 and 5 < n["overhead_us"] < 2000 for n in constants["nodes"].values())
    width = {name: s["high"] / s["low"] for name, s in constants["fallback"].items()}
    assert (
        width["global"]
        > width["vendor"]
        > constants["nodes"]["gpu/nvidia"]["high"] / constants["nodes"]["gpu/nvidia"]["low"]
    )


def test_every_node_has_the_one_above_it(constants, rows):
    for row in chosen(rows):
        assert row.path[0] in constants["nodes"]
        assert all(nodes.level(n) in nodes.LEVELS for n in row.path)


def test_enough_good_records_over_every_class(knowledge, rows):
    good = [r for r in chosen(rows) if r.single]
    assert len(good) >= 150
    classes = {row.path[min(2, len(row.path) - 1)].partition("/")[0] for row in good}
    assert {"nv-consumer", "nv-workstation", "nv-datacenter", "nv-legacy", "nv-jetson", "nv-spark"} <= classes
    assert {"amd-radeon", "amd-instinct", "amd-apu", "intel-arc", "apple-gpu", "cpu-server", "cpu-sbc"} <= classes
    assert sum(not r.single for r in chosen(rows)) >= 50
    for file, entry in knowledge.entries["measurement"].items():
        for record in entry["records"]:
            assert record.get("device") or (record.get("hardware") and record.get("speed_class")), (file, record["id"])


def test_no_record_is_faster_than_the_memory_allows(rows):
    for row in rows:
        if row.single and row.time:
            read = row.dense + row.share * row.experts + row.kv * row.ranks
            assert read / row.time <= 1.02 * row.bandwidth * row.ranks, row.id


def test_the_wizard_computes_what_was_fitted(rows, constants):
    use = chosen(rows)
    fitted = fitting.fit(use, constants["expert_power"])
    listed = set(constants["nodes"])
    checked = 0
    for row in use:
        if row.path[-1] in listed and (row.batch == 1 or row.family in constants["compute"]):
            seconds, _ = predicted(row, constants)
            assert seconds == pytest.approx(fitting.predict(row, fitted), rel=0.01), row.id
            checked += 1
    assert checked > 300


RECORDS = """
- {kind: decode, quality: high, hardware: Some card, hardware_class: nv_consumer, bandwidth_gbps: 1000, count: 1,
   engine: llama.cpp, backend: CUDA, model: Some-8B, params_total_b: 8, layers: 32, bytes_per_token_gb: 4.5,
   quantization: Q4_K_M, file_gib: 4.6, multi: null, decode_tps: 140, prefill_tps: 4000, prefill_test: pp512,
   date: '2026-05-01', arch: dense, depth_tokens: 0}
- {kind: decode, quality: low, decode_tps: 3}
- {kind: batched, quality: high}
"""
RUNS = """\
backend,model_path,system,precision,gemm_quant_mode,isl,osl,batch_size,tp_size,attention_dp_size,silicon_tpot_ms,silicon_ttft_ms
vllm,Qwen/Qwen3-32B,h100_sxm,fp8,fp8,1024,1024,16,4,1,9.0,140
vllm,Qwen/Qwen3-32B,h100_sxm,fp8,fp8,1024,1024,16,4,8,9.0,140
"""


def test_extra_records_are_asked_and_judged(tmp_path, bundle, capsys):
    (tmp_path / "extra.yaml").write_text(RECORDS)
    (tmp_path / "runs.csv").write_text(RUNS)
    (tmp_path / "else.csv").write_text("a,b\n1,2\n")
    kb = KB(bundle[0], bundle[2])
    found = dict(asked(read_extra(tmp_path / "extra.yaml"), kb))
    assert set(found) == {"decode", "prefill", "peer"}
    assert found["decode"].group == "nv-consumer" and abs(exp(found["decode"].error) - 1) < 0.3
    # llmfit: 1000 GB/s / 4.5 GB x 0.55 = 122 tokens per second
    assert exp(found["peer"].error) == pytest.approx(1000 / 4.5 * 0.55 / 140)
    served = list(asked(read_serving(tmp_path / "runs.csv"), kb))
    assert [name for name, _ in served] == ["throughput", "first"]
    assert abs(served[0][1].error) < 0.7 and abs(served[1][1].error) < 0.7
    assert read_serving(tmp_path / "else.csv") == []
    assert accuracy(["--extra", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    for words in (
        "hardware left out",
        "extra.yaml: prompts",
        "runs.csv: all requests",
        "llmfit's rule",
        "models left out",
    ):
        assert words in out
    assert accuracy(["--extra", str(tmp_path / "nowhere")]) == 2


def test_one_line_a_group():
    text = table("Title", [Point("a", 0.1, True), Point("a", -0.3, False), Point("b", 0.0, None)])
    assert text.startswith("Title") and "50%" in text and len(text.splitlines()) == 5


def test_asked_by_name_the_base_is_nearly_as_good_as_its_fit(bundle, constants):
    kb = KB(bundle[0], bundle[2])
    found = [point for name, point in asked(own(bundle[2]), kb) if name == "decode"]
    off = sorted(abs(exp(-point.error) - 1) for point in found)
    assert len(found) >= 0.98 * constants["counts"]["single_stream"]
    assert off[len(off) // 2] <= 0.10
    assert sum(bool(point.inside) for point in found) / len(found) >= 0.75


def test_records_as_numbers():
    assert split_experts(4e9, None, {"active": 8, "count": 128}) == (4e9, 0.0, 1.0)
    dense, experts, share = split_experts(4e9, 30.0, {"active": 8, "count": 128})
    assert dense + share * experts == pytest.approx(4e9) and dense + experts == pytest.approx(30 * 1024**3)
    assert age_of("2026-07-01") == 0 and age_of("unknown") == 1.5 and age_of("2024") == pytest.approx(2.04, abs=0.1)
    record = {
        "id": "a", "bandwidth_gbs": 1000, "layers": 32, "bytes_per_token": 5e9, "kv_bytes": 1e9, "batch": 1,
        "decode_tps": 100, "engine": "x", "model": "m", "params_b": 8, "date": "2026-01-01", "quality": "high",
        "speed_class": "nv-consumer", "speed_family": "ggml", "backend": "cuda",
    }  # fmt: skip
    row = row_of("page", record, {})
    assert row.dense == 4e9 and row.kv == 1e9 and row.time == 0.01 and row.ranks == 1 and row.single
    assert row_of("page", {**record, "bandwidth_gbs": None}, {}) is None
    tensor = row_of("page", {**record, "count": 2, "split": "tensor"}, {})
    assert tensor.ranks == 2 and tensor.link == "pcie" and tensor.kv == 5e8
    served = row_of(
        "page", {**record, "batch": 4, "speed_family": "serving", "prefill_tokens": 1000, "depth": 1250}, {}
    )
    assert served.answer == 500 and served.time == pytest.approx(0.04)


def test_a_fit_finds_the_constants_it_was_made_from():
    record = {
        "bandwidth_gbs": 1000, "engine": "x", "model": "m", "params_b": 8, "date": "2026-07-01", "quality": "high",
        "speed_class": "nv-consumer", "speed_family": "ggml", "backend": "cuda", "batch": 1,
    }  # fmt: skip
    made = []
    for number, (layers, size, bandwidth) in enumerate(
        [(16, 1e9, 900), (28, 2e9, 500), (32, 5e9, 1000), (32, 16e9, 300), (64, 20e9, 1800), (80, 40e9, 900)]
    ):
        seconds = layers * 70e-6 + size / (0.8 * bandwidth * 1e9)
        fields = {"id": f"r{number}", "layers": layers, "bytes_per_token": size, "decode_tps": 1 / seconds}
        made.append(row_of(f"page{number}", record | fields | {"bandwidth_gbs": bandwidth}, {}))
    fitted = fitting.fit(made, {})
    errors = [abs(log(fitting.predict(row, fitted) / row.time)) for row in made]
    assert max(errors) < 0.03
    # one record that cannot be right does not pull the others along
    wild = made + [row_of("odd", record | {"id": "odd", "layers": 32, "bytes_per_token": 5e9, "decode_tps": 5}, {})]
    robust = fitting.fit(wild, {})
    assert max(abs(log(fitting.predict(row, robust) / row.time)) for row in made) < 0.08
