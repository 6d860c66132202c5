"""Sizes that engines printed in public: every record of the base against the arithmetic."""

from __future__ import annotations

from statistics import fmean, median

import pytest

from knowledge import memory_accuracy
from knowledge.load import load
from wizard.memory import kv, rules

PLAIN = rules.profile({"memory": [], "versions": {"stable": "0"}}, None, "cuda", "0", False, 24 << 30)


@pytest.fixture(scope="module")
def points(kb):
    return memory_accuracy.points(load(), kb)


def of(points, kind):
    return [p for p in points if p.kind == kind and not p.outside]


def test_the_cache_is_exact_to_the_printed_digit(points):
    for kind in ("kv", "kv-per-token-device"):
        rows = of(points, kind)
        assert len(rows) >= 2
        assert [(p.record, p.predicted, p.measured) for p in rows if not p.exact] == []


def test_weights(points):
    rows = [*of(points, "weights"), *of(points, "weights-device")]
    off = [abs(p.error) for p in rows]
    assert len(rows) > 50 and median(off) <= 0.003 and max(off) <= 0.03


def test_pools_and_requests(points):
    pools = [abs(p.error) for p in of(points, "pool")]
    assert len(pools) > 30 and fmean(pools) <= 0.01
    requests = [abs(p.error) for p in of(points, "concurrency")]
    assert len(requests) > 30 and fmean(requests) <= 0.03 and max(requests) <= 0.03


def test_what_no_rule_describes_says_why_and_is_the_smaller_part(points):
    apart = [p for p in points if p.outside]
    assert len(apart) < len(points) / 5 and all(len(p.outside) > 20 for p in apart)


def test_the_table_names_every_kind(points):
    text = memory_accuracy.table(points)
    assert all(title in text for title in memory_accuracy.KINDS.values())
    assert "not described by any rule" in text


def layer_by_layer(entry, tokens):
    """The same cache added up one layer and one token row at a time."""
    total = 0
    for group in entry["attention"]:
        for index in range(group["layers"]):
            held = min(tokens, group["window"]) if group["kind"] in ("swa", "chunked") else tokens
            if group["kind"] == "mla":
                total += held * (group["latent"] + group["rope"]) * 2
            elif group["kind"] in ("full", "swa", "chunked"):
                value = 0 if group.get("k_is_v") else group.get("v_head_dim", group["head_dim"])
                own = index < group["layers"] - group.get("shared_kv", 0)
                total += own * held * group["kv_heads"] * (group["head_dim"] + value) * 2
            stride = group.get("stride", 1)
            if "stride" in group:  # beside its window a layer keeps one compressed row per so many tokens
                total += tokens * group["kv_heads"] * group["head_dim"] * 2 // stride
            if index < group.get("indexer_layers", group["layers"]) and group.get("indexer"):
                total += tokens * group["indexer"] * 2 // stride
    return total


def test_layer_by_layer_and_closed_form_agree_on_every_model(kb):
    for entry in kb.models.values():
        if entry.get("attention"):
            for tokens in (1, 127, 4096, 100_000):
                assert kv.build(entry, "f16", 1, PLAIN).bytes(tokens) == layer_by_layer(entry, tokens), entry["name"]
