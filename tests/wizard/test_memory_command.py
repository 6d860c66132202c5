"""`which-engine memory`: what it prints, and that errors are a sentence and exit code 2."""

from __future__ import annotations

import json

import pytest

from wizard import cli

from . import shapes_of_models as m

FIELDS = {
    "weights_bytes", "weights_bytes_per_device", "kv_bytes_per_token", "kv_bytes_per_token_per_device",
    "state_bytes_per_sequence", "kv_bytes", "parts", "pool_bytes", "pool_tokens", "max_concurrency", "max_context",
    "fit", "assumptions",
}  # fmt: skip
GIB = 1 << 30


@pytest.fixture(autouse=True)
def knowledge_once(bundle, monkeypatch):
    monkeypatch.setattr(cli, "_knowledge", lambda: bundle)


@pytest.fixture
def run(capsys, tmp_path):
    """Run the command; a config may be given as data. Returns (code, out, err)."""

    def call(*options, config=None):
        arguments = ["memory", *map(str, options)]
        if config is not None:
            file = tmp_path / "config.json"
            file.write_text(config if isinstance(config, str) else json.dumps(config))
            arguments += ["--config", str(file)]
        try:
            code = cli.main(arguments)
        except SystemExit as stop:
            code = stop.code
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


@pytest.fixture
def ask(run):
    """The answer as data."""

    def call(*options, config=None):
        code, out, err = run(*options, "--json", config=config)
        assert code == 0, err
        return json.loads(out)

    return call


def test_sizes_without_an_engine_are_the_ideal_ones(ask):
    told = ask("--context", 131072, "--format", "Q4_K - Medium", config=m.LLAMA_8B)
    assert set(told) >= FIELDS
    assert told["weights_bytes"] == 4_912_898_048  # 4.8944 bits per weight, as the tool prints for this model
    assert told["kv_bytes_per_token"] == 131_072 and told["kv_bytes"] == 16 * GIB
    assert told["fit"] is None and told["parts"] == [] and told["pool_bytes"] is None
    assert told["state_bytes_per_sequence"] == 0


def test_tokens_are_taken_as_the_form_takes_them(ask, run):
    plain = ask("--context", 32768, config=m.LLAMA_8B)
    assert all(ask("--context", text, config=m.LLAMA_8B) == plain for text in ("32k", "32K", "32,768"))
    code, _, err = run("--context", "99999M", config=m.LLAMA_8B)
    assert code == 2 and "99999M" in err and "100,000,000" in err


def test_ranks_divide_heads_and_copy_latents(ask):
    four = ask("--tp", 4, config=m.QWEN3_30B)
    assert four["kv_bytes_per_token_per_device"] * 4 == four["kv_bytes_per_token"]
    eight = ask("--tp", 8, config=m.QWEN3_30B)
    assert eight["kv_bytes_per_token_per_device"] == four["kv_bytes_per_token_per_device"]
    latent = ask("--tp", 8, config=m.DEEPSEEK_V3)
    assert latent["kv_bytes_per_token_per_device"] == latent["kv_bytes_per_token"] == 70_272
    spread = ask("--tp", 8, "--dcp", 8, config=m.DEEPSEEK_V3)
    assert spread["kv_bytes_per_token_per_device"] == 8_784


def test_engine_version_and_device_decide(ask):
    config = m.LLAMA_8B
    old = ask("--engine", "vLLM@0.19.0", "--device", "H100", "--fraction", 0.95, config=config)
    assert old["pool_bytes"] == pytest.approx(58.11 * GIB, rel=0.01)
    assert old["fit"] == "fits" and {p["name"] for p in old["parts"]} >= {"weights", "kv", "activation", "free"}
    sum_of = sum(p["bytes"] for p in old["parts"])
    assert sum_of == pytest.approx(79.6 * GIB, rel=0.01)
    between = ask("--engine", "vllm@0.15", "--device", "H100", "--fraction", 0.95, config=config)
    assert between["pool_bytes"] < old["pool_bytes"] - 2 * GIB  # the sampler of those versions
    small = ask("--engine", "llama.cpp", "--memory-gib", 8, "--format", "Q8_0", "--context", 65536, config=config)
    assert small["fit"] in ("offload", "no")
    mla = [
        ask("--engine", f"llama.cpp@{v}", config=m.DEEPSEEK_V3)["kv_bytes_per_token"]
        for v in ("b5000", "b5300", "b8000")
    ]
    assert mla == [61 * 128 * 320 * 2, 61 * (576 + 512) * 2, 70_272]


