"""A small knowledge base: enough for every part of an answer. Its figures and engines are made up.

The sentences of the interface are the real ones; those of its own entries are under `sample.`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from wizard.kb import KB
from wizard.texts import Texts

Plain = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
GIB = 1024**3

TERMS: Plain = {
    "card": {"en": ["card", "cards"], "vi": ["card"], "ru": ["карта", "карты", "карт"]},
    "request": {"en": ["request", "requests"], "vi": ["yêu cầu"], "ru": ["запрос", "запроса", "запросов"]},
    "source": {"en": ["source", "sources"], "vi": ["nguồn"], "ru": ["источник", "источника", "источников"]},
    "engine": {"en": ["engine", "engines"], "vi": ["engine"], "ru": ["движок", "движка", "движков"]},
    "condition": {"en": ["condition", "conditions"], "vi": ["điều kiện"], "ru": ["условие", "условия", "условий"]},
    "replica": {"en": ["replica", "replicas"], "vi": ["bản sao"], "ru": ["реплика", "реплики", "реплик"]},
    "token": {"en": ["token", "tokens"], "vi": ["token"], "ru": ["токен", "токена", "токенов"]},
    "layer": {"en": ["layer", "layers"], "vi": ["lớp"], "ru": ["слой", "слоя", "слоёв"]},
    "machine": {"en": ["machine", "machines"], "vi": ["máy"], "ru": ["машина", "машины", "машин"]},
    "measurement": {"en": ["measurement", "measurements"], "vi": ["số đo"], "ru": ["замер", "замера", "замеров"]},
}

OWN_TEXTS: dict[str, dict[str, str]] = {
    "sample.reason": {
        "en": "With {situation.traffic.concurrency} "
        "{situation.traffic.concurrency|request} at a time, batching matters.",
        "vi": "Với {situation.traffic.concurrency} yêu cầu cùng lúc, việc gộp lô là quan trọng.",
        "ru": "При {situation.traffic.concurrency} одновременных запросах важна пакетная обработка.",
    },
    "sample.headline": {"en": "Several people at once", "vi": "Nhiều người cùng lúc", "ru": "Несколько человек сразу"},
    "sample.condition": {"en": "If you need GGUF", "vi": "Nếu cần GGUF", "ru": "Если нужен GGUF"},
    "sample.caution": {
        "en": "Without NVLink, measure both layouts.",
        "vi": "Không có NVLink thì hãy đo cả hai.",
        "ru": "Без NVLink измерьте оба варианта.",
    },
    "sample.english": {"en": "Only in English so far."},
    "sample.why-context": {
        "en": "longest context: {launch.context}",
        "vi": "ngữ cảnh dài nhất: {launch.context}",
        "ru": "самый длинный контекст: {launch.context}",
    },
    "sample.why-host": {
        "en": "the default would listen everywhere",
        "vi": "mặc định lắng nghe mọi nơi",
        "ru": "по умолчанию слушает всё",
    },
    "sample.expose": {"en": "Put a proxy in front.", "vi": "Đặt proxy phía trước.", "ru": "Поставьте прокси."},
    "sample.tool": {"en": "Serving benchmark", "vi": "Công cụ đo phục vụ", "ru": "Замер сервера"},
    "sample.trap": {
        "en": "Use a new seed each run.",
        "vi": "Mỗi lần chạy dùng seed mới.",
        "ru": "Новый seed на каждый прогон.",
    },
    "sample.rule": {"en": "Warm up first", "vi": "Làm nóng trước", "ru": "Сначала прогрев"},
    "sample.rule-text": {
        "en": "The first requests compile kernels.",
        "vi": "Yêu cầu đầu biên dịch kernel.",
        "ru": "Первые запросы компилируют ядра.",
    },
    "sample.field": {"en": "Model name", "vi": "Tên mô hình", "ru": "Название модели"},
    "sample.question": {"en": "How many at once?", "vi": "Bao nhiêu cùng lúc?", "ru": "Сколько сразу?"},
    "sample.bottleneck": {
        "en": "memory bandwidth in decode",
        "vi": "băng thông bộ nhớ khi decode",
        "ru": "пропускная способность памяти",
    },
}


def core() -> Plain:
    """Two engines, two devices, one model, two formats: enough for every part of an answer."""
    return {
        "schema": 1,
        "version": "0123456789ab",
        "date": "2026-11-29",
        "engines": {
            "alpha": {
                "name": "Alpha Serve",
                "layer": "engine",
                "versions": {"stable": "1.2.0"},
                "kv_types": [{"type": "f16", "flag": "auto"}, {"type": "fp8", "flag": "fp8"}],
                "install": [
                    {"how": "pip", "command": "pip install alpha=={engine.version}", "source": "alpha-docs"},
                    {
                        "how": "docker",
                        "command": "docker pull x",
                        "needs": {"candidate.backend": "rocm"},
                        "source": "alpha-docs",
                    },
                ],
                "launch": launch(),
            },
            "beta": {
                "name": "Beta",
                "layer": "engine",
                "versions": {"stable": "b77"},
                "modes": [{"id": "turbo", "name": "Turbo"}],
            },
            "gamma": {
                "name": "Gamma Kit",
                "layer": "library",
                "versions": {"stable": "0.3"},
                "launch": {
                    "kind": "library",
                    "code": [
                        {
                            "language": "python",
                            "lines": [
                                "import gamma",
                                'model = gamma.load("{launch.model}")',
                                'x = {"a": 1}',
                                'f("{checkpoint.file}")',
                            ],
                            "source": "alpha-docs",
                        }
                    ],
                },
            },
        },
        "devices": {
            "card-a": {
                "name": "GeForce Card A",
                "vendor": "nvidia",
                "kind": "gpu",
                "segment": "consumer",
                "generation": "ampere",
                "arch": "sm_86",
                "compute_capability": "8.6",
                "backends": ["cuda"],
                "memory": {"options": [24], "unified": False},
                "bandwidth_gbs": {"is": 936},
                "speed_class": "nv-consumer",
            },
            "chip-b": {
                "name": "Chip B",
                "vendor": "other",
                "kind": "cpu",
                "segment": "desktop",
                "generation": "b",
                "arch": "x86-64",
                "backends": ["cpu"],
                "memory": {"options": [64], "unified": False},
                "bandwidth_gbs": {"is": 80},
                "speed_class": "cpu-desktop",
                "cpu": {"cores": 16},
            },
        },
        "models": {
            "model-32b": {
                "name": "Model 32B",
                "family": "model",
                "architecture": "ModelForCausalLM",
                "kind": "dense",
                "repository": "lab/Model-32B",
                "modality": ["text"],
                "tasks": ["chat"],
                "layers": 64,
                "heads": 64,
                "hidden": 5120,
                "vocab": 151936,
                "attention": [{"kind": "full", "layers": 64}],
                "params": {"total": 32762123264},
                "checkpoints": [],
                "engine_args": [
                    {
                        "engine": "alpha",
                        "flag": "--tool-parser",
                        "value": "hermes",
                        "when": {"situation.needs": "tool-calls"},
                        "source": "alpha-docs",
                    }
                ],
            }
        },
        "formats": {
            "awq": {
                "name": "AWQ",
                "container": "safetensors",
                "types": [{"id": "int4-g128", "name": "AWQ 4-bit", "bits": 4.25}],
            },
            "gguf": {
                "name": "GGUF",
                "container": "gguf",
                "types": [
                    {"id": "q4_k_m", "name": "Q4_K_M", "bits": 4.85},
                    {"id": "q8_0", "name": "Q8_0", "bits": 8.5},
                ],
            },
        },
        "rules": {},
        "order": {"ties": []},
        "questions": {
            "length-and-load": {
                "number": 4,
                "heading": "sample.question",
                "answered_by": "person",
                "fields": [{"path": "traffic.concurrency", "label": "sample.question", "options": []}],
            }
        },
        "bottlenecks": {"decode-bandwidth": {"name": "sample.bottleneck"}},
        "benchmarking": {
            "serve-bench": {
                "type": "tool",
                "name": "sample.tool",
                "order": 1,
                "measures": ["decode_tps", "throughput_tps", "ttft_s"],
                "engines": ["any-openai"],
                "trap": "sample.trap",
                "command": [
                    "bench",
                    "--concurrency",
                    "{situation.traffic.concurrency}",
                    "--in",
                    "{input.tokens}",
                    "--file",
                    "{checkpoint.file}",
                    "--model",
                    "{launch.model}",
                ],
            },
            "warm-up": {"type": "rule", "name": "sample.rule", "order": 1, "text": "sample.rule-text"},
            "only-moe": {
                "type": "rule",
                "name": "sample.rule",
                "order": 2,
                "text": "sample.rule-text",
                "when": {"model.kind": "moe"},
            },
            "model-name": {
                "type": "field",
                "name": "sample.field",
                "order": 1,
                "text": "sample.field",
                "group": "model",
            },
        },
        "terms": {id_: {"name": id_, "plural": forms} for id_, forms in TERMS.items()},
        "constants": {},
        "sources": {
            "alpha-docs": {"k": "official-docs", "d": "2026-11-29", "p": "alpha"},
            "alpha-code": {"k": "code", "d": "2026-11-20", "p": "alpha"},
            "measured-one": {"k": "measurement", "d": "2026-03-02", "p": "lab"},
        },
        "measurements": [],
    }


def launch() -> Plain:
    """How the sample engine starts: positional model, conditions, versions, a missing value, a bind address."""
    return {
        "kind": "server",
        "port": 8000,
        "processes": [
            {
                "id": "head",
                "program": ["alpha", "serve"],
                "image": "example/alpha:v{engine.version}",
                "entrypoint": True,
                "args": [
                    {"flag": "{launch.model}", "source": "alpha-docs"},
                    {
                        "flag": "--max-len",
                        "value": "{launch.context}",
                        "why": "sample.why-context",
                        "source": "alpha-docs",
                    },
                    {
                        "flag": "--tp",
                        "value": "{candidate.tp}",
                        "when": {"candidate.tp": ">1"},
                        "why": "sample.why-host",
                        "source": "alpha-docs",
                    },
                    {"flag": "--old", "versions": "<1.0", "source": "alpha-docs"},
                    {"flag": "--new", "versions": ">=1.2", "why": "sample.why-host", "source": "alpha-docs"},
                    {"flag": "--file", "value": "{checkpoint.file}", "source": "alpha-docs"},
                    {"flag": "--host", "value": "{launch.host}", "why": "sample.why-host", "source": "alpha-docs"},
                    {"flag": "--port", "value": "{launch.port}", "source": "alpha-docs"},
                ],
                "env": [
                    {"name": "ALPHA_HOME", "value": "/data/it's", "why": "sample.why-host", "source": "alpha-docs"}
                ],
            }
        ],
        "check": {"argv": ["curl", "http://{launch.host}:{launch.port}/v1/models"], "source": "alpha-docs"},
        "expose": "sample.expose",
        "convert": [{"format": "awq", "command": "alpha-quantize {model.repository}", "source": "alpha-docs"}],
    }


def kb() -> KB:
    """The sample knowledge base."""
    return KB(core())


def strings(lang: str) -> Plain:
    """Texts of one language as the bundle makes them: the real sentences and those of the sample."""
    found: Plain = {}
    missing: list[str] = []
    tables = {
        f"{path.stem}.{id_}": text
        for path in sorted((ROOT / "knowledge" / "text").glob("*.yml"))
        for id_, text in yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["texts"].items()
    }
    for id_, text in {**tables, **OWN_TEXTS}.items():
        found[id_] = text.get(lang, text["en"])
        if lang not in text:
            missing.append(id_)
    return {**found, "$untranslated": missing}


def texts(lang: str, strict: bool = True) -> Texts:
    """Strict texts: an unknown id or a missing value raises."""
    return Texts(strings(lang), lang, kb().terms, strict=strict)
