"""Benchmark results in the shapes that tools document, with figures of our own.

vLLM and its JSON: vllm/benchmarks/serve.py at 009e6d4a; SGLang: python/sglang/bench_serving.py at 0033168f;
llama-bench: tools/llama-bench/README.md of llama.cpp at 08d0baac; GuideLLM: src/guidellm/benchmark/schemas at
ee7a7745; AIPerf: aiperf/common/models/export_models.py and README.md at db4f6397; GenAI-Perf: genai-perf/README.md
of perf_analyzer at 263c5f6e.
"""

import json

VLLM = """\
vllm bench serve --model Qwen/Qwen3-32B-AWQ --dataset-name random --random-input-len 1024 \
--random-output-len 256 --num-prompts 40 --max-concurrency 8 --num-warmups 8
Traffic request rate: inf
Burstiness factor: 1.0 (Poisson process)
Maximum request concurrency: 8
============ Serving Benchmark Result ============
Successful requests:                     40
Failed requests:                         0
Maximum request concurrency:             8
Benchmark duration (s):                  43.20
Total input tokens:                      40960
Total generated tokens:                  10240
Request throughput (req/s):              0.93
Output token throughput (tok/s):         237.04
Total token throughput (tok/s):          1185.19
---------------Time to First Token----------------
Mean TTFT (ms):                          812.10
Median TTFT (ms):                        640.02
P99 TTFT (ms):                           4100.50
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          28.10
Median TPOT (ms):                        28.00
P99 TPOT (ms):                           33.90
==================================================
GPU: 2 x RTX 3090
"""

VLLM_JSON = json.dumps(
    {
        "date": "20261128-101500", "backend": "vllm", "model_id": "Qwen/Qwen3-8B", "tokenizer_id": "Qwen/Qwen3-8B",
        "num_prompts": 200, "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 16, "duration": 50.0,
        "completed": 198, "failed": 2, "total_input_tokens": 204800, "total_output_tokens": 50688,
        "request_throughput": 3.96, "output_throughput": 1013.76, "total_token_throughput": 5109.76,
        "mean_ttft_ms": 300.0, "median_ttft_ms": 250.0, "p99_ttft_ms": 900.0, "mean_tpot_ms": 14.0,
        "median_tpot_ms": 13.9, "p99_tpot_ms": 20.1, "mean_itl_ms": 14.0,
    }
)  # fmt: skip

SGLANG = """\
Starting warmup with 1 sequences...
Warmup completed with 1 sequences. Starting main benchmark run...

============ Serving Benchmark Result ============
Backend:                                 sglang
Traffic request rate:                    inf
Max request concurrency:                 not set
Successful requests:                     500
Benchmark duration (s):                  100.00
Total input tokens:                      512000
Total generated tokens:                  128000
Total generated tokens (retokenized):    127500
Request throughput (req/s):              5.00
Input token throughput (tok/s):          5120.00
Output token throughput (tok/s):         1280.00
Total token throughput (tok/s):          6400.00
Concurrency:                             300.00
----------------End-to-End Latency----------------
Mean E2E Latency (ms):                   60000.00
Median E2E Latency (ms):                 61000.00
---------------Time to First Token----------------
Mean TTFT (ms):                          20000.00
Median TTFT (ms):                        21000.00
P99 TTFT (ms):                           40000.00
---------------Inter-Token Latency----------------
Mean ITL (ms):                           150.00
Median ITL (ms):                         120.00
P95 ITL (ms):                            300.00
P99 ITL (ms):                            500.00
Max ITL (ms):                            900.00
==================================================
"""

LLAMA_MD = """\
| model                          |       size |     params | backend    | ngl |            test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | --------------: | -------------------: |
| qwen3 8B Q4_K - Medium         |   4.68 GiB |     8.19 B | CUDA       |  99 |           pp512 |      4100.11 ± 20.10 |
| qwen3 8B Q4_K - Medium         |   4.68 GiB |     8.19 B | CUDA       |  99 |           tg128 |        131.02 ± 0.50 |
| qwen3 8B Q4_K - Medium         |   4.68 GiB |     8.19 B | CUDA       |  99 |   tg128 @ d4096 |        118.40 ± 0.60 |

build: 8cf427ff (5163)
"""

