"""Small entries in the shape of the knowledge, for tests of memory, speed and bottleneck."""

from __future__ import annotations

from functools import lru_cache

from wizard.kb import KB
from wizard.shapes import GIB, MIB, Card, Layout, Path, Workload


def full(layers, kv_heads, head_dim, **more):
    return {"kind": "full", "layers": layers, "kv_heads": kv_heads, "head_dim": head_dim, **more}


def swa(layers, kv_heads, head_dim, window, **more):
    return {"kind": "swa", "layers": layers, "kv_heads": kv_heads, "head_dim": head_dim, "window": window, **more}


def mla(layers, heads, **more):
    group = {"kind": "mla", "layers": layers, "heads": heads, "latent": 512, "rope": 64, "nope": 128, "v_head_dim": 128}
    return group | more


def delta(layers, heads, k_heads, dim=128, kernel=4, **more):
    """Gated delta or KDA layers with equal key and value width."""
    state = {"heads": heads, "k_heads": k_heads, "k_dim": dim, "v_dim": dim, "conv_kernel": kernel, **more}
    return {"kind": "linear", "layers": layers, "state": state}


def mamba(layers, heads, head_dim, state_size, groups, kernel=4):
    state = {
        "heads": heads, "head_dim": head_dim, "state_size": state_size, "groups": groups, "conv_kernel": kernel,
    }  # fmt: skip
    return {"kind": "mamba", "layers": layers, "state": state}


def model(attention, *, params=None, hidden=4096, heads=32, vocab=128256, tied=False, layers=None, **more):
    """A model entry; without `params` one group of eight billion parameters."""
    groups = [{"group": g, "params": n} for g, n in (params or {"other": 8_000_000_000}).items()]
    total = sum(g["params"] for g in groups)
    return {
        "name": "Test model", "kind": "moe" if "experts" in more else "dense", "hidden": hidden, "heads": heads,
        "vocab": vocab, "tied": tied, "attention": attention, "groups": groups,
        "layers": layers or sum(g["layers"] for g in attention),
        "params": {"total": total, "active": total} | more.pop("counts", {}),
        "modality": ["text"], "tasks": ["chat"], **more,
    }  # fmt: skip


# Shapes as in the published config.json files; parameter groups computed from them.
LLAMA_8B = model(
    [full(32, 8, 128)], hidden=4096, heads=32, vocab=128256,
    params={
        "embeddings": 128256 * 4096, "head": 128256 * 4096,
        "attention": 32 * 4096 * (4096 * 2 + 1024 * 2), "mlp": 32 * 3 * 4096 * 14336, "norms": 65 * 4096,
    },
    context={"native": 131072},
)  # fmt: skip
QWEN3_32B = model(
    [full(64, 8, 128)], hidden=5120, heads=64, vocab=151936,
    params={
        "embeddings": 151936 * 5120, "head": 151936 * 5120,
        "attention": 64 * 5120 * (8192 * 2 + 1024 * 2), "mlp": 64 * 3 * 5120 * 25600,
        "norms": 64 * (2 * 5120 + 256) + 5120,
    },
    context={"native": 40960, "extended": 131072},
)  # fmt: skip
QWEN3_30B_A3B = model(
    [full(48, 4, 128)], hidden=2048, heads=32, vocab=151936,
    params={
        "embeddings": 151936 * 2048, "head": 151936 * 2048,
        "attention": 48 * 2048 * (4096 * 2 + 512 * 2), "experts": 48 * 128 * 3 * 2048 * 768,
        "router": 48 * 2048 * 128, "norms": 48 * (2 * 2048 + 256) + 2048,
    },
    experts={"count": 128, "active": 8, "intermediate": 768, "layers": 48}, counts={"active": 3_300_000_000},
    context={"native": 40960, "extended": 131072},
)  # fmt: skip
QWEN36_27B = model([full(16, 4, 256), delta(48, 48, 16)], hidden=5120, heads=24, params={"other": 27_320_000_000})
GEMMA4_31B = model([swa(50, 16, 256, 1024), full(10, 4, 512)], hidden=5376, params={"other": 30_700_000_000})
GEMMA4_26B = model([swa(25, 8, 256, 1024), full(5, 2, 512)], hidden=2816, params={"other": 25_230_000_000})
GEMMA3_270M = model([swa(15, 1, 256, 512), full(3, 1, 256)], hidden=640, params={"other": 268_000_000})
GPT_OSS_20B = model([swa(12, 8, 64, 128), full(12, 8, 64)], hidden=2880, heads=64, params={"other": 20_910_000_000})
GPT_OSS_120B = model([swa(18, 8, 64, 128), full(18, 8, 64)], hidden=2880, heads=64, params={"other": 116_830_000_000})
DEEPSEEK_V3 = model([mla(61, 128)], hidden=7168, heads=128, params={"other": 671_026_000_000})
KIMI_K3 = model([mla(24, 96), delta(69, 96, 96)], hidden=7168, heads=96, params={"other": 1_000_000_000_000})
NEMOTRON3_NANO = model(
    [full(6, 2, 128), mamba(23, 64, 64, 128, 8), {"kind": "none", "layers": 23}],
    hidden=2688, params={"other": 31_600_000_000},
)  # fmt: skip

