"""The bundle: what the core holds, texts by id, equal bytes for equal files, the cache for the command."""

from __future__ import annotations

import gzip
import json
import re

from samples import BASE, ENGINE, TEXT

from knowledge import bundle
from knowledge.__main__ import main
from knowledge.load import load
from wizard.kb import KB


def make(root) -> bundle.Bundle:
    return bundle.build(load(root))


def test_entries_are_their_yaml_with_text_ids(tree) -> None:
    core, texts, *_ = make(tree(BASE))
    engine = core["engines"]["vllm"]
    assert engine["runs_on"] == [
        {
            "backend": "cuda",
            "needs": {"device.compute_capability": ">=7.5", "host.os": ["linux", "wsl2"]},
            "source": "vllm-install-gpu",
            "note": "engines.vllm.runs_on.0.note",
        }
    ]
    assert engine["cautions"][0]["text"] == "engines.vllm.cautions.0.text"
    assert core["rules"]["start-vllm"]["reason"] == "rules.start-vllm.reason"
    assert texts["ru"]["rules.start-vllm.reason"] == "Он собирает батчи."
    assert texts["en"]["answer.start"] == "Start with {engine}"
    assert core["terms"] == {
        "card": {
            "name": "glossary.card.name",
            "plural": {"en": ["card", "cards"], "vi": ["card"], "ru": ["карта", "карты", "карт"]},
        }
    }
    assert texts["ru"]["glossary.card.name"] == "карта"


def test_the_shape_of_the_core(tree) -> None:
    root = tree({**BASE, "rules/order.yml": "ties: [{rules: [a, b], reason: {en: Equal}}]\nchecked: 2026-11-30\n"})
    core = make(root).core
    assert list(core) == [
        "schema", "version", "date",
        "engines", "devices", "models", "formats", "rules", "questions", "recipes",
        "bottlenecks", "mistakes", "benchmarking", "order", "terms",
        "constants", "sources", "asked", "publishers", "measurements",
    ]  # fmt: skip
    assert core["schema"] == 1 and core["date"] == "2026-11-30" and len(core["version"]) == 12
    assert core["order"] == {"ties": [{"rules": ["a", "b"], "reason": "rules.order.ties.0.reason"}]}
    assert core["sources"]["vllm-readme"] == {"k": "code", "d": "2026-11-29", "p": "vllm"}
    assert core["constants"] == {} and core["measurements"] == []
    kb = KB(core)
    assert kb.find_engine("vllm-openai") == ("vllm", None)


def test_what_is_dropped_is_in_the_list_and_nowhere_in_the_core(tree) -> None:
    root = tree(BASE)
    core, texts, *_ = make(root)
    for entry in core["engines"].values():
        assert not {"homepage", "licence", "summary", "verdict", "checked", "claims"} & entry.keys()
    # texts of dropped fields do not travel either, but the pages have them
    assert "engines.vllm.summary" not in texts["en"]
    assert bundle.texts_of(load(root))["en"]["engines.vllm.summary"] == "A server."
    for kind, patterns in bundle.DROPPED.items():
        for pattern in patterns:
            first = pattern.split(".")[0]
            assert kind == "*" or first in bundle.kinds.schema(kind)["properties"], f"{kind}.{pattern} drops nothing"


def test_every_text_id_in_the_core_has_words_in_every_language(tree) -> None:
    core, texts, *_ = make(tree(BASE))
    for lang in ("en", "vi", "ru"):
        assert texts[lang].keys() == texts["en"].keys()
        assert bundle._text_ids(core) <= texts[lang].keys()
        assert all(words for id, words in texts[lang].items() if id != "$untranslated")
    assert texts["vi"]["answer.only-english"] == "Only English"
    assert texts["vi"]["$untranslated"] == ["answer.only-english"]
    assert texts["ru"]["$untranslated"] == ["answer.only-english", "engines.vllm.cautions.0.text"]
    assert texts["en"]["$untranslated"] == []


def test_measurements_and_sources_in_full(tree) -> None:
    made = make(tree(BASE))
    assert made.measurements == [
        {"id": "readme.one", "engine": "vllm", "model": "qwen3-8b", "batch": 1, "decode_tps": 61.5, "date": "2026-11",
         "quality": "high", "source": "vllm-readme"}
    ]  # fmt: skip
    assert made.sources["vllm-install-gpu"] == {
        "url": "https://docs.example.org/v1/install", "title": "Install", "kind": "official-docs", "read": "2026-11-20",
        "publisher": "vllm", "name": "vLLM",
    }  # fmt: skip


def test_edits_lead_to_the_line_of_each_fact(tree) -> None:
    edits = bundle.edits_of(load(tree(BASE)))
    vllm = edits["engines.vllm"]
    lines = ENGINE.split("\n")
    assert vllm["file"] == "knowledge/engines/vllm.yml"
    assert lines[vllm["lines"]["licence"] - 1].startswith("licence:")
    assert lines[vllm["lines"]["runs_on.0"] - 1] == "  - backend: cuda"
    assert lines[vllm["lines"]["cautions.0.text"] - 1].strip().startswith("text:")


