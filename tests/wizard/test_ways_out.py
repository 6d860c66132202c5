"""Links that remember their answer, and two answers side by side."""

from __future__ import annotations

import json

import pytest

from knowledge.bundle import load_for_cli
from wizard.browser import Session
from wizard.situation import from_fragment, read
from wizard.stamp import changed

TEAM = "#v=1&devices=2*rtx-3090&model=qwen3-32b&serving=team&traffic.concurrency=4"


@pytest.fixture(scope="module")
def session(kb):
    made = Session(json.dumps(kb.core), "2026-11-30")
    for lang, words in load_for_cli()[1].items():
        made.add_texts(lang, json.dumps(words))
    return made


def answer(session, **request):
    return json.loads(session.answer(json.dumps({"lang": "en", "base": "../", **request})))


def test_a_link_remembers_its_answer_and_opens_as_the_same_situation(session, kb):
    first = answer(session, address=TEAM)
    link = first["fragment"] + first["stamp"]
    assert first["stamp"].startswith("&at=20") and "&was=vllm," in first["stamp"] and len(link) < 200
    data, problems = from_fragment(link + "&vs=%23v%3D1%26devices%3Dm4-max")
    assert not problems and read(data, kb).stated == read(from_fragment(TEAM)[0], kb).stated
    assert answer(session, address=link)["before"] == ""


@pytest.mark.parametrize(
    ("was", "says"),
    [
        ("llama-cpp,gguf:q4_k_m,tight", "llama.cpp, Q4_K_M, tight"), ("gone-engine,,fits", "gone-engine, fits"),
        ("none,,", "Nothing starts on this"),
    ],
)  # fmt: skip
def test_an_old_link_says_what_was_answered_then(session, was, says):
    shown = answer(session, address=f"{TEAM}&at=2026-05-01&was={was}")
    assert says in shown["before"] and "2026-05-01" in shown["before"]
    # what is changed afterwards is a question of its own
    assert answer(session, fields=shown["fields"])["before"] == ""
    head = json.loads(
        session.answer(json.dumps({"lang": "ru", "head": True, "address": f"{TEAM}&at=2026-05-01&was={was}"}))
    )
    assert "01.05.2026" in head["before"]


@pytest.mark.parametrize("end", ["&was=<b>,x,y", "&at=now&was=vllm,,fits", "&at=2026-05-01&was=" + "x" * 5000, "&was"])
def test_a_hostile_end_of_a_link_is_ignored(session, end):
    shown = answer(session, address=TEAM + end)
    assert shown["before"] == "" and shown["problems"] == [] or end == "&was"


def test_nothing_starts_is_remembered_too(kb):
    decision = {"knowledge": {"date": "2026-11-30"}, "recommendations": []}
    assert changed("#v=1&at=2026-11-30&was=none,,", decision) is None
    assert changed("#v=1&at=2026-11-30&was=vllm,fp8:e4m3,fits", decision)["engine"] == "vllm"


@pytest.mark.parametrize("lang", ["en", "vi", "ru"])
def test_two_answers_stand_side_by_side(session, lang):
    answer(session, address=TEAM)
    now = session.decision
    sent = {"address": "#v=1&devices=1*rtx-4090&model=qwen3-8b", "lang": lang, "base": "../"}
    table = json.loads(session.use("pair", json.dumps(sent)))
    assert session.decision is now  # the answer on the page stays what it is
    assert "RTX 4090" in table and "RTX 3090" in table and table.count("<tr>") >= 8
    assert 'href="#v=1&amp;devices=1*rtx-4090&amp;model=qwen3-8b"' in table
    same = json.loads(session.use("pair", json.dumps({**sent, "address": TEAM})))
    assert "<b>" not in same  # nothing differs
    none = json.loads(session.use("pair", json.dumps({**sent, "address": "#v=1&devices=nothing"})))
    assert none.startswith("<table")


def test_the_answer_as_a_file(session):
    answer(session, address=TEAM)
    said = json.loads(session.use("export", json.dumps({"kind": "markdown", "lang": "vi"})))
    assert said.startswith("# ") and "vLLM" in said
    data = json.loads(json.loads(session.use("export", json.dumps({"kind": "json", "lang": "en"}))))
    assert data["recommendations"][0]["role"] == "start"


def test_an_answer_given_out_early_has_what_would_change_it(session):
    """Whoever takes the file at once does not get less than who waits, nor does the page afterwards."""
    answer(session, address=TEAM)
    early = json.loads(session.use("export", json.dumps({"kind": "markdown", "lang": "en"})))
    assert "## What would change it" in early
    request = json.dumps({"lang": "en", "base": "../"})
    while not json.loads(session.explore(request))["done"]:
        pass
    assert json.loads(session.use("export", json.dumps({"kind": "markdown", "lang": "en"}))) == early