MODELS = {
    "llama-8b": LLAMA_8B, "qwen3-32b": QWEN3_32B, "qwen3-30b-a3b": QWEN3_30B_A3B, "qwen36-27b": QWEN36_27B,
    "gemma4-31b": GEMMA4_31B, "gemma4-26b": GEMMA4_26B, "gemma3-270m": GEMMA3_270M, "gpt-oss-20b": GPT_OSS_20B,
    "gpt-oss-120b": GPT_OSS_120B, "deepseek-v3": DEEPSEEK_V3, "kimi-k3": KIMI_K3, "nemotron3-nano": NEMOTRON3_NANO,
}  # fmt: skip


def rule(name, **parameters):
    return {"rule": name, "source": "test", **parameters}


NEEDS = [  # takes what it needs, keeps whole blocks of 256 tokens
    rule("budget-need", reserve_mib=0), rule("kv-pad", tokens=256),
    rule("kv-windowed", charge="capped", extra_tokens=512, pad=256), rule("state-slots", dtype_bytes=4),
    rule("compute-buffer", base_mib=400, per_ctx_bytes=1024, error_mib=150),
    rule("context-overhead", mib=450, error_mib=150),
]  # fmt: skip
FRACTION = [  # takes a fraction of the whole card at start
    rule("budget-fraction-of-total", fraction=0.9), rule("kv-page", tokens=16),
    rule("kv-windowed", charge="capped", extra_tokens=-1, chunks=1, pad=16, plus=16),
    rule("prefill-chunk", tokens=2048), rule("activation", base_mib=800, error_mib=400),
    rule("graphs", mib=500, error_mib=300), rule("context-overhead", mib=500, error_mib=200),
    rule("communication", mib=400, error_mib=200),
]  # fmt: skip
FREE = [  # takes a fraction of what is free after loading
    rule("budget-fraction-of-free", fraction=0.8), rule("kv-page", tokens=64),
    rule("activation", base_mib=600, error_mib=300), rule("context-overhead", mib=400, error_mib=200),
]  # fmt: skip
OFFLOAD = [{"kind": "layers", "is": "yes"}, {"kind": "experts", "is": "yes", "backend": ["cuda"]}]
ENGINES = {
    "needs": {"name": "Needs", "memory": NEEDS, "offload": OFFLOAD, "speed_family": "ggml"},
    "fraction": {
        "name": "Fraction", "memory": FRACTION, "speed_family": "serving",
        "offload": [{"kind": "weights", "is": "yes"}],
    },
    "free": {"name": "Free", "memory": FREE, "speed_family": "serving"},
    "silent": {"name": "Silent"},
}  # fmt: skip
FORMATS = {
    "safetensors": {
        "name": "Safetensors", "container": "safetensors", "types": [{"id": "bf16", "name": "BF16", "bits": 16}],
    },
    "gguf": {
        "name": "GGUF", "container": "gguf",
        "types": [
            {"id": "q4_0", "name": "Q4_0", "bits": 4.5, "tensors": {"norms": 32, "head": 6.5625}},
            {"id": "q8_0", "name": "Q8_0", "bits": 8.5, "tensors": {"norms": 32}},
        ],
    },
    "awq": {
        "name": "AWQ", "container": "safetensors",
        "types": [
            {
                "id": "int4-g128", "name": "AWQ 4-bit", "bits": 4.15625,
                "tensors": {"embeddings": 16, "head": 16, "norms": 16, "router": 16},
            }
        ],
    },
}  # fmt: skip


def device(name="Card", gib=24, *, kind="gpu", bandwidth=936.0, speed_class="nv-consumer", unified=False, **more):
    return {
        "name": name, "vendor": "nvidia", "kind": kind, "segment": "consumer", "bandwidth_gbs": bandwidth,
        "speed_class": speed_class, "memory": {"options": [gib], "unified": unified, **more.pop("memory", {})}, **more,
    }  # fmt: skip


@lru_cache
def _plain(gib):
    return device(gib=gib)


def card(gib=24, index=0, entry=None, free=None):
    entry = entry or _plain(gib)
    return Card(f"card-{gib}", entry, int(gib * GIB), index, free)


def cards(*sizes):
    return tuple(card(gib, index) for index, gib in enumerate(sizes))


def base(constants=None, measurements=()):
    core = {
        "engines": ENGINES, "devices": {}, "models": MODELS, "formats": FORMATS, "rules": {}, "questions": {},
        "constants": constants or {},
    }  # fmt: skip
    return KB(core, list(measurements))


def path(engine="needs", family="gguf", type_="q4_0", backend="cuda", size=None, **more):
    point = {"status": "published", **({"bytes": size} if size else {})}
    return Path(engine, None, backend, family, type_, "native", point, **more)


def work(context=8192, input_=1000, output=500, concurrency=1):
    return Workload(context, input_, output, concurrency)


LINUX = {"ram_bytes": 64 * GIB, "unified": False, "os": "linux"}
__all__ = [name for name in dir() if not name.startswith("_")] + ["GIB", "MIB", "Layout"]
