"""Loading a base: nothing skipped, places of values, the cache by content."""

from __future__ import annotations

import pytest

from knowledge import kinds
from knowledge.check import run
from knowledge.load import load
from knowledge.nearest import is_slip, nearest

RULE = """\
# yaml-language-server: $schema=../schema/rule.schema.json
when: {host.os: linux}
effect: nominate
engine: vllm
role: start
strength: leaning
reason:
  en: >-
    Because
    it is so.
source: [a-page, b-page]
checked: 2026-11-29
"""


def test_entries_are_plain_data_by_kind_and_file_stem(tree) -> None:
    knowledge = load(tree({"rules/team.yml": RULE, "rules/order.yml": "ties: []\nchecked: 2026-11-29\n"}))
    assert knowledge.entries["rule"]["team"]["engine"] == "vllm"
    assert knowledge.entries["order"]["order"] == {"ties": [], "checked": "2026-11-29"}
    assert set(knowledge.entries) == {*kinds.KINDS.values(), "order"}
    assert [file.name for file in knowledge.sound()] == ["knowledge/rules/order.yml", "knowledge/rules/team.yml"]


def test_where_gives_file_line_and_column(tree) -> None:
    knowledge = load(tree({"rules/team.yml": RULE}))
    assert str(knowledge.where("rule", "team", ("source", 1))) == "knowledge/rules/team.yml:11:18"
    assert str(knowledge.where("rule", "team", ("when", "host.os"), on_key=True)) == "knowledge/rules/team.yml:2:8"
    # a value over several lines is shown to the end of its first one
    place = knowledge.where("rule", "team", ("reason", "en"))
    assert (place.line, place.col, place.end) == (8, 7, 9)
    # what is not there is shown where it would be
    assert knowledge.where("rule", "team", ("reason", "vi")).line == 8
    assert knowledge.where("rule", "team", ()).line == 2
    with pytest.raises(KeyError):
        knowledge.where("rule", "nobody", ())


@pytest.mark.parametrize(
    "content",
    [b"name: [", b"\xff\xfe\x00", b"", b"- 1\n", b"7", b"\x00", "name: ж".encode("cp1251"), b"a: 1\r\nb: 2\r\n"],
)
def test_every_file_is_there_whatever_it_holds(tree, content: bytes) -> None:
    root = tree({"engines/fine.yml": "name: Fine\n"})
    (root / "engines" / "odd.yml").write_bytes(content)
    knowledge = load(root)
    assert {file.id for file in knowledge.files.values()} == {"fine", "odd"}
    odd = knowledge.by_entry["engine", "odd"]
    assert not odd.sound and odd.problems
    for problem in odd.problems:
        assert (odd.at(problem.span) if problem.span else odd.place(problem.path, problem.on_key)).line >= 1


def test_cache_is_by_content_and_changes_nothing(tree, tmp_path) -> None:
    root = tree({"rules/team.yml": RULE, "engines/x.yml": "name: X\nlicens: 1\n"})
    cache = tmp_path / "cache" / "k.pickle"
    cold, warm = load(root, cache), load(root, cache)
    assert not any(file.cached for file in cold.files.values())
    assert all(file.cached for file in warm.files.values())
    assert warm.entries == cold.entries
    assert [f.problems for f in warm.files.values()] == [f.problems for f in cold.files.values()]
    assert warm.where("rule", "team", ("source", 1)) == cold.where("rule", "team", ("source", 1))
    tree({"rules/team.yml": RULE.replace("leaning", "strong")})
    third = load(root, cache)
    assert {f.id: f.cached for f in third.files.values()} == {"team": False, "x": True}
    assert third.entries["rule"]["team"]["strength"] == "strong"
    # a file that moves is another entry, even with the same content
    (root / "rules" / "team.yml").rename(root / "rules" / "people.yml")
    assert set(load(root, cache).entries["rule"]) == {"people"}


def test_a_damaged_cache_is_no_cache(tree, tmp_path) -> None:
    root = tree({"rules/team.yml": RULE})
    cache = tmp_path / "k.pickle"
    for content in (b"", b"not a pickle", b"\x80\x05K\x07."):
        cache.write_bytes(content)
        assert load(root, cache).entries["rule"]["team"]["engine"] == "vllm"


def test_mentions_follow_the_schema(tree) -> None:
    knowledge = load(tree({"rules/team.yml": RULE + "claims: [c001]\nover: [other]\n"}))
    found = knowledge.by_entry["rule", "team"].mentions
    assert found.sources == [(("source", 0), "a-page"), (("source", 1), "b-page")]
    assert found.conditions == [(("when",), {"host.os": "linux"})]
    assert (("engine",), "engine", "vllm", None) in found.names
    assert {(kind, id) for _path, kind, id, _owner in found.names} == {
        ("engine", "vllm"), ("claim", "c001"), ("rule", "other")
    }  # fmt: skip
    assert found.texts == [(("reason",), {"en": "Because it is so."})]
    assert found.dates == [(("checked",), "2026-11-29")]


def test_every_schema_reference_resolves_and_every_field_is_described() -> None:
    def walk(node: dict, at: str) -> None:
        if "$ref" in node:
            kinds.resolve(node["$ref"])
        for key, inner in node.get("properties", {}).items():
            described = "description" in inner or "$ref" in inner or "oneOf" in inner or at.endswith((".is", ".[]"))
            assert described, f"{at}.{key} has no description"
            walk(inner, f"{at}.{key}")
        for key in ("items", "additionalProperties"):
            if isinstance(node.get(key), dict):
                walk(node[key], f"{at}.[]")
        for option in node.get("oneOf", ()):
            walk(option, at)

    for kind in [*kinds.FOLDERS, "situation"]:
        walk(kinds.schema(kind), kind)


def test_nearest_word() -> None:
    words = ["device.compute_capability", "device.vendor", "host.os"]
    assert nearest("device.compute_capabilty", words) == "device.compute_capability"
    assert nearest("Device.Vendor", words) == "device.vendor"
    assert nearest("quite-something-else", words) is None
    assert nearest("x", []) is None


@pytest.mark.parametrize(
    ("word", "valid", "slip"),
    [
        ("device.compute_capabilty", "device.compute_capability", True),
        ("production-servin", "production-serving", True),
        ("nvida", "nvidia", True),
        ("tsak", "task", True),
        ("rtx-3080", "rtx-3090", False),
        ("vllm-gguf", "vllm", False),
        ("fp4", "fp8", False),
        ("amd", "arm", False),
        ("launch.head_address", "launch.threads", False),
    ],
)
def test_what_counts_as_a_slip(word: str, valid: str, slip: bool) -> None:
    assert is_slip(word, valid) is slip


def test_a_file_in_another_encoding_is_told_as_that(tree) -> None:
    root = tree({})
    (root / "rules").mkdir()
    (root / "rules" / "odd.yml").write_bytes((RULE.split("\n")[0] + "\nname: ж\n").encode("cp1251"))
    found = [f for f in run(root).findings if f.place.file.endswith("odd.yml")]
    assert [f.code for f in found] == ["K001"] and "UTF-8" in found[0].fix


def test_a_day_that_does_not_exist_is_told_once(tree) -> None:
    root = tree({"rules/team.yml": RULE.replace("checked: 2026-11-29", "checked: 2026-13-45")})
    dates = [f for f in run(root).findings if "2026-13-45" in f.message]
    assert [f.code for f in dates] == ["K015"]
    root = tree({"rules/team.yml": RULE.replace("checked: 2026-11-29", "checked: 2026-02-30")})
    assert [f.code for f in run(root).findings if "2026-02-30" in f.message] == ["K108"]
