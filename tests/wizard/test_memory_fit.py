"""What the answer to "does it fit" says in cases one can check by hand."""

from __future__ import annotations

import re

import pytest

from wizard import memory
from wizard.memory import assumed, ranks, rules, weights

from .entries_memory import (
    DEEPSEEK_V3,
    GIB,
    LINUX,
    LLAMA_8B,
    MIB,
    MODELS,
    QWEN3_30B_A3B,
    QWEN3_32B,
    QWEN36_27B,
    Layout,
    base,
    card,
    cards,
    device,
    full,
    model,
    path,
    rule,
    work,
)

KB = base()


def fit(p=None, layout=None, arch=LLAMA_8B, load=None, settings=None, host=None):
    return memory.fit(p or path(), layout or Layout(cards(24)), arch, load or work(), settings or {}, host or LINUX, KB)


def part(found, name, index=0):
    return sum(p["bytes"] for p in found["devices"][index]["parts"] if p["name"] == name)


def test_no_model_no_fit():
    assert memory.fit(path(), Layout(cards(24)), None, work(), {}, LINUX, KB) is None


def test_weights_are_groups_times_bits():
    held = weights.compute(LLAMA_8B, KB.type_of("safetensors", "bf16"))
    assert held.total == 2 * 8_030_261_248
    # a 4-bit file of this model is 5.33 GiB because embeddings and head stay wide (anchors, 7.3)
    four = weights.compute(LLAMA_8B, KB.type_of("awq", "int4-g128"))
    assert four.total == pytest.approx(5.33 * GIB, rel=0.001)
    # the file's size, when it is known, is the sum
    exact = weights.compute(LLAMA_8B, KB.type_of("gguf", "q4_0"), 4_661_211_808)
    assert exact.total == 4_661_211_808 == sum(size for _, size in exact.groups)
    assert fit(path(size=4_661_211_808))["weights_bytes"] == 4_661_211_808


@pytest.mark.parametrize(
    ("link", "params", "bits", "gib"),
    [
        ("xd-llama2-7b-f16", 6_738_415_616, 16, 12.55),
        ("xd-llama2-7b-q40", 6_738_415_616, 4.54, 3.56),
        ("lcpp-4406-mixtral-q8", 46_702_792_704, 8.5, 46.22),
        ("lcpp-4406-mixtral-q6k", 46_702_792_704, 6.5625, 35.74),
        ("ik-397-qwen3-32b-q5km", 32_762_123_264, 5.664, 21.603),
        ("ik-503-qwen3-32b-q4km", 32_762_123_264, 4.888, 18.641),
        ("ik-398-qwen3-30b-q4km", 30_532_122_624, 4.640, 16.493),
        ("ik-258-r1-q8", 671_026_419_200, 8.504, 664.295),
        ("ipex-mistral-q4km", 7_241_732_096, 4.83, 4.07),
    ],
)
def test_weights_against_printed_sizes(link, params, bits, gib):
    held = weights.compute(model([full(1, 1, 64)], params={"other": params}), {"bits": bits})
    assert held.total == pytest.approx(gib * GIB, rel=0.003)


def test_vision_tower_is_a_file_of_its_own_beside_a_gguf():
    seeing = model([full(32, 8, 128)], params={"other": 8_000_000_000, "vision": 400_000_000})
    assert "memory.towers-apart" in fit(arch=seeing)["assumptions"]
    inside = fit(path("fraction", "safetensors", "bf16"), arch=seeing)
    assert inside["weights_bytes"] - fit(path("fraction", "gguf", "q4_0"), arch=seeing)["weights_bytes"] > 0
    assert "memory.towers-apart" not in inside["assumptions"]


def test_parts_by_hand():
    found = fit(load=work(context=16384, input_=1000, output=1000, concurrency=2))
    kv = 131072 * 16384
    assert found["class"] == "fits"
    assert found["kv_bytes_per_token"] == 131072
    assert found["kv_bytes_request"] == kv
    assert part(found, "kv") == kv and found["context_total"] == 16384
    # both requests would fit at the maximum, too
    assert not found["warn_full"] and found["max_concurrency_full"] >= 2
    assert part(found, "compute") == 400 * MIB + 16384 * 1024
    assert part(found, "context") == 450 * MIB
    assert part(found, "weights") == found["weights_bytes"]
    assert found["error_bytes"] == int((2 * 150**2) ** 0.5 * MIB)


