"""The answer of `which-engine speed` for people, in a language: a line per number, then what it rests on."""

from __future__ import annotations

from typing import Any

from .kb import KB
from .render import numbers
from .render.shares import FILLS
from .render.view import View
from .render.whynot import CLAUSES, obstacle_text
from .speed.alike import listing
from .speed.ask import STEPS
from .texts import Texts

Plain = dict[str, Any]
_LEAST_SHARE = 0.005


def sentence(said: Any, words: Texts) -> str:
    """A text by id with its values, (id, values); words of an imported file stay as they are."""
    id_, values = said if isinstance(said, tuple | list) else (said, {})
    known = {name: _class(value, words) if name == "class" else value for name, value in values.items()}
    return words.plain(id_, known) if words.has(id_) else str(id_)


def doubts(stops: list[Plain], words: Texts, kb: KB) -> list[str]:
    """What stands in the way of running it so, as one sentence for the engine; empty for nothing."""
    if not stops:
        return []
    view = View({}, words, kb, words.lang)
    why = " ".join(obstacle_text(view, stop) for stop in stops[:CLAUSES])
    return [words.plain("terminal.doubt", engine=kb.engines[stops[0]["engine"]]["name"], why=why)]


def text(found: Plain, words: Texts, kb: KB) -> str:
    """Plain text in the language of `words`; doubts, assumptions and what is missing are sentences already."""
    lines = [_missing(item, words, kb) for item in found["missing"]]
    if not lines:
        lines = [_head(found["resolved"], words, kb), *found["doubts"]]
        lines += [*_aligned(*_rows(found, words), words, found["asked"]["batch"]), *_basis(found, words)]
    label = words.plain("terminal.memory-assumed")
    lines += [f"{label}: {said}" for said in found["assumptions"]]
    lines += [_measured(row, words, kb) for row in found["nearest"]]
    for run in found["run"]:
        lines.append(f"{words.plain('terminal.speed-run', tool=run['tool'])}: {run['command']}")
    return "\n".join(lines)


def _missing(item: Plain, words: Texts, kb: KB) -> str:
    line = f"{words.plain('terminal.memory-missing')}: {item['what']} ({item['flag']})"
    if item["near"]:
        line += "; " + words.plain("terminal.speed-near", names=", ".join(item["near"]))
    if item["kind"]:
        line += "; " + words.plain("terminal.names-all", command=listing(item["kind"], item["name"] or "", kb))
    return line


def format_name(format_: Plain, kb: KB) -> str:
    """The format of a record as its entry calls it, or as it was written."""
    family, type_ = format_.get("family") or "", format_.get("type") or ""
    known = kb.type_of(family, type_)
    return known["name"] if known else _format(family or "other", type_)


def _format(family: str, type_: str) -> str:
    """Family and type, said once where both are called alike."""
    return type_ if family in ("other", type_) else f"{family} {type_}"


def _head(what: Plain, words: Texts, kb: KB) -> str:
    count = f"{what['count']} × " if what["count"] > 1 else ""
    values = {
        "class": _class(what["class"], words),
        "model": what["model"],
        "format": _format(*what["format"].split(":", 1)),
        "gib": numbers.rough(what["file_gib"], words.lang),
        "hardware": count + (what["hardware"] or words.plain("terminal.speed-given")),
        "gbs": what["bandwidth_gbs"],
        "engine": _engine(what["engine"], kb) or words.plain("terminal.speed-any-engine"),
        "backend": what["backend"],
    }
    return words.plain("terminal.speed-head", values)


def _engine(id_: str | None, kb: KB) -> str | None:
    return kb.engines[id_]["name"] if id_ in kb.engines else id_


def _class(id_: str | None, words: Texts) -> str:
    text_ = f"value.speed-class.{id_}"
    return words.plain(text_) if words.has(text_) else words.plain("terminal.speed-no-class")


