"""The worked expectations of the design, beyond what recipes hold."""

from wizard.decide import decide

from .conftest import TODAY
from .expectations import by_role


def start(decision):
    return next(r for r in decision["recommendations"] if r["role"] == "start")


def ask(kb, **situation):
    return decide(situation, kb, TODAY)


TWO_3090 = [{"device": "rtx-3090", "count": 2}]


def test_team_of_four_on_two_3090(kb):
    d = ask(kb, devices=TWO_3090, model="qwen3-32b", serving="team", traffic={"concurrency": 4})
    assert start(d)["engine"] == "vllm"
    assert "exllamav3" in by_role(d, "alternative")
    assert "team-serving" in d["evidence"]["rules"]
    d = ask(kb, devices=TWO_3090, model="qwen3-32b", serving="self", traffic={"concurrency": 1})
    assert start(d)["engine"] == "exllamav3"


def test_macbook(kb):
    d = ask(kb, devices=[{"device": "m4-max", "count": 1}], model="qwen3-32b", serving="self")
    assert start(d)["engine"] == "mlx-lm"
    assert "llama-cpp" in by_role(d, "alternative")
    d = ask(kb, devices=[{"device": "m4-max", "count": 1}], model="qwen3-8b", serving="customers")
    assert "mlx-lm" not in by_role(d, "start")
    held = next(r for r in d["rejected"] if r["engine"] == "mlx-lm")
    assert held["reasons"] and held["reasons"][0]["sources"]


def test_eight_h100_moe(kb):
    d = ask(
        kb,
        devices=[{"device": "h100-sxm", "count": 8}],
        model="qwen3-235b-a22b",
        serving="customers",
        format="fp8",
        traffic={"concurrency": 64},
    )
    first = start(d)
    assert first["engine"] == "sglang"
    assert first["tied_with"] == ["vllm"]
    assert "tensorrt-llm" in by_role(d, "benchmark-against")
    # 1536 / 8 = 192 cuts through a block of 128: experts stay whole, or fewer ranks
    assert first["layout"]["tp"] < 8 or first["layout"]["ep"] == 8


def test_tp8_is_refused_by_the_quantization_block(kb):
    d = ask(
        kb,
        devices=[{"device": "h100-sxm", "count": 8}],
        model="qwen3-235b-a22b",
        serving="customers",
        format="fp8",
        traffic={"concurrency": 64},
        settings={"layout": {"tp": 8, "ep": 1}},
    )
    for rec in d["recommendations"]:
        if rec["layout"] and kb.type_of(rec["format"]["family"], rec["format"]["type"]).get("group_size"):
            assert rec["layout"]["tp"] != 8 or rec["layout"]["ep"] == 8
    free = ask(
        kb,
        devices=[{"device": "h100-sxm", "count": 8}],
        model="qwen3-235b-a22b",
        serving="customers",
        format="fp8",
        traffic={"concurrency": 64},
    )
    stops = [o for r in free["rejected"] if r["scope"]["kind"] == "layout" for o in r["obstacles"]]
    assert all(o["clause"] for o in stops)


def test_padded_weights_divide_where_the_model_itself_does_not(kb):
    """The official AWQ weights of Qwen2.5-72B are 29696 wide, the model 29568: blocks of 128 allow four ranks."""
    four = {"devices": [{"device": "rtx-4090", "count": 4}], "serving": "team", "traffic": {"concurrency": 8}}
    assert start(ask(kb, **four, model="qwen2.5-72b", format="awq"))["layout"]["tp"] == 4


def test_4090_gguf_on_windows(kb):
    d = ask(
        kb,
        devices=[{"device": "rtx-4090", "count": 1}],
        host={"os": "windows"},
        model="qwen3-14b",
        format="gguf",
        serving="self",
    )
    assert start(d)["engine"] == "llama-cpp"
    assert by_role(d, "convenience")
    vllm = next(r for r in d["rejected"] if r["engine"] == "vllm")
    assert any(o["clause"] == "host.os" and o["yours"] == "windows" and o["sources"] for o in vllm["obstacles"])


def test_xeon(kb):
    machine = {"devices": [{"device": "xeon-6980p", "count": 1}], "host": {"ram_gib": 256}, "model": "qwen3-30b-a3b"}
    assert start(ask(kb, **machine, serving="team"))["engine"].startswith("openvino")
    assert start(ask(kb, **machine, serving="team", format="gguf"))["engine"] == "llama-cpp"