def test_everyone_at_the_maximum_only_warns():
    # 20 people: their usual 1,500 tokens fit, 20 whole contexts do not
    found = fit(load=work(context=32768, input_=1000, output=500, concurrency=20))
    assert found["class"] == "fits" and found["warn_full"]
    assert found["context_total"] == 32768
    assert found["max_concurrency"] >= 20 > found["max_concurrency_full"]
    # a shared prefix does not lower what must fit
    assert part(found, "kv") == max(32768, 20 * 1536) * 131072


def test_fraction_of_total_takes_the_rest_as_pool():
    found = fit(path("fraction", "safetensors", "bf16"))
    budget = int(0.9 * 24 * GIB)
    assert found["devices"][0]["budget_bytes"] == budget
    rest = budget - 2 * 8_030_261_248 - (800 + 500 + 500) * MIB
    assert found["pool_bytes"] == part(found, "kv") == rest
    assert found["pool_tokens"] == rest // 131072
    # the pool does not depend on the context, only how many requests go in does
    longer = fit(path("fraction", "safetensors", "bf16"), load=work(context=16384))
    assert longer["pool_bytes"] == rest and longer["max_concurrency_full"] < found["max_concurrency_full"]


@pytest.mark.parametrize(
    ("version", "mib", "tp", "share"),
    [  # mem_fraction_static as the server of that release sets it on an RTX 4090, an H100 and an H200
        ("0.4.7", 24564, 1, 0.88), ("0.4.7", 81559, 8, 0.81), ("0.4.7", 143771, 1, 0.872),
        ("0.5.2", 24564, 2, 0.875), ("0.5.2", 81559, 8, 0.831), ("0.5.6", 81559, 1, 0.835),
        ("0.5.6", 81559, 8, 0.818), ("0.5.23", 81559, 1, 0.83), ("0.5.23", 143771, 1, 0.903),
    ],
)  # fmt: skip
def test_the_share_an_engine_takes_follows_release_card_and_ranks(kb, version, mib, tp, share):
    budget = rules.RULES["budget-fraction-of-total"]
    profile = rules.profile(kb.engines["sglang"], None, "cuda", version, False, mib * MIB)
    assert budget.share(profile.of(budget.NAME), mib * MIB, tp) == pytest.approx(share, abs=0.001)


def test_fraction_of_free_and_static_fraction():
    free = fit(path("free", "safetensors", "bf16"))
    assert free["pool_bytes"] == int(0.8 * (24 * GIB - 2 * 8_030_261_248 - 1000 * MIB))
    static = rules.RULES["budget-fraction-of-total"]
    parameters = {"fraction": 0.8, "covers": "static"}
    # 24 GiB, 12 of weights, 1 resident, 2 of peaks: the peaks fit into the fifth that is left
    assert static.pool(parameters, 24 * GIB, 24 * GIB, 12 * GIB, GIB, 2 * GIB) == int(0.8 * 24 * GIB) - 13 * GIB
    assert static.pool(parameters, 24 * GIB, 24 * GIB, 12 * GIB, GIB, 6 * GIB) == 5 * GIB


def test_budget_is_no_more_than_is_free():
    one = card(24, free=10 * GIB)
    found = fit(path("fraction", "gguf", "q4_0"), Layout((one,)))
    assert found["devices"][0]["budget_bytes"] == 10 * GIB
    assert "memory.stated-free" in found["assumptions"]


