"""What must-haves add: adapters, drafts and images beside the model, prompts kept in system memory."""

from __future__ import annotations

import pytest

from wizard import memory
from wizard.memory import extras

from .entries_memory import (
    GIB,
    LINUX,
    LLAMA_8B,
    MIB,
    QWEN3_30B_A3B,
    QWEN36_27B,
    Layout,
    base,
    cards,
    device,
    full,
    model,
    path,
    rule,
    work,
)

KB = base()
KB.engines = {**KB.engines}
SMALL = model(
    [full(16, 8, 64)], hidden=2048, heads=32, vocab=128256, tied=True, context={"native": 131072},
    params={"embeddings": 128256 * 2048, "attention": 16 * 2048 * (2048 * 2 + 512 * 2), "mlp": 16 * 3 * 2048 * 8192},
)  # fmt: skip
KB.models = {**KB.models, "small": {**SMALL, "name": "Small", "family": "llama-3.2", "publisher": "M"}}
LLAMA = {**LLAMA_8B, "family": "llama-3", "publisher": "M", "intermediate": 14336}
SEEN = {**LLAMA, "groups": [*LLAMA["groups"], {"group": "vision", "params": 400_000_000}]}


def engine(name, lines, like):
    KB.engines[name] = {**KB.engines[like], "memory": [*lines, *KB.engines[like]["memory"]]}


engine("slots", [rule("lora-slots", slots=2, slots_multi=4, rank=16, experts=True)], "fraction")
engine("plain-slots", [rule("lora-slots", rank=16)], "fraction")
engine("share", [rule("lora-slots", share_of_free=0.02)], "free")
engine(
    "mtp", [rule("draft-model", mtp=True, states=True, base_mib=200), rule("state-slots", per_request=2)], "fraction"
)
GGML = [
    rule("draft-model", mtp=True, kv_type="f16", base_mib=300), rule("prompt-cache", mib=8192, checkpoints=32),
    rule("vision-encoder", base_mib=250, first_only=True),
]  # fmt: skip
engine("ggml", GGML, "needs")


def fit(name, needs, arch=LLAMA, layout=None, load=None, fmt=("safetensors", "bf16"), kv=None, host=LINUX, **asks):
    asked = extras.asked(needs)._replace(**asks) if needs else extras.NONE
    settings = {"asks": asked, "kv_type": kv}
    return memory.fit(path(name, *fmt), layout or Layout(cards(48)), arch, load or work(), settings, host, KB)


def part(found, name, device=0):
    return next((p["bytes"] for p in found["devices"][device]["parts"] if p["name"] == name), 0)