def _rows(found: Plain, words: Texts) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(rows of one request, rows of all requests together)."""
    asked, tps, seconds = found["asked"], words.plain("unit.tps"), words.plain("unit.s")
    each = "with-prompts" if found["throughput_with_prompts"] else "steps"
    first = [
        (words.plain("terminal.speed-first"), found["ttft_s"], seconds),
        (words.plain("terminal.speed-first-hit", share=asked["shared_prefix"]), found["ttft_hit_s"], seconds),
    ]
    one = [
        (words.plain("terminal.speed-decode", depth=asked["depth"]), found["decode_tps"], tps),
        (words.plain("speed.prefill-of", n=asked["input"]), found["prefill_tps"], tps),
    ]
    money = [
        (words.plain("terminal.speed-cost"), found["cost_per_million"], words.plain("terminal.speed-money")),
        (words.plain("terminal.speed-energy"), found["joules_per_token"], words.plain("terminal.speed-joules")),
    ]
    many: list[tuple[str, Plain | None, str]] = []
    if asked["batch"] > 1:
        # the first token of a batch waits for the prompts and steps of the others
        many = [
            (words.plain(f"terminal.speed-sum-{each}"), found["throughput_tps"], tps),
            (words.plain("terminal.speed-each"), found["tpot_s"], seconds),
            *first,
        ]
    else:
        one += first
    told = one + money if not many else one, many + money if many else []
    one_rows, many_rows = (
        [(name, _interval(interval, unit, words)) for name, interval, unit in rows if interval] for rows in told
    )
    return one_rows, many_rows


def _interval(interval: Plain, unit: str, words: Texts) -> str:
    span = numbers.interval(interval["low"], interval["high"], words.lang, interval["point"])
    return f"{numbers.rough(interval['point'], words.lang):>8}   {span} {unit}"


def _aligned(one: list[tuple[str, str]], many: list[tuple[str, str]], words: Texts, n: int) -> list[str]:
    wide = max(len(name) for name, _ in [*one, *many])
    first, rest = ([f"  {name.ljust(wide)} {value}" for name, value in rows] for rows in (one, many))
    if not rest:
        return first
    return [words.plain("terminal.speed-alone"), *first, words.plain("terminal.speed-together", n=n), *rest]


def _basis(found: Plain, words: Texts) -> list[str]:
    reads, basis = found["reads"], found["basis"]
    shares = [
        words.plain("speed.time-part", name=words.plain(f"speed.time-{name}"), share=found["shares"][name])
        for name in FILLS
        if found["shares"].get(name, 0) >= _LEAST_SHARE
    ]
    values = {key: numbers.rough(1e3 * reads["floor_s"] if key == "ms" else reads[key], words.lang)
              for key in ("weights_gb", "kv_gb", "ms")}  # fmt: skip
    time, n = words.plain("speed.time", parts=", ".join(shares)), found["asked"]["batch"]
    if n > 1:
        time = words.plain("terminal.speed-time-of", n=n, what=time[:1].lower() + time[1:])
    return [
        words.plain("terminal.speed-reads", weights=values["weights_gb"], kv=values["kv_gb"], ms=values["ms"]),
        time,
        words.plain("speed.basis", basis, name=_class(basis["class"], words)),
        words.plain(f"terminal.speed-rate-{'steps' if found['rate_of'] == STEPS else 'client'}"),
    ]


def _measured(row: Plain, words: Texts, kb: KB) -> str:
    """One record: rate, model, format, hardware, engine, depth, day, and in what it is another case."""
    differs = ", ".join(words.plain(f"speed.differs-{name}") for name in row["differs"]) or words.plain("speed.same")
    day = str(row["date"])
    day = numbers.date(day, words.lang) if day[:1].isdigit() else words.plain("terminal.speed-undated")
    depth = words.plain("terminal.speed-at", depth=row["depth"])
    count = f"{row['count']} × " if row["count"] > 1 else ""
    parts = [row["model"], row["written"], f"{count}{row['hardware']}", _engine(row["engine"], kb), depth, day]
    what = ", ".join(part for part in parts if part)
    return words.plain(
        "terminal.speed-measured",
        rate=numbers.rough(row["decode_tps"], words.lang), what=what, differs=differs, links=" ".join(row["links"]),
    )  # fmt: skip