_LLAMA = {
    "build_commit": "8cf427ff", "build_number": 5163, "cpu_info": "AMD Ryzen 7 7800X3D 8-Core Processor",
    "gpu_info": "NVIDIA GeForce RTX 3090", "backends": "CUDA", "model_filename": "models/Qwen3-8B-Q4_K_M.gguf",
    "model_type": "qwen3 8B Q4_K - Medium", "model_size": 5020000000, "model_n_params": 8190000000, "type_k": "f16",
    "type_v": "f16", "n_gpu_layers": -1, "split_mode": "layer", "n_depth": 0,
}  # fmt: skip
_PP = _LLAMA | {
    "n_prompt": 512, "n_gen": 0, "test_time": "2026-11-20T11:58:50Z", "avg_ts": 4100.5, "stddev_ts": 20.1,
    "samples_ts": [4100.0, 4101.0, 4099.0, 4120.0, 4082.0],
}  # fmt: skip
_TG = _LLAMA | {
    "n_prompt": 0, "n_gen": 128, "test_time": "2026-11-20T11:58:51Z", "avg_ts": 131.2, "stddev_ts": 0.4,
    "samples_ts": [131.0, 131.4, 131.1, 131.3, 131.2],
}  # fmt: skip
LLAMA_JSON = json.dumps([_PP, _TG], indent=2)
LLAMA_JSONL = json.dumps(_PP) + "\n" + json.dumps(_TG) + "\n"
_COLUMNS = [key for key in _TG if key != "samples_ts"]
LLAMA_CSV = "\n".join([",".join(_COLUMNS), *(",".join(f'"{row[key]}"' for key in _COLUMNS) for row in (_PP, _TG))])


def _spread(mean):
    percentiles = {"p001": mean / 2, "p50": mean * 0.98, "p90": mean * 1.2, "p95": mean * 1.4, "p99": mean * 2}
    return {"mean": mean, "median": mean * 0.98, "std_dev": mean / 5, "max": mean * 2.5, "percentiles": percentiles}


def _status(mean):
    return {"successful": _spread(mean), "errored": _spread(0.0), "incomplete": _spread(0.0), "total": _spread(mean)}


GUIDELLM = json.dumps(
    {
        "metadata": {"version": 2, "guidellm_version": "0.7.3", "python_version": "3.12", "platform": "Linux"},
        "config": {},
        "benchmarks": [
            {
                "type_": "generative_benchmark",
                "config": {"strategy": {"type_": "concurrent", "streams": 4}, "backend": {"model": "Qwen/Qwen3-8B"},
                           "warmup": {"percent": 0.1}},
                "scheduler_metrics": {"start_time": 1795000000.0},
                "metrics": {
                    "request_totals": {"successful": 150, "errored": 0, "incomplete": 4, "total": 154},
                    "requests_per_second": _status(1.25), "request_concurrency": _status(3.9),
                    "request_latency": _status(3.1), "prompt_token_count": _status(2000.0),
                    "output_token_count": _status(250.0), "time_to_first_token_ms": _status(180.0),
                    "time_per_output_token_ms": _status(12.4), "inter_token_latency_ms": _status(11.8),
                    "output_tokens_per_second": _status(312.0), "tokens_per_second": _status(2800.0),
                },
            }
        ],
    }
)  # fmt: skip


def _metric(unit, avg, **more):
    return {"unit": unit, "avg": avg, **more}


