"""The curve of context against concurrency says what the question "does it fit" says, point by point."""

from __future__ import annotations

import time

import pytest

from wizard import memory
from wizard.memory import frontier as curve
from wizard.memory.frontier import frontier

from .entries_memory import LINUX, LLAMA_8B, MODELS, Layout, base, cards, device, path, work
from .entries_memory import card as one_card

KB = base()
FORMATS = {"needs": ("gguf", "q4_0"), "fraction": ("safetensors", "bf16"), "free": ("awq", "int4-g128")}
LAYOUTS = {
    "one": Layout(cards(24)),
    "tensor": Layout(cards(80, 80, 80, 80), tp=4),
    "stages": Layout(cards(24, 24), pp=2),
    "copies": Layout(cards(48, 48), dp=2),
}


def ask(engine, layout, model, load, contexts=None):
    return frontier(path(engine, *FORMATS[engine]), layout, MODELS[model], load, {"offload": "no"}, LINUX, KB, contexts)


def margin(engine, layout, model, context, concurrency):
    """Whether so many requests of this length go in, and whether they do with the errors to spare."""
    load = work(context=context, input_=context, output=0, concurrency=concurrency)
    found = memory.fit(path(engine, *FORMATS[engine]), layout, MODELS[model], load, {"offload": "no"}, LINUX, KB)
    over = any(device["over_bytes"] for device in found["devices"])
    return not over, found["class"] == "fits"


@pytest.mark.parametrize("engine", FORMATS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("model", ["llama-8b", "gemma3-270m", "gpt-oss-20b", "nemotron3-nano"])
def test_a_point_is_what_fits_and_one_more_does_not(engine, layout, model):
    devices = LAYOUTS[layout]
    for point in ask(engine, devices, model, work(), [1000, 4096, 30000]):
        if point.most:
            assert margin(engine, devices, model, point.context, point.most)[0]
        # copies share the requests out, so one more than all of them hold is too many for one copy
        assert not margin(engine, devices, model, point.context, point.most + 1)[0]
        if point.sure:
            assert margin(engine, devices, model, point.context, point.sure)[1]
        assert not margin(engine, devices, model, point.context, point.sure + 1)[1]


def test_the_curve_falls_and_ends_at_the_longest_request():
    points = ask("needs", Layout(cards(24)), "llama-8b", work())
    found = memory.fit(path(), Layout(cards(24)), LLAMA_8B, work(), {}, LINUX, KB)
    lengths = [p.context for p in points]
    assert lengths[:4] == [1024, 1536, 2048, 3072] and lengths == sorted(set(lengths))
    assert lengths[-1] == found["max_context"] and points[-1].most >= 1
    most = [p.most for p in points]
    assert most == sorted(most, reverse=True) and all(p.sure <= p.most for p in points)
    asked = ask("needs", Layout(cards(24)), "llama-8b", work(), [8192])
    assert asked[0].most == found["max_concurrency_full"]


def test_nothing_known_nothing_drawn():
    assert frontier(path(), Layout(cards(24)), None, work(), {}, LINUX, KB) == []
    sizes = {"name": "8B", "layers": 32, "hidden": 4096, "groups": [{"group": "other", "params": 8_000_000_000}]}
    only = {**sizes, "params": {"total": 8_000_000_000}, "attention": None}
    assert frontier(path(), Layout(cards(24)), only, work(), {}, LINUX, KB) == []
    ranged = {**only, "kv_range": (131072, 262144)}
    points = frontier(path(), Layout(cards(24)), ranged, work(), {}, LINUX, KB)
    assert points and all(p.sure < p.most for p in points if p.most > 2)


def test_too_small_a_device_holds_no_request():
    points = frontier(path(), Layout(cards(4)), LLAMA_8B, work(), {"offload": "no"}, LINUX, KB)
    assert points == []
    shown = frontier(path(), Layout(cards(4)), LLAMA_8B, work(), {"offload": "no"}, LINUX, KB, [1024])
    assert shown == [curve.Point(1024, 0, 0)]


def test_layers_in_system_memory_stay_there_along_the_curve():
    load = work(context=16384, input_=16000, output=384)
    entry = device(gib=5)
    layout = Layout((one_card(5, 0, entry),))
    found = memory.fit(path(), layout, LLAMA_8B, load, {}, LINUX, KB)
    assert found["class"] == "offload" and found["offload"]["kind"] == "layers"
    points = frontier(path(), layout, LLAMA_8B, load, {}, LINUX, KB, [16384, 32768])
    assert points[0].most >= 1 and points[0].most == found["max_concurrency_full"]
    assert points[1].most <= points[0].most


def test_hundreds_of_points_cost_little():
    start = time.process_time()
    ask("fraction", LAYOUTS["tensor"], "gpt-oss-120b", work(), range(1024, 401 * 1024, 1024))
    assert time.process_time() - start < 0.25  # ten milliseconds here
