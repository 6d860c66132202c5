"""The report checker reads what tools print, says what is missing, and doubts what cannot be."""

import random

import pytest

from knowledge.bundle import report_for_cli
from wizard.cli import main
from wizard.report_check import check, show
from wizard.texts import Texts

from . import report_samples as sample


@pytest.fixture(scope="module")
def data():
    return report_for_cli()["en"]


@pytest.fixture(scope="module")
def look(kb, data):
    return lambda text: check(text, kb, data)


def doubts(found):
    return {d["id"] for d in found["doubts"]}


def essential(found):
    return {row["field"] for row in found["missing"] if row["essential"]}


# ---------------------------------------------------------------------- what tools print


@pytest.mark.parametrize(
    ("text", "tool", "values"),
    [
        (sample.VLLM, "vllm-bench-serve", {"concurrency": 8, "output_tps": 237.04, "ttft.p99": 4.1005, "warmup": 8}),
        (sample.VLLM_JSON, "vllm-bench-serve", {"failed": 2, "tpot.p50": 0.0139, "model": "Qwen/Qwen3-8B"}),
        (sample.SGLANG, "sglang-bench-serving", {"itl.max": 0.9, "e2e.mean": 60, "input_tps": 5120}),
        (sample.LLAMA_MD, "llama-bench", {"prefill_tps": 4100.11, "prefill_tps.std": 20.1, "params": 8.19e9}),
        (sample.LLAMA_JSON, "llama-bench", {"prefill_tps": 4100.5, "repeats": 5, "weight_bytes": 5020000000}),
        (sample.LLAMA_JSONL, "llama-bench", {"prefill_tps": 4100.5, "device": "NVIDIA GeForce RTX 3090"}),
        (sample.LLAMA_CSV, "llama-bench", {"prefill_tps": 4100.5, "date": "2026-11-20T11:58:50Z"}),
        (sample.GUIDELLM, "guidellm", {"concurrency": 4, "ttft.p95": 0.252, "unfinished": 4, "output_tps": 312}),
        (sample.AIPERF, "aiperf", {"concurrency": 4, "ttft.p99": 0.2, "output_tps": 640, "decode_tps": 166}),
        (sample.AIPERF_TABLE, "aiperf", {"ttft.p99": 0.07, "output_tps": 10900, "decode_tps": 90, "requests": 711}),
        (sample.GENAI_PERF_TABLE, "aiperf", {"itl.mean": 0.0018, "output_tps": 521, "input": 550}),
    ],
)
def test_output_of_a_tool_is_read_in_base_units(look, text, tool, values):
    found = look(text)
    assert found["tools"] == [tool]
    for name, value in values.items():
        assert found["runs"][0][name] == pytest.approx(value) if isinstance(value, float | int) else value, name


def test_prompt_and_answer_runs_of_one_table_stay_apart(look):
    runs = look(sample.LLAMA_MD)["runs"]
    assert [run.get("decode_tps") for run in runs] == [None, 131.02, 118.4]
    assert runs[2]["depth"] == 4096 and runs[0]["input"] == 512
    assert {run["commit"] for run in look(sample.LLAMA_JSON)["runs"]} == {"8cf427ff"}


def test_several_results_in_one_paste_are_several_runs(look):
    second = sample.VLLM.replace("237.04", "400.00").replace("concurrency:             8", "concurrency:            16")
    runs = look(sample.VLLM + second)["runs"]
    assert [run["concurrency"] for run in runs if run.get("output_tps")] == [8, 16]


# ---------------------------------------------------------------------- form and sentences


