"""`which-engine memory` and the wizard give one answer to one question, engine by engine."""

from __future__ import annotations

import argparse

import pytest

from wizard import memory_command, paths, sizing
from wizard.facts import Facts
from wizard.kb import KB
from wizard.memory import held_of
from wizard.refused import Refused
from wizard.shapes import Workload
from wizard.situation import read

MACHINES = [
    ("rtx-3090", 2, "linux"), ("rtx-4090", 1, "windows"), ("h100-sxm", 8, "linux"), ("mi300x", 4, "linux"),
    ("m4-max", 1, "macos"), ("rtx-3060", 1, "linux"), ("core-ultra-7-258v", 1, "linux"), ("v100", 4, "linux"),
]  # fmt: skip
MODELS = ("qwen3-32b", "gpt-oss-120b", "gemma-3-27b")
LOAD = {"context": {"tokens": 32768, "input": 6000, "output": 800}, "traffic": {"concurrency": 4}}
SAME = {
    "fit": "class", "pool_bytes": "pool_bytes", "max_context": "max_context", "headroom_bytes": "headroom_bytes",
    "shortfall_bytes": "shortfall_bytes", "error_bytes": "error_bytes", "offload": "offload",
}  # fmt: skip


@pytest.fixture(scope="module")
def kb(bundle):
    return KB(bundle[0])


@pytest.fixture(scope="module")
def ask(kb):
    parser = argparse.ArgumentParser()
    memory_command.add(parser.add_subparsers())

    def call(*options):
        return memory_command.ask(parser.parse_args(["memory", *map(str, options)]), kb)

    return call


def options_of(candidate, facts, model):
    """The command's question for what the wizard sized."""
    path, layout = candidate.path, candidate.layout
    context, host = LOAD["context"], facts.situation["host"]
    given = {
        "model": model, "format": f"{path.family} {path.type}", "device": layout.cards[0].device,
        "engine": f"{path.engine}-{path.mode}" if path.mode else path.engine, "backend": path.backend,
        "count": len(layout.cards), "tp": layout.tp, "pp": layout.pp, "ep": layout.ep, "kv": candidate.fit["kv_type"],
        "context": context["tokens"], "input": context["input"], "output": context["output"],
        "concurrency": LOAD["traffic"]["concurrency"], "os": host["os"], "ram-gib": host["ram_gib"],
    }  # fmt: skip
    return [part for name, value in given.items() for part in (f"--{name}", value)]


def test_the_command_says_what_the_wizard_says(kb, ask):
    compared = 0
    for device, count, system in MACHINES:
        for model in MODELS:
            situation = {"devices": [{"device": device, "count": count}], "model": {"id": model}, "serving": "team",
                         "host": {"os": system, "ram_gib": 64}, **LOAD}  # fmt: skip
            facts = Facts(read(situation, kb).situation, kb)
            for engine, ranked in sizing.build(paths.find(facts), facts).items():
                best = ranked.best
                fit = best.fit
                if fit["class"] == "no" and best.settings["offload"] == "no":
                    continue  # the wizard did not look at system memory, as something better stays in the devices
                told = ask(*options_of(best, facts, model))
                where = f"{device} {model} {engine}"
                assert {k: told[k] for k in SAME} == {k: fit[v] for k, v in SAME.items()}, where
                copies = best.layout.dp  # a copy holds whole requests
                low, high = (int((told["max_concurrency"] + d) / copies) * copies for d in (-0.005, 0.005))
                assert low <= fit["max_concurrency_full"] <= high, where
                compared += 1
    assert compared >= 200


def test_who_may_wait_is_decided_once():
    long = Workload(32768, 0, 0, 4)
    assert held_of(long, queues=True).concurrency == 1 and held_of(long).concurrency == 4
    assert held_of(long).input == 32768
    usual = Workload(32768, 6000, 800, 4)
    assert held_of(usual, queues=True) == usual == held_of(usual)
    assert held_of(Workload(32768, 6000, 800, 64, mode="offline")).concurrency == 1


