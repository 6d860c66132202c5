"""GGUF headers, made here byte by byte: sizes to the byte, and files that lie are refused in words."""

from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard.importers import ImportProblem
from wizard.importers.gguf import architecture, read
from wizard.memory import kv, rules, state

PLAIN = rules.profile({"memory": [], "versions": {"stable": "0"}}, None, "cuda", "0", False, 24 << 30)
F32, Q4_K, Q6_K, Q8_0 = 0, 12, 14, 8


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key, value):
    if isinstance(value, bool):
        return text(key) + struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return text(key) + struct.pack("<II", 4, value)
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    kind = 8 if value and isinstance(value[0], str) else 4
    items = b"".join(text(v) if kind == 8 else struct.pack("<I", v) for v in value)
    return text(key) + struct.pack("<IIQ", 9, kind, len(value)) + items


def header(metadata, tensors, version=3):
    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    out += b"".join(pair(k, v) for k, v in metadata.items())
    for name, dims, type_ in tensors:
        out += text(name) + struct.pack("<I", len(dims)) + struct.pack(f"<{len(dims)}Q", *dims)
        out += struct.pack("<IQ", type_, 0)
    return out


def small(layers=4, hidden=512, heads=8, kv_heads=2, inner=1024, vocab=1000, arch="llama", **more):
    """A decoder of a few layers as metadata and tensors."""
    metadata = {
        "general.architecture": arch, "general.name": "small", "general.file_type": 15, f"{arch}.block_count": layers,
        f"{arch}.embedding_length": hidden, f"{arch}.attention.head_count": heads, f"{arch}.context_length": 4096,
        f"{arch}.attention.head_count_kv": kv_heads, f"{arch}.feed_forward_length": inner,
        "tokenizer.ggml.tokens": [f"t{i}" for i in range(vocab)],
    } | {f"{arch}.{k}": v for k, v in more.items()}  # fmt: skip
    dim = hidden // heads
    tensors = [("token_embd.weight", (hidden, vocab), Q4_K), ("output.weight", (hidden, vocab), Q6_K)]
    for i in range(layers):
        tensors += [
            (f"blk.{i}.attn_norm.weight", (hidden,), F32), (f"blk.{i}.attn_q.weight", (hidden, hidden), Q4_K),
            (f"blk.{i}.attn_k.weight", (hidden, dim * kv_heads), Q4_K),
            (f"blk.{i}.attn_v.weight", (hidden, dim * kv_heads), Q6_K),
            (f"blk.{i}.attn_output.weight", (hidden, hidden), Q4_K),
            (f"blk.{i}.ffn_gate.weight", (hidden, inner), Q4_K),
            (f"blk.{i}.ffn_up.weight", (hidden, inner), Q4_K), (f"blk.{i}.ffn_down.weight", (inner, hidden), Q6_K),
        ]  # fmt: skip
    return metadata, tensors


def load(metadata, tensors):
    return architecture(io.BytesIO(header(metadata, tensors)))


def cache(entry):
    return kv.build(entry, "f16", 1, PLAIN)


def test_bytes_of_every_tensor_in_its_own_type():
    found = load(*small())
    q4, q6 = 144 / 256, 210 / 256
    wide = 1000 * 512
    layer = 512 * 4 + (2 * 512 * 512 + 512 * 128 + 2 * 512 * 1024) * q4 + (512 * 128 + 512 * 1024) * q6
    assert found.format["bytes"] == wide * q4 + wide * q6 + 4 * layer
    entry = found.entry
    assert entry["params"]["total"] == 2 * wide + 4 * (512 + 2 * 512 * 512 + 2 * 512 * 128 + 3 * 512 * 1024)
    assert not entry["tied"] and entry["vocab"] == 1000 and found.format["type"] == "q4_k_m"
    assert cache(entry).per_token() == 4 * 2 * 2 * 64 * 2


