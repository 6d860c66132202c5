"""config.json to an architecture: sizes that are right to the byte, and refusals that name the field."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wizard.importers import ImportProblem, architecture, towers
from wizard.importers.safetensors import read as read_index
from wizard.memory import kv, rules

from . import shapes_of_models as m

# configs of many classes, cut to what decides, with the parameters of the class in transformers 5.24.0 (built on the
# meta device) and, where its projections tell it, the cache values of a token
CLASSES = json.loads(Path(__file__).with_name("class_configs.json").read_text(encoding="utf-8"))
PLAIN = rules.profile({"memory": [], "versions": {"stable": "0"}}, None, "cuda", "0", False, 24 << 30)
GIB = 1 << 30


def cache(config, type_="f16", index=None):
    return kv.build(architecture(config).entry, type_, 1, PLAIN, index)


@pytest.mark.parametrize(
    ("config", "total"),
    [
        (m.LLAMA_8B, 8_030_261_248), (m.LLAMA_70B, 70_553_706_496), (m.QWEN3_06B, 596_049_920),
        (m.QWEN3_30B, 30_532_122_624), (m.DEEPSEEK_V3, 671_026_419_200), (m.QWEN35_27B, 27_356_728_560),
        (m.GPT_OSS_120B, 116_829_156_672), (m.NEMOTRON, 31_577_940_288), (m.FALCON_H1_05B, 521_411_104),
        (m.FALCON_H1_7B, 7_585_648_736), (m.KIMI_LINEAR, 49_122_681_728), (m.INTERNVL3_8B, 7_944_373_760),
    ],
)  # fmt: skip
def test_groups_add_up_to_the_published_count(config, total):
    entry = architecture(config).entry
    assert sum(g["params"] for g in entry["groups"]) == entry["params"]["total"] == total
    assert sum(g["layers"] for g in entry["attention"]) == entry["layers"]


def test_a_list_of_attention_layers_leaves_the_others_to_the_state():
    attention = {g["kind"]: g["layers"] for g in architecture(m.BAMBA_9B).entry["attention"]}
    assert attention == {"mamba": 29, "full": 3}


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_class_to_the_parameter_and_the_cache_value(name):
    entry = architecture(CLASSES[name]["config"], None, False).entry
    assert entry["params"]["total"] == CLASSES[name]["params"]
    if "kv" in CLASSES[name]:
        assert kv.build(entry, "bf16", 1, PLAIN).per_token() == 2 * CLASSES[name]["kv"]


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_without_a_field_a_config_is_refused_by_name_or_says_what_it_assumed(name):
    config = CLASSES[name]["config"]
    whole = architecture(config, None, False)
    for key in sorted({*config} - {"text_config", "architectures", "layers_block_type"}):
        try:
            found = architecture({k: v for k, v in config.items() if k != key}, None, False)
        except ImportProblem as problem:
            assert key in str(problem)
            continue
        same = all(found.entry[part] == whole.entry[part] for part in ("params", "attention", "groups"))
        assert same or set(found.said) - set(whole.said), key


def test_biases_heads_and_towers_where_the_class_decides():
    plain = {
        "model_type": "llama", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 49152, "tie_word_embeddings": True,
    }  # fmt: skip
    asked = architecture({**plain, "attention_bias": True}).entry["params"]["total"]
    assert asked - architecture(plain).entry["params"]["total"] == 32 * 4 * 2560  # the output has one too
    cohere = {**plain, "model_type": "cohere2", "hidden_size": 4096, "num_key_value_heads": 8}
    told = architecture(cohere)  # files of this class leave the window out
    assert any("sliding_window 4096" in said for said in told.said)
    assert [g.get("window") for g in told.entry["attention"]].count(4096) == 1
    spoken = architecture({**plain, "model_type": "qwen2_5_omni", "talker_config": {"hidden_size": 896}})
    assert {"tower talker_config", "absent audio_config"} <= set(spoken.said)


def test_experts_behind_a_narrower_width():
    wide = architecture(m.KIMI_LINEAR).entry
    narrow = architecture({**m.KIMI_LINEAR, "routed_expert_hidden_size": 1152}).entry
    groups = [{g["group"]: g["params"] for g in entry["groups"]} for entry in (wide, narrow)]
    assert groups[1]["experts"] * 2 == groups[0]["experts"]
    assert groups[1]["mlp"] - groups[0]["mlp"] == 26 * 2 * 2304 * 1152  # down to the width and back, per layer


def test_the_same_groups_as_the_entries_of_the_base(kb):
    for config, id_ in (
        (m.QWEN3_32B, "qwen3-32b"), (m.QWEN3_30B, "qwen3-30b-a3b"), (m.DEEPSEEK_V3, "deepseek-r1"),
        (m.GPT_OSS_120B, "gpt-oss-120b"), (m.NEMOTRON, "nemotron-3-nano-30b-a3b"), (m.QWEN35_27B, "qwen3-6-27b"),
    ):  # fmt: skip
        entry, known = architecture(config).entry, kb.models[id_]
        assert {g["group"]: g["params"] for g in entry["groups"]} == {g["group"]: g["params"] for g in known["groups"]}
        same = sorted(json.dumps(g, sort_keys=True) for g in entry["attention"])
        assert same == sorted(json.dumps(g, sort_keys=True) for g in known["attention"])


@pytest.mark.parametrize(
    ("config", "type_", "index", "tokens", "size"),
    [
        # public conformance values: 128K tokens in 16 bits
        (m.LLAMA_8B, "bf16", None, 131072, 16 * GIB), (m.LLAMA_70B, "bf16", None, 131072, 40 * GIB),
        (m.QWEN3_06B, "bf16", None, 131072, 14 * GIB), (m.QWEN3_30B, "bf16", None, 131072, 12 * GIB),
        (m.DEEPSEEK_V3, "bf16", None, 131072, 61 * 576 * 2 * 131072),
        (m.DEEPSEEK_V3, "bf16", None, 163840, 11_513_364_480),
        (m.QWEN35_27B, "bf16", None, 131072, 8 * GIB), (m.QWEN35_27B, "fp8", None, 131072, 4_294_967_296),
        (m.NEMOTRON, "bf16", None, 131072, 3 * GIB // 4), (m.GEMMA4_31B, "bf16", None, 262144, 22_313_697_280),
        (m.GEMMA4_31B, "fp8", None, 131072, 5_788_139_520), (m.QWEN3_32B, "bf16", None, 128000, 33_554_432_000),
        (m.MINIMAX_M3, "fp8", "bf16", 1 << 20, 79_725_330_432),
    ],
)  # fmt: skip
def test_public_conformance_values(config, type_, index, tokens, size):
    assert cache(config, type_, index).bytes(tokens) == size


def test_bytes_per_token_of_latents_indexers_and_windows():
    assert cache(m.GLM_5).per_token() == 89_856 + 19_968
    assert cache(m.GLM_52, "fp8", "fp4").per_token() == 46_272  # 21 of 78 layers own an indexer
    assert cache(m.GLM_5, "fp8_ds_mla").per_token() == 78 * (656 + 132)
    assert cache(m.GPT_OSS_120B).bytes(1 << 17) == 18 * 2048 * ((1 << 17) + 128)
    assert cache(m.LLAMA4_SCOUT).full == 12 * 4096  # only every fourth layer keeps all


def test_every_depth_and_name_gives_the_same():
    renamed = {
        "model_type": "llama", "n_embd": 4096, "ffn_hidden_size": 14336, "n_layer": 32, "n_head": 32,
        "n_head_kv": 8, "padded_vocab_size": 128256, "seq_length": 131072, "tie_word_embeddings": False,
        "torch_dtype": "torch.bfloat16",
    }  # fmt: skip
    inside = {"model_type": "llava", "text_config": m.LLAMA_8B}
    by_class = {**m.LLAMA_8B, "architectures": ["LlamaForCausalLM"]}
    del by_class["model_type"]
    wanted = architecture(m.LLAMA_8B).entry
    for config in (renamed, inside, by_class, {"thinker_config": {"text_config": m.LLAMA_8B}, "model_type": "x"}):
        entry = architecture(config).entry
        for name in ("attention", "groups", "params", "tied", "context"):
            assert entry[name] == wanted[name]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"num_hidden_layers": None}, "num_hidden_layers"), ({"hidden_size": None}, "hidden_size"),
        ({"vocab_size": None}, "vocab_size"), ({"intermediate_size": None}, "intermediate_size"),
        ({"num_attention_heads": None}, "num_attention_heads"), ({"num_key_value_heads": 5}, "num_key_value_heads"),
        ({"num_key_value_heads": 64}, "num_key_value_heads"), ({"num_hidden_layers": "32"}, "num_hidden_layers"),
        ({"num_hidden_layers": -1}, "num_hidden_layers"), ({"hidden_size": 10**12}, "hidden_size"),
        ({"num_attention_heads": 33, "num_key_value_heads": 33}, "hidden_size"),
        ({"model_type": "unheard_of"}, "model_type"),
        ({"layer_types": ["full_attention"] * 31}, "layer_types"), ({"layer_types": ["odd"] * 32}, "layer_types[0]"),
        ({"layer_types": ["sliding_attention"] * 32}, "sliding_window"),
        ({"num_experts": 8}, "num_experts_per_tok"),
        ({"num_experts": 8, "num_experts_per_tok": 9}, "num_experts_per_tok"),
        ({"kv_lora_rank": 512}, "v_head_dim"), ({"torch_dtype": "int3"}, "torch_dtype"),
        ({"quantization_config": {"quant_method": "magic"}}, "quantization_config.quant_method"),
        ({"quantization_config": {"quant_method": "gptq"}}, "quantization_config.bits"),
        ({"head_dim": 1.5}, "head_dim"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_field(change, field):
    config = {k: v for k, v in {**m.LLAMA_8B, **change}.items() if v is not None}
    if "num_key_value_heads" in change and change["num_key_value_heads"] == 33:
        config["num_key_value_heads"] = 33
    with pytest.raises(ImportProblem) as caught:
        architecture(config)
    assert caught.value.field == field
    assert field in str(caught.value)


@pytest.mark.parametrize(
    ("name", "change", "field"),
    [
        ("falcon_h1", {"mamba_d_ssm": 1000}, "mamba_d_head"), ("gemma4_text", {"num_kv_shared_layers": 30},
         "num_kv_shared_layers"), ("jamba", {"num_experts_per_tok": 99}, "num_experts_per_tok"),
        ("laguna", {"mlp_layer_types": ["sparse"]}, "mlp_layer_types"), ("gpt_oss", {"num_local_experts": None},
         "num_experts"), ("nemotron_h", {"layers_block_type": ["mamba", "odd"]}, "layers_block_type"),
    ],
)  # fmt: skip
def test_a_class_that_contradicts_itself_is_refused(name, change, field):
    with pytest.raises(ImportProblem) as caught:
        architecture({**CLASSES[name]["config"], **change}, None, False)
    assert field in caught.value.field


def test_a_missing_number_of_kv_heads_is_only_filled_where_the_class_says_so():
    old = {k: v for k, v in m.LLAMA_8B.items() if k != "num_key_value_heads"}
    found = architecture(old)
    assert found.entry["attention"][0]["kv_heads"] == 32 and any("num_key_value_heads" in said for said in found.said)
    with pytest.raises(ImportProblem, match="num_key_value_heads"):
        architecture({**old, "model_type": "qwen3"})


def test_what_the_weights_are_stored_in():
    assert architecture(m.LLAMA_8B).format["type"] == "bf16"
    block = architecture(
        {**m.QWEN3_32B, "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
    )
    assert block.format["type"] == "e4m3" and 8 < block.format["tensors"]["mlp"] < 8.01
    assert block.format["tensors"]["head"] == block.format["tensors"]["embeddings"] == 16
    # half of the layers keep attention in 16 bits
    ignored = [f"model.layers.{i}.self_attn*" for i in range(32)]
    mixed = architecture(
        {**m.QWEN3_32B, "quantization_config": {"quant_algo": "NVFP4", "ignore": ["lm_head", *ignored]}}
    )
    assert mixed.format["tensors"]["attention"] == pytest.approx((16 + 4.5) / 2)
    beside = architecture(m.LLAMA_8B, {"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}})
    assert beside.format["family"] == "fp8" and beside.kv == "fp8"
    experts = architecture(m.GPT_OSS_120B)
    bits = experts.format["tensors"]
    assert bits["attention"] == 16 and bits["experts"] == pytest.approx(4.254, abs=0.001)
    size = sum(g["params"] * bits[g["group"]] / 8 for g in experts.entry["groups"])
    assert size == pytest.approx(65_248_815_744, rel=1e-4)  # the published files
    grouped = {**m.LLAMA_8B, "quantization": {"bits": 4, "group_size": 32}}
    assert architecture(grouped).format["bits"] == 5


@pytest.mark.parametrize(
    "named", ["mtp*", "mtp.layers.0*", "re:^mtp.*", "model.layers.64*", "mtp.layers.0.mlp.experts.3.up_proj"]
)
def test_a_list_for_the_prediction_layer_is_not_for_the_layers_of_the_model(named):
    """Published lists of what stays in 16 bits name the layer that predicts further tokens by the same words."""
    quantized = {**m.QWEN3_32B, "quantization_config": {"quant_algo": "NVFP4", "ignore": ["lm_head", named]}}
    bits = architecture(quantized).format["tensors"]
    assert bits["mtp"] == 16 and bits["mlp"] == bits["attention"] == 4.5


def test_a_part_of_the_prediction_layer_says_nothing_about_all_of_it():
    section = {"quant_method": "fp8", "weight_block_size": [128, 128], "ignore": ["mtp.fc", "model.layers.64.eh_proj"]}
    assert "mtp" not in architecture({**m.QWEN3_32B, "quantization_config": section}).format["tensors"]


@pytest.mark.parametrize(
    "tower", ["visual.blocks.0.mlp.up_proj", "model.vision_tower.encoder.layers.0.self_attn.q_proj"]
)
def test_a_list_for_the_image_tower_is_not_for_the_layers_of_the_model(tower):
    section = {"quant_algo": "NVFP4", "ignore": [tower, "audio_tower.layers.0.self_attn.q_proj"]}
    bits = architecture({**m.QWEN3_32B, "quantization_config": section}).format["tensors"]
    assert bits["mlp"] == bits["attention"] == 4.5


def test_experts_quantized_once_more_leave_the_rest_as_it_was():
    """Attention that the list leaves out stays in the 8 bits of the file it was made from."""
    section = {
        "quant_method": "fp8", "weight_block_size": [128, 128], "quant_algo": "MIXED_PRECISION",
        "moe_quant_algo": "NVFP4", "group_size": 16, "ignore": ["*.attn.*", "*.ffn.shared_experts.*", "head", "mtp.*"],
        "quantized_layers": {"layers.0.ffn.experts": {"quant_algo": "NVFP4", "group_size": 16}},
    }  # fmt: skip
    made = architecture({**m.DEEPSEEK_V3, "quantization_config": section}).format
    assert made["family"] == "nvfp4" and made["tensors"]["experts"] == 4.5 and made["tensors"]["head"] == 16
    assert 8 < made["tensors"]["attention"] < 8.01 and 8 < made["tensors"]["shared-experts"] < 8.01


def test_an_index_of_safetensors():
    index = {"metadata": {"total_size": 100}, "weight_map": {"a": "one", "b": "two", "c": "one"}}
    assert read_index(index) == (100, ("one", "two"), 3)
    assert read_index({"weight_map": {"a": "one"}}).bytes is None
    for wrong in ([], {}, {"weight_map": {"a": 1}}, {"weight_map": {"a": "x"}, "metadata": {"total_size": -1}}):
        with pytest.raises(ImportProblem):
            read_index(wrong)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**13), 10**13), st.floats(), st.text(max_size=6),
    st.lists(st.one_of(st.integers(-5, 70), st.text(max_size=4), st.none()), max_size=5),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)  # fmt: skip


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_broken_configs_are_refused_or_whole_never_a_crash(data):
    config = copy.deepcopy(data.draw(st.sampled_from([m.ALL[name] for name in sorted(m.ALL)])))
    part = config.get("text_config", config)
    for _ in range(data.draw(st.integers(1, 3))):
        key = data.draw(
            st.sampled_from(sorted({*part, *config, "quantization_config", "sliding_window", "layer_types"}))
        )
        target = part if key in part else config
        if data.draw(st.booleans()):
            target.pop(key, None)
        else:
            target[key] = data.draw(VALUES)
    try:
        entry = architecture(config).entry
    except ImportProblem as problem:
        assert problem.field
        return
    assert sum(g["layers"] for g in entry["attention"]) == entry["layers"]
    assert all(isinstance(g["params"], int) and g["params"] > 0 for g in entry["groups"])
    assert kv.build(entry, "f16", 1, PLAIN).bytes(1000) >= 0


@settings(max_examples=100, deadline=None)
@given(st.recursive(VALUES, lambda inner: st.dictionaries(st.text(max_size=8), inner, max_size=4), max_leaves=12))
def test_anything_that_json_can_say_is_refused_in_words(value):
    with pytest.raises(ImportProblem):
        architecture(value)


@pytest.mark.parametrize("layers", ["45", [45, 45], {"is": 45}])
def test_what_is_no_number_in_a_tower_is_not_repeated_as_often_as_it_is_wide(layers):
    part = {"model_type": "intern_vit_6b", "hidden_size": 3200, "intermediate_size": 12800, "image_size": 448}
    part |= {"patch_size": 14, "num_hidden_layers": layers}
    file = {"model_type": "internvl_chat", "downsample_ratio": 0.5, "vision_config": part}
    assert towers.vision(file, 8192) == (0, towers.ENCODER)
    assert towers.vision({**file, "vision_config": {**part, "num_hidden_layers": 45}}, 8192)[0] > 5_000_000_000
