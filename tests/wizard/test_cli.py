"""which-engine: the same decision on the command line, with messages that say what to change."""

import io
import json
import os
import subprocess
import sys

import pytest

from wizard import cli
from wizard.decide import decide
from wizard.decision import to_json

from .conftest import TODAY

YAML = "devices: [{device: RTX 3090, count: 2}]\nmodel: Qwen/Qwen3-32B\nserving: team\n"
DATA = {"devices": [{"device": "RTX 3090", "count": 2}], "model": "Qwen/Qwen3-32B", "serving": "team"}


@pytest.fixture(autouse=True)
def knowledge_once(bundle, monkeypatch):
    monkeypatch.setattr(cli, "_knowledge", lambda: bundle)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run `decide` on a text; "-" reads it from standard input. Returns (code, out, err)."""

    def call(text, *options, name="situation.yml"):
        if name == "-":
            monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        else:
            file = tmp_path / name
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            name = str(file)
        code = cli.main(["decide", name, "--today", TODAY, *options])
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


@pytest.mark.parametrize("name", ["situation.yml", "-"])
@pytest.mark.parametrize("text", [YAML, json.dumps(DATA), json.dumps(DATA, indent="\t"), "\ufeff" + YAML])
def test_yaml_and_json_from_a_file_or_standard_input(run, text, name):
    code, out, err = run(text, name=name)
    assert (code, err) == (0, "")
    assert out.startswith("# Start with vLLM")


def test_json_is_the_decision_byte_for_byte(run, kb):
    code, out, _ = run(YAML, "--json")
    assert code == 0
    assert out == to_json(decide(DATA, kb, TODAY)) + "\n"


@pytest.mark.parametrize(("lang", "words"), [("en", "Start with"), ("vi", "Bắt đầu với"), ("ru", "Начните с")])
def test_in_each_language(run, lang, words):
    code, out, _ = run(YAML, "--lang", lang)
    assert code == 0 and words in out.split("\n")[0]


def test_what_if_adds_verified_fixes_and_changes(run):
    found = json.loads(run(YAML, "--json", "--what-if")[1])
    assert found["would_change"] and any(r["fix_verified"] for r in found["rejected"])
    assert json.loads(run(YAML, "--json")[1])["would_change"] == []


def test_what_was_not_understood_is_told_and_the_rest_is_answered(run):
    code, out, err = run(
        "devices: [{device: RTX 3090x, count: 2}, rtx-4090]\nmodel: Qwen3-33B\nserving: everyone\ncolour: blue\n"
    )
    assert code == 1 and out.startswith("# Start with")
    lines = err.strip().split("\n")
    assert all(line.startswith("which-engine: ") for line in lines)
    assert any("RTX 3090x" in line and "GeForce RTX 3090" in line for line in lines)
    assert any("Qwen3-33B" in line and "Qwen3-32B" in line for line in lines)
    assert any("everyone" in line and "team" in line for line in lines), "the possible answers are named"
    assert any("colour" in line for line in lines)


def test_problems_are_told_in_the_language_asked_for(run):
    err = run("devices: [rtx-4090]\nserving: everyone\n", "--lang", "ru")[2]
    assert "everyone" in err and any("а" <= letter <= "я" for letter in err)


def test_without_hardware_there_is_an_answer_that_asks_for_it(run):
    code, out, err = run("model: qwen3-32b\n")
    assert code == 1 and out and "hardware" in err.lower()


@pytest.mark.parametrize("text", ["", "42\n", "[1, 2]\n", "just words\n", "null\n"])
def test_what_is_no_situation_is_said(run, text):
    code, _, err = run(text)
    assert code == 1 and "named fields" in err


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("devices: [rtx-4090\nmodel: x\n", "line 2, column 6", "expected"),
        ("model: a\nmodel: b\n", "line 2, column 1", "model already stands on line 1"),
        ("a: &x [1]\nb: *x\n", "line 1, column 4", "an anchor"),
        ('devices: !!python/object/apply:os.system ["true"]\n', "line 1, column 10", "a tag"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1", "a second document"),
        ("devices:\n\t- rtx-4090\n", "line 2", ""),
        ('{"devices": ["rtx-4090"', "line", ""),
    ],
)
def test_broken_text_is_told_with_line_and_column(run, text, where, what):
    code, out, err = run(text)
    assert (code, out) == (2, "")
    assert where in err and what in err and err.startswith("which-engine: ") and err.count("\n") == 1


def test_a_file_that_cannot_be_read(run, capsys, tmp_path):
    assert cli.main(["decide", str(tmp_path / "nowhere.yml")]) == 2
    assert "nowhere.yml: cannot be read: No such file" in capsys.readouterr().err
    assert cli.main(["decide", str(tmp_path)]) == 2
    assert "cannot be read" in capsys.readouterr().err
    code, _, err = run(b"devices: [\xff\xfe]")
    assert code == 2 and "not UTF-8 text" in err


@pytest.mark.parametrize(
    "argv", [[], ["decide"], ["invent", "x"], ["decide", "-", "--lang", "fr"], ["decide", "-", "--today", "soon"]]
)
def test_misuse_ends_with_two_and_says_how(argv, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(argv)
    assert ended.value.code == 2
    err = capsys.readouterr().err
    # what is wrong, and where all options are told: two lines, not the whole usage
    assert err.startswith("which-engine: ") and err.count("\n") == 2 and "--help" in err


@pytest.mark.skipif(os.name == "nt", reason="pipes of a POSIX shell")
def test_a_reader_that_closes_early_meets_no_traceback(tmp_path):
    file = tmp_path / "s.yml"
    file.write_text(YAML)
    command = f'"{sys.executable}" -m wizard decide "{file}" | head -n 1'
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "# Start with vLLM\n"
    assert done.stderr == ""


def test_a_device_is_called_in_the_language_inside_sentences_too(run):
    phone = "devices: [{device: Snapdragon 8 Elite phone}]\nmodel: Llama-3.2-3B\nserving: app\n"
    for lang, name in (("ru", "Телефон на Snapdragon 8 Elite"), ("vi", "Điện thoại Snapdragon 8 Elite")):
        out = run(phone, "--lang", lang)[1]
        assert out.count(name) > 1
        assert "Elite phone" not in out


def test_an_encoder_is_not_told_that_no_request_goes_in(run):
    out = run("devices: [{device: L4}]\nmodel: bge-m3\nserving: customers\n")[1]
    assert "You ask for" not in out


def test_a_name_of_several_devices_says_which_was_taken(run):
    code, _, err = run("devices: [{device: H100, count: 2}]\nmodel: qwen3-32b\n")
    assert code == 0 and "H100 is taken as H100 SXM" in err and "H100 PCIe" in err
    assert run("devices: [2x RTX 3090, h100-sxm]\nmodel: qwen3-32b\n")[2] == ""


def test_marks_that_steer_a_terminal_do_not_reach_it(run):
    code, out, err = run('devices: ["\\e[31mRTX 4090"]\nmodel: "\\e[2Jx\\x9b"\nserving: "\\u202eself"\n')
    assert code == 1 and not {"\x1b", "\x9b", "\u202e"} & set(out + err) and "\\x1b" in err
