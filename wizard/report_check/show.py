"""What was found about a report, in a language: as HTML for the page, as Markdown for a terminal or an issue."""

from __future__ import annotations

from html import escape
from typing import Any

from wizard.kb import KB
from wizard.render import numbers
from wizard.texts import Texts

Plain = dict[str, Any]


def texts_with(texts: Texts, data: Plain, kb: KB) -> Texts:
    """The sentences of answers and those of the report checker, in one."""
    return Texts({**texts.strings, **data["texts"]}, texts.lang, kb.terms)


class _Page:
    """Bits that HTML and Markdown write differently."""

    def __init__(self, texts: Texts, kb: KB, base: str) -> None:
        self.texts, self.kb, self.base = texts, kb, base

    def name(self, id_: str) -> str:
        return self.texts.plain(self.kb.benchmarking[id_]["name"])

    def why(self, id_: str) -> str:
        text = f"benchmarking.{id_}.why"
        return self.texts.plain(text) if self.texts.has(text) else ""

    def value(self, said: Plain) -> str:
        """A stated value with its unit: words as they stand, seconds as ms below one."""
        quantity, value = said.get("quantity"), said["value"]
        if isinstance(value, dict):
            return ", ".join(f"{self._word(stat)} {self._number(quantity, number)}" for stat, number in value.items())
        if quantity == "tool":
            return ", ".join(self.name(i) if i in self.kb.benchmarking else i for i in str(value).split(", "))
        return self._number(quantity, value) if isinstance(value, int | float) else self._word(str(value))

    def _word(self, said: str) -> str:
        """A statistic or a switch by its word; percentiles and what was pasted stand as they are."""
        text = f"report.word-{said}"
        return self.texts.plain(text) if self.texts.has(text) else said

    def _unit(self, id_: str) -> str:
        return self.texts.plain(f"unit.{id_}")

    def _number(self, quantity: str | None, value: float) -> str:
        lang = self.texts.lang
        if quantity in ("ttft", "tpot", "itl", "e2e"):
            unit, shown = ("ms", value * 1000) if abs(value) < 1 else ("s", value)
            return f"{numbers.rough(shown, lang)} {self._unit(unit)}"
        if quantity in ("memory", "memory_size", "weight_bytes"):
            return f"{numbers.gib(value, lang)} {self._unit('gib')}"
        if quantity in ("hit_rate", "acceptance"):
            return self.texts.plain("report.percent", share=value)
        if quantity in ("params", "active"):
            return f"{numbers.rough(value / 1e9, lang)} {self._unit('billion')}"
        unit = f" {self._unit('tps')}" if (quantity or "").endswith("_tps") else ""
        if abs(value) < 1e12 and value == int(value):
            return numbers.number(value, lang) + unit
        return numbers.rough(value, lang) + unit


def markdown(found: Plain, texts: Texts, kb: KB) -> str:
    """The findings as Markdown."""
    page = _Page(texts, kb, "")
    t = texts.plain
    if not found["stated"]:
        return t("report.nothing") + "\n"
    lines = [f"# {t('report.title')}", "", _summary(found, texts, kb), ""]
    if found["cut"]:
        lines += [f"> {t('report.cut')}", ""]
    lines += [f"## {t('report.doubts')}", ""]
    lines += [
        f"- **{t('report.kind-' + d['kind'])}.** {_say(texts, d)}" for d in found["doubts"]
    ] or [t("report.no-doubts")]  # fmt: skip
    expected = _expected(found, texts)
    lines += ["", *([expected, ""] if expected else []), f"## {t('report.missing')}", ""]
    essential, more = _split(found)
    lines += [f"- **{page.name(i)}**: {page.why(i)}" for i in essential] or [t("report.complete")]
    if more:
        lines += ["", f"{t('report.further', n=len(more))}: {', '.join(page.name(i) for i in more)}."]
    lines += ["", f"## {t('report.rules')}", ""]
    lines += [f"- {page.name(r['rule'])}: {t(_kept(r))}" for r in found["rules"]]
    lines += ["", f"## {t('report.read')}", ""]
    if found["tools"]:
        lines.append(f"- {t('report.tool')}: {', '.join(page.name(i) for i in found['tools'])}")
    lines += [f"- {page.name(s['field'])}: {page.value(s)}" for s in found["stated"]]
    return "\n".join(lines) + "\n"


