"""Pictures of an answer: length against number of requests, engines side by side; each has its numbers as text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from knowledge.bundle import load_for_cli
from wizard.decide import decide
from wizard.render import html, markdown
from wizard.render.frontier import HEIGHT, LOW
from wizard.texts import Texts

TODAY = "2026-11-30"
TEAM = {
    "devices": [{"device": "rtx-3090", "count": 2}],
    "model": "qwen3-32b",
    "serving": "team",
    "traffic": {"concurrency": 4},
}


@pytest.fixture(scope="module")
def texts(kb):
    return {lang: Texts(words, lang, kb.terms) for lang, words in load_for_cli()[1].items()}


def sections(situation, kb, texts, lang="en"):
    decision = decide(situation, kb, TODAY)
    return decision, {s["id"]: s["html"] for s in html(decision, texts[lang], kb, lang)}


def point_of(markup):
    share, y = re.search(r'<circle class="\w" cx="([\d.]+)%" cy="([\d.]+)"', markup).groups()
    return float(share), float(y)


def test_the_curve_is_what_the_memory_holds(kb, texts):
    decision, shown = sections(TEAM, kb, texts)
    fit = decision["recommendations"][0]["fit"]
    points = decision["frontier"]
    assert [p[0] for p in points] == sorted(p[0] for p in points)
    assert points[-1][0] == fit["max_context"] and points[-1][1] >= 1
    by_length = {p[0]: p[1] for p in points}
    assert by_length[32768] == fit["max_concurrency_full"]
    row = re.search(r"<th[^>]*>32,768</th><td class=num>(\d+)</td><td class=num>(\d+)</td>", shown["fit"])
    assert int(row[1]) == fit["max_concurrency_full"] >= int(row[2])
    assert f"up to {fit['max_concurrency']} of that length" in shown["fit"]


def test_the_asked_point_moves_with_the_question(kb, texts):
    few = point_of(sections(TEAM, kb, texts)[1]["fit"])
    many = point_of(sections({**TEAM, "traffic": {"concurrency": 8}}, kb, texts)[1]["fit"])
    long = point_of(sections({**TEAM, "context": {"tokens": 32768, "input": 9000, "output": 800}}, kb, texts)[1]["fit"])
    assert many[1] < few[1] and long[0] > few[0]
    assert 0 <= few[0] <= 100 and 0 <= few[1] <= LOW < HEIGHT


@pytest.mark.parametrize(
    "change",
    [
        {"traffic": {"concurrency": 1_000_000}}, {"context": {"tokens": 1, "input": 1, "output": 1}},
        {"context": {"tokens": 100_000_000}}, {"devices": [{"device": "core-i7-13700k"}]},
        {"devices": ["m4 max 64"], "model": "qwen3-0.6b"}, {"devices": [{"device": "t4"}]}, {"model": {"params_b": 13}},
        {"model": None},
    ],
)  # fmt: skip
def test_extremes_draw_within_their_frame(kb, texts, change):
    _, shown = sections({**TEAM, **change}, kb, texts)
    for markup in (shown.get("fit", ""), shown.get("speed", "")):
        assert not re.search(r"\b(nan|inf)\b|None", markup.lower().replace("none-", ""))
        HTMLParser().feed(markup)
    drawn = re.search(r'<svg class="we-front".*?</svg></svg>', shown.get("fit", ""), re.S)
    for path in re.findall(r' d="([^"]+)"', drawn[0]) if drawn else ():
        for x, y in re.findall(r"L([\d.e+-]+) ([\d.e+-]+)", path):
            assert 0 <= float(x) <= 1000 and 0 <= float(y) <= LOW


@pytest.mark.parametrize("lang", ["en", "vi", "ru"])
def test_pictures_have_a_text_version(kb, texts, lang):
    _, shown = sections(TEAM, kb, texts, lang)
    assert re.search(r'<svg class="we-front" role="img" aria-label="[^"]{30,}"', shown["fit"])
    side = re.search(r'<table class="we-table we-side">.*?</table>', shown["speed"], re.S)[0]
    rows = re.findall(r"<tr(?: class=we-this)?><th scope=row>([^<]+)</th>", side)
    assert len(rows) >= 3 and side.count("we-mini") == len(rows)
    numbers = [float(n.replace(",", "")) for n in re.findall(r"<b>([\d.,]+)</b>", side)] if lang == "en" else []
    assert all(n > 0 for n in numbers)


def test_rulers_side_by_side_share_one_scale(kb, texts):
    decision, shown = sections(TEAM, kb, texts)
    shares = [float(x) for x in re.findall(r'<line class="n" x1="([\d.]+)%"', shown["speed"].split("we-side")[1])]
    speeds = [
        r["estimates"]["throughput_tps"]["point"]
        for r in decision["recommendations"]
        if r["role"] in ("start", "alternative", "benchmark-against") and (r["estimates"] or {}).get("throughput_tps")
    ]
    assert len(shares) == len(speeds)
    assert all(
        share / shares[0] == pytest.approx(speed / speeds[0], rel=0.01)
        for share, speed in zip(shares, speeds, strict=True)
    )


def test_the_terminal_gets_tables(kb, texts):
    decision = decide(TEAM, kb, TODAY)
    said = markdown(decision, texts["en"], kb, "en")
    assert "| 32,768 |" in said and "### The engines side by side" in said
    assert "<svg" not in said
