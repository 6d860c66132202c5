"""The check as a whole: everything at once, three forms of output, corrections, no exception."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from samples import BASE, ENGINE, RULE

from knowledge import check, report
from knowledge.__main__ import main
from knowledge.lint import RULES, World
from knowledge.load import assemble, read
from knowledge.yaml12 import parse

TODAY = "2026-11-30"


def run(root, **more) -> check.Report:
    return check.run(root, today=TODAY, **more)


def test_the_sample_base_has_no_error(tree) -> None:
    result = run(tree(BASE))
    assert [str(f.place) + f.message for f in result.findings if f.level == "error"] == []
    assert result.ok and result.files == len(BASE)


def test_everything_is_told_in_one_run(tree) -> None:
    broken = {
        **BASE,
        "families/broken.yml": "name: [never closed\norder: 1\n",
        "engines/vllm.yml": ENGINE.replace("layer: engine", "layer: engine\nlayr: engine"),
        "rules/start-vllm.yml": RULE.replace("engine: vllm", "engine: vlm").replace("vllm-readme", "vllm-readmee"),
    }
    found = {
        (f.code, f.place.file, f.place.line, f.place.col) for f in run(tree(broken)).findings if f.level == "error"
    }
    assert found == {
        ("K001", "knowledge/families/broken.yml", 2, 6),
        ("K011", "knowledge/engines/vllm.yml", 5, 1),
        ("K201", "knowledge/rules/start-vllm.yml", 4, 9),
        ("K101", "knowledge/rules/start-vllm.yml", 8, 9),
    }


def test_a_file_that_cannot_be_read_leaves_its_sources_alone(tree) -> None:
    for text in ("name: [never closed\n", "\tname: x\n", ""):
        codes = {f.code for f in run(tree({**BASE, "engines/vllm.yml": text})).findings}
        assert "K104" not in codes and codes & {"K001", "K014"}, text


def test_a_finding_in_a_terminal(tree) -> None:
    root = tree({**BASE, "engines/vllm.yml": ENGINE.replace("compute_capability", "compute_capabilty")})
    result = run(root)
    text = report.terminal(result)
    assert text.split("\n\n")[0] == (
        "knowledge/engines/vllm.yml:12:13  error K204  unknown path in a condition\n"
        "  11      - backend: cuda\n"
        '  12        needs: {device.compute_capabilty: ">=7.5", host.os: [linux, wsl2]}\n'
        "                    ^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  13        source: vllm-install-gpu\n"
        "  why      a condition here may read device, host facts; no fact has this path, so the line would\n"
        "           never be true\n"
        "  nearest  device.compute_capability\n"
        "  fix      12:13  device.compute_capabilty → device.compute_capability     or run with --fix\n"
        "  more     docs/en/contribute/findings.md#k204"
    )
    last = text.rstrip("\n").split("\n")[-2:]
    assert re.fullmatch(r"1 error, \d+ questions? in 7 files        \d+\.\d s, 0 from cache", last[0])
    assert last[1] == "Not ready. Fix the error; a question may stay with a reason."


def test_colour_adds_nothing_but_colour(tree) -> None:
    root = tree({**BASE, "rules/start-vllm.yml": RULE.replace("engine: vllm", "engine: vlm")})
    result = run(root)
    painted = report.terminal(result, colour=True)
    assert re.sub(r"\033\[[0-9;]*m", "", painted) == report.terminal(result)
    codes = {int(n) for n in ";".join(re.findall(r"\033\[([0-9;]*)m", painted)).split(";")}
    assert codes <= {0, 1, 2, 31, 33, 36}  # of the sixteen every terminal has


def test_long_and_wide_lines_keep_the_caret_under_the_value(tree) -> None:
    filler = ", ".join(f"{{en: Chú ý số {n} — осторожно}}" for n in range(20))
    root = tree({"engines/x.yml": f"aka: [{filler}, 7]\n"})
    lines = report.terminal(run(root, rules=[r for r in RULES if r.code == "K014"])).split("\n")
    number = next(i for i, line in enumerate(lines) if "x.yml:1:" in line and "aka.20 " in line)
    shown, caret = lines[number + 1 : number + 3]
    assert shown[caret.index("^")] == "7" and caret.count("^") == 1
    assert len(shown) <= 100


def test_the_same_mistake_in_a_file_is_shown_once_with_its_places(tree) -> None:
    text = RULE.replace("source: vllm-readme", "source: [gone-page, gone-page]\nover: [x]")
    result = run(tree({**BASE, "rules/start-vllm.yml": text}))
    shown = report.terminal(result)
    assert shown.count('no source has the reading "gone-page"') == 1
    assert "  also     8:21" in shown
    assert result.count("error") == 3  # both places and the rule x


def test_many_questions_do_not_hide_errors(tree) -> None:
    texts = "".join(f"  t{n}: {{en: Text {n}}}\n" for n in range(12))
    root = tree({"text/answer.yml": "texts:\n" + texts})
    result = run(root, rules=[r for r in RULES if r.code == "K301"])
    assert result.ok and result.count("question") == 12
    short, full = report.terminal(result), report.terminal(result, every=True)
    assert short.count("  why ") == 5 and "question K301  7 more" in short
    assert full.count("  why ") == 12
    for number in range(2, 14):
        assert f"knowledge/text/answer.yml:{number}:" in short


def test_json_and_annotations_say_the_same(tree, capsys) -> None:
    root = tree({**BASE, "rules/start-vllm.yml": RULE.replace("engine: vllm", "engine: vlm")})
    assert main(["--root", str(root), "check", "--json", "--today", TODAY]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["errors"], data["files"]) == (1, 7)
    error = next(f for f in data["findings"] if f["level"] == "error")
    assert {key: error[key] for key in ("code", "file", "line", "column", "end_column", "nearest")} == {
        "code": "K201", "file": "knowledge/rules/start-vllm.yml", "nearest": "vllm",
        "line": 4, "column": 9, "end_column": 12,
    }  # fmt: skip
    assert main(["--root", str(root), "check", "--annotations", "--today", TODAY]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == len(data["findings"])
    row = next(r for r in rows if r.startswith("::error "))
    assert row.startswith(
        "::error file=knowledge/rules/start-vllm.yml,line=4,col=9,endColumn=12,title=error K201%3A there"
    )
    assert "nearest: vllm%0A" in row
    assert all(r.startswith(("::error ", "::warning ")) for r in rows)


def test_paths_limit_what_is_shown_not_what_is_known(tree, capsys) -> None:
    root = tree(
        {**BASE, "rules/start-vllm.yml": RULE.replace("engine: vllm", "engine: vlm"), "engines/y.yml": "name: Y\n"}
    )
    result = run(root, only=["knowledge/rules"])
    assert {f.place.file for f in result.findings} == {"knowledge/rules/start-vllm.yml"}
    assert result.files == 8
    assert main(["--root", str(root), "check", "--json", "--today", TODAY, str(root / "engines" / "y.yml")]) == 1
    assert {f["file"] for f in json.loads(capsys.readouterr().out)["findings"]} == {"knowledge/engines/y.yml"}


def test_fix_corrects_what_needs_no_person(tree, capsys) -> None:
    files = {
        **BASE,
        "engines/vllm.yml": ENGINE.replace("compute_capability", "compute_capabilty").replace('"1.0"', "1.0"),
        "rules/start-vllm.yml": RULE.replace("decisive", "decisve").partition("\n")[2],
        "rules/other.yml": RULE.replace("engine: vllm", "engine: rtx-3090"),
    }
    root = tree(files)
    assert main(["--root", str(root), "check", "--fix", "--json", "--today", TODAY]) == 1
    out = capsys.readouterr()
    assert out.err == "4 corrected\n"
    assert (root / "engines/vllm.yml").read_text() == ENGINE
    assert (root / "rules/start-vllm.yml").read_text() == RULE
    assert [f["code"] for f in json.loads(out.out)["findings"] if f["level"] == "error"] == ["K201"]


def test_exit_code_is_about_errors_only(tree, capsys) -> None:
    assert main(["--root", str(tree(BASE)), "check", "--today", TODAY]) == 0
    assert "Ready." in capsys.readouterr().out


def test_findings_do_not_depend_on_the_cache(tree, tmp_path) -> None:
    root = tree({**BASE, "rules/start-vllm.yml": RULE.replace("engine: vllm", "engine: vlm")})
    cold = run(root, cache=tmp_path / "k.pickle")
    warm = run(root, cache=tmp_path / "k.pickle")
    assert (cold.cached, warm.cached) == (0, 7)
    assert warm.findings == cold.findings


values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(0, 2)
    | st.sampled_from(["", "x", ">=", "{a", "2026-99", "gguf"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["is", "en", "id", "any", "not"]), inner),
    max_leaves=5,
)  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_no_entry_makes_the_check_raise(data) -> None:
    name = data.draw(st.sampled_from(sorted(BASE)))
    parsed = parse(BASE[name])
    spans = sorted(set(parsed.values.values()) - {parsed.values[()]})
    line, col, end_line, end = data.draw(st.sampled_from(spans))
    lines = BASE[name].split("\n")
    if end_line != line:
        end = len(lines[line - 1]) + 1
    value = json.dumps(data.draw(values))
    changed = [*lines[: line - 1], lines[line - 1][: col - 1] + value + lines[line - 1][end - 1 :], *lines[line:]]
    texts = {**BASE, name: "\n".join(changed)}
    files = [read(relative, f"knowledge/{relative}", text.encode()) for relative, text in texts.items()]
    knowledge = assemble(Path("knowledge"), {file.name: file for file in files})
    for finding in check.findings_of(World(knowledge, TODAY)):
        assert finding.place.line >= 1 and finding.place.end > finding.place.col
        assert report.block(finding, knowledge)
