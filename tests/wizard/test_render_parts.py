"""Bars and rulers are drawn from the data; words name what ids and conditions say; tabs need no script."""

import re

import pytest

from wizard.render import fitbar, html, markdown, marks
from wizard.render.view import View

from . import sample_decision as sample

GIB = sample.GIB


def view(lang="en", decision=None):
    return View(decision or sample.decision(), sample.texts(lang), sample.kb(), lang, "../")


# ---------------------------------------------------------------------- bars


def rects(markup):
    found = {}
    for css, x, width in re.findall(
        r'<rect class="(\w)"(?: fill="[^"]+")? x="([\d.e-]+)%" width="([\d.e-]+)%"', markup
    ):
        found.setdefault(css, []).append((float(x), float(width)))
    return found


def test_a_bar_is_to_scale():
    found = rects(fitbar.bar(view(), sample.device(0, 0.6), 24 * GIB, 4 * GIB, "p", True))
    assert found["w"] == [(0, pytest.approx(9 / 24 * 100, abs=0.02))]
    assert found["k"] == [(pytest.approx(37.5, abs=0.02), pytest.approx(11.2 / 24 * 100, abs=0.02))]
    total = sum(width for parts in found.values() for _, width in parts)
    assert total == pytest.approx((24 - 1.3) / 24 * 100, abs=0.1)


def test_the_bracket_is_one_full_request():
    markup = fitbar.bar(view(), sample.device(0), 24 * GIB, 4 * GIB, "p", True)
    ends = re.findall(r'<line class="b" x1="([\d.]+)%" x2="([\d.]+)%" y1="41"', markup)
    assert float(ends[0][1]) - float(ends[0][0]) == pytest.approx(4 / 24 * 100, abs=0.05)
    assert "4.0 for one full context" in markup


def test_the_budget_line_and_the_whisker():
    markup = fitbar.bar(view(), sample.device(0), 24 * GIB, 0, "p", True)
    assert float(re.search(r'<line class="g" x1="([\d.]+)%"', markup)[1]) == pytest.approx(22.1 / 24 * 100, abs=0.05)
    low, high = re.search(r'<line class="q" x1="([\d.]+)%" x2="([\d.]+)%" y1="58" y2="58"', markup).groups()
    assert float(high) - float(low) == pytest.approx(2 * (0.3**2 + 2 * 0.1**2) ** 0.5 / 24 * 100, abs=0.1)


def test_what_does_not_fit_is_a_dashed_box_past_a_thick_end():
    fit = sample.fit("no")
    markup = fitbar.bar(view(), fit["devices"][0], 30.5 * GIB, 0, "p", True)
    assert float(re.search(r'<line class="z" x1="([\d.]+)%"', markup)[1]) == pytest.approx(24 / 30.5 * 100, abs=0.05)
    assert "6.5 over" in markup
    assert rects(markup)["w"][0][1] == pytest.approx(24 / 30.5 * 100, abs=0.05), "the fill ends at the capacity"


def test_bars_have_a_sentence_and_a_table():
    markup = next(s["html"] for s in html(sample.decision(), sample.texts("en"), sample.kb(), "en") if s["id"] == "fit")
    sentence = re.search(r'role="img" aria-label="([^"]+)"', markup)[1]
    assert "Card A, 24.0 GiB: Weights 9.0, KV cache 11.2" in sentence
    table = markup[markup.index("<table") :]
    for cell in ("Weights", "KV cache", "Activations", "Screen and other programs", "Free", "Total"):
        assert cell in table
    # a number and its unit stay on one line
    assert "19\u00a0GB of files, divided by 2" in table and "fitted to logs, ±0.3\u00a0GiB" in table


def test_equal_devices_are_drawn_once_when_there_are_many():
    fit = sample.fit()
    fit["devices"] = [sample.device(i) for i in range(8)]
    assert [n for _, n in fitbar.groups(fit)] == [8]
    fit["devices"][7]["parts"] = fit["devices"][7]["parts"][:1]
    assert [n for _, n in fitbar.groups(fit)] == [7, 1]
    assert len(fitbar.groups(sample.fit())) == 2