@pytest.mark.parametrize("lang", ["en", "vi", "ru"])
def test_our_form_filled_in_is_read_back(kb, lang):
    """Every line of the form counts, in each language, and an empty form states nothing."""
    part = report_for_cli()[lang]
    from knowledge.bundle import load_for_cli

    texts = show.texts_with(Texts(load_for_cli()[1][lang], lang, kb.terms), part, kb)
    empty = show.form(texts, part, kb)
    assert check(empty, kb, part)["stated"] == []
    filled = "\n".join(f"{line}x 7" if line.startswith("- ") else line for line in empty.splitlines())
    found = check(filled, kb, report_for_cli()["en"])
    assert found["missing"] == [] and len(found["stated"]) == len(part["fields"])


def test_a_value_that_says_nothing_is_not_stated(look):
    found = look("Driver: unknown\nRepeats: -\nWarm-up: n/a\nDate: 2026-11-20\nDevice: RTX 4090")
    assert [s["field"] for s in found["stated"]] == ["field-hardware-device", "field-run-date"]


def test_sentences_name_model_hardware_engine_and_figures(look):
    found = look(sample.PROSE)
    subject = found["subject"]
    assert (subject["model"], subject["device"], subject["engine"]) == ("qwen3-8b", "rtx-4090", "vllm")
    run = found["runs"][0]
    assert run["decode_tps"] == 480 and run["ttft.p50"] == pytest.approx(0.12) and run["warmup"] == 0


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("vllm 0.9 on H100: 2500 tok/s", "vllm 0.9"),
        ("measured with vllm==0.11.0", "vllm==0.11.0"),
        ("llama.cpp b5000, 130 t/s", "llama.cpp b5000"),
        ("SGLang v0.5.2, 8xH200", "SGLang v0.5.2"),
        ("latency max 3.5 ms on H100", None),
    ],
)
def test_an_engine_in_a_sentence_is_told_with_its_release(look, text, written):
    stated = {s["field"]: s for s in look(text)["stated"]}
    field = stated.get("field-engine-version")
    assert (field and field["value"]) == written


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("prefill 1.234,5 tok/s", "prefill_tps", 1234.5),
        ("aggregate throughput of 2,410 tokens/s at 32 concurrent users", "output_tps", 2410),
        ("prompt eval rate: 812.5 tokens/s", "prefill_tps", 812.5),
        ("eval time = 1000 ms / 52 tokens ( 19 ms per token, 52.00 tokens per second)", "decode_tps", 52),
        ("it does 52 t/s", "some_tps", 52),
        ("Time to first token (ms): 320", "ttft", 0.32),
        ("Requests at once: 16", "concurrency", 16),
        ("Одновременных запросов: 16", "concurrency", 16),
        ("Số request cùng lúc: 16", "concurrency", 16),
    ],
)
def test_numbers_are_what_the_words_around_them_say(look, text, name, value):
    assert look(text)["runs"][0][name] == pytest.approx(value)


# ---------------------------------------------------------------------- what is missing


def test_what_the_tool_does_not_print_is_missing_with_the_essential_first(look):
    found = look(sample.VLLM)
    assert essential(found) == {
        "field-engine-version",
        "field-engine-prefix-cache",
        "field-run-date",
        "field-run-repeats",
    }
    flags = [row["essential"] for row in found["missing"]]
    assert flags == sorted(flags, reverse=True)
    more = look(sample.VLLM + "Engine: vLLM 0.33.0\nPrefix cache: off\nDate: 2026-11-20\nRepeats: 3, spread 1 %\n")
    assert essential(more) == set()


def test_rules_are_shown_by_what_the_report_states(look):
    kept = {r["rule"]: r["kept"] for r in look(sample.VLLM)["rules"]}
    assert len(kept) == 10
    assert kept["rule-percentiles"] and kept["rule-not-one-user"] and not kept["rule-rerun"]
    assert kept["rule-lora"] is None
    assert not {r["rule"]: r["kept"] for r in look(sample.LLAMA_MD)["rules"]}["rule-not-one-user"]


# ---------------------------------------------------------------------- doubts


