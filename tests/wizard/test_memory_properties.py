"""What must hold for every model, engine and machine, not only for the ones we know."""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from pathlib import Path as File

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard import memory
from wizard.memory import kv, offload, ranks, rules, state, weights

from .entries_memory import (
    ENGINES,
    FRACTION,
    FREE,
    GIB,
    LINUX,
    MODELS,
    NEEDS,
    Layout,
    base,
    card,
    cards,
    delta,
    device,
    full,
    mamba,
    mla,
    model,
    path,
    swa,
    work,
)

KB = base()
ORDER = ("fits", "tight", "offload", "no")
KV_TYPES = ("f16", "fp8", "q8_0", "q4_0", "q4", "q8", "int8", "int4", "f32", "q8_0/q4_0")

_layers = st.integers(1, 40)
_heads = st.sampled_from([1, 2, 4, 5, 8, 16, 32])
_width = st.sampled_from([64, 96, 128, 192, 256, 512])
_groups = st.one_of(
    st.builds(full, _layers, _heads, _width),
    st.builds(lambda n, h, w, v: full(n, h, w, v_head_dim=v), _layers, _heads, _width, _width),
    st.builds(lambda n, h, w: full(n, h, w, k_is_v=True), _layers, _heads, _width),
    st.builds(lambda n, h, w, s: full(n, h, w, shared_kv=min(s, n)), _layers, _heads, _width, st.integers(0, 10)),
    st.builds(swa, _layers, _heads, _width, st.sampled_from([128, 512, 1024, 4096])),
    st.builds(lambda n, h, w: {**swa(n, h, w, 8192), "kind": "chunked"}, _layers, _heads, _width),
    st.builds(mla, _layers, st.sampled_from([16, 64, 128])),
    st.builds(lambda n, i: mla(n, 64, indexer=128, indexer_layers=min(i, n)), _layers, st.integers(0, 40)),
    st.builds(delta, _layers, st.sampled_from([16, 32, 48]), st.sampled_from([8, 16])),
    st.builds(mamba, _layers, st.sampled_from([16, 64]), st.just(64), st.just(128), st.just(8)),
    st.just({"kind": "none", "layers": 7}),
)
_attention = st.lists(_groups, min_size=1, max_size=4)
_engine = st.sampled_from([[], NEEDS, FRACTION, FREE])
_tokens = st.integers(0, 300_000)


def profile(lines):
    return rules.profile({"memory": lines}, None, "cuda", "1.0", False, 24 * GIB)