def test_system_memory_has_its_own_bar_and_column():
    decision = sample.decision(start=sample.recommendation(fit=sample.fit("offload")))
    markup = next(s["html"] for s in html(decision, sample.texts("en"), sample.kb(), "en") if s["id"] == "fit")
    assert "we-host" in markup and "RAM, GiB" in markup
    assert "the experts of 40 layers (30.0\u00a0GiB) stay in system memory" in markup


# ---------------------------------------------------------------------- rulers


@pytest.mark.parametrize(
    ("top", "end", "step"),
    [(72.2, 80, 10), (238.8, 240, 40), (7.13, 8, 1), (0.9, 1, 0.2), (1.1e4, 12000, 2000), (0.031, 0.032, 0.004)],
)
def test_a_scale_ends_at_a_round_number(top, end, step):
    assert marks.scale(top) == (pytest.approx(end), pytest.approx(step))


def test_band_and_needle_are_to_scale():
    interval = {"low": 40, "point": 50, "high": 60}
    markup = marks.ruler(view(), interval, "said", [("A", 70)])
    x, width = map(float, re.search(r'<rect class="i" x="([\d.]+)%" y="18" width="([\d.]+)%"', markup).groups())
    assert (x, width) == (50, 25), "the ruler runs from 0 to 80"
    assert float(re.search(r'<line class="n" x1="([\d.]+)%"', markup)[1]) == 62.5
    assert float(re.search(r'<line class="m" x1="([\d.]+)%"', markup)[1]) == 87.5
    assert 'aria-label="said"' in markup


def test_degenerate_numbers_do_not_break_a_drawing():
    for interval in (
        {"low": 0, "point": 0, "high": 0},
        {"low": 1e-9, "point": 1e-9, "high": 1e-9},
        {"low": 0, "point": 1e9, "high": 1e12},
    ):
        assert "nan" not in marks.mini(interval) and "inf" not in marks.ruler(view(), interval, "", [])


# ---------------------------------------------------------------------- words


def test_needed_values_are_phrases():
    w = view().words
    assert w.needed("device.compute_capability", ">=7.5") == "7.5 or newer"
    assert w.needed("hardware.count", ">=2") == "2 or more"
    assert w.needed("hardware.count", "1..4") == "1–4"
    assert w.needed("host.os", ["linux", "wsl2"]) == "Linux or WSL2"
    assert w.needed("host.ram_gib", "<64") == "below 64 GiB"
    assert view("ru").words.needed("device.compute_capability", ">=8.0") == "8.0 или новее"


def test_layouts_are_phrases():
    w = view().words
    two = [{"device": "card-a", "count": 2}]
    assert (
        w.layout({"devices": two, "tp": 2, "pp": 1, "ep": 1, "dp": 1, "nodes": 1}) == "tensor parallel over both cards"
    )
    assert w.layout({"devices": two, "tp": 1, "pp": 2, "dp": 1, "nodes": 1}) == "split by layer over both cards"
    eight = [{"device": "card-a", "count": 8}]
    assert w.layout({"devices": eight, "tp": 8, "pp": 4, "ep": 8, "dp": 1, "nodes": 4}) == (
        "tensor parallel 8, pipeline 4, expert parallel 8, on 4 machines"
    )
    assert w.layout({"devices": [{"device": "card-a", "count": 1}], "tp": 1, "pp": 1}, 2) == "on the Card A alone"
    assert w.layout_short({"tp": 8, "pp": 1, "ep": 8, "dp": 2}) == "TP 8 EP 8 DP 2"
    assert w.layout_short({"tp": 1, "pp": 1, "ep": 1, "dp": 1}) == ""


def test_formats_are_named_as_people_write_them():
    w = view().words
    assert w.format({"family": "awq", "type": "int4-g128"}) == "AWQ 4-bit"
    assert w.format({"family": "gguf", "type": "q4_k_m"}) == "GGUF Q4_K_M"
    assert w.format({"family": "gguf", "type": "q4_k_m"}, short=True) == "Q4_K_M"
    assert w.format({"family": "gguf", "type": None}) == "GGUF"
    assert w.format(None) == ""


