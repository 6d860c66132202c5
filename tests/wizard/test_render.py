"""The answer as HTML: complete, escaped, without inline style or script, the same in three languages."""

import copy
import json
import re
import time
from html.parser import HTMLParser

import pytest

from wizard.render import cells, compact, html, markdown, problems, to_json

from . import sample_decision as sample

LANGUAGES = ("en", "vi", "ru")
VOID = {"input", "br", "rect", "line", "path", "meta", "col"}


class Page(HTMLParser):
    """Collects tags, attributes, ids and text; checks that tags nest."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.ids, self.words = [], [], [], []
        self.feed(markup)
        self.close()
        assert self.open == [], f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.words))


def render(decision=None, lang="en", **more):
    return html(decision or sample.decision(), sample.texts(lang), sample.kb(), lang, **{"base": "../", **more})


def whole(decision=None, lang="en", **more):
    return "".join(s["html"] for s in render(decision, lang, **more))


def one(section, decision=None, lang="en"):
    return next(s["html"] for s in render(decision, lang) if s["id"] == section)


VARIANTS = {
    "full": sample.decision,
    "nothing": sample.nothing,
    "tight": lambda: sample.decision(start=sample.recommendation(fit=sample.fit("tight"))),
    "offload": lambda: sample.decision(start=sample.recommendation(fit=sample.fit("offload"))),
    "no": lambda: sample.decision(start=sample.recommendation(fit=sample.fit("no"))),
    "no model": lambda: sample.decision(
        start=sample.recommendation(fit=None, estimates=None, format=None, checkpoint=None),
        situation=sample.situation(model=None),
    ),
    "no estimate": lambda: sample.decision(
        start=sample.recommendation(estimates={"missing": "bandwidth", "nearest": []})
    ),
    "tie": lambda: sample.decision(start=sample.recommendation(tied_with=["beta"])),
    "library": lambda: sample.decision(start=sample.recommendation(engine="gamma")),
    "one user": lambda: sample.decision(
        situation=sample.situation(traffic={"concurrency": 1, "shared_prefix": 0, "mode": "online"})
    ),
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", VARIANTS)
def test_every_kind_of_answer_is_sound_in_every_language(name, lang):
    sections = render(VARIANTS[name](), lang)
    markup = "".join(s["html"] for s in sections)
    page = Page(markup)
    assert len(page.ids) == len(set(page.ids)), "ids are unique"
    assert len({s["id"] for s in sections}) == len(sections)
    for tag, attributes in page.tags:
        assert tag not in ("script", "style", "iframe", "object"), tag
        assert "style" not in attributes, "a strict content policy refuses inline style"
        assert not any(name.startswith("on") for name in attributes), "no inline handlers"
        for target in ("href", "src"):
            assert not (attributes.get(target) or "").lower().startswith(("javascript:", "data:", "http:", "//"))
    labelled = {a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a}
    assert labelled <= set(page.ids)
    assert not re.search(r"\{[a-z_.|:]+\}|…", page.text), "every placeholder is filled"


def test_ids_and_structure_are_equal_in_all_languages():
    shapes = []
    for lang in LANGUAGES:
        page = Page(whole(lang=lang))
        shapes.append([(tag, a.get("id"), a.get("class")) for tag, a in page.tags if tag not in ("span", "strong")])
    assert shapes[0] == shapes[1] == shapes[2]


def test_headings_are_h4_with_levels():
    headings = [a for tag, a in Page(whole()).tags if tag in ("h1", "h2", "h3", "h4", "h5")]
    assert [a["aria-level"] for a in headings][:2] == ["2", "3"]
    assert all(a["aria-level"] in ("2", "3") and a.get("class") for a in headings)


def test_section_order_and_index():
    ids = [s["id"] for s in render()]
    assert ids[:4] == ["answer", "choices", "ten", "index"]
    assert ids[4:] == ["fit", "speed", "command", "why", "why-not", "change", "check", "sources"]
    anchors = re.findall(r'href="#([\w-]+)"', one("index"))
    assert anchors == [f"we-{i}" for i in ids[4:]], "eight anchors"
    assert set(anchors) <= set(Page(whole()).ids)


def test_what_is_not_known_yet_is_absent():
    decision = sample.decision(would_change=[], benchmark=None)
    assert "change" not in [s["id"] for s in render(decision)] and "check" not in [s["id"] for s in render(decision)]
    assert "#we-change" not in one("index", decision)


EVIL = "<img src=x onerror=alert(1)>\"'&"


def test_free_text_is_escaped_everywhere():
    decision = sample.decision()
    decision["situation"]["devices"] = [
        {"device": None, "custom": {"name": EVIL, "memory_gib": 24}, "count": 2, "memory_gib": 24}
    ]
    decision["situation"]["model"] = {"architecture": {"name": EVIL}}
    decision["stated"] = {"model": {"architecture": {"name": EVIL}}}
    start = decision["recommendations"][0]
    start["version"] = start["checkpoint"]["repository"] = EVIL
    for device in start["fit"]["devices"]:
        device["name"] = EVIL
    start["reasons"][0]["params"] = {"situation.traffic.concurrency": EVIL}
    start["command"]["processes"][0]["args"][0]["flag"] = EVIL
    start["command"]["values"]["launch.context"] = EVIL
    start["estimates"]["nearest"][0] |= {"hardware": EVIL, "model": EVIL, "differs": [EVIL]}
    decision["rejected"][2]["obstacles"][0] |= {"yours": EVIL, "needed": [EVIL]}
    decision["rejected"][3]["scope"]["value"] = EVIL
    decision["would_change"][0] |= {"now": EVIL, "value": EVIL}
    decision["problems"] = [
        {"path": EVIL, "value": EVIL, "text": "problem.not-one-of", "params": {"known": [EVIL], "value": EVIL}}
    ]
    decision["assumptions"] = [{"id": "x", "path": EVIL, "value": EVIL}]
    for lang in LANGUAGES:
        page = Page(whole(decision, lang))
        assert "img" not in {tag for tag, _ in page.tags}
        assert EVIL in "".join(page.words), "shown as text"
        prose = re.sub(r"```.*?```|`[^`]*`", "", markdown(decision, sample.texts(lang), sample.kb(), lang), flags=re.S)
        assert not re.search(r"(?<!\\)<", prose)


def test_links_go_through_base_and_wizard():
    page = Page(whole(base="../../", wizard="../wizard/"))
    links = [a for tag, a in page.tags if tag == "a"]
    assert any(a["href"] == "../../engines/beta/" for a in links)
    assert any(a["href"] == "../../sources/alpha/#alpha-docs" and "we-chip" in a["class"] for a in links)
    patches = [a for a in links if a.get("class") == "we-patch"]
    assert patches and all(a["href"].startswith("../wizard/#v=1&") for a in patches)


def test_a_patch_link_leads_to_the_changed_situation():
    from wizard.situation import from_fragment

    decision = sample.decision()
    for attributes in (a for tag, a in Page(whole(decision)).tags if a.get("class") == "we-patch"):
        patch = json.loads(attributes["data-patch"])
        data, found = from_fragment(attributes["href"])
        assert found == []
        for path, value in patch.items():
            here = data
            for key in path.split("."):
                here = here[key]
            assert str(here) == str(value) or isinstance(value, dict), (path, here, value)
        assert "host" not in data or "ram_gib" not in data["host"], "assumed answers are not stated by a link"


def test_only_verified_fixes_are_shown():
    decision = sample.decision()
    row = decision["rejected"][2]
    assert "{&quot;host.os&quot;:&quot;windows&quot;}" in one("why-not", decision)
    row["fix_verified"] = False
    assert "host.os" not in one("why-not", decision)


def test_a_status_is_glyph_and_word():
    for kind, word in (
        ("fits", "Fits on both cards"),
        ("tight", "Tight"),
        ("offload", "Partly in system memory"),
        ("no", "Does not fit"),
    ):
        markup = one("answer", sample.decision(start=sample.recommendation(fit=sample.fit(kind))))
        verdict = markup[markup.index("we-verdict") :]
        assert f"we-g we-{kind}" in verdict and word in verdict


def test_the_headline_tells_the_evidence_for_the_engine_and_leaves_the_formats_own_out():
    decision = sample.decision()
    rule, kernel = decision["recommendations"][0]["reasons"][0], {"rule": None, "strength": "decisive", "sources": []}
    rule["strength"] = "leaning"
    decision["recommendations"][0]["reasons"].append({**rule, **kernel, "id": "why-kernel"})
    text = Page(one("answer", decision)).text
    assert "Evidence for the engine: leaning" in text and "decisive" not in text
    decision["recommendations"][0]["reasons"].pop(0)
    assert "Evidence for the engine" not in Page(one("answer", decision)).text


def test_names_in_a_terminal_keep_their_underscores():
    from wizard.render.document import escape

    assert escape("Q4_K_M of ik_llama.cpp, _not_ *this*") == r"Q4_K_M of ik_llama.cpp, \_not\_ \*this\*"


def test_system_memory_that_is_too_small_is_named(kb):
    from wizard.decide import decide

    asked = {"devices": ["rtx-4060"], "model": "llama-3-3-70b", "serving": "self", "host": {"ram_gib": 16}}
    said = [o["text"] for r in decide(asked, kb, "2026-11-30")["rejected"] for o in r["obstacles"]]
    assert "decision.obstacle-memory-host" in said
    assert "decision.obstacle-memory-host" not in [
        o["text"]
        for r in decide({**asked, "settings": {"offload": "no"}}, kb, "2026-11-30")["rejected"]
        for o in r["obstacles"]
    ]


def test_single_stream_and_sum_never_share_a_ruler():
    markup = one("speed")
    labels = re.findall(r'we-ruler" role="img" aria-label="([^"]+)"', markup)
    assert len(labels) == 4
    assert sum("52 tok/s" in label for label in labels) == 1 and sum("168 tok/s" in label for label in labels) == 1
    assert markup.count('class="l"') == 2, "measured letters stand on the single-stream ruler only"
    first = markup.split('<div class="we-speed">')[1]
    assert first.count('class="l"') == 2 and "52 tok/s" in first


def test_no_estimate_says_why():
    markup = one("speed", VARIANTS["no estimate"]())
    assert "No estimate." in markup and "bandwidth" in markup and "we-ruler" not in markup
    assert "No estimate." in one("answer", VARIANTS["no estimate"]())


def test_a_tie_names_both_and_says_that_nothing_decides():
    text = Page(one("answer", VARIANTS["tie"]())).text
    assert "Alpha Serve, or Beta" in text and "Nothing we know decides" in text


def test_nothing_fits_offers_one_change_each():
    text = Page(one("answer", sample.nothing())).text
    assert "Nothing starts on this" in text and "125 GiB" in text and "8 × Card A" in text
    assert "Start with" not in text


def test_the_format_that_was_asked_for_is_not_the_last_word():
    decision = sample.nothing() | {
        "auto_format": {
            "engine": "beta",
            "format": {"family": "gguf", "type": "q4_k_m"},
            "fit": "fits",
            "patch": {"format": None},
        }
    }
    assert "With any format, Beta would start." in one("answer", decision)


def test_opinions_say_whose():
    decision = sample.decision()
    decision["warnings"][0]["opinion"] = "seed-s0"
    assert "we-opinion" in one("choices", decision) and "opinion</b> seed s0" in one("choices", decision)


def test_untranslated_sentences_are_marked():
    decision = sample.decision()
    decision["warnings"] = [sample.statement("w", "sample.english", ["alpha-docs"])]
    assert '<span lang="en">Only in English so far.</span> <span class="we-nt">' in one("choices", decision, "vi")
    assert "we-nt" not in one("choices", decision, "en")


def test_problems_name_the_field():
    decision = sample.decision()
    decision["problems"] = [
        {
            "path": "traffic.concurrency",
            "value": "x",
            "text": "problem.not-a-number",
            "params": {"field": "traffic.concurrency", "value": "x", "low": 1, "high": 1000000},
        },
        {
            "path": "devices.0.device",
            "value": "3091",
            "text": "problem.unknown-device",
            "params": {"field": "devices.0.device", "value": "3091", "near": ["Card A"]},
        },
    ]
    text = [p["text"] for p in problems(decision, sample.texts("en"), sample.kb(), "en")]
    assert text[0].startswith("Requests at once: “x” is not a number.")
    assert text[1] == "We do not know the hardware “3091”. Did you mean Card A?"
    assert text[0] in Page(one("answer", decision)).text


def test_compact_and_cells_are_sound():
    for lang in LANGUAGES:
        for decision in (sample.decision(), sample.nothing(), VARIANTS["no model"](), VARIANTS["tie"]()):
            page = Page(compact(decision, sample.texts(lang), sample.kb(), lang, "../", "wizard/"))
            assert any(a.get("href", "").startswith("wizard/#v=1") for _, a in page.tags)
            found = cells(decision, sample.texts(lang), sample.kb(), lang, "../")
            assert set(found) == {"start", "spec", "fit", "memory", "decode", "interval", "link"}
            Page("".join(found.values()))


def test_json_is_canonical():
    text = to_json({"b": 1, "a": "ü"})
    assert text == '{"a":"ü","b":1}'
    assert to_json(json.loads(text)) == text


def test_rendering_changes_nothing_and_is_repeatable():
    decision = sample.decision()
    before = copy.deepcopy(decision)
    assert whole(decision) == whole(decision)
    assert decision == before


def test_the_answer_stays_small_and_quick():
    decision, kb, texts = sample.decision(), sample.kb(), sample.texts("en")
    assert sum(len(s["html"].encode()) for s in html(decision, texts, kb, "en")) < 40_000
    best = min(_seconds(lambda: html(decision, texts, kb, "en")) for _ in range(20))
    assert best < 0.02, "a wide limit for slow machines; scripts/bench.py prints the real number"


def _seconds(work):
    begin = time.process_time()
    work()
    return time.process_time() - begin
