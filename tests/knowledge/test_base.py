"""The real base: nothing blocks, every file is in its one form, a check reads only what changed."""

from __future__ import annotations

from knowledge import check, format, kinds, report
from knowledge.load import load, read


def test_nothing_in_the_base_is_an_error() -> None:
    result = check.run()
    result.findings = [finding for finding in result.findings if finding.level == "error"]
    assert result.ok, "\n" + report.terminal(result)


def test_every_file_is_formatted_and_every_translation_recorded() -> None:
    assert format.run(check=True) == [], "run: python -m knowledge format"


def test_formatting_the_base_changes_no_value() -> None:
    for file in load().files.values():
        once = format.formatted(file)
        if once == file.text:
            continue
        again = read(file.name.partition("/")[2], file.name, once.encode())
        assert again.data == file.data, file.name
        assert format.formatted(again) == once, file.name
        assert comments(once) == comments(file.text), file.name


def comments(text: str) -> list[str]:
    return sorted(line.strip() for line in text.split("\n") if line.lstrip().startswith("#"))


def test_a_second_check_reads_nothing_again_and_finds_the_same(tmp_path) -> None:
    """How long that takes is what `make bench` prints."""
    cold, warm = (check.run(kinds.ROOT, cache=tmp_path / "k.pickle") for _ in range(2))
    assert (cold.cached, warm.cached) == (0, warm.files)
    assert warm.findings == cold.findings