def test_mi300x_is_a_declared_tie_and_awq_is_out_by_data(kb):
    d = ask(kb, devices=[{"device": "mi300x", "count": 1}], model="llama-3-3-70b", serving="customers")
    first = start(d)
    assert {first["engine"], *first["tied_with"]} == {"vllm", "sglang"}
    d = ask(kb, devices=[{"device": "mi300x", "count": 1}], model="qwen3-32b", serving="customers", format="awq")
    assert "vllm" not in [r["engine"] for r in d["recommendations"]]


def test_v100(kb):
    d = ask(kb, devices=[{"device": "v100", "count": 1}], model="qwen3-14b", serving="team", traffic={"concurrency": 4})
    first = start(d)
    assert first["engine"] in ("lmdeploy", "llama-cpp")
    if first["engine"] == "lmdeploy":
        assert first["mode"] == "turbomind"


def test_dgx_spark_gets_no_sm100_kernels(kb):
    d = ask(kb, devices=[{"device": "dgx-spark", "count": 1}], model="gpt-oss-120b", serving="self")
    assert by_role(d, "start")
    for engine, entry in kb.engines.items():
        for line in entry.get("formats", []):
            arch = (line.get("needs") or {}).get("device.arch")
            if arch and "sm_100" in arch and "sm_121" not in arch:
                for rec in d["recommendations"]:
                    same = rec["engine"] == engine and rec["format"] and rec["format"]["family"] == line["format"]
                    assert not (same and rec["kernel"] == line["kernel"] == "native")


def test_the_4090_alone_is_a_candidate_beside_a_3060(kb):
    both = [{"device": "rtx-4090", "count": 1}, {"device": "rtx-3060", "count": 1}]
    d = ask(kb, devices=both, model="qwen3-8b", serving="self")
    assert [x["device"] for x in start(d)["layout"]["devices"]] == ["rtx-4090"]
    d = ask(kb, devices=both, model="qwen3-32b", format={"family": "gguf", "type": "q6_k"}, serving="self")
    first = start(d)
    assert {x["device"] for x in first["layout"]["devices"]} == {"rtx-4090", "rtx-3060"}
    assert first["layout"]["tp"] == 1


def test_retired_engines_name_a_successor(kb):
    d = ask(kb, devices=[{"device": "rtx-4090", "count": 1}], model="qwen3-8b", already="tgi")
    row = next(r for r in d["rejected"] if r["engine"] == "tgi")
    assert row["obstacles"][0]["clause"] == "engine.status"
    assert row["obstacles"][0]["params"]["successor"] == "vllm"
    assert d["already"]["text"] == "decision.already-leave"


def test_a_tight_gpu_is_better_than_the_processor_of_the_same_chip(kb):
    """Both halves of a board read one memory: a little less context is the way, not the slower half."""
    board = ask(kb, devices=["jetson-orin-nano"], model="llama-2-7b", serving="self")
    assert start(board)["backend"] == "cuda"
    assert "vllm" not in {r["engine"] for r in board["recommendations"]}


def test_ranks_that_fail_under_wsl2_come_last(kb):
    """NCCL over two cards fails for many owners there; one card holds this model."""
    pair = {"devices": [{"device": "rtx-5090", "count": 2}], "model": "llama-3.1-8b", "serving": "self"}
    assert start(ask(kb, **pair, host={"os": "linux"}))["layout"]["tp"] == 2
    assert start(ask(kb, **pair, host={"os": "wsl2"}))["layout"]["tp"] == 1


def test_a_context_nobody_asked_for_gives_way_before_weights_have_to_be_made(kb):
    twelve = {"devices": [{"device": "rtx-4070", "count": 1}], "model": "qwen3-14b"}
    d = ask(kb, **twelve, host={"os": "windows", "ram_gib": 32})
    first = start(d)
    assert first["checkpoint"]["status"] == "published" and first["fit"]["class"] == "fits"
    length = next(a["value"] for a in d["assumptions"] if a["path"] == "context.tokens")
    assert first["settings"]["context"] == length >= 4800
    # what is said stays: then fewer bits, or a part in system memory
    said = start(ask(kb, **twelve, host={"os": "windows", "ram_gib": 32}, context={"tokens": 16384}))
    assert said["settings"]["context"] == 16384


def test_a_context_nobody_asked_for_gives_way_before_the_gpu_stands_idle(kb):
    air = {"devices": [{"device": "m1", "count": 1, "memory_gib": 16}], "model": "qwen3-14b"}
    assert start(ask(kb, **air))["backend"] != "cpu"
    assert start(ask(kb, **air, context={"tokens": 8192}))["engine"] == start(ask(kb, **air))["engine"]
    # where no context brings the GPU in, the processor remains
    board = {"devices": [{"device": "jetson-orin-nano", "count": 1}], "model": "qwen3-8b"}
    assert start(ask(kb, **board))["backend"] == "cpu"