def test_requests_wait_in_an_engine_with_pages_and_not_in_one_with_slots(ask):
    question = ["--model", "Qwen3-32B", "--device", "RTX 3090", "--count", 2, "--context", 32768, "--concurrency", 4]
    paged = ask(*question, "--engine", "vllm", "--format", "awq")
    assert paged["fit"] == "fits" and paged["waiting"] == 2 and 2 < paged["max_concurrency"] < 3
    assert paged["offload"] is None and all(part["device"] != "system" for part in paged["parts"])
    slots = ask(*question, "--engine", "llama.cpp", "--format", "Q4_K_M")
    assert slots["fit"] == "offload" and slots["offload"]["layers_gpu"] < 64
    one = ask(*question[:-1], 1, "--engine", "llama.cpp", "--format", "Q4_K_M")
    assert one["fit"] == "fits" and one["waiting"] == 0
    few = ask(*question, "--engine", "llama.cpp", "--format", "Q4_K_M", "--input", 6000, "--output", 800)
    assert few["fit"] == "fits"


def test_the_back_end_is_the_one_that_reads_the_format(ask):
    on_gpu = ask("--model", "Qwen3-8B", "--engine", "llama.cpp", "--format", "Q4_K_M", "--device", "M4 Max")
    on_cpu = ask(
        "--model", "Qwen3-8B", "--engine", "llama.cpp", "--format", "Q4_K_M", "--device", "M4 Max", "--backend", "cpu"
    )
    assert on_gpu["pool_bytes"] < on_cpu["pool_bytes"]  # the system keeps more from a GPU than from a process
    with pytest.raises(Refused, match="terminal.memory-backend: name='cuda'"):
        ask("--model", "Qwen3-8B", "--engine", "llama.cpp", "--device", "M4 Max", "--backend", "cuda")


@pytest.mark.parametrize("more", [("--engine", "openvino"), ("--engine", "llama.cpp", "--backend", "cpu")])
def test_a_size_without_a_name_is_all_the_memory_there_is(ask, more):
    """An engine on the processor takes the size that was said, not the machine's usual one."""
    answer = ask("--model", "Qwen3-8B", *more, "--memory-gib", "23.5")
    on_it = sum(p["bytes"] for p in answer["parts"] if p["device"] != "system")
    assert on_it <= 23.5 * 2**30 * 1.0001 and answer["pool_bytes"] + answer["weights_bytes"] < 23.5 * 2**30


def test_a_size_of_a_named_device_keeps_its_back_ends(ask):
    """A Mac of another size is still a Mac: no CUDA, and the share of memory that the system lets the GPU have."""
    known = ask("--model", "Qwen3-8B", "--engine", "llama.cpp", "--device", "M4 Max")
    sized = ask("--model", "Qwen3-8B", "--engine", "llama.cpp", "--device", "M4 Max", "--memory-gib", "128")
    assert sized["pool_bytes"] == pytest.approx(known["pool_bytes"], rel=1e-3)


def test_an_engine_started_for_fewer_requests_keeps_less_for_their_logits(ask):
    """vLLM profiles with as many requests as it may run: with few, more is left for the cache, and the cache of a
    request stays what it was."""
    usual = ask("--model", "Qwen3-8B", "--engine", "vllm", "--device", "RTX 4090")
    few = ask("--model", "Qwen3-8B", "--engine", "vllm", "--device", "RTX 4090", "--sequences", "2")
    assert few["pool_bytes"] > usual["pool_bytes"] and few["kv_bytes"] == usual["kv_bytes"]
    many = ask("--model", "Qwen3-8B", "--engine", "vllm", "--device", "RTX 4090", "--sequences", "1024")
    assert many["pool_bytes"] < usual["pool_bytes"]


@pytest.mark.parametrize(("card", "offered"), [("RTX 4080", False), ("RTX 5080", True)])
def test_a_change_is_one_the_card_can_make(ask, card, offered):
    """SGLang keeps a cache of 4 bits on Blackwell alone; on Ada that way out is not offered."""
    question = ("--model", "Qwen3-14B", "--engine", "sglang", "--format", "awq", "--context", "60000")
    answer = ask(*question, "--device", card)
    assert ("nvfp4" in [change["to"] for change in answer["changes"] if change["change"] == "kv"]) is offered
