"""Outputs of system tools to the hardware of a Situation: devices, counts, free memory, links, RAM, OS."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from knowledge.bundle import load_for_cli
from tests.fuzz import pastes as fuzz
from wizard import cli
from wizard.importers import hardware
from wizard.importers.hardware import match

from . import pastes as p

CASES = 2_000


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (p.NVIDIA_SMI, {"devices": "2*rtx-3090", "host.free_vram_gib": "23.4"}),
        (p.NVIDIA_SMI_CUT, {"devices": "1*v100", "host.free_vram_gib": "31.7"}),
        (p.NVIDIA_SMI_WINDOWS, {"devices": "1*rtx-4090", "host.os": "windows", "host.free_vram_gib": "22.4"}),
        (p.NVIDIA_LIST, {"devices": "2*h100-sxm"}),
        (p.NVIDIA_QUERY, {"devices": "1*rtx-a6000", "host.free_vram_gib": "27.8"}),
        (p.NVIDIA_CSV, {"devices": "2*rtx-5090", "host.free_vram_gib": "30.4"}),
        (p.AMD_SMI, {"devices": "2*mi300x", "host.free_vram_gib": "191.7"}),
        (p.AMD_STATIC, {"devices": "1*mi350x"}),
        (p.MAC, {"devices": "1*m4-max-32-core", "host.os": "macos", "host.arch": "aarch64"}),
        (p.LSCPU, {"devices": "1*xeon-platinum-8480", "host.os": "linux", "host.arch": "x86_64"}),
        (p.FREE, {"host.os": "linux", "host.ram_gib": "125.7"}),
        (p.FREE_HUMAN, {"host.os": "linux", "host.ram_gib": "62"}),
        (p.LSPCI, {"devices": "1*rtx-3090,1*arc-a770", "host.os": "linux"}),
        (
            p.CIM,
            {
                "devices": "1*rtx-4070-ti-super", "host.os": "windows", "host.ram_gib": "63.7",
                "host.cpu": "core-i7-13700k",
            },
        ),
        (p.SYSTEMINFO, {"host.os": "windows", "host.arch": "x86_64", "host.ram_gib": "63.7"}),
        (p.SYSTEMINFO_RU, {"host.os": "windows", "host.arch": "x86_64", "host.ram_gib": "31.8"}),
    ],
)  # fmt: skip
def test_each_output_by_itself(kb, text, fields):
    found = hardware.read(text, kb)
    assert found["fields"] == fields
    assert found["unread"] == []


def test_outputs_that_follow_each_other_complete_each_other(kb):
    found = hardware.read(p.ROCM_SMI + p.ROCM_MEMORY + p.LSCPU + p.FREE, kb)
    assert found["fields"] == {
        "devices": "1*rx-7900-xtx", "host.os": "linux", "host.arch": "x86_64", "host.ram_gib": "125.7",
        "host.cpu": "xeon-platinum-8480", "host.free_vram_gib": "23.4",
    }  # fmt: skip
    assert found["tools"] == ["rocm-smi", "lscpu", "free"]
    assert found["unread"] == []
    # two views of the same cards are one set of cards
    twice = hardware.read(p.NVIDIA_SMI + p.LSPCI.replace("0a:00.0", "0a:00.1"), kb)
    assert twice["fields"]["devices"].startswith("2*rtx-3090")
    assert twice["notes"][0]["id"] == "fewer"


def test_one_number_of_several_cards_needs_their_memory(kb):
    found = hardware.read(p.ROCM_SMI, kb)
    assert found["devices"] == [] and [note["id"] for note in found["notes"]] == ["several-names"]


@pytest.mark.parametrize(
    ("cards", "kind", "within"),
    [(2, "NV4", "nvlink"), (4, "NV6", "nvlink"), (8, "NV18", "nvswitch"), (8, "NV12", "nvswitch"), (2, "PHB", "pcie")],
)
def test_links_between_cards(kb, cards, kind, within):
    names = "".join(f"GPU {n}: NVIDIA H100 80GB HBM3 (UUID: GPU-{n})\n" for n in range(cards))
    assert hardware.read(names + p.topo(cards, kind), kb)["links"] == {"within": within}


def test_bridges_between_some_cards_count_as_the_slowest_pair(kb):
    names = "".join(f"GPU {n}: NVIDIA GeForce RTX 3090 (UUID: GPU-{n})\n" for n in range(4))
    found = hardware.read(names + p.TOPO_BRIDGES, kb)
    assert found["links"] == {"within": "pcie"}
    assert found["notes"] == [{"id": "some-links", "params": {"pairs": "0–1, 2–3"}}]


def test_width_in_use_and_the_best_generation(kb):
    assert hardware.read(p.NVIDIA_QUERY, kb)["pcie"] == [{"count": 1, "generation": 4, "width": 8}]
    assert hardware.read(p.LSPCI, kb)["pcie"] == [{"count": 1, "generation": 4, "width": 4}]


def test_a_card_with_more_memory_than_any_known_keeps_its_other_figures(kb):
    found = hardware.read(p.NVIDIA_SMI.replace("24576MiB", "49140MiB"), kb)
    custom = found["devices"][0]["custom"]
    assert (custom["memory_gib"], custom["bandwidth_gbs"], custom["arch"]) == (48, 936.2, "sm_86")
    assert found["notes"][0]["id"] == "other-memory"


def test_an_unknown_card_is_an_own_device_and_is_told(kb):
    found = hardware.read("name, memory.total [MiB], compute_cap\nNVIDIA Frobnicator 9, 16384 MiB, 13.0\n", kb)
    assert found["devices"][0]["custom"] == {
        "name": "NVIDIA Frobnicator 9", "memory_gib": 16, "vendor": "nvidia", "compute_capability": "13.0",
        "arch": "sm_130",
    }  # fmt: skip
    assert found["notes"][0] == {"id": "own-device", "params": {"name": "NVIDIA Frobnicator 9", "gib": 16}}


def test_a_cut_name_is_told_apart_by_the_memory(kb):
    cut = p.NVIDIA_SMI_CUT.replace("Tesla V100-SXM2...", "GeForce RTX 208...")
    assert hardware.read(cut.replace("32510MiB", "11018MiB"), kb)["fields"]["devices"] == "1*rtx-2080-ti"
    # 2080 and 2080 SUPER both have 8 GiB: nothing is guessed
    assert "custom" in hardware.read(cut.replace("32510MiB", "7982MiB"), kb)["devices"][0]


def test_units_of_free(kb):
    def ram(rows, command="free"):
        text = f"{command}\n     total  used  free  shared  buff/cache  available\nMem: {rows}\n"
        return hardware.read(text, kb)["fields"].get("host.ram_gib")

    assert ram("65707000 1 2 3 4 5") == "62.6"  # KiB
    assert ram("64167 1 2 3 4 5") == "62.6"  # MiB, by its size
    assert ram("62 1 2 3 4 5") == "62"
    assert ram("67284000000 1 2 3 4 5") == "62.6"
    assert ram("2000000 1 2 3 4 5") is None  # 2 GiB in KiB, or 2 TiB in MiB
    assert ram("2000000 1 2 3 4 5", "$ free -m") == "1953.1"


def test_wsl_is_told_by_its_kernel(kb):
    line = "Linux box 5.15.167.4-microsoft-standard-WSL2 #1 SMP Tue Nov 5 x86_64 x86_64 x86_64 GNU/Linux\n"
    assert hardware.read(line + p.LSCPU, kb)["fields"]["host.os"] == "wsl2"


@pytest.mark.parametrize(
    ("printed", "id_"),
    [
        ("AMD EPYC 7742 64-Core Processor", "epyc-7742"), ("13th Gen Intel(R) Core(TM) i7-13700K", "core-i7-13700k"),
        ("Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", "xeon-e5-2690-v4"), ("Neoverse-V2", None),
        ("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", "ryzen-ai-max-395"),
        ("AMD Ryzen Threadripper PRO 5995WX 64-Cores", "threadripper-pro-5995wx"),
    ],
)  # fmt: skip
def test_processors_as_systems_print_them(kb, printed, id_):
    assert match.processor(printed, kb) == id_


def test_what_was_not_understood_is_said(kb):
    found = hardware.read("Hi, my machine:\n" + p.NVIDIA_SMI + "it is fast\n" * 30, kb)
    assert found["unread"][0] == {"line": 1, "text": "Hi, my machine:"}
    assert len(found["unread"]) + found["more"] == 31
    assert hardware.read("", kb)["fields"] == {}


@pytest.mark.parametrize(
    ("text", "fields", "unread"),
    [
        (
            "RTX 4070 Super 12GB, 32GB RAM, Ryzen 5 5600X, Windows 11",
            {"devices": "1*rtx-4070-super", "host.ram_gib": "32", "host.cpu": "ryzen-5-5600x", "host.os": "windows"},
            [],
        ),
        ("2x RTX 3090 and 128 GB DDR4, a cat", {"devices": "2*rtx-3090", "host.ram_gib": "128"}, ["a cat"]),
        ("My machine\nRTX 4090 x2", {"devices": "2*rtx-4090"}, ["My machine"]),
        ("7900 XTX, 64 ГБ ОЗУ", {"devices": "1*rx-7900-xtx", "host.ram_gib": "64"}, []),
        ("M4 Max 64GB", {"devices": "1*m4-max:64"}, []),
        ("2 RTX 3090", {"devices": "2*rtx-3090"}, []),
        (
            "I have two RTX 3090 and 64 GB RAM on Windows 11",
            {"devices": "2*rtx-3090", "host.ram_gib": "64", "host.os": "windows"},
            [],
        ),
        ("Máy tôi có 2 card RTX 3090, RAM 64 GB", {"devices": "2*rtx-3090", "host.ram_gib": "64"}, []),
        ("У меня две видеокарты RTX 3090", {"devices": "2*rtx-3090"}, []),
        ("Laptop RTX 4060 8GB", {"devices": "1*rtx-4060-laptop"}, []),
        ("one 5090 and one 3060", {"devices": "1*rtx-5090,1*rtx-3060"}, []),
        ("fan: RTX 4090", {}, ["fan: RTX 4090"]),
    ],
)  # fmt: skip
def test_a_machine_as_a_person_writes_it(kb, text, fields, unread):
    found = hardware.read(text, kb)
    assert found["fields"] == fields
    assert [line["text"] for line in found["unread"]] == unread


def test_a_paste_of_any_size_takes_little_time(kb):
    found = hardware.read("| NVIDIA-SMI 1 |\n" + p.NVIDIA_SMI * 2000, kb)
    assert found["fields"]["devices"] == "2*rtx-3090"
    assert {"id": "too-long", "params": {}} in found["notes"]


def test_mutated_outputs_never_break_it(kb):
    for text in fuzz.cases(CASES, seed=7):
        fuzz.check(text, kb)


def test_the_command_prints_a_situation_and_what_to_know(monkeypatch, capsys, tmp_path):
    file = tmp_path / "smi.txt"
    file.write_bytes(("\ufeff" + p.NVIDIA_SMI + "what?\n").encode("utf-16-le"))  # as PowerShell redirects
    assert cli.main(["hardware", str(file)]) == 1
    out, err = capsys.readouterr()
    assert out == 'devices: [{"device": "rtx-3090", "count": 2}]\nhost: {"free_vram_gib": 23.4}\n'
    assert "what?" in err
    monkeypatch.setattr(sys, "stdin", type("In", (), {"buffer": io.BytesIO(p.NVIDIA_LIST.encode())})())
    assert cli.main(["hardware", "-", "--json", "--lang", "ru"]) == 0
    assert json.loads(capsys.readouterr().out)["fields"] == {"devices": "2*h100-sxm"}
    assert cli.main(["hardware", str(tmp_path / "none")]) == 2
    capsys.readouterr()
    file.write_text("GPU \x1b[31mred\n", encoding="utf-8")
    assert cli.main(["hardware", str(file)]) == 1
    assert "\x1b" not in "".join(capsys.readouterr())


def test_every_note_has_its_sentence(kb):
    texts = load_for_cli()[1]["en"]
    for file in Path(hardware.__file__).parent.glob("*.py"):
        for id_ in re.findall(r'note\(\s*"([a-z-]+)"', file.read_text(encoding="utf-8")):
            assert f"paste.note-{id_}" in texts, id_