@pytest.mark.parametrize(
    ("patch", "shown"),
    [
        ({"format": {"family": "gguf", "type": None}}, "format: GGUF"),
        ({"devices": [{"device": "card-a", "count": 4}]}, "4 × Card A"),
        ({"traffic.concurrency": 2}, "2 at once"),
        ({"host.os": "wsl2"}, "WSL2"),
        ({"needs": []}, "without Tool calls"),
        ({"settings.kv": None}, "KV cache type: leave open"),
        ({"context.tokens": 16384, "host.os": "linux"}, "context of 16,384 tokens and Linux"),
        ({"model": {"id": "model-32b"}}, "Model 32B instead"),
    ],
)
def test_patches_are_phrases(patch, shown):
    assert view().words.patch(patch, {"needs": ["tool-calls"]}) == shown


def test_every_path_has_a_name_in_every_language():
    from wizard.vocabulary import PATHS

    for lang in ("en", "vi", "ru"):
        words = view(lang).words
        assert [p for p in PATHS if words.path(p) == p] == []


def test_every_enumerated_value_of_a_path_has_a_name(kb, bundle):
    """Raw words are their own names only where every language writes them so."""
    from wizard.render.words import Words
    from wizard.texts import Texts
    from wizard.vocabulary import PATHS

    raw_is_the_name = {"host.arch", "host.instructions", "device.native"}
    words = Words(Texts(bundle[1]["ru"], "ru", kb.terms, strict=True), kb)
    nameless = [
        (path, value)
        for path, word in PATHS.items()
        if word.kind in ("enum", "set") and path not in raw_is_the_name
        for value in word.values
        if words.value(path, value) == value
    ]
    assert nameless == []


# ---------------------------------------------------------------------- command block, markdown


def test_tabs_work_without_a_script():
    markup = next(
        s["html"] for s in html(sample.decision(), sample.texts("en"), sample.kb(), "en") if s["id"] == "command"
    )
    shells = re.findall(r'<input type="radio" name="we-shell" id="we-tab-(\w+)"', markup)
    assert shells == ["posix", "powershell", "docker", "compose"]
    assert re.findall(r'<option value="(\w+)">', markup) == shells
    assert [f"we-panel-{s}" in markup for s in shells] == [True] * 4
    assert 'id="we-tab-posix" value="posix" checked' in markup


def test_windows_sees_powershell_first():
    situation = sample.situation(
        host={"os": "windows", "arch": "x86_64", "ram_gib": 64, "cpu": None, "free_vram_gib": None}
    )
    markup = next(
        s["html"]
        for s in html(sample.decision(situation=situation), sample.texts("en"), sample.kb(), "en")
        if s["id"] == "command"
    )
    assert 'id="we-tab-powershell" value="powershell" checked' in markup


def test_each_line_of_the_command_has_its_reason_beside_it():
    markup = next(
        s["html"] for s in html(sample.decision(), sample.texts("en"), sample.kb(), "en") if s["id"] == "command"
    )
    assert "<code>  --max-len 32768 \\</code><span>longest context: 32,768</span>" in markup


def test_the_copied_text_is_the_command():
    """The page's script joins the code lines beside the button; they must be the command itself."""
    import html as escape
    import shlex

    markup = next(
        s["html"] for s in html(sample.decision(), sample.texts("en"), sample.kb(), "en") if s["id"] == "command"
    )
    block = markup[markup.index('id="we-posix"') :].split("</div></div>")[0]
    text = "\n".join(escape.unescape(line) for line in re.findall(r"<code>(.*?)</code>", block, re.S))
    words = shlex.split(text.replace(" \\\n", " "))
    assert words[:3] == ["ALPHA_HOME=/data/it's", "alpha", "serve"] and words[-2:] == ["--port", "8000"]


@pytest.mark.parametrize("lang", ["en", "vi", "ru"])
def test_markdown_has_every_section_and_escapes(lang):
    text = markdown(sample.decision(), sample.texts(lang), sample.kb(), lang)
    assert text.count("\n## ") == 8
    assert "```sh\n" in text and "--max-len 32768" in text
    assert re.search(r"\| .*9[.,]0 \|", text)
    assert "<b>" not in text and "<span" not in text


def test_markdown_when_nothing_fits():
    text = markdown(sample.nothing(), sample.texts("en"), sample.kb(), "en")
    assert text.startswith("# Nothing starts on this") and "8 × Card A" in text


def test_a_flag_inside_a_sentence_is_whole_code_in_markdown():
    from wizard.render.document import plain

    assert plain('Compare <code class="f">--dp-size</code> with <code>a_b</code>.') == "Compare `--dp-size` with `a_b`."