def test_faster_than_memory_bandwidth_is_impossible(look):
    found = look(sample.PROSE)
    first = found["doubts"][0]
    assert (first["id"], first["kind"]) == ("bandwidth", "impossible")
    # 1008 GB/s over at least 8.2 billion bytes of 8-bit weights
    assert first["params"]["gbs"] == 1008 and 100 < first["params"]["top"] < 1008 / 7.5
    assert "bandwidth" not in doubts(look(sample.PROSE.replace("480", "95")))
    assert "bandwidth" not in doubts(look(sample.PROSE + "speculative decoding with EAGLE"))


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        (sample.PROSE, "no-warm-up"),
        (sample.PROSE, "cache-on"),
        (sample.VLLM, "few-for-p99"),
        (sample.VLLM, "tail"),
        (sample.VLLM, "cache-seed"),
        (sample.VLLM.replace("237.04", "337.04"), "tokens-and-time"),
        (sample.VLLM.replace("237.04", "537.04"), "one-and-sum"),
        (sample.VLLM.replace("Median TTFT (ms):                        640.02", "Median TTFT (ms): 9640.02"),
         "percentiles-order"),
        (sample.VLLM_JSON, "failed"),
        (sample.SGLANG, "burst"),
        (sample.LLAMA_MD.replace("| qwen3 8B Q4_K - Medium         |   4.68 GiB |     8.19 B | CUDA       |  99 |"
                                 "   tg128 @ d4096 |        118.40 ± 0.60 |\n", ""), "empty-context"),
        (sample.LLAMA_MD.replace("± 0.50", "± 20.5"), "spread"),
        (sample.LLAMA_MD, "one-user"),
        ("Throughput: 900 tok/s\nRepeats: 1\nOutput tokens: 16\nDecode: 30 tok/s", "one-run"),
        ("52 tok/s on my RTX 4090", "unclear-rate"),
        (sample.AIPERF.replace('"concurrency": 4', '"concurrency": 2'), "one-and-sum"),
        ("KV cache hit rate: 80 %\nTTFT: 90 ms", "cache-hits"),
    ],
)  # fmt: skip
def test_a_doubt_fires_on_its_case(look, text, id_):
    assert id_ in doubts(look(text))


def test_a_careful_report_raises_no_doubt(look):
    text = (
        sample.AIPERF
        + "\nDevice: H100 SXM\nEngine: vLLM 0.33.0\nPrefix cache: off\nRepeats: 5, spread 1 %\nFormat: bf16"
    )
    found = look(text)
    assert not [d for d in found["doubts"] if d["kind"] != "note"], found["doubts"]
    assert found["limits"]["decode_tps"] > found["limits"]["expected"]["point"]


# ---------------------------------------------------------------------- never raises, shows in three languages


def _samples():
    return [v for k, v in vars(sample).items() if k.isupper() and not k.startswith("_") and isinstance(v, str)]


def test_no_text_makes_it_raise(look, kb, data):
    """Cut, doubled, shuffled and mutated results; nested JSON; odd numbers; no markup gets through."""
    rng = random.Random(11)
    texts = Texts(data["texts"], "en", kb.terms)
    odd = ["", "\0", "{" * 3000, "[" * 3000 + "]" * 3000, "a,b,c,d,e\n1,2,3,4,5", "|" * 400, "TTFT: 1e999 ms"]
    odd += ["🙂" * 50, '{"n_prompt": {}, "n_gen": [], "avg_ts": NaN}', '[{"benchmarks": 3, "benchmarks2": null}]']
    odd += ['{"benchmarks": [{"metrics": 5}, 7, null]}', "--- --- -r -r --seed", "<script>alert(1)</script>: x"]
    for text in odd:
        show.html(look(text), texts, kb)
    letters = "0123456789.,:|{}[]\"'\n -%eE±xтđ<>&"
    pool = _samples()
    for _ in range(120):
        text = rng.choice(pool)
        a, b = sorted(rng.randrange(len(text)) for _ in range(2))
        cut = text[:a] + "".join(rng.choice(letters) for _ in range(rng.randrange(12))) + text[b:]
        assert "<script" not in show.html(look(cut), texts, kb)


