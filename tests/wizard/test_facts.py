"""Facts: cards, own devices, what follows from the model, and values of conditions."""

import pytest

from wizard.shapes import GIB

from .small import base, device, facts, model


@pytest.fixture(scope="module")
def small():
    cpu = device("Chip", "x86-64", 256, kind="cpu", vendor="intel", backends=["cpu"], instructions=["avx2"])
    cpu["compute_capability"] = None
    two_sizes = device("Two sizes", "sm_80", 40)
    two_sizes["memory"] = {"options": [40, 80], "unified": False, "reported_mib": {"is": 81_000, "source": "s"}}
    return base(
        devices={"chip": cpu, "two": two_sizes},
        models={
            "published-in-four": model(20, checkpoints=[
                {"format": "four", "type": "g128", "repository": "maker/model", "official": True},
                {"format": "sixteen", "type": "bf16", "repository": "someone/else", "official": False},
            ]),
            "hybrid": model(30, attention=[
                {"kind": "full", "layers": 8, "kv_heads": 8, "head_dim": 128},
                {"kind": "mamba", "layers": 24, "state": {}},
            ]),
        },
    )  # fmt: skip


def test_cards_are_numbered_through_all_kinds(small):
    f = facts(small, devices=[{"device": "card", "count": 2}, {"device": "big", "count": 1}])
    assert [(c.device, c.index) for c in f.cards] == [("card", 0), ("card", 1), ("big", 2)]
    assert [(k.device, [c.index for c in cards]) for k, cards in f.groups] == [("card", [0, 1]), ("big", [2])]
    assert f.value("hardware.kinds") == 2
    assert f.value("hardware.total_gib") == 24 * 2 + 80


def test_the_reported_size_counts_for_the_size_it_was_read_on(small):
    large = facts(small, devices=[{"device": "two", "memory_gib": 80}]).cards[0].memory_bytes
    assert large == 81_000 * 1024**2
    assert facts(small, devices=[{"device": "two", "memory_gib": 40}]).cards[0].memory_bytes == 40 * GIB


def test_one_device_in_two_sizes_is_two_kinds(small):
    f = facts(small, devices=[{"device": "two", "memory_gib": 80}, {"device": "two", "memory_gib": 40}])
    assert [len(cards) for _, cards in f.groups] == [1, 1]
    assert f.cards[0].memory_bytes != f.cards[1].memory_bytes


def test_a_processor_is_one_pool_of_system_memory_however_many_sockets(small):
    f = facts(small, devices=[{"device": "chip", "count": 2}], host={"ram_gib": 96})
    assert [c.memory_bytes for c in f.cards] == [96 * GIB]
    assert f.value("host.instructions") == ("avx2",)


def test_instructions_are_unknown_when_no_processor_was_named(small):
    f = facts(small)
    assert f.value("host.instructions") is None
    assert f.check({"host.instructions": "avx2"}, f.kinds).value is None


def test_free_memory_is_known_of_every_card(small):
    f = facts(small, devices=[{"device": "card", "count": 2}], host={"free_vram_gib": 20.5})
    assert {c.free_bytes for c in f.cards} == {round(20.5 * GIB)}


def test_own_devices_keep_apart(small):
    own = [{"custom": {"memory_gib": 8, "arch": "sm_86"}}, {"custom": {"memory_gib": 16, "arch": "gfx906"}}]
    f = facts(small, devices=own)
    assert [k.device for k in f.kinds] == ["custom", "custom-2"]
    assert [k.entry["vendor"] for k in f.kinds] == ["nvidia", "amd"]
    assert f.kinds[0].entry["compute_capability"] == "8.6"
    assert f.kinds[0].entry["backends"] == ["cuda", "vulkan"]  # what known cards of the maker offer
    assert f.kinds[1].entry["backends"] is None  # no such card is known here


@pytest.mark.parametrize(
    ("arch", "capability"), [("sm_86", "8.6"), ("sm_120", "12.0"), ("sm_", None), ("gfx942", None)]
)
def test_compute_capability_follows_from_the_architecture(small, arch, capability):
    f = facts(small, devices=[{"custom": {"memory_gib": 8, "arch": arch, "vendor": "nvidia"}}])
    assert f.device_value(f.kinds[0], "device.compute_capability") == capability


def test_another_maker_has_no_compute_capability_and_that_is_known(small):
    f = facts(small, devices=[{"custom": {"memory_gib": 8, "vendor": "intel"}}])
    assert f.check({"device.compute_capability": ">=7.5"}, f.kinds).value is False


def test_a_condition_must_hold_on_every_kind(small):
    f = facts(small, devices=[{"device": "card", "count": 1}, {"device": "big", "count": 1}])
    assert f.check({"device.compute_capability": ">=8.0"}, f.kinds).value is True
    result = f.check({"device.compute_capability": ">=9.0"}, f.kinds)
    assert result.value is False
    assert [c.yours for c in result.failed] == ["8.6"]
    assert f.check({"device.arch": "sm_90"}, f.kinds[1:]).value is True


def test_values_of_the_model(small):
    f = facts(small)
    assert f.value("model.kind") == "dense"
    assert f.value("model.params_b") == 8
    assert f.value("model.hybrid") is False
    assert facts(small, model="hybrid").value("model.hybrid") is True
    nothing = facts(small, model=None)
    assert nothing.value("model.known") is False
    assert nothing.value("model.kind") is None


def test_native_bits_are_those_of_the_makers(small):
    assert facts(small).value("model.native_bits") == 16
    assert facts(small, model="published-in-four").value("model.native_bits") == 4.25
    assert facts(small, model={"params_b": 13}).value("model.native_bits") == 16


def test_larger_than_the_devices_even_in_four_bits(small):
    assert facts(small).value("model.exceeds_devices") is False
    huge = facts(small, model={"params_b": 70})
    assert huge.value("model.exceeds_devices") is True  # 35 GB in four bits, 24 GiB of memory
    two = facts(small, model={"params_b": 70}, devices=[{"device": "card", "count": 2}])
    assert two.value("model.exceeds_devices") is False
    assert facts(small, model={"params_b": 70}, nodes=2).value("model.exceeds_devices") is False
    assert facts(small, model={"params_b": 700}, devices=["chip"]).value("model.exceeds_devices") is False