def slot(tp):
    """One slot of rank 16 in 16 bits, written out: q and o, k and v, gate and up, down of Llama-3.1-8B."""
    cut = 4096 // tp + 4096  # q: B follows the cut; o: A does
    narrow = 2 * (4096 + 1024 // tp)
    mlp = 2 * (4096 + 14336 // tp) + 14336 // tp + 4096
    return 32 * (2 * cut + narrow + mlp) * 16 * 2


@pytest.mark.parametrize("tp", [1, 2, 4])
def test_a_slot_holds_two_thin_matrices_for_each_matrix(tp):
    layout = Layout(cards(*[48] * tp), tp=tp)
    assert part(fit("slots", ["lora"], layout=layout), "lora") == 2 * slot(tp)
    assert part(fit("slots", ["multi-lora"], layout=layout), "lora") == 4 * slot(tp)
    assert part(fit("slots", ["lora"], layout=layout, rank=64, slots=1), "lora") == 4 * slot(tp)


def test_slots_for_routed_experts_are_most_of_a_mixture():
    with_experts = part(fit("slots", ["lora"], QWEN3_30B_A3B, Layout(cards(96))), "lora")
    without = part(fit("plain-slots", ["lora"], QWEN3_30B_A3B, Layout(cards(96))), "lora")
    each = 48 * 128 * (2 * (2048 + 768) + 768 + 2048) * 16 * 2
    assert with_experts - 2 * without == 2 * each and with_experts > 20 * without


def test_a_share_of_what_is_free():
    found = fit("share", ["lora"])
    weights = part(found, "weights")
    assert part(found, "lora") == int(0.02 * (48 * GIB - weights)) and "memory.lora-share" in found["assumptions"]


def test_stages_share_adapters_by_their_layers():
    found = fit("slots", ["lora"], layout=Layout(cards(48, 48), pp=2))
    assert part(found, "lora", 0) == part(found, "lora", 1) == slot(1)


def test_a_draft_is_the_smallest_of_the_line_and_grows_with_each_request():
    bare, found = fit("mtp", []), fit("mtp", ["speculative"])
    held = SMALL["params"]["total"] * 2
    assert part(found, "draft") == held + 200 * MIB
    assert ("memory.draft-model", (("model", "Small"),)) in found["assumptions"]
    assert found["kv_bytes_per_token"] == bare["kv_bytes_per_token"]
    # the same pool less the draft, shared by 131072 bytes of the model and 32768 of the draft
    assert (
        found["max_context"] <= (bare["pool_bytes"] - part(found, "draft")) * 131072 // (131072 + 32768) // 131072 + 16
    )
    two = fit("mtp", ["speculative"], layout=Layout(cards(48, 48), tp=2))
    assert part(two, "draft") == held // 2 + 200 * MIB


def test_no_draft_is_invented():
    other = {**LLAMA, "publisher": "another"}
    found = fit("mtp", ["speculative"], other)
    assert part(found, "draft") == 0 and "memory.draft-unknown" in found["assumptions"]
    assert found["max_context"] == fit("mtp", [], other)["max_context"]


def test_prediction_layers_of_the_model_itself():
    arch = {**LLAMA, "mtp": 1}
    found = fit("mtp", ["speculative"], arch)
    layer = 4096 * (4096 * 2 + 1024 * 2) + 3 * 4096 * 14336 + 2 * 4096 * 4096
    assert part(found, "draft") == 2 * layer + 200 * MIB
    assert ("memory.draft-own", (("n", 3),)) in found["assumptions"]
    last = fit("mtp", ["speculative"], arch, Layout(cards(48, 48), pp=2))
    assert (part(last, "draft", 0), part(last, "draft", 1)) == (200 * MIB, 2 * layer + 200 * MIB)
    # one layer more in the cache: 33 of 32
    assert found["devices"] and fit("mtp", ["speculative"], arch, draft="mtp")["max_context"] == found["max_context"]
    # a file that holds them counts them among its weights
    inside = {**arch, "groups": [*arch["groups"], {"group": "mtp", "params": layer}]}
    assert part(fit("mtp", ["speculative"], inside), "draft") == 200 * MIB


def test_a_state_more_for_each_drafted_token():
    arch = {
        **QWEN36_27B,
        "mtp": 1,
        "groups": [{"group": "attention", "params": 10**9}, {"group": "mlp", "params": 26 * 10**9}],
    }
    load = work(8192, 8000, 100, 4)
    one = part(fit("mtp", [], arch, load=load, layout=Layout(cards(96))), "state") // 4
    three = part(fit("mtp", ["speculative"], arch, load=load, layout=Layout(cards(96))), "state") // 4
    conv = 48 * 10240 * 3 * 2  # the convolution looks back over three drafted tokens more
    assert three == (one // 2 + conv) * 5


def test_images_take_the_tower_on_the_first_card():
    found = fit("ggml", ["vision"], SEEN, Layout(cards(24, 24), pp=2, uneven=True), fmt=("gguf", "q4_0"))
    assert part(found, "vision", 0) == 400_000_000 * 2 + 250 * MIB and part(found, "vision", 1) == 0
    inside = fit("slots", ["vision"], SEEN)
    assert part(inside, "vision") == 500 * MIB  # the weights hold the tower
    assert part(fit("ggml", ["vision"], LLAMA, fmt=("gguf", "q4_0")), "vision") == 0


def test_kept_prompts_never_decide_and_never_overflow():
    asked = {"fmt": ("gguf", "q4_0"), "load": work(8192, 1000, 500, 2)}
    found = fit("ggml", [], **asked)
    host = {p["name"]: p["bytes"] for p in found["host"]["parts"]}
    assert host["prompts"] == 8192 * MIB and sum(host.values()) == 64 * GIB
    assert found["class"] == fit("needs", [], **asked)["class"] and found["offload"] is None
    little = fit("ggml", [], host={**LINUX, "ram_bytes": 6 * GIB}, **asked)
    parts = {p["name"]: p["bytes"] for p in little["host"]["parts"]}
    assert sum(parts.values()) == 6 * GIB and "free" not in parts
    one = cards(24)[0].__class__("u", device(gib=24, kind="soc", unified=True), 24 * GIB, 0)
    shared = fit("ggml", [], layout=Layout((one,)), **asked)
    assert part(shared, "prompts") == 8192 * MIB and shared["host"] is None
    assert sum(p["bytes"] for p in shared["devices"][0]["parts"]) == 24 * GIB


def test_states_are_copied_at_checkpoints():
    found = fit("ggml", [], QWEN36_27B, fmt=("gguf", "q4_0"), load=work(8192, 1000, 500, 2))
    kept = next(p["bytes"] for p in found["host"]["parts"] if p["name"] == "prompts")
    assert kept == 8192 * MIB + 32 * 2 * found["state_bytes_per_sequence"]


@pytest.mark.parametrize("name", ["slots", "share", "mtp", "ggml", "silent"])
@pytest.mark.parametrize("layout", [Layout(cards(24)), Layout(cards(24, 24), tp=2), Layout(cards(24, 24), pp=2)])
def test_a_must_have_never_makes_room(name, layout):
    ranks = {"fits": 0, "tight": 1, "offload": 2, "no": 3}
    fmt = ("gguf", "q4_0") if name == "ggml" else ("safetensors", "bf16")
    bare = fit(name, [], SEEN, layout, fmt=fmt)
    for needs in (["lora"], ["speculative"], ["vision"], sorted(extras.NEEDS)):
        found = fit(name, needs, SEEN, layout, fmt=fmt)
        assert ranks[found["class"]] >= ranks[bare["class"]]
        if found["class"] != "offload" and bare["class"] != "offload":
            assert found["max_context"] <= bare["max_context"] and found["pool_bytes"] <= bare["pool_bytes"]
        for one in found["devices"]:
            assert sum(p["bytes"] for p in one["parts"]) == one["capacity_bytes"] or one["over_bytes"]


def test_a_server_that_keeps_nothing_has_no_cache():
    KB.engines["reads"] = {"name": "Reads", "memory": [rule("kv-none", **{"is": True})]}
    found = fit("reads", [], fmt=("safetensors", "bf16"))
    assert found["kv_bytes_per_token"] == 0 and found["kv_bytes_request"] == 0
    assert "kv" not in {p["name"] for p in found["devices"][0]["parts"]}
    assert found["max_context"] == LLAMA["context"]["native"] and found["max_concurrency"] is None


def test_a_raised_limit_of_shared_memory_is_a_change():
    from wizard.memory import changes

    entry = device(gib=48, kind="soc", unified=True)
    entry["memory"]["usable_fraction"] = {"is": 0.5, "raised_by": "a.setting", "source": "x"}
    one = cards(48)[0].__class__("u", entry, 48 * GIB, 0)
    bf16 = path("needs", "safetensors", "bf16")
    case = changes.Case(bf16, Layout((one,)), QWEN3_30B_A3B | {"groups": [{"group": "other", "params": 16 * 10**9}]},
                        work(4096, 1000, 100), {}, LINUX, KB)  # fmt: skip
    found = {c["change"]: c for c in changes.find(case, "no", changes.Open())}
    limit = found["limit"]
    assert limit["fit"] == "fits" and limit["from"] == 24 * 1024
    assert int(limit["to"]) * MIB == (48 * GIB - 1024 * MIB - 48 * GIB // 20) // MIB * MIB
    entry["memory"]["usable_fraction"] = {"is": 0.5, "source": "x"}
    assert "limit" not in {c["change"] for c in changes.find(case, "no", changes.Open())}