def by_layer(arch, kv_type, tp, lines, tokens):
    """The second way: walk over every layer and add up its rows, with fractions instead of whole bytes."""
    bits = {
        "f16": 16, "f32": 32, "fp8": 8, "q8_0": Fraction(17, 2), "q4_0": Fraction(9, 2), "q4": Fraction(9, 2),
        "q8": Fraction(17, 2), "int8": 8, "int4": 4,
    }  # fmt: skip
    k_type, _, v_type = kv_type.partition("/")
    v_type = v_type or k_type
    by_name = {line["rule"]: line for line in lines}
    unit = by_name.get("kv-pad", by_name.get("kv-page", {})).get("tokens", 1)
    window_rule = by_name.get("kv-windowed", {})
    chunk = by_name.get("prefill-chunk", {}).get("tokens", 512)

    def up(n, to):
        return n if n % to == 0 else n + to - n % to

    def row(kind, n):
        return Fraction(n) * bits[kind] / 8 + (4 if kind in ("int8", "int4") else 0)

    total = Fraction(0)
    for group in arch["attention"]:
        for index in range(group["layers"]):
            stride = group.get("stride", 1)  # a compressed row per so many tokens, in whole bytes per token
            if index < group.get("indexer_layers", group["layers"]) and group.get("indexer"):
                total += up(tokens, unit) * math.ceil(row(k_type, group["indexer"]) / stride)
            if index < group.get("shared_kv", 0) or group["kind"] not in ("full", "swa", "chunked", "mla"):
                continue
            if group["kind"] == "mla":
                total += up(tokens, unit) * row(k_type, group["latent"] + group["rope"])
                continue
            heads = max(-(-group["kv_heads"] // tp), 1)
            wide = row(k_type, group["head_dim"]) * heads
            if not group.get("k_is_v"):
                wide += row(v_type, group.get("v_head_dim", group["head_dim"])) * heads
            held = up(tokens, unit)
            if "stride" in group:
                total += held * math.ceil(wide / stride)
            if group["kind"] != "full":
                room = group["window"] + window_rule.get("extra_tokens", 0) + window_rule.get("chunks", 0) * chunk
                held = min(held, up(room, max(window_rule.get("pad", 1), unit))) + window_rule.get("plus", 0)
            total += held * wide
    return total


@given(_attention, st.sampled_from(KV_TYPES), st.sampled_from([1, 2, 4, 8, 16]), _engine, _tokens)
@settings(max_examples=300, deadline=None)
def test_two_ways_agree(attention, kv_type, tp, lines, tokens):
    arch = model(attention)
    assert kv.build(arch, kv_type, tp, profile(lines)).bytes(tokens) == by_layer(arch, kv_type, tp, lines, tokens)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_two_ways_agree_on_real_models(name):
    for lines in ([], NEEDS, FRACTION, FREE):
        for tokens in (0, 1, 255, 1024, 131072):
            cache = kv.build(MODELS[name], "q8_0", 4, profile(lines))
            assert cache.bytes(tokens) == by_layer(MODELS[name], "q8_0", 4, lines, tokens)


@given(_attention, st.sampled_from(KV_TYPES), _engine, _tokens, st.integers(0, 5000))
@settings(max_examples=200, deadline=None)
def test_longer_context_never_lowers_kv(attention, kv_type, lines, tokens, more):
    cache = kv.build(model(attention), kv_type, 1, profile(lines))
    assert cache.bytes(tokens) <= cache.bytes(tokens + more)


@given(_attention, _engine, st.integers(0, 10**12), st.integers(0, 4096))
@settings(max_examples=300, deadline=None)
def test_longest_context_is_the_inverse(attention, lines, room, extra):
    cache = kv.build(model(attention), "f16", 1, profile(lines))
    longest = cache.tokens(room, extra)
    if longest == kv.NO_LIMIT:
        assert cache.bytes(10**9) <= room and not extra
        return
    if longest:
        assert cache.bytes(longest) + extra * longest <= room
    further = longest + cache.granule
    assert cache.bytes(further) + extra * further > room


_params = st.fixed_dictionaries(
    {
        name: st.integers(0, 10**9)
        for name in ("embeddings", "head", "attention", "mlp", "experts", "router", "norms", "shared-experts", "other")
    }
)


@given(
    _params, _attention, st.booleans(), st.sampled_from([1, 2, 4, 8, 16]), st.integers(1, 6), st.booleans(),
    st.sampled_from([16, 8.5, 4.5, 4.15625]), st.one_of(st.none(), st.integers(1, 10**12)),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_splitting_never_loses_or_invents_bytes(params, attention, tied, tp, pp, whole_experts, bits, size):
    params = {name: count for name, count in params.items() if count} or {"other": 1}
    if tied:
        params.pop("head", None)
    arch = model(attention, params=params or {"other": 1}, tied=tied, experts={"count": 64, "active": 4}, layers=48)
    held = weights.compute(arch, {"bits": bits, "tensors": {"norms": 32, "embeddings": 16}}, size)
    assert held.total == sum(count for _, count in held.groups)
    assert held.total == held.first + held.last + held.spread + held.copied + held.experts
    if size and any(count for _, count in held.groups):
        assert held.total == size
    stages = ranks.even_stages(48, pp)
    ep = tp if whole_experts else 1
    together = tp * sum(ranks.stage_bytes(held, stages, tp, ep))
    beyond = together - held.total - ranks.copies(held, stages, tp, ep)
    assert beyond + 2 * tp >= 0  # copies() rounds down once per kind of copy
    assert beyond <= 8 * tp * pp  # each part of each rank rounds up by less than a byte


@given(_attention, _engine, st.sampled_from([2, 4, 8]))
@settings(max_examples=100, deadline=None)
def test_ranks_together_hold_the_cache_and_its_copies(attention, lines, tp):
    arch = model(attention)
    rules_here = profile(lines)
    whole, rank = kv.build(arch, "f16", 1, rules_here), kv.build(arch, "f16", tp, rules_here)
    for tokens in (1, 1000, 100_000):
        assert whole.bytes(tokens) <= tp * rank.bytes(tokens) <= tp * whole.bytes(tokens)
    slots = rules_here.of("state-slots")
    one, part = (state.sequence_bytes(attention, n, slots) for n in (1, tp))
    assert one <= tp * part <= one + tp * sum(g["layers"] * 5000 for g in attention)


_model = st.sampled_from(sorted(MODELS))
_fmt = st.sampled_from([("gguf", "q4_0"), ("gguf", "q8_0"), ("safetensors", "bf16"), ("awq", "int4-g128")])
_load = st.builds(
    work, st.sampled_from([2048, 8192, 32768, 131072]), st.integers(1, 8000), st.integers(1, 2000), st.integers(1, 64)
)


def rank_of(fit):
    return ORDER.index(fit["class"])


@given(
    _model,
    _fmt,
    st.sampled_from(sorted(ENGINES)),
    _load,
    st.integers(4, 192),
    st.floats(0, 40),
    st.sampled_from([1, 2, 4]),
)
@settings(max_examples=300, deadline=None)
def test_more_memory_never_turns_fits_into_does_not(name, fmt, engine, load, gib, more, tp):
    smaller, larger = (
        memory.fit(path(engine, *fmt), Layout(cards(*[size] * tp), tp=tp), MODELS[name], load, {}, LINUX, KB)
        for size in (gib, gib + more)
    )
    assert rank_of(larger) <= rank_of(smaller)
    if smaller["class"] != "offload":  # where layers wait in system memory their KV does too
        assert (larger["max_context"] or kv.NO_LIMIT) >= (smaller["max_context"] or 0)


@given(
    _model, _fmt, _load, st.lists(st.integers(4, 96), min_size=2, max_size=4), st.integers(0, 3), st.floats(0, 40),
)  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_more_memory_on_one_of_unequal_cards(name, fmt, load, sizes, which, more):
    def fit(gibs):
        layout = Layout(cards(*gibs), pp=len(gibs), uneven=True)
        return memory.fit(path("needs", *fmt), layout, MODELS[name], load, {"offload": "no"}, LINUX, KB)

    grown = [size + more if index == which % len(sizes) else size for index, size in enumerate(sizes)]
    before, after = fit(sizes), fit(grown)
    assert sum(d["layers"] for d in before["devices"]) == MODELS[name]["layers"]
    # rounding of stage sizes may move the smallest margin by a few bytes, never by a layer
    if before["class"] == "fits" and before["headroom_bytes"] > before["error_bytes"] + 4096:
        assert after["class"] == "fits"
    if before["class"] in ("fits", "tight") and before["headroom_bytes"] > 4096:
        assert after["class"] != "no"


@given(
    _model,
    _fmt,
    st.sampled_from(sorted(ENGINES)),
    _load,
    st.lists(st.integers(8, 192), min_size=1, max_size=1),
    st.sampled_from([1, 2, 8]),
    st.sampled_from(KV_TYPES),
)
@settings(max_examples=300, deadline=None)
def test_a_fit_adds_up(name, fmt, engine, load, sizes, count, kv_type):
    layout = Layout(cards(*sizes * count), tp=count)
    fit = memory.fit(path(engine, *fmt), layout, MODELS[name], load, {"kv_type": kv_type}, LINUX, KB)
    for one in fit["devices"]:
        used = sum(p["bytes"] for p in one["parts"])
        assert all(isinstance(p["bytes"], int) and p["bytes"] >= 0 and p["error_bytes"] >= 0 for p in one["parts"])
        if fit["class"] in ("fits", "offload"):
            assert used == one["capacity_bytes"]
        if fit["class"] == "no":
            assert fit["shortfall_bytes"] > 0
    if fit["class"] == "fits":
        assert fit["max_concurrency"] is None or fit["max_concurrency"] >= load.concurrency
        limit = (MODELS[name].get("context") or {}).get("native", load.context)
        extended = (MODELS[name].get("context") or {}).get("extended", limit)
        assert fit["max_context"] is None or fit["max_context"] >= min(load.context, max(limit, extended))
        assert fit["headroom_bytes"] >= fit["error_bytes"]
    if fit["host"]:
        assert sum(p["bytes"] for p in fit["host"]["parts"]) == fit["host"]["capacity_bytes"]
        assert fit["offload"]["host_bytes"] > 0


_size = st.integers(0, 4 * GIB)


@given(
    st.lists(st.integers(-GIB, 20 * GIB), min_size=1, max_size=4), st.integers(0, GIB), _size, _size,
    st.integers(0, GIB), st.sampled_from([("experts", "layers"), ("layers",), ("weights",)]), st.integers(0, 200 * GIB),
)  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_offload_moves_the_fewest_layers_that_help(short, spare, whole, experts, cache, kinds, host_room):
    layer = offload.Layer(max(whole, experts), experts, cache, 48, 46)
    held = [30 * GIB] * len(short)
    moved = offload.choose(kinds, short, [spare] * len(short), held, layer, host_room)
    if moved is None:
        for kind in kinds:  # then not even what is missing, without anything to spare, can be freed
            least = offload._move(kind, [max(0, s) for s in short], held, layer)
            assert least is None or least.bytes > host_room
        return
    assert moved.bytes <= host_room and moved.kind in kinds
    wanted = [max(0, s + spare) for s in short]
    if any(w + c < need for w, c, need in zip(moved.weights, moved.kv, wanted, strict=True)):
        wanted = [max(0, s) for s in short]  # the spare could not be kept
    for weights_, cache_, count, need in zip(moved.weights, moved.kv, moved.counts, wanted, strict=True):
        assert weights_ + cache_ >= need
        if count:
            assert (weights_ + cache_) // count * (count - 1) < need


def test_no_decimal_gigabyte_in_the_arithmetic():
    """Bytes come in whole and leave whole: nothing here multiplies or divides by a power of ten."""
    folder = File(memory.__file__).parent
    for file in [*folder.glob("*.py"), *folder.glob("rules/*.py")]:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value:
                assert node.value not in (1e3, 1e6, 1e9, 1e12), f"{file.name}:{node.lineno}"


@given(st.integers(2, 40), st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_a_stated_free_size_caps(gib, free):
    unified = device(unified=True, kind="soc", memory={"usable_fraction": {"is": 0.9}})
    for entry in (device(), unified):
        one = card(gib, entry=entry, free=free * GIB)
        fit = memory.fit(path(), Layout((one,)), MODELS["llama-8b"], work(), {"offload": "no"}, LINUX, KB)
        kept = sum(p["bytes"] for p in fit["devices"][0]["parts"] if p["name"] == "other")
        assert kept == max(0, gib - free) * GIB


@pytest.fixture(scope="module")
def knowledge():
    from knowledge.bundle import load_for_cli

    return load_for_cli()[0]


def test_two_ways_agree_on_every_model_of_the_base(knowledge):
    assert len(knowledge["models"]) >= 15
    for name, arch in knowledge["models"].items():
        for lines in ([], NEEDS, FRACTION):
            for kv_type in ("f16", "fp8", "q8_0"):
                for tp, tokens in ((1, 1), (1, 4096), (4, 131072)):
                    cache = kv.build(arch, kv_type, tp, profile(lines))
                    assert cache.bytes(tokens) == by_layer(arch, kv_type, tp, lines, tokens), name


def test_weights_of_every_model_of_the_base(knowledge):
    for name, arch in knowledge["models"].items():
        held = weights.compute(arch, {"bits": 16})
        assert held.total == 2 * arch["params"]["total"], name
        assert held.read_dense + held.active_experts * held.experts <= held.total
        active = arch["params"].get("active")
        if active and active < arch["params"]["total"]:
            # what a token reads and the published active count speak of the same parameters
            assert 0.7 < (held.read_dense + held.active_experts * held.experts) / (2 * active) < 1.45, name


def test_every_engine_rule_of_the_base_can_be_used(knowledge):
    for name, engine in knowledge["engines"].items():
        for line in engine.get("memory", ()):
            assert rules.problems(line) == [], name