def test_what_was_pasted_is_escaped(look, kb, data):
    texts = Texts(data["texts"], "en", kb.terms)
    made = show.html(look('Model: <img src=x onerror="a">\nDecode: 5 tok/s'), texts, kb)
    assert "<img" not in made and "&lt;img" in made


@pytest.mark.parametrize("lang", ["en", "vi", "ru"])
def test_every_sentence_has_its_values_in_every_language(look, kb, lang):
    """Strict texts refuse a missing sentence or value; all samples together raise most doubts."""
    from knowledge.bundle import load_for_cli

    part = report_for_cli()[lang]
    strings = {**load_for_cli()[1][lang], **part["texts"]}
    texts = Texts(strings, lang, kb.terms, strict=True)
    for text in _samples():
        found = look(text)
        assert show.markdown(found, texts, kb) and show.html(found, texts, kb)


@pytest.mark.parametrize(
    ("lang", "shown"),
    [
        ("vi", ("trung bình 812 ms", "p99 4,1 giây", "237 token/s", "tắt")),
        ("ru", ("среднее 812 мс", "p99 4,1 с", "237 ток/с", "выкл.")),
    ],
)
def test_values_carry_the_units_and_words_of_the_language(look, kb, lang, shown):
    from knowledge.bundle import load_for_cli

    texts = show.texts_with(Texts(load_for_cli()[1][lang], lang, kb.terms), report_for_cli()[lang], kb)
    made = show.markdown(look(sample.VLLM + "Prefix cache: off\n"), texts, kb)
    assert all(words in made for words in shown), made
    assert "mean" not in made and "tok/s" not in made.replace("`", "")


def test_the_command_prints_reads_and_refuses(tmp_path, capsys):
    file = tmp_path / "r.txt"
    file.write_text(sample.VLLM, encoding="utf-8")
    assert main(["report", str(file), "--lang", "vi"]) == 0
    assert "p99" in capsys.readouterr().out
    assert main(["report", str(file), "--json"]) == 0
    assert '"vllm-bench-serve"' in capsys.readouterr().out
    assert main(["report", "--form"]) == 0
    assert "- Warm-up:" in capsys.readouterr().out
    assert main(["report", str(tmp_path / "none")]) == 2
    file.write_text("hello", encoding="utf-8")
    assert main(["report", str(file)]) == 1


def test_the_worker_gets_html_and_one_sentence(kb, data):
    """What the page's script shows: findings with links from the root of the language, and a line to be spoken."""
    import json

    from knowledge.bundle import load_for_cli
    from wizard.browser import Session

    session = Session(json.dumps(kb.core), "2026-11-30")
    session.add_texts("en", json.dumps(load_for_cli()[1]["en"]))
    session.add_report("en", json.dumps(data))
    made = json.loads(session.use("report", json.dumps({"text": sample.PROSE, "lang": "en", "base": "../../"})))
    assert 'href="../../benchmarking/rule-separate-phases/"' in made["html"]
    assert made["said"].startswith("Fields stated: ")


@pytest.mark.parametrize(
    ("line", "cache", "warmup"),
    [
        ("no warm-up, prefix cache on", "on", 0),
        ("без прогрева, кэш префиксов включён", "on", 0),
        ("prefix caching was turned off and no warm-up", "off", 0),
        ("no prefix caching; FP16 KV", "off", None),
    ],
)
def test_what_is_off_on_a_line_is_not_what_stands_beside_it(look, line, cache, warmup):
    run = look(f"vLLM 0.11 on one H100, Qwen3-32B FP8\n{line}\nTTFT 200 ms\n")["runs"][0]
    assert (run["prefix_cache"], run.get("warmup")) == (cache, warmup)
