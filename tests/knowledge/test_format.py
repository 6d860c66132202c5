"""The formatter: order of keys, nothing else changed, stable; and the locks of the translations."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import BASE, ENGINE, HEAD, RULE

from knowledge import format, kinds, translations
from knowledge.__main__ import main
from knowledge.load import load, read
from knowledge.yaml12 import parse

MIXED = (
    HEAD.format("engine")
    + """\
# about the name
name: Mixed
summary: {vi: Hai, en: One, ru: Три}
versions:
  # quoted, as always
  scheme: semver
  source: x   # where from

  stable: "1.10"
memory:
  - {tokens: 16, source: x, rule: kv-page}
  - source: y
    rule: kv-pad
    tokens: 8

# the layer
layer: engine
verdict:
  ru: >-
    Длинный
    текст
  en: |
    Long
    text
aka:
  - b
  - a
"""
)

SORTED = (
    HEAD.format("engine")
    + """\
# about the name
name: Mixed
aka:
  - b
  - a
# the layer
layer: engine
versions:
  stable: "1.10"
  # quoted, as always
  scheme: semver
  source: x   # where from

memory:
  - {rule: kv-page, tokens: 16, source: x}
  - rule: kv-pad
    tokens: 8
    source: y

summary: {en: One, vi: Hai, ru: Три}
verdict:
  en: |
    Long
    text
  ru: >-
    Длинный
    текст