def test_windows_experts_and_latents():
    windowed = load(*small(layers=6, arch="gemma3", **{"attention.sliding_window": 128})).entry
    assert [(g["kind"], g["layers"]) for g in windowed["attention"]] == [("swa", 5), ("full", 1)]
    unknown = load(*small(arch="brandnew", **{"attention.sliding_window": 128})).entry
    assert [g["kind"] for g in unknown["attention"]] == ["full"]  # nothing says which layers see a window
    metadata, tensors = small(expert_count=4, expert_used_count=2)
    tensors = [t for t in tensors if "ffn_" not in t[0]]
    for i in range(4):
        tensors += [(f"blk.{i}.ffn_{n}_exps.weight", (512, 256, 4), Q4_K) for n in ("gate", "up")]
        tensors += [
            (f"blk.{i}.ffn_down_exps.weight", (256, 512, 4), Q6_K),
            (f"blk.{i}.ffn_gate_inp.weight", (512, 4), F32),
        ]
    mixed = load(metadata, tensors).entry
    assert mixed["experts"] == {"count": 4, "active": 2, "shared": 0, "intermediate": 256, "layers": 4}
    metadata, tensors = small(
        arch="deepseek2", **{"attention.kv_lora_rank": 64, "rope.dimension_count": 32, "attention.key_length": 96,
                             "attention.value_length": 64},
    )  # fmt: skip
    tensors = [t for t in tensors if "attn_k" not in t[0] and "attn_v" not in t[0]]
    tensors += [(f"blk.{i}.attn_kv_a_mqa.weight", (512, 96), Q8_0) for i in range(4)]
    latent = load(metadata, tensors).entry
    assert cache(latent).per_token() == 4 * 96 * 2


def test_layers_with_a_state():
    metadata, tensors = small(
        arch="qwen35", **{"ssm.conv_kernel": 4, "ssm.inner_size": 256, "ssm.state_size": 32, "ssm.time_step_rank": 8,
                          "ssm.group_count": 4},
    )  # fmt: skip
    tensors = [
        t
        for t in tensors
        if not (t[0].startswith(("blk.0.attn_", "blk.1.attn_", "blk.2.attn_")) and "norm" not in t[0])
    ]
    for i in range(3):
        tensors += [(f"blk.{i}.attn_qkv.weight", (512, 512), Q4_K), (f"blk.{i}.ssm_out.weight", (256, 512), Q4_K)]
    entry = load(metadata, tensors).entry
    assert [(g["kind"], g["layers"]) for g in entry["attention"]] == [("linear", 3), ("full", 1)]
    assert {g["group"] for g in entry["groups"]} >= {"attention", "linear-attention"}
    one = state.sequence_bytes(entry["attention"], 1, PLAIN.of("state-slots"))
    assert one == 3 * (8 * 32 * 32 * 4 + 3 * (2 * 4 * 32 + 256) * 2)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"general.architecture": 7}, "general.architecture"), ({"llama.block_count": 0}, "llama.block_count"),
        ({"llama.block_count": 2}, "blk.2.attn_norm.weight"), ({"llama.attention.head_count_kv": 4}, "head_count_kv"),
        ({"llama.attention.head_count": [8, 8]}, "head_count"), ({"split.count": 3}, "split.count"),
        ({"llama.embedding_length": "many"}, "embedding_length"),
    ],
)  # fmt: skip
def test_a_contradiction_is_named(change, field):
    metadata, tensors = small()
    with pytest.raises(ImportProblem) as caught:
        load({**metadata, **change}, tensors)
    assert field in caught.value.field


def test_what_is_no_header():
    metadata, tensors = small()
    whole = header(metadata, tensors)
    for data in (
        b"",
        b"GGML" + whole[4:],
        header(metadata, tensors, 1),
        header(metadata, tensors, 3 << 24),
        whole[:-9],
    ):
        with pytest.raises(ImportProblem):
            read(io.BytesIO(data))
    with pytest.raises(ImportProblem, match="type 99"):
        load(metadata, [*tensors, ("odd.weight", (32, 32), 99)])


def test_long_arrays_are_passed_over():
    metadata, tensors = small(vocab=5000)
    metadata["numbers"] = list(range(5000))
    found = read(io.BytesIO(header(metadata, tensors)))
    assert found.metadata["tokenizer.ggml.tokens"].length == found.metadata["numbers"].length == 5000


GOOD = header(*small(layers=2, vocab=20))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(GOOD)), st.binary(max_size=12), st.booleans())
def test_bytes_changed_anywhere_are_refused_or_read(at, noise, cut):
    data = GOOD[:at] + noise + (b"" if cut else GOOD[at + len(noise) :])
    try:
        entry = architecture(io.BytesIO(data)).entry
    except ImportProblem as problem:
        assert problem.field
        return
    assert sum(g["layers"] for g in entry["attention"]) == entry["layers"]