def test_equal_files_give_equal_bytes_and_any_edit_a_new_version(tree, tmp_path) -> None:
    root = tree(BASE)
    first, second = make(root), make(root)
    assert bundle.canonical(list(first)) == bundle.canonical(list(second))
    warm = bundle.build(load(root, tmp_path / "k.pickle")), bundle.build(load(root, tmp_path / "k.pickle"))
    assert bundle.canonical(list(warm[0])) == bundle.canonical(list(warm[1])) == bundle.canonical(list(first))
    versions = {first.core["version"]}
    for name, old, new in [
        ("engines/vllm.yml", '">=7.5"', '">=8.0"'),
        ("text/answer.yml", "Начните с", "Берите"),
        ("measurements/readme.yml", "61.5", "61.6"),
        ("sources/vllm.yml", "title: Readme", "title: Read me"),
    ]:
        assert old in BASE[name]
        versions.add(make(tree({**BASE, name: BASE[name].replace(old, new)})).core["version"])
    assert len(versions) == 5
    # a comment is no fact
    assert make(tree({**BASE, "text/answer.yml": TEXT + "# a comment\n"})).core["version"] == first.core["version"]


def test_constants_are_taken_in(tree) -> None:
    root = tree(BASE)
    (root / "constants").mkdir()
    (root / "constants" / "speed.json").write_text('{"classes": {"nv-consumer": {"efficiency": 0.7}}}')
    without, with_ = bundle.build(load(root), fitted={}), make(root)
    assert with_.core["constants"] == {"classes": {"nv-consumer": {"efficiency": 0.7}}}
    assert without.core["constants"] == {} and without.core["version"] != with_.core["version"]


def test_files_for_the_browser(tree, tmp_path, capsys) -> None:
    root, out = tree(BASE), tmp_path / "out"
    assert main(["--root", str(root), "bundle", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    made = make(root)
    names = [
        "core.json",
        "text.en.json",
        "text.vi.json",
        "text.ru.json",
        "report.en.json",
        "report.vi.json",
        "report.ru.json",
        "measurements.json",
        "sources.json",
        "edit.json",
    ]
    assert sorted(file.name for file in out.iterdir()) == sorted(names)
    assert json.loads((out / "core.json").read_text()) == made.core
    assert json.loads((out / "text.vi.json").read_text()) == made.texts["vi"]
    assert list(json.loads((out / "core.json").read_text())["engines"]["vllm"]) == list(made.core["engines"]["vllm"])
    for name in names:
        assert f"{name:<20} {(out / name).stat().st_size:>10,} bytes" in printed
    assert made.core["version"] in printed


def test_an_entry_that_breaks_its_schema_is_left_out_and_named(tree, tmp_path, capsys) -> None:
    root = tree({**BASE, "engines/odd.yml": "name: Odd\n"})
    assert main(["--root", str(root), "bundle", "--out", str(tmp_path / "out")]) == 1
    assert "left out, it breaks its schema: knowledge/engines/odd.yml" in capsys.readouterr().err
    assert list(make(root).core["engines"]) == ["vllm"]


def test_the_command_reads_from_a_cache_until_a_file_changes(tree, tmp_path) -> None:
    root, cache = tree(BASE), tmp_path / "bundle.pickle"
    core, texts, rows = bundle.load_for_cli(root, cache)
    made = make(root)
    assert (core, texts, rows) == (made.core, made.texts, made.measurements)
    stamp = cache.stat().st_mtime_ns
    assert bundle.load_for_cli(root, cache) == (core, texts, rows)
    assert cache.stat().st_mtime_ns == stamp
    tree({"engines/vllm.yml": ENGINE.replace('">=7.5"', '">=8.0"')})
    changed = bundle.load_for_cli(root, cache)[0]
    assert changed["engines"]["vllm"]["runs_on"][0]["needs"]["device.compute_capability"] == ">=8.0"
    assert changed["version"] != core["version"]


def test_sentences_of_pages_do_not_travel_unless_an_answer_shows_them(tree) -> None:
    pages = "texts: {untranslated: {en: N}, source.code: {en: C}, lead: {en: L}}\n"
    knowledge = load(tree({**BASE, "text/pages.yml": pages}))
    assert {"pages.untranslated", "pages.source.code"} == {
        id for id in bundle.build(knowledge).texts["en"] if id.startswith(bundle.PAGE_TEXTS)
    }
    assert "pages.lead" in bundle.texts_of(knowledge)["en"]
    # what the wizard's own code names is among those that travel
    for file in (bundle.kinds.ROOT.parent / "wizard").rglob("*.py"):
        for id in re.findall(r"[\"'](pages\.[a-z.-]+)", file.read_text(encoding="utf-8")):
            assert id.startswith(bundle.PAGE_TEXTS_IN_ANSWERS), f"{file} says {id}"


def test_the_real_base_fits_its_budget() -> None:
    knowledge = load()
    made = bundle.build(knowledge)

    def packed(data: object) -> int:
        return len(gzip.compress(bundle.canonical(data).encode(), 9))

    assert packed(made.core) <= 200_000
    for lang, words in made.texts.items():
        assert packed(words) <= 80_000, lang
    assert bundle.canonical(list(made)) == bundle.canonical(list(bundle.build(load())))
