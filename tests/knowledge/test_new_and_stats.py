"""Templates made from the schemas, re-readings of sources, shelf lives and the coverage table."""

from __future__ import annotations

import pytest
from samples import BASE

from knowledge import coverage, kinds, new, shelf, stats
from knowledge.__main__ import main
from knowledge.lint.k007_schema_line import schema_line
from knowledge.load import load
from knowledge.validate import problems
from knowledge.yaml12 import parse


@pytest.mark.parametrize("kind", sorted(kinds.FOLDERS))
def test_a_template_has_every_field_with_its_description(kind: str) -> None:
    text = new.template(kind, "2026-11-30")
    parsed = parse(text)
    assert not parsed.problems
    assert text.split("\n")[0] == schema_line(kind)
    field = kinds.schema(kind)
    assert list(parsed.data) == [key for key in field["properties"] if key in field["required"]]
    for key in field["properties"]:
        assert f"\n{key}:" in text or f"\n# {key}:" in text
    for key in set(field["properties"]) - set(field["required"]):
        assert f"\n# {key}:" in text, f"{key} is optional and has to be a comment"
    # only what has to be filled in is wrong with it: no unknown and no missing key at the top
    assert not [p for p in problems(kind, parsed.data) if p.code in ("K011", "K012") and len(p.path) <= 1]


def test_the_command_writes_a_template_to_its_place_once(tree, capsys) -> None:
    root = tree(BASE)
    arguments = ["--root", str(root), "new", "rule", "start-sglang"]
    file = root / "rules" / "start-sglang.yml"
    assert main([*arguments, "--print"]) == 0
    assert capsys.readouterr().out == new.template("rule")
    assert not file.exists()
    assert main(arguments) == 0
    assert file.read_text() == new.template("rule")
    assert str(file) in capsys.readouterr().out
    file.write_text("mine")
    assert main(arguments) == 2
    assert file.read_text() == "mine"
    assert main(["--root", str(root), "new", "rule", "../Start"]) == 2
    assert not (root / "Start.yml").exists()
    assert main(["--root", str(root), "new", "motor", "x"]) == 2
    assert "engine" in capsys.readouterr().err


def test_a_re_reading_keeps_the_page_and_nothing_that_ages(tree, capsys) -> None:
    root = tree(BASE)
    assert main(["--root", str(root), "new", "source", "vllm-readme-2026-12", "--like", "vllm-readme"]) == 0
    printed = capsys.readouterr().out
    assert "knowledge/sources/vllm.yml" in printed.split("\n")[0]
    data = parse("readings:\n" + printed).data["readings"]["vllm-readme-2026-12"]
    assert {key: data[key] for key in ("url", "title", "kind")} == {
        "url": "https://github.com/v/v/blob/v1.0/README.md", "title": "Readme", "kind": "code"
    }  # fmt: skip
    assert set(data) == {"url", "title", "kind", "read"}
    assert main(["--root", str(root), "new", "source", "x", "--like", "nothing"]) == 2


def test_shelf_life_covers_every_kind_of_source() -> None:
    field = kinds.schema("source")["properties"]["readings"]["additionalProperties"]["properties"]["kind"]
    assert set(shelf.SHELF_LIFE_DAYS) == set(field["enum"])


@pytest.mark.parametrize(
    ("kind", "read", "today", "late"),
    [
        ("code", "2026-06-03", "2026-11-30", False),  # 180 days
        ("code", "2026-06-02", "2026-11-30", True),  # 181 days
        ("measurement", "2025-06-08", "2026-11-30", False),  # 540 days
        ("measurement", "2025-06-07", "2026-11-30", True),
        ("paper", "2017-06", "2026-11-30", False),
        ("article", "2025", "2026-11-30", True),
    ],
)
def test_overdue_on_the_day_after_its_life(kind: str, read: str, today: str, late: bool) -> None:
    assert shelf.overdue(kind, read, today) is late
    assert shelf.end_of_life("code", "2026-06-02").isoformat() == "2026-11-30"


def test_coverage_table(tree, capsys) -> None:
    root = tree(BASE)
    rows = {row.folder: row for row in stats.rows(load(root), "2026-11-30")}
    engines, texts, everything = rows["engines"], rows["text"], rows["all"]
    assert (engines.entries, engines.texts, engines.translated) == (1, 4, {"vi": 4, "ru": 3})
    assert (engines.sourced, engines.readings, engines.overdue) == (6, 2, 0)
    assert (texts.texts, texts.translated) == (2, {"vi": 1, "ru": 1})
    assert everything.entries == len(BASE)
    assert rows["devices"].entries == 0
    assert stats.rows(load(root), "2027-05-20")[0].overdue == 1  # read 2026-11-20, 180 days
    main(["--root", str(root), "stats", "--today", "2026-11-30"])
    table = capsys.readouterr().out.splitlines()
    assert table[0].split()[:4] == ["kind", "entries", "texts", "vi"]
    assert next(line for line in table if line.startswith("engines")).split()[:5] == ["engines", "1", "4", "100", "%"]


def test_coverage_counts_fields_sources_and_own_pages(tree) -> None:
    knowledge = load(tree(BASE))
    fields = {field.name: field for field in coverage.fields(knowledge, "engine")}
    assert fields["name"].filled == fields["name"].entries == 1
    assert fields["modes"].filled == 0
    assert sum(field.sourced for field in fields.values()) == coverage.own(knowledge).whole
    assert set(coverage.sources(knowledge)["engines"]) <= set(shelf.SHELF_LIFE_DAYS)
    assert coverage.fresh(knowledge, "2026-11-30").share == 1
    assert coverage.fresh(knowledge, "2040-01-01").part == 0


def test_most_facts_of_engines_are_the_projects_own_and_fresh() -> None:
    knowledge = load(None)
    own, fresh = coverage.own(knowledge), coverage.fresh(knowledge, knowledge_day(knowledge))
    assert own.whole > 2000 and own.share >= 0.8
    assert fresh.share >= 0.95


def knowledge_day(knowledge) -> str:
    """The newest day of the base, so that the test does not age by itself."""
    from knowledge.bundle import date_of

    return date_of(knowledge)
