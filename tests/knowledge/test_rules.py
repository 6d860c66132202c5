"""Every rule of the check finds what its bad fixture marks, at that line, and nothing else in it.

A fixture is a small base under `fixtures/<code>/`; a line that must be found ends in `# <CODE>`, once
for each finding there.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from knowledge import check, deep, translations
from knowledge.lint import BY_CODE, RULES, World
from knowledge.load import load
from knowledge.translations import digest

FIXTURES = Path(__file__).parent / "fixtures"
TODAY = "2026-11-30"
# rules whose findings do not lie in a line of a YAML file
ELSEWHERE = {"K307": {("k307/translations/engines.lock", 1): 1}}


def marked(code: str) -> Counter[tuple[str, int]]:
    """Places that the fixture says must be found."""
    places: Counter[tuple[str, int]] = Counter(ELSEWHERE.get(code, {}))
    root = FIXTURES / code.lower()
    for file in root.rglob("*.y*ml"):
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            count = len(re.findall(rf"\b{code}\b", line.partition("# ")[2] if "# K" in line else ""))
            if count:
                places[f"{root.name}/{file.relative_to(root).as_posix()}", number] += count
    return places


def world(code: str) -> World:
    root = FIXTURES / code.lower()
    made = World(load(root), TODAY, translations.read(root))
    if (root / "deep.json").exists():  # what deciding a grid of situations would have shown
        shown = json.loads((root / "deep.json").read_text())
        made.deep = deep.Result(**shown | {"ties": {(a, b): where for a, b, where in shown.get("ties", ())}})
    return made


@pytest.mark.parametrize("code", sorted(BY_CODE))
def test_rule_finds_what_its_fixture_marks(code: str) -> None:
    expected = marked(code)
    assert expected, f"the fixture of {code} marks nothing"
    found = check.findings_of(world(code), [BY_CODE[code]])
    assert Counter((f.place.file, f.place.line) for f in found) == expected
    assert {f.code for f in found} == {code}
    assert {f.level for f in found} == {BY_CODE[code].level}
    for finding in found:
        assert finding.message and finding.why, finding
        assert finding.fix or finding.nearest, f"{finding.place} leaves no way out"


def test_every_fixture_belongs_to_a_rule() -> None:
    assert {folder.name for folder in FIXTURES.iterdir()} == {code.lower() for code in BY_CODE}


def test_rules_are_told_apart_and_explained() -> None:
    assert [rule.code for rule in RULES] == sorted(BY_CODE)
    for rule in RULES:
        assert rule.level in ("error", "question")
        assert rule.why and rule.fix and rule.bad and rule.good, rule.code
        assert rule.name[0].islower() and not rule.name.endswith("."), rule.code


def nearest_of(code: str) -> dict[str, str | None]:
    return {f.message: f.nearest for f in check.findings_of(world(code), [BY_CODE[code]])}


def test_nearest_valid_words_are_offered() -> None:
    assert nearest_of("K101") == {
        'no source has the reading "vllm-instal-gpu"': "vllm-install-gpu",
        'no source has the reading "nowhere-page"': None,
    }
    assert nearest_of("K201")['there is no family "production-servin"'] == "production-serving"
    assert nearest_of("K402")['there is no entry "engine/vllm"'] == "engines/vllm"
    assert nearest_of("K206")['"nvida" is no value of device.vendor'] == "nvidia"
    assert nearest_of("K005") == {'"Qwen3_32B" is no id': "qwen3-32b"}
    near = {f.nearest for f in check.findings_of(world("K204"), [BY_CODE["K204"]])}
    assert "device.compute_capability" in near


def test_a_number_that_should_be_a_version_is_quoted_as_written() -> None:
    finding = next(f for f in check.findings_of(world("K014"), [BY_CODE["K014"]]) if "stable" in f.message)
    assert finding.nearest == '"0.33"'
    assert finding.edit and finding.edit.new == '"0.33"'


def test_an_unreadable_file_is_one_finding_not_many() -> None:
    # broken-entry.yml cannot be parsed, and what names it is not reported as dangling
    messages = [f.message for f in check.findings_of(world("K201"), [BY_CODE["K201"]])]
    assert not any("broken-entry" in message for message in messages)


def test_a_reading_of_a_broken_publisher_is_not_reported_as_missing(tree) -> None:
    root = tree(
        {
            "sources/vllm.yml": "name: [vLLM\n",
            "engines/x.yml": "licence: {is: MIT, source: [vllm-readme, other-readme]}\n",
        }
    )
    found = check.findings_of(World(load(root), TODAY), [BY_CODE["K101"]])
    assert [f.message for f in found] == ['no source has the reading "other-readme"']


def test_only_slips_are_corrected_without_a_person() -> None:
    edits = {f.message: f.edit for f in check.findings_of(world("K203"), [BY_CODE["K203"]])}
    assert edits['nobody would know the device "rtx-3099"'] is None
    edits = {f.message: f.edit for f in check.findings_of(world("K201"), [BY_CODE["K201"]])}
    assert edits['there is no family "production-servin"'] is not None


def test_a_translation_that_moved_in_a_list_keeps_its_english() -> None:
    lock = translations.read(FIXTURES / "k306")["engines"]
    # recorded at position 0, found at position 1: still known, still outdated
    words = digest("Bản dịch cũ.")
    assert lock.knows("engines.moved.cautions.1.text", "vi", words)
    assert lock.outdated("engines.moved.cautions.1.text", "vi", digest("The English has changed."), words)