AIPERF = json.dumps(
    {
        "request_throughput": _metric("requests/sec", 2.5),
        "request_latency": _metric("ms", 1600.0, p50=1590.0, p90=1700.0, p95=1720.0, p99=1800.0),
        "request_count": _metric("requests", 300.0),
        "time_to_first_token": _metric("ms", 90.0, p50=85.0, p90=110.0, p95=130.0, p99=200.0, max=260.0),
        "inter_token_latency": _metric("ms", 6.0, p50=6.0, p90=6.4, p95=6.6, p99=7.0),
        "output_token_throughput": _metric("tokens/sec", 640.0),
        "output_token_throughput_per_user": _metric("tokens/sec/user", 166.0),
        "output_sequence_length": _metric("tokens", 256.0),
        "input_sequence_length": _metric("tokens", 1000.0),
        "input_config": {
            "endpoint": {"model_names": ["meta-llama/Llama-3.1-8B-Instruct"], "streaming": True},
            "loadgen": {"concurrency": 4, "request_count": 300, "warmup_request_count": 8},
            "cli_command": "aiperf profile --model meta-llama/Llama-3.1-8B-Instruct --concurrency 4",
        },
        "start_time": "2026-11-27T10:00:00",
    }
)  # fmt: skip

AIPERF_TABLE = """\
                              NVIDIA AIPerf | LLM Metrics
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━┓
┃                               Metric ┃      avg ┃    min ┃    max ┃    p99 ┃    p90 ┃    p75 ┃   std ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━┩
│             Time to First Token (ms) │    18.00 │  11.00 │ 100.00 │  70.00 │  28.00 │  17.00 │ 12.00 │
│                 Request Latency (ms) │   480.00 │ 260.00 │ 770.00 │ 710.00 │ 580.00 │ 530.00 │ 79.00 │
│             Inter Token Latency (ms) │    11.00 │   8.00 │  13.00 │  12.50 │  11.70 │  11.40 │  0.45 │
│     Output Token Throughput Per User │    90.00 │  76.00 │ 114.00 │ 102.00 │  91.00 │  90.00 │  3.70 │
│                    (tokens/sec/user) │          │        │        │        │        │        │       │
│      Output Sequence Length (tokens) │    43.00 │  24.00 │  65.00 │  64.00 │  52.00 │  47.00 │  7.00 │
│       Input Sequence Length (tokens) │    10.00 │  10.00 │  10.00 │  10.00 │  10.00 │  10.00 │  0.00 │
│ Output Token Throughput (tokens/sec) │ 10,900.0 │    N/A │    N/A │    N/A │    N/A │    N/A │   N/A │
│    Request Throughput (requests/sec) │   255.00 │    N/A │    N/A │    N/A │    N/A │    N/A │   N/A │
│             Request Count (requests) │   711.00 │    N/A │    N/A │    N/A │    N/A │    N/A │   N/A │
└──────────────────────────────────────┴──────────┴────────┴────────┴────────┴────────┴────────┴───────┘
"""

GENAI_PERF_TABLE = """\
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━┓
┃                         Statistic ┃    avg ┃    min ┃    max ┃    p99 ┃    p90 ┃    p75 ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━┩
│          Time to first token (ms) │  16.00 │  12.00 │  17.30 │  17.10 │  16.70 │  16.60 │
│          Inter token latency (ms) │   1.80 │   1.60 │   2.00 │   2.00 │   1.95 │   1.90 │
│              Request latency (ms) │ 500.00 │ 450.00 │ 555.00 │ 549.00 │ 526.00 │ 514.00 │
│            Output sequence length │ 262.00 │ 256.00 │ 298.00 │ 297.00 │ 270.00 │ 265.00 │
│             Input sequence length │ 550.00 │ 550.00 │ 553.00 │ 552.00 │ 550.00 │ 550.00 │
│ Output token throughput (per sec) │ 521.00 │    N/A │    N/A │    N/A │    N/A │    N/A │
│      Request throughput (per sec) │   2.00 │    N/A │    N/A │    N/A │    N/A │    N/A │
└───────────────────────────────────┴────────┴────────┴────────┴────────┴────────┴────────┘
"""

PROSE = """\
Tested Qwen3-8B in FP8 with vLLM 0.33.0 on a single RTX 4090, driver 580, one run without warm-up.
I get 480 tok/s decode for one user, prefix caching enabled. TTFT p50 120 ms.
"""