def html(found: Plain, texts: Texts, kb: KB, base: str = "") -> str:
    """The findings as one block of HTML; everything that was pasted is escaped.

    base: path from the page to the root of its language.
    """
    page = _Page(texts, kb, base)
    t = texts.html
    if not found["stated"]:
        return f'<p class="we-lead">{t("report.nothing")}</p>'
    out = [f'<p class="we-lead">{escape(_summary(found, texts, kb))}</p>']
    if found["cut"]:
        out.append(f'<p class="we-quiet">{t("report.cut")}</p>')
    out.append(_heading("doubts", t("report.doubts")))
    rows = "".join(
        f"<li><strong>{t('report.kind-' + d['kind'])}.</strong> {_say(texts, d, True)}{_rule(page, d)}</li>"
        for d in found["doubts"]
    )
    out.append(f'<ul class="we-plain we-doubts">{rows}</ul>' if rows else f"<p>{t('report.no-doubts')}</p>")
    expected = _expected(found, texts)
    if expected:
        out.append(f'<p class="we-quiet">{escape(expected)}</p>')
    essential, more = _split(found)
    out.append(_heading("missing", t("report.missing")))
    out.append(_fields(page, essential) or f"<p>{t('report.complete')}</p>")
    if more:
        summary = t("report.further", n=len(more))
        out.append(f'<details class="we-more"><summary>{summary}</summary>{_fields(page, more)}</details>')
    out.append(_heading("rules", t("report.rules")))
    rows = "".join(
        f"<li>{_link(page, r['rule'])} <span class=we-quiet>{t(_kept(r))}</span></li>" for r in found["rules"]
    )
    out.append(f'<ul class="we-plain">{rows}</ul>')
    out.append(_heading("read", t("report.read")))
    said = [(page.name(s["field"]), page.value(s)) for s in found["stated"]]
    if found["tools"]:
        said.insert(0, (texts.plain("report.tool"), ", ".join(page.name(i) for i in found["tools"])))
    cells = "".join(f"<tr><th scope=row>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in said)
    out.append(f'<table class="we-table"><tbody>{cells}</tbody></table>')
    return "".join(out)


def said(found: Plain, texts: Texts, kb: KB) -> str:
    """One sentence for the live line."""
    return _summary(found, texts, kb) if found["stated"] else texts.plain("report.nothing")


def form(texts: Texts, data: Plain, kb: KB) -> str:
    """The empty report form: one line a field, grouped; what the checker reads back."""
    groups: dict[str, list[str]] = {}
    for id_, field in data["fields"].items():
        name = texts.plain(kb.benchmarking[id_]["name"])
        groups.setdefault(field.get("group") or "run", []).append(f"- {name}: ")
    blocks = [
        f"**{texts.plain(f'check.group-{group}').rstrip(': ')}**\n\n" + "\n".join(rows)
        for group, rows in groups.items()
    ]
    return "\n\n".join(blocks) + "\n"


# ---------------------------------------------------------------------- parts


def _summary(found: Plain, texts: Texts, kb: KB) -> str:
    essential, _ = _split(found)
    every = sum(1 for entry in kb.benchmarking.values() if entry["type"] == "field")
    return texts.plain(
        "report.summary", n=len(found["stated"]), all=every, essential=len(essential), doubts=len(found["doubts"])
    )


def _expected(found: Plain, texts: Texts) -> str:
    limits = found["limits"]
    if not limits or not limits.get("decode_tps") or not limits["expected"]:
        return ""
    decode = limits["expected"]
    return texts.plain("report.expected", low=decode["low"], high=decode["high"], top=limits["decode_tps"])


def _split(found: Plain) -> tuple[list[str], list[str]]:
    essential = [row["field"] for row in found["missing"] if row["essential"]]
    return essential, [row["field"] for row in found["missing"] if not row["essential"]]


def _say(texts: Texts, doubt: Plain, markup: bool = False) -> str:
    say = texts.html if markup else texts.plain
    return say(f"report.doubt-{doubt['id']}", doubt["params"])


def _kept(rule: Plain) -> str:
    return {True: "report.kept", False: "report.open", None: "report.if-used"}[rule["kept"]]


def _fields(page: _Page, ids: list[str]) -> str:
    rows = "".join(f"<li><strong>{escape(page.name(i))}</strong> {escape(page.why(i))}</li>" for i in ids)
    return f'<ul class="we-plain">{rows}</ul>' if rows else ""


def _rule(page: _Page, doubt: Plain) -> str:
    return f" {_link(page, doubt['rule'])}" if doubt["rule"] else ""


def _link(page: _Page, id_: str) -> str:
    return f'<a href="{escape(page.base)}benchmarking/{escape(id_)}/">{escape(page.name(id_))}</a>'


def _heading(id_: str, text: str) -> str:
    return f'<h4 class="we-h" id="report-{id_}" aria-level="2">{text}</h4>'
