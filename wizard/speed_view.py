"""The answer of `which-engine speed` for people, in a language: a line per number, then what it rests on."""

from __future__ import annotations

from typing import Any

from .render import numbers
from .render.shares import FILLS
from .speed.ask import STEPS
from .texts import Texts

Plain = dict[str, Any]
_LEAST_SHARE = 0.005


def sentence(said: Any, words: Texts) -> str:
    """A text by id with its values, (id, values); words of an imported file stay as they are."""
    id_, values = said if isinstance(said, tuple | list) else (said, {})
    known = {name: _class(value, words) if name == "class" else value for name, value in values.items()}
    return words.plain(id_, known) if words.has(id_) else str(id_)


def text(found: Plain, words: Texts) -> str:
    """Plain text in the language of `words`; assumptions and what is missing are sentences already."""
    lines = [_missing(item, words) for item in found["missing"]]
    if not lines:
        lines = [_head(found["resolved"], words), *_aligned(_rows(found, words)), *_basis(found, words)]
    label = words.plain("terminal.memory-assumed")
    lines += [f"{label}: {said}" for said in found["assumptions"]]
    lines += [_measured(row, words) for row in found["nearest"]]
    for run in found["run"]:
        lines.append(f"{words.plain('terminal.speed-run', tool=run['tool'])}: {run['command']}")
    return "\n".join(lines)


def _missing(item: Plain, words: Texts) -> str:
    line = f"{words.plain('terminal.memory-missing')}: {item['what']} ({item['flag']})"
    if item["near"]:
        line += "; " + words.plain("terminal.speed-near", names=", ".join(item["near"]))
    return line


def _head(what: Plain, words: Texts) -> str:
    count = f"{what['count']} × " if what["count"] > 1 else ""
    values = {
        "class": _class(what["class"], words),
        "model": what["model"],
        "format": what["format"].removeprefix("other:").replace(":", " "),
        "gib": numbers.rough(what["file_gib"], words.lang),
        "hardware": count + (what["hardware"] or words.plain("terminal.speed-given")),
        "gbs": what["bandwidth_gbs"],
        "engine": what["engine"] or words.plain("terminal.speed-any-engine"),
        "backend": what["backend"],
    }
    return words.plain("terminal.speed-head", values)


def _class(id_: str | None, words: Texts) -> str:
    text_ = f"value.speed-class.{id_}"
    return words.plain(text_) if words.has(text_) else words.plain("terminal.speed-no-class")


def _rows(found: Plain, words: Texts) -> list[tuple[str, str]]:
    asked, tps, seconds = found["asked"], words.plain("unit.tps"), words.plain("unit.s")
    each = "with-prompts" if found["throughput_with_prompts"] else "steps"
    rows = [
        (words.plain("terminal.speed-decode", depth=asked["depth"]), found["decode_tps"], tps),
        (words.plain("speed.prefill-of", n=asked["input"]), found["prefill_tps"], tps),
        (words.plain("terminal.speed-first"), found["ttft_s"], seconds),
        (words.plain("terminal.speed-first-hit", share=asked["shared_prefix"]), found["ttft_hit_s"], seconds),
    ]
    if asked["batch"] > 1:
        rows += [
            (words.plain(f"terminal.speed-sum-{each}", n=asked["batch"]), found["throughput_tps"], tps),
            (words.plain("terminal.speed-each"), found["tpot_s"], seconds),
        ]
    rows += [
        (words.plain("terminal.speed-cost"), found["cost_per_million"], words.plain("terminal.speed-money")),
        (words.plain("terminal.speed-energy"), found["joules_per_token"], words.plain("terminal.speed-joules")),
    ]
    return [(name, _interval(interval, unit, words)) for name, interval, unit in rows if interval]


def _interval(interval: Plain, unit: str, words: Texts) -> str:
    span = numbers.interval(interval["low"], interval["high"], words.lang, interval["point"])
    return f"{numbers.rough(interval['point'], words.lang):>8}   {span} {unit}"


def _aligned(rows: list[tuple[str, str]]) -> list[str]:
    wide = max(len(name) for name, _ in rows)
    return [f"  {name.ljust(wide)} {value}" for name, value in rows]


def _basis(found: Plain, words: Texts) -> list[str]:
    reads, basis = found["reads"], found["basis"]
    shares = [
        words.plain("speed.time-part", name=words.plain(f"speed.time-{name}"), share=found["shares"][name])
        for name in FILLS
        if found["shares"].get(name, 0) >= _LEAST_SHARE
    ]
    values = {key: numbers.rough(1e3 * reads["floor_s"] if key == "ms" else reads[key], words.lang)
              for key in ("weights_gb", "kv_gb", "ms")}  # fmt: skip
    return [
        words.plain("terminal.speed-reads", weights=values["weights_gb"], kv=values["kv_gb"], ms=values["ms"]),
        words.plain("speed.time", parts=", ".join(shares)),
        words.plain("speed.basis", basis, name=_class(basis["class"], words)),
        words.plain(f"terminal.speed-rate-{'steps' if found['rate_of'] == STEPS else 'client'}"),
    ]


def _measured(row: Plain, words: Texts) -> str:
    differs = ", ".join(words.plain(f"speed.differs-{name}") for name in row["differs"]) or words.plain("speed.same")
    day = str(row["date"])
    day = numbers.date(day, words.lang) if day[:1].isdigit() else words.plain("terminal.speed-undated")
    what = f"{row['model']}, {row['hardware']}, {row['engine']}, {day}"
    return words.plain(
        "terminal.speed-measured",
        rate=numbers.rough(row["decode_tps"], words.lang), what=what, differs=differs, links=" ".join(row["links"]),
    )  # fmt: skip