def test_tensor_ranks_divide_weights_and_cache():
    found = fit(path("fraction", "awq", "int4-g128"), Layout(cards(24, 24), tp=2), QWEN3_32B, work(32768))
    assert [d["index"] for d in found["devices"]] == [0, 1]
    held = weights.compute(QWEN3_32B, KB.type_of("awq", "int4-g128"))
    norms = dict(held.groups)["norms"]
    assert part(found, "weights") == -(-(held.total - norms) // 2) + norms
    assert found["kv_bytes_per_token"] == 262144
    assert found["pool_tokens"] == found["pool_bytes"] // 131072
    assert part(found, "communication") == 400 * MIB
    assert found["class"] == "fits"


def test_kv_heads_replicate_and_latents_do():
    eight = fit(path("fraction", "awq", "int4-g128"), Layout(cards(*[24] * 8), tp=8), QWEN3_30B_A3B)
    assert eight["pool_tokens"] == eight["pool_bytes"] // (48 * 2 * 128 * 2)  # one of four heads on each of eight
    latent = fit(path("fraction", "awq", "int4-g128"), Layout(cards(*[96] * 8), tp=8), DEEPSEEK_V3)
    assert latent["pool_tokens"] == latent["pool_bytes"] // 70272


def test_whole_experts_on_expert_ranks():
    tensor = fit(path("fraction", "safetensors", "bf16"), Layout(cards(*[48] * 4), tp=4), QWEN3_30B_A3B)
    expert = fit(path("fraction", "safetensors", "bf16"), Layout(cards(*[48] * 4), tp=4, ep=4), QWEN3_30B_A3B)
    assert part(tensor, "weights") == part(expert, "weights")  # 128 experts divide by 4
    odd = fit(path("fraction", "safetensors", "bf16"), Layout(cards(*[48] * 3), tp=3, ep=3), QWEN3_30B_A3B)
    cut = fit(path("fraction", "safetensors", "bf16"), Layout(cards(*[48] * 3), tp=3), QWEN3_30B_A3B)
    experts = 48 * 128 * 3 * 2048 * 768 * 2
    assert part(odd, "weights") - part(cut, "weights") == pytest.approx(experts * 43 / 128 - experts / 3, abs=2)


def test_pipeline_ends_hold_embedding_and_head():
    found = fit(path("fraction", "safetensors", "bf16"), Layout(cards(24, 24, 24), pp=3), LLAMA_8B)
    sizes = [part(found, "weights", index) for index in range(3)]
    assert [d["layers"] for d in found["devices"]] == [11, 11, 10]
    table = 128256 * 4096 * 2
    layer = (sizes[1]) // 11
    assert sizes[0] - table == pytest.approx(11 * layer, abs=8192)
    assert sizes[2] - table == pytest.approx(10 * layer, abs=16384)
    assert sum(sizes) == found["weights_bytes"]


def test_unequal_cards_share_by_what_they_have():
    found = fit(path("needs", "gguf", "q4_0"), Layout(cards(24, 12), pp=2, uneven=True), QWEN3_32B, work(8192))
    layers = [d["layers"] for d in found["devices"]]
    assert sum(layers) == 64 and layers[0] > 2 * layers[1]
    assert found["class"] == "fits"
    # the same cards with equal halves do not work
    even = fit(path("needs", "gguf", "q4_0"), Layout(cards(24, 12), pp=2), QWEN3_32B, work(32768), {"offload": "no"})
    assert even["class"] != "fits"


def test_replicas_carry_their_share():
    load = work(context=8192, input_=4000, output=1000, concurrency=16)
    one = fit(path("fraction", "safetensors", "bf16"), Layout(cards(24)), load=work(8192, 4000, 1000, 4))
    four = fit(path("fraction", "safetensors", "bf16"), Layout(cards(24, 24, 24, 24), dp=4), load=load)
    assert four["copies"] == 4 and len(four["devices"]) == 4
    assert four["max_concurrency"] == 4 * one["max_concurrency"]
    assert four["pool_bytes"] == one["pool_bytes"] and four["class"] == one["class"] == "fits"


def test_several_nodes_list_every_rank():
    found = fit(path("fraction", "safetensors", "bf16"), Layout(cards(24, 24), tp=2, pp=2, nodes=2))
    assert len(found["devices"]) == 4 and [d["layers"] for d in found["devices"]] == [16, 16, 16, 16]


def test_offload_of_layers_and_of_experts():
    dense = fit(layout=Layout(cards(12)), arch=QWEN3_32B)
    assert dense["class"] == "offload" and dense["offload"]["kind"] == "layers"
    assert 0 < dense["offload"]["layers_gpu"] < 64
    assert dense["offload"]["host_bytes"] > dense["weights_bytes"] - 12 * GIB
    assert dense["headroom_bytes"] >= dense["error_bytes"]
    assert dense["host"]["capacity_bytes"] == 64 * GIB
    sparse = fit(layout=Layout(cards(12)), arch=QWEN3_30B_A3B)
    assert sparse["class"] == "offload" and sparse["offload"]["kind"] == "experts"
    assert 0 < sparse["offload"]["cpu_moe_layers"] < 48 and sparse["offload"]["layers_gpu"] == 48
    # not where the person says no, where the back end has none, or where system memory cannot hold it
    assert fit(layout=Layout(cards(12)), arch=QWEN3_32B, settings={"offload": "no"})["class"] == "no"
    assert fit(path("free"), layout=Layout(cards(12)), arch=QWEN3_32B)["class"] == "no"
    assert fit(layout=Layout(cards(12)), arch=QWEN3_32B, host={**LINUX, "ram_bytes": 6 * GIB})["class"] == "no"
    layers_only = fit(path(backend="vulkan"), layout=Layout(cards(12)), arch=QWEN3_30B_A3B)
    assert layers_only["offload"]["kind"] == "layers"


def test_dense_layers_in_front_count_for_the_expert_flag():
    arch = {**QWEN3_30B_A3B, "experts": {**QWEN3_30B_A3B["experts"], "layers": 45}}
    plain = fit(layout=Layout(cards(12)), arch=QWEN3_30B_A3B)["offload"]["cpu_moe_layers"]
    front = fit(layout=Layout(cards(12)), arch=arch)["offload"]["cpu_moe_layers"]
    assert front in (plain + 2, plain + 3)


def test_streamed_weights_free_what_is_missing():
    found = fit(path("fraction", "safetensors", "bf16"), Layout(cards(16)), LLAMA_8B)
    assert found["class"] == "offload" and found["offload"]["kind"] == "weights"
    assert found["headroom_bytes"] >= found["error_bytes"]


def test_unified_memory_and_cpu():
    apple = device("Unified", 64, kind="soc", unified=True, memory={"usable_fraction": {"is": 0.75}})
    found = fit(path(backend="metal"), Layout((card(64, entry=apple),)), QWEN3_32B)
    assert part(found, "other") == 16 * GIB and found["class"] == "fits" and found["offload"] is None
    unknown = device("Unified", 64, kind="soc", unified=True)
    said = fit(path(backend="metal"), Layout((card(64, entry=unknown),)), QWEN3_32B)
    assert "memory.assumed-unified" in said["assumptions"]
    cpu = device("CPU", 1, kind="cpu", unified=False)
    host = fit(path(backend="cpu"), Layout((card(1, entry=cpu),)), QWEN3_32B)
    assert host["class"] == "fits" and host["devices"][0]["capacity_bytes"] == 64 * GIB
    assert part(host, "other") == GIB + int(64 * GIB * 0.05)
    small = fit(path(backend="cpu"), Layout((card(1, entry=cpu),)), QWEN3_32B, host={**LINUX, "ram_bytes": 16 * GIB})
    assert small["class"] == "no" and small["shortfall_bytes"] > 0


def test_desktop_takes_its_part_on_windows():
    windows = {**LINUX, "os": "windows"}
    found = fit(host=windows)
    assert part(found, "other") == assumed.DESKTOP_MIB * MIB
    assert "memory.assumed-desktop" in found["assumptions"]
    second = Layout((card(24, index=1),))
    assert part(fit(layout=second, host=windows), "other") == 0
    assert part(fit(), "other") == 0


def test_silent_engines_say_what_was_assumed():
    found = fit(path("silent"))
    assert {"memory.assumed-budget", "memory.assumed-activation", "memory.assumed-context"} <= set(found["assumptions"])
    assert "memory.assumed-communication" not in found["assumptions"]
    assert all(p["basis"] == "assumed" for p in found["devices"][0]["parts"] if p["name"] in ("activation", "context"))
    two = fit(path("silent"), Layout(cards(24, 24), tp=2))
    assert "memory.assumed-communication" in two["assumptions"]
    assert not fit()["assumptions"]


def test_parameters_only():
    unknown = {
        "params": {"total": 32_000_000_000, "active": 32_000_000_000}, "layers": 64, "hidden": 5120, "attention": None,
        "groups": [{"group": "other", "params": 32_000_000_000}],
    }  # fmt: skip
    blind = fit(layout=Layout(cards(80)), arch=unknown)
    assert blind["class"] == "tight" and blind["kv_bytes_per_token"] is None and blind["max_context"] is None
    assert "memory.kv-unknown" in blind["assumptions"]
    near = fit(layout=Layout(cards(80)), arch={**unknown, "kv_models": ["qwen3-32b", "llama-8b"]}, load=work(8192))
    assert near["class"] == "fits" and near["kv_bytes_per_token"] == (262144 + 131072) // 2
    assert "memory.kv-range" in near["assumptions"]
    ranged = fit(layout=Layout(cards(80)), arch={**unknown, "kv_range": (131072, 262144)}, load=work(8192))
    assert ranged["kv_bytes_request"] == near["kv_bytes_request"]
    half = fit(layout=Layout(cards(80)), arch={**unknown, "kv_range": (131072, 262144)}, settings={"kv_type": "q8_0"})
    assert half["kv_bytes_per_token"] == int(ranged["kv_bytes_per_token"] * 17 / 32)
    # between the lower and the upper bound the answer is "tight"
    held = fit(layout=Layout(cards(80)), arch={**unknown, "kv_range": (0, 0)})["weights_bytes"]
    edge = (held + 200_000 * 131072 + 1000 * MIB) / GIB
    assert (
        fit(
            layout=Layout(cards(edge)),
            arch={**unknown, "kv_range": (65536, 262144)},
            load=work(200_000),
            settings={"offload": "no"},
        )["class"]
        == "tight"
    )


def test_state_is_paid_per_request():
    found = fit(path("needs", "gguf", "q4_0"), Layout(cards(48)), QWEN36_27B, work(8192, 1000, 500, 4))
    assert found["state_bytes_per_sequence"] == int(149.625 * MIB)
    assert part(found, "state") == 4 * int(149.625 * MIB)
    # the larger of one whole context and four usual requests, the states of four counted apart
    four = 4 * (1536 * 65536 + int(149.625 * MIB))
    assert part(found, "kv") == four - 4 * int(149.625 * MIB)


def test_context_is_limited_by_the_model_too():
    found = fit(layout=Layout(cards(80)))
    assert found["max_context"] == 131072


def test_unknown_kv_type_counts_as_sixteen_bit_and_says_so():
    found = fit(settings={"kv_type": "tq"})
    assert found["kv_bytes_per_token"] == 131072 and "memory.kv-type-unknown" in found["assumptions"]


def test_rules_by_version_mode_and_backend():
    lines = [
        rule("budget-fraction-of-total", fraction=0.92, versions=">=0.22"),
        rule("budget-fraction-of-total", fraction=0.9, versions="<0.22"),
        rule("graphs", mib=100, backend=["cuda"]), rule("graphs", mib=50, backend="rocm"),
        rule("activation", base_mib=1, mode="turbo"), rule("activation", base_mib=2),
        rule("prefill-chunk", tokens=2048, tokens_from_70_gib=8192, tokens_from_160_gib=16384),
    ]  # fmt: skip
    engine = {"memory": lines, "versions": {"stable": "0.30"}}

    def get(version="", mode=None, backend="cuda", gib=24):
        return rules.profile(engine, mode, backend, version, False, gib * GIB)

    assert get().of("budget-fraction-of-total")["fraction"] == 0.92
    assert get("0.20.1").of("budget-fraction-of-total")["fraction"] == 0.9
    assert [get(backend=b).of("graphs")["mib"] for b in ("cuda", "rocm", "cpu")] == [100, 50, 0]
    assert [get(mode=m).of("activation")["base_mib"] for m in ("turbo", None)] == [1, 2]
    assert [get(gib=g).chunk for g in (24, 80, 192)] == [2048, 8192, 16384]
    assert get() is get()


def test_only_cards_behind_a_switch_get_its_workspaces():
    given = rule(
        "communication", mib=1880, direct_mib=150, switched="sm_90 sm_100", error_mib=300, direct_error_mib=100
    )
    told = rules.RULES["communication"]
    said = {name: given.get(name, p.default) for name, p in told.PARAMETERS.items()}
    switch, pcie = [{"kind": "nvswitch"}, {"kind": "pcie"}], [{"kind": "pcie"}]
    for entry, direct in (
        ({"arch": "sm_90", "links": switch}, False), ({"arch": "sm_90", "links": pcie}, True),
        ({"arch": "sm_120", "links": pcie}, True), ({"arch": "sm_120"}, True),
        ({"arch": "sm_80", "links": switch}, True),
        ({"arch": "sm_90"}, False), ({}, False),
    ):  # fmt: skip
        assert told.is_direct(entry, said["switched"]) is direct, entry
    assert told.buffers(said, 2, 1) == (1880 * MIB, 300 * MIB)
    assert told.buffers(said, 2, 1, True) == (150 * MIB, 100 * MIB)
    assert told.buffers(said, 1, 1, True) == (0, 0)


def test_wrong_rules_are_named():
    assert rules.problems(rule("budget-need", reserve_mib=100)) == []
    assert "no memory rule" in rules.problems({"rule": "budget"})[0]
    assert "no parameter 'reserve'" in rules.problems(rule("budget-need", reserve=1))[0]
    assert "needs 'fraction'" in rules.problems(rule("budget-fraction-of-total"))[0]
    assert "one of" in rules.problems(rule("kv-windowed", charge="half"))[0]
    assert "cannot be" in rules.problems(rule("kv-page", tokens="16"))[0]
    assert "cannot be" in rules.problems(rule("kv-page", tokens=True))[0]


def test_every_rule_module_documents_its_parameters():
    assert len(rules.RULES) == 24
    for name, module in rules.RULES.items():
        assert name == module.NAME and module.__doc__
        assert all(p.help for p in module.PARAMETERS.values())


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_same_answer_twice(name):
    args = (path(), Layout(cards(24)), MODELS[name], work(), {"kv_type": "q8_0"}, LINUX)
    assert memory.fit(*args, KB) == memory.fit(*args, base())


def test_every_assumption_has_its_sentence():
    from pathlib import Path

    import yaml

    folder = Path(__file__).parents[2]
    texts = yaml.safe_load((folder / "knowledge/text/memory.yml").read_text())["texts"]
    used = set()
    for file in (folder / "wizard/memory").rglob("*.py"):
        used |= set(re.findall(r'"memory\.([a-z-]+)"', file.read_text()))
    assert used and used <= set(texts)
    said = yaml.safe_load((folder / "knowledge/text/speed.yml").read_text())["texts"]
    reasons = re.findall(
        r'(?:missing\(|return )"([a-z]+)"(?! if large)', (folder / "wizard/speed/estimate.py").read_text()
    )
    assert set(reasons) == {"model", "fit", "constants", "bandwidth"}
    assert all(f"missing-{reason}" in said for reason in reasons)


def test_tables_that_are_looked_up_leave_the_card_with_the_input_layer():
    tables = {"group": "per-layer-embeddings", "params": 4_000_000_000}
    arch = {**LLAMA_8B, "groups": [*LLAMA_8B["groups"], tables]}
    plain = weights.compute(LLAMA_8B, {"id": "t", "bits": 8, "tensors": {}}, None, "safetensors")
    wide = weights.compute(arch, {"id": "t", "bits": 8, "tensors": {}}, None, "safetensors")
    layers = (LLAMA_8B["layers"],)
    on_card, on_host = (ranks.stage_bytes(wide, layers, 1, 1, there)[0] for there in (False, True))
    assert on_card - ranks.stage_bytes(plain, layers, 1, 1)[0] == 4_000_000_000
    assert on_host == ranks.stage_bytes(plain, layers, 1, 1, True)[0]
    assert wide.read_dense == plain.read_dense, "looked up, not read"
