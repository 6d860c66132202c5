"""The look-up of the wizard page: each row is what `decide()` says of the situation that it names."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from macros import similar
from macros.view import View
from macros.world import load_world
from wizard.decide import decide


@pytest.fixture(scope="module")
def world():
    return load_world()


def test_rows_are_what_is_decided_for_their_situation(world):
    rows, stated = similar.rows(world), similar.situations(world)
    assert rows.keys() == stated.keys() and 300 <= len(rows) <= 1024
    keys = sorted(rows)
    for key in keys[:: len(keys) // 24]:  # the build made all of them in the same way
        decision = decide(stated[key], world.kb, world.today)
        assert decision["problems"] == []
        assert similar.row(decision) == rows[key], key
    answered = [row for row in rows.values() if row]
    assert len(answered) > 0.9 * len(rows)
    assert len({row["engine"] for row in answered}) >= 4


def test_a_device_or_a_model_stands_for_those_like_it_only(world):
    devices, models = similar.alike_devices(world), similar.alike_models(world)
    names = [device for device, *_ in similar.DEVICES]
    for index, (device, gib, _) in enumerate(similar.DEVICES):
        largest = max(world.entries("device")[device]["memory"]["options"])
        assert devices[device if gib in (None, largest) else f"{device}:{gib:g}"] == index
    for value, index in devices.items():
        one, other = (world.entries("device")[d] for d in (value.split(":")[0], names[index]))
        assert (one["vendor"], one["kind"]) == (other["vendor"], other["kind"]), value
    for index, model in enumerate(similar.MODELS, 1):
        assert models[model] == index
    assert "chat" in world.entries("model")["qwen3-8b"]["tasks"] and "qwen3-8b" in models
    assert not any("chat" not in world.entries("model")[m]["tasks"] for m in models)


@pytest.mark.parametrize("lang", ["en", "vi", "ru"])
def test_the_page_carries_the_rows_in_its_language(world, lang):
    markup = str(similar.similar(View(world, lang, "wizard/")))
    data = json.loads(unescape(re.search(r"<template>(.*?)</template>", markup, re.S)[1]))
    assert data["rows"].keys() == similar.rows(world).keys()
    row = data["rows"]["1.2.2.1"]  # two RTX 3090, Qwen3-32B, a team
    assert data["names"]["devices"][1] == "RTX 3090" and data["names"]["models"][2] == "Qwen3-32B"
    decided = similar.rows(world)["1.2.2.1"]
    assert row[2] == View(world, lang).gib(decided["used"])
    assert ("," in row[2]) == (lang != "en")
    assert "{what}" in markup
