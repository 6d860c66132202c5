"""Addresses that went wrong: read without an error, told what was not understood, and answered without markup.

A link is made again from what was understood, and says the same when it is read once more.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from wizard import choices
from wizard.decide import decide
from wizard.decision import to_json
from wizard.kb import KB
from wizard.render import html, problems
from wizard.render.around import cannot
from wizard.render.view import View
from wizard.situation import fragment, from_fragment, read
from wizard.texts import Texts

from .mutate import text

TODAY = "2026-11-30"
MARKUP = "<img src=x onerror=alert(1)>"
_MORE = (
    "&format=gguf:q4_k_m", "&needs=vision,lora", "&host.ram_gib=64&host.os=windows", "&context.tokens=131072",
    "&traffic.concurrency=64&traffic.shared_prefix=0.5&traffic.mode=offline", "&nodes=4&links.between=rdma",
    "&settings.kv=fp8&settings.layout.tp=2", "&optional.exposure=internet&optional.engine_versions.vllm=0.30.0",
    f"&already={MARKUP}", "&vs=%23v%3D1%26devices%3D1*l4", "&at=2026-11-01&was=vllm,fp8,fits", "&colour=blue",
)  # fmt: skip
_OWN = (
    "2*custom(arch=sm_86;bandwidth_gbs=900;kind=gpu;memory_gib=23.5;name=A%252C%20card;tflops=70;vendor=nvidia)",
    f"custom(memory_gib=8;name={MARKUP})", "custom()", "1*custom(kind=cpu;arch=avx2;memory_gib=64)",
)  # fmt: skip
_MODELS = ("&model.params_b=30&model.active_b=3", '&model={"architecture":{"layers":2}}', f"&model={MARKUP}", "")


def samples(kb: KB) -> list[str]:
    """Addresses of the worked recipes and of machines and models described by their numbers."""
    known = [fragment(read(entry["situation"], kb).stated) for entry in kb.recipes.values()]
    return [*known, *(f"#v=1&devices={own}{model}" for own in _OWN for model in _MODELS)]


def cases(count: int, kb: KB, seed: int = 1) -> Iterator[str]:
    """`count` addresses, each with more questions answered and then changed."""
    chance = random.Random(seed)
    known = samples(kb)
    for _ in range(count):
        yield text(chance.choice(known) + "".join(chance.choices(_MORE, k=chance.choice((0, 1, 1, 3)))), chance)


def check(address: str, kb: KB) -> Any:
    """Read it; an assertion or any error is a defect. Returns what was said."""
    data, unread = from_fragment(address)
    reading = read(data, kb)
    json.dumps([p.plain() for p in [*unread, *reading.problems]])
    again, none = from_fragment(fragment(reading.stated))
    assert not none, (none, fragment(reading.stated))
    if reading.stated.get("devices") or not reading.problems:
        # with devices that were not understood the processor is not taken for the machine; of the link alone it is
        assert read(again, kb).stated == reading.stated
    return data


def answer(address: str, kb: KB, words: Texts) -> None:
    """Decide and show it, with what cannot combine in the form."""
    decision = decide(check(address, kb), kb, TODAY)
    assert json.loads(to_json(decision)) == decision
    page = "".join(section["html"] for section in html(decision, words, kb, words.lang))
    assert "<img" not in page and "onerror=alert(1)>" not in page
    assert len(problems(decision, words, kb, words.lang)) == len(decision["problems"])
    view = View(decision, words, kb, words.lang)
    for reasons in cannot(view, choices.complete(decision["stated"], kb)).values():
        assert all(reasons.values()), reasons