"""
)


def formatted(text: str, name: str = "engines/x.yml") -> str:
    return format.formatted(read(name, f"knowledge/{name}", text.encode()))


def comments(text: str) -> list[str]:
    return sorted(line.partition("#")[2] for line in text.split("\n") if "#" in line)


def test_keys_come_in_the_order_of_the_schema() -> None:
    assert formatted(MIXED) == SORTED


def test_a_second_run_changes_nothing() -> None:
    assert formatted(SORTED) == SORTED
    for name, text in BASE.items():
        assert formatted(formatted(text, name), name) == formatted(text, name)


def test_values_and_comments_stay() -> None:
    assert parse(formatted(MIXED)).data == parse(MIXED).data
    assert comments(formatted(MIXED)) == comments(MIXED)


@pytest.mark.parametrize("text", ["name: [", "name: a\nname: b\n", "name: &x a\naka: [*x]\n", "- 1\n"])
def test_what_cannot_be_ordered_safely_is_left_alone(text: str) -> None:
    assert formatted(text) == text


def shuffled(text: str, kind: str, seed: int) -> str:
    """The entry as a person might have written it: top-level blocks in any order."""
    head, _, body = text.partition("\n")
    blocks: list[str] = []
    for line in body.rstrip("\n").split("\n"):
        if line[:1] in (" ", "-"):
            blocks[-1] += f"{line}\n"
        else:
            blocks.append(f"{line}\n")
    random.Random(seed).shuffle(blocks)
    return f"{head}\n{''.join(blocks)}"


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(BASE)), st.integers(0, 10**6))
def test_any_order_of_blocks_becomes_the_one_order(name: str, seed: int) -> None:
    kind = kinds.kind_of(name)
    once = formatted(shuffled(BASE[name], kind, seed), name)
    assert once == formatted(BASE[name], name)
    assert parse(once).data == parse(BASE[name]).data


def test_the_command_checks_and_writes(tree, capsys) -> None:
    root = tree({"engines/x.yml": MIXED, "rules/start-vllm.yml": RULE})
    arguments = ["--root", str(root), "format"]
    assert main([*arguments, "--check"]) == 1
    assert (root / "engines/x.yml").read_text() == MIXED and not (root / "translations").exists()
    assert capsys.readouterr().out.splitlines() == [
        "would change  knowledge/engines/x.yml",
        "would change  knowledge/translations/engines.lock",
        "would change  knowledge/translations/rules.lock",
    ]
    assert main(arguments) == 0
    assert (root / "engines/x.yml").read_text() == SORTED
    assert (root / "rules/start-vllm.yml").read_text() == RULE
    capsys.readouterr()
    assert main([*arguments, "--check"]) == 0
    assert capsys.readouterr().out == ""


def lock_state(root, id: str, lang: str) -> tuple[bool, bool]:
    """(recorded, outdated) of one translation as the check sees it."""
    knowledge, locks = load(root), translations.read(root)
    folder = id.split(".")[0]
    texts = translations.texts_by_id(knowledge)
    english, words = translations.digest(texts[id]["en"]), translations.digest(texts[id][lang])
    return locks[folder].knows(id, lang, words), locks[folder].outdated(id, lang, english, words)


def test_life_of_a_translation(tree, capsys) -> None:
    root = tree({"engines/vllm.yml": ENGINE})
    id = "engines.vllm.summary"
    main(["--root", str(root), "format"])
    assert lock_state(root, id, "vi") == (True, False)

    # the English changes, the others do not: outdated, and the formatter does not hide it
    newer = ENGINE.replace("A server.", "A fast server.")
    tree({"engines/vllm.yml": newer})
    assert lock_state(root, id, "vi") == (True, True)
    main(["--root", str(root), "format"])
    assert lock_state(root, id, "vi") == (True, True)
    assert translations.outdated_ids(load(root), translations.read(root)) == {"vi": {id}, "ru": {id}}

    # a changed translation counts as made from the present English
    tree({"engines/vllm.yml": newer.replace("Một máy chủ.", "Một máy chủ nhanh.")})
    assert lock_state(root, id, "vi") == (False, False)
    main(["--root", str(root), "format", "--locks"])
    assert lock_state(root, id, "vi") == (True, False)
    assert lock_state(root, id, "ru") == (True, True)

    # a person says that the other still holds
    main(["--root", str(root), "format", "--locks", "--still-right", str(root / "engines/vllm.yml")])
    assert lock_state(root, id, "ru") == (True, False)


def test_a_text_inserted_above_does_not_wash_an_outdated_one(tree) -> None:
    old = "  - id: port\n"
    added = "  - {id: first, text: {en: New., vi: Mới., ru: Новое.}, source: vllm-readme}\n"
    root = tree({"engines/vllm.yml": ENGINE})
    main(["--root", str(root), "format"])
    stale = ENGINE.replace("Opens a port", "Opens two ports")
    tree({"engines/vllm.yml": stale.replace(old, added + old)})
    assert lock_state(root, "engines.vllm.cautions.1.text", "vi") == (True, True)
    main(["--root", str(root), "format", "--locks"])
    assert lock_state(root, "engines.vllm.cautions.1.text", "vi") == (True, True)
    assert lock_state(root, "engines.vllm.cautions.0.text", "vi") == (True, False)


def test_folding_a_text_anew_is_no_change() -> None:
    assert translations.digest("one two\nthree") == translations.digest("one  two three\n")
    assert translations.digest("one") != translations.digest("One")


def test_locks_are_sorted_and_survive_nonsense(tree) -> None:
    root = tree({"engines/vllm.yml": ENGINE})
    main(["--root", str(root), "format", "--locks"])
    file = root / "translations" / "engines.lock"
    rows = file.read_text().splitlines()[1:]
    assert rows == sorted(rows) and all(len(row.split()) == 4 for row in rows)
    file.write_text("nonsense\n\nengines.vllm.summary vi\n" + file.read_text())
    assert lock_state(root, "engines.vllm.summary", "vi") == (True, False)


def test_a_folder_without_texts_has_no_lock(tree) -> None:
    root = tree({"engines/vllm.yml": ENGINE})
    main(["--root", str(root), "format", "--locks"])
    (root / "engines/vllm.yml").unlink()
    main(["--root", str(root), "format", "--locks"])
    assert list((root / "translations").iterdir()) == []


def test_line_ends_of_windows_and_a_byte_order_mark_go(tree) -> None:
    root = tree({"engines/mixed.yml": SORTED})
    file = root / "engines" / "mixed.yml"
    format.run(root)
    plain = file.read_bytes()
    file.write_bytes(b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"))
    assert "knowledge/engines/mixed.yml" in format.run(root, check=True)
    format.run(root)
    assert file.read_bytes() == plain