def test_states_share_the_pages_of_one_engine(ask):
    told = ask("--engine", "vllm", "--kv", "fp8", "--tp", 2, "--context", 131072, config=m.QWEN35_27B)
    # pages of 1,568 tokens: 84 for the context, six for two copies of the states of three groups
    assert told["request_bytes_per_device"] == 90 * 16 * 1568 * 1024


def test_formats_and_types_as_logs_write_them(ask):
    sizes = {}
    for name in ("UD-Q4_K_XL", "IQ3_XXS - 3.0625 bpw", "Q8_0", "fp8", "AWQ 4-bit", "GPTQ Int4", "NVFP4 (ModelOpt)",
    "MXFP4",
                 "mlx 4bit", "exl3 3.0bpw", "exl2 2.65bpw-h6", "4.5 bpw", "w8a8 int8", "q4f16_1", "bf16",
                 "nf4"):  # fmt: skip
        sizes[name] = ask("--format", name, config=m.LLAMA_8B)["weights_bytes"]
    assert max(sizes, key=sizes.get) == "bf16" and sizes["bf16"] == 2 * 8_030_261_248
    assert sizes["4.5 bpw"] == pytest.approx(8_030_261_248 * 4.5 / 8, rel=1e-6)
    assert sizes["AWQ 4-bit"] == pytest.approx(5.33 * GIB, rel=0.002)
    assert sizes["Q8_0"] > sizes["fp8"] * 0.93
    for name, width in (("q8_0", 34 / 32), ("fp8", 1), ("i8", 1 + 4 / 128), ("q8_0/q4_0", (34 + 18) / 64), ("f32", 4)):
        told = ask("--kv", name, config=m.LLAMA_8B)
        assert told["kv_bytes_per_token"] == 32 * 2 * 8 * 128 * width


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--engine", "nobody"), "--engine"), (("--format", "Q9_Z"), "--format"), (("--kv", "tq"), "--kv"),
        (("--device", "abacus"), "--device"), (("--tp", 3, "--device", "4090", "--count", 4), "--count"),
        (("--context", 0), "--context"), (("--pp", 64), "--pp"), (("--model", "x"), "both say it"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_named(run, options, said):
    code, out, err = run(*options, config=m.LLAMA_8B)
    assert code == 2 and not out and said in err


def test_a_wrong_file_is_named(run, tmp_path):
    for text, said in (
        ("{", "line 1"), ("[]", "config.json"), ('{"model_type": "llama"}', "num_hidden_layers"),
        ('{"model_type": "odd"}', "model_type"), ("[" * 100000, "config.json"),
    ):  # fmt: skip
        code, out, err = run(config=text)
        assert code == 2 and not out and said in err and "Traceback" not in err
    assert run("--config", tmp_path / "none.json")[0] == 2
    assert run("--gguf", tmp_path / "none.gguf")[0] == 2
    assert run()[0] == 2


def test_a_model_of_the_base_and_text_for_people(run):
    code, out, _ = run("--model", "Qwen3-32B", "--format", "Q4_K_M", "--engine", "llama.cpp", "--device", "RTX 3090")
    assert code == 0
    assert "18.399 GiB" in out and "Fit " in out and "Requests of 8,192 tokens at once" in out


def test_text_in_three_languages_and_equal_devices_once(run):
    question = ("--model", "Qwen3-32B", "--format", "awq", "--engine", "vllm", "--device", "RTX 3090", "--count", "2",
                "--context", "32768", "--concurrency", "4")  # fmt: skip
    english, russian, vietnamese = (run(*question, "--lang", lang)[1] for lang in ("en", "ru", "vi"))
    shared = run("--model", "Qwen3-8B", "--engine", "llama-cpp", "--device", "m2-max", "--lang", "ru")[1]
    assert "Недоступно GPU" in shared and "Экран" not in shared  # of memory shared with the processor
    assert "2 × GeForce RTX 3090" in english and english.count("Driver and libraries") == 1
    assert "2.84; 2 of 4 wait" in english and "2,84; ждут 2 из 4" in russian
    assert "Веса на устройство" in russian and "ГиБ" in russian and "Trọng số mỗi thiết bị" in vietnamese
    assert len({text.count("\n") for text in (english, russian, vietnamese)}) == 1


def test_the_file_beside_says_what_the_weights_are_in(ask, tmp_path):
    (tmp_path / "hf_quant_config.json").write_text('{"quantization": {"quant_algo": "FP8"}}')
    assert ask(config=m.LLAMA_8B)["format"]["family"] == "fp8"
    assert ask("--format", "bf16", config=m.LLAMA_8B)["format"]["family"] == "safetensors"


def test_changes_are_asked_anew_and_each_is_enough(ask):
    options = ["--engine", "llama.cpp", "--format", "Q4_K_M", "--device", "RTX 3090", "--context", "40960"]
    told = ask(*options, config=m.QWEN3_32B)
    assert told["fit"] in ("offload", "tight", "no")
    kinds = [change["change"] for change in told["changes"]]
    assert kinds == sorted(kinds, key=("kv", "context", "concurrency", "format", "devices").index) and "kv" in kinds
    flags = {
        "kv": "--kv",
        "context": "--context",
        "concurrency": "--concurrency",
        "format": "--format",
        "devices": "--count",
    }
    for change in told["changes"]:
        again = ask(*options, flags[change["change"]], change["to"], config=m.QWEN3_32B)
        assert again["fit"] == change["fit"]
    assert ask("--engine", "llama.cpp", "--device", "H100", config=m.LLAMA_8B)["changes"] == []


@pytest.mark.parametrize(
    ("kv", "device", "bytes_"),
    [("f16", "H100", 78 * (1152 + 132)), ("fp8", "H100", 78 * (656 + 132)), ("fp8", "B200", 78 * (576 + 132))],
)
def test_keys_of_an_indexer_and_a_latent_in_8_bits_as_the_chip_takes_them(ask, kv, device, bytes_):
    told = ask(
        "--model", "glm-5", "--format", "NVFP4", "--kv", kv, "--engine", "vllm", "--device", device, "--count", 8
    )
    assert told["kv_bytes_per_token"] == bytes_
    ideal = ask("--model", "glm-5", "--format", "NVFP4", "--kv", kv)
    assert ideal["kv_bytes_per_token"] == 78 * (576 + 128) * (2 if kv == "f16" else 1)


def test_tiles_of_a_kernel_are_those_of_the_chip(ask):
    held = {
        name: ask("--model", "gpt-oss-120b", "--engine", "vllm", "--device", name)["weights_bytes_per_device"] / GIB
        for name in ("H100", "RTX PRO 6000 Server")
    }
    assert list(held.values()) == pytest.approx([64.51, 65.86], abs=0.02)  # start-up logs: 64.38 and 65.97


def test_an_app_has_the_rules_of_the_engine_inside(ask):
    app = ask("--engine", "Ollama (llama.cpp)@0.33.0", "--memory-gib", 24, config=m.LLAMA_8B)
    inner = ask("--engine", "llama.cpp", "--memory-gib", 24, config=m.LLAMA_8B)
    assert app["engine"] == inner["engine"] and app["parts"] == inner["parts"]
    assert any("rules of" in said for said in app["assumptions"])
    odd = ask("--engine", "vllm@some branch", config=m.LLAMA_8B)
    assert odd["version"] is None and any("newest rules" in said for said in odd["assumptions"])


def test_more_memory_never_makes_it_worse_and_splitting_loses_nothing(ask):
    order = ("no", "offload", "tight", "fits")
    before = 0
    for gib in (4, 8, 12, 18, 20, 22, 24, 40, 80):
        told = ask("--engine", "vllm@0.19.0", "--memory-gib", gib, "--format", "awq", config=m.QWEN3_32B)
        assert order.index(told["fit"]) >= before
        before = order.index(told["fit"])
    whole = ask("--format", "bf16", config=m.QWEN3_32B)["weights_bytes"]
    stages = ask("--format", "bf16", "--pp", 4, "--memory-gib", 80, "--count", 4, config=m.QWEN3_32B)
    assert sum(p["bytes"] for p in stages["parts"] if p["name"] == "weights") == whole


def test_a_switch_of_the_engine_changes_a_rule(ask, run):
    def bytes_of(switch, engine="ik_llama.cpp", config=m.DEEPSEEK_V3):
        return ask("--engine", engine, *([f"--switch={switch}"] if switch else []), config=config)["kv_bytes_per_token"]

    assert bytes_of(None) == 70_272
    assert (
        bytes_of("-mla 0") == bytes_of("mla 0") == 61 * 128 * 320 * 2
        and bytes_of("-mla 1 --no-fa") == 61 * (576 + 512) * 2
    )
    code, _, error = run("--engine", "ik_llama.cpp", "--switch=-mla 9", config=m.DEEPSEEK_V3)
    assert code == 2 and "-mla 0" in error
    window = ["--engine", "llama.cpp", "--context", 131072]
    capped, full = ask(*window, config=m.GPT_OSS_120B), ask(*window, "--switch=--swa-full", config=m.GPT_OSS_120B)
    assert full["kv_bytes"] == 36 * 2048 * 131072 > 1.9 * capped["kv_bytes"]


def test_a_model_without_a_format_is_as_its_publisher_stores_it(ask):
    own = ask("--model", "gpt-oss-120b")
    assert own["format"]["family"] == "mxfp4" and own["weights_bytes"] < 70 * GIB
    assert ask("--model", "DeepSeek-R1")["format"]["family"] == "fp8"
    assert ask("--model", "Qwen3-32B")["format"] == {"family": "safetensors", "type": "bf16"}


def test_an_engine_that_keeps_the_whole_model_in_system_memory(ask):
    options = ("--model", "qwen3-235b-a22b", "--format", "bf16", "--engine", "ktransformers", "--device", "RTX 4090")
    told = ask(*options, "--ram-gib", 512)
    held = sum(p["bytes"] for p in told["parts"] if p["device"] == "system" and p["name"] == "weights")
    assert told["fit"] == "offload" and held == told["weights_bytes"] > told["offload"]["host_bytes"]
    assert ask(*options, "--ram-gib", 448)["fit"] == "no"


def test_a_share_of_the_total_and_of_what_is_free(ask):
    options = ("--device", "H100", "--context", 8192)
    old, new = (ask("--engine", f"lmdeploy@{v}", *options, config=m.LLAMA_8B)["pool_bytes"] for v in ("0.2.1", "0.8.0"))
    assert old == pytest.approx(0.5 * 79.65 * GIB, rel=0.001) and new > 1.2 * old


def test_the_command_names_every_part(run):
    asked = ("--model", "Qwen3-32B", "--format", "awq", "--engine", "vllm", "--device", "RTX 3090", "--count", "2")
    code, out, _ = run(*asked, "--draft", "Qwen3-0.6B", "--lora-rank", "32", "--loras", "2", "--lang", "vi")
    assert code == 0 and "Mô hình nháp" in out and "Adapter LoRA" in out and "2, rank 32" in out
    code, out, _ = run("--model", "Qwen3-VL-8B", "--format", "q4_k_m", "--engine", "llama.cpp", "--device", "RTX 3090",
                       "--need", "vision", "--json")  # fmt: skip
    names = {p["name"] for p in json.loads(out)["parts"]}
    assert {"vision", "prompts", "weights", "kv"} <= names
    assert run(*asked, "--draft", "Qwen9-0B")[0] == 2


@pytest.mark.parametrize(
    ("name", "gib"),
    # a log: 8 x 56.7677 GiB of a file whose attention and outer layers stay wide; its config for the other
    [
        ("meta-llama/Llama-3.1-405B-Instruct-FP8", 454.14), ("Llama-3.1-405B-FP8", 454.14),
        ("nvidia/MiniMax-M2.5-NVFP4", 125.17),
    ],
)  # fmt: skip
def test_a_published_file_keeps_what_it_leaves_wide(ask, name, gib):
    assert abs(ask("--model", name)["weights_bytes"] / GIB / gib - 1) < 0.002


def test_a_bare_family_means_the_published_type(ask):
    assert ask("--model", "Llama-3.1-405B", "--format", "fp8")["format"]["type"] == "e4m3-tensor"
    assert ask("--model", "Qwen3-32B", "--format", "fp8")["format"]["type"] == "e4m3"
    assert ask("--model", "Llama-3.1-405B", "--format", "fp8 e4m3")["format"]["type"] == "e4m3"


def test_what_an_engine_does_not_have_is_said(ask, run):
    common = ("--model", "qwen3-8b", "--engine", "vllm", "--memory-gib", 24)
    assert not any("known to" in said for said in ask(*common, "--kv", "fp8_e4m3", "--format", "awq")["assumptions"])
    told = " ".join(ask(*common, "--kv", "q4_0", "--format", "exl3")["assumptions"])
    assert "EXL3" in told and "Q4_0" in told
    code, out, err = run("--model", "qwen3-8b", "--ep", 2)
    assert (code, out) == (2, "") and "--ep" in err
    code, out, err = run("--model", "qwen3-30b-a3b", "--count", 8, "--memory-gib", 80, "--ep", 3)
    assert (code, out) == (2, "") and "8 ranks" in err


def test_a_part_that_is_not_counted_and_a_share_that_is_short_are_named(ask):
    assert any("not counted" in said for said in ask("--model", "gemma-3n-e4b")["assumptions"])
    assert not any("not counted" in said for said in ask("--model", "gemma-4-e4b")["assumptions"])
    short = ask("--model", "llama-3-1-8b", "--engine", "mlc-llm", "--format", "mlc q4f16_1", "--memory-gib", 6)
    free = sum(part["bytes"] for part in short["parts"] if part["name"] == "free")
    assert short["fit"] == "no" and free > 0 and short["budget_bytes"] == int(0.85 * 6 * GIB)


def test_states_with_a_pool_apart_leave_the_cache_its_share(ask):
    # 9.49 GiB after the weights: 186 states in 4.48 GiB and 327,310 tokens in 5.00 GiB, as the engine printed
    common = ("--model", "qwen3-5-9b", "--engine", "sglang", "--device", "rtx-4090", "--count", 2, "--fraction", 0.8)
    long = ask(*common, "--context", 262_144)
    assert long["pool_tokens"] == pytest.approx(327_310, rel=0.03) and 1.2 < long["max_concurrency"] < 1.3
    sizes = {part["name"]: part["bytes"] for part in long["parts"]}
    assert sizes["state"] / sizes["kv"] == pytest.approx(0.9)
    short = ask(*common, "--context", 1024)  # three states a request: these run out first
    assert short["pool_tokens"] == long["pool_tokens"] and short["max_concurrency"] == pytest.approx(186 / 3, rel=0.03)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--device", "RTX 4090", "--os", "macos"), "runs linux, windows, wsl2, not macos"),
        (("--device", "RTX 4090", "--backend", "metal"), "has no metal; it has cuda, vulkan"),
        (("--device", ""), "--device: a value is missing"), (("--format", "Q99"), "names formats"),
        (("--device", "RTX 9990"), "Did you mean GeForce RTX"), (("--engine", "vlm"), "Did you mean vLLM"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(run, options, said):
    code, out, err = run("--model", "Llama 3.1 8B", *options)
    assert code == 2 and not out and said in err, err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--device", "2x RTX 3090", "--count", 4), "though “2x RTX 3090” says 2"),
        (("--device", "RTX 4090", "--memory-gib", 48), "--memory-gib 48 is taken"),
        (("--device", "H100"), "H100 is taken as H100 SXM"), (("--format", "gguf"), "taken as Q4_K_M"),
        (("--engine", "vllm@99.1", "--device", "RTX 4090"), "newer than any known"),
        (("--context", 1_000_000), "made for (131,072)"),
    ],
)  # fmt: skip
def test_what_says_two_things_is_told(ask, options, said):
    told = ask("--model", "Llama 3.1 8B", *options)
    assert any(said in one for one in told["assumptions"]), told["assumptions"]


def test_devices_as_tables_write_them(ask):
    two = ask("--model", "Llama 3.1 8B", "--device", "2x RTX 3090", "--engine", "vllm")
    assert two["tp"] == 2 and two["weights_bytes_per_device"] < 0.6 * two["weights_bytes"]
    assert ask("--model", "Llama 3.1 8B", "--device", "EPYC 9654 12-channel", "--format", "Q4_K_M")["fit"] == "fits"


def test_what_the_decision_knows_against_it_is_said(ask):
    told = ask("--model", "Llama 3.1 8B", "--format", "fp8", "--device", "Tesla P40", "--engine", "vllm")
    assert "compute capability 7.5" in told["doubts"][0]
    assert ask("--model", "Llama 3.1 8B", "--format", "fp8", "--device", "H100 SXM", "--engine", "vllm")["doubts"] == []
