"""Our report form filled in, and sentences: fields by the names people give them, numbers by the words around them."""

from __future__ import annotations

import re
import shlex
from typing import Any

from wizard.kb import fold

from . import numbers

Plain = dict[str, Any]

LINES = 5000  # that are looked at
_BULLET = re.compile(r"^\s*(?:[-*•>]\s+|\d+[.)]\s+|#+\s+)?")
_PAIR = re.compile(r"^([^:=|]{2,60}?)\s*(?:[:=]|\s[–—-]\s)\s*(.*)$")
_NOTHING = re.compile(
    r"^[\s\-–—?_.…/]*$|^(unknown|n/?a|tbd|not stated|none given|không rõ|chưa rõ|неизвестно|нет данных)$", re.I
)
_NO = re.compile(r"^(no|none|off|0|false|disabled|không|không có|tắt|нет|без|выкл\w*|отключ\w*)\b", re.I)
_OFF = re.compile(
    r"\b(off|disabled?|false|no|without|tắt|нет|без|выкл\w*|отключ\w*)\b|--no-enable-prefix|--disable-radix", re.I
)
_BREAK = re.compile(r"[,;|]|\.\s|\s(?:and|but|và|nhưng|и|но)\s", re.I)
_WORDS = frozenset(
    ("model", "format", "dtype", "engine", "commit", "backend", "device", "cpu", "kv_type", "layout", "driver", "date")
    + ("tool", "tool_version", "command", "streaming", "arrivals", "shared_prefix", "speculation", "power", "cost")
    + ("adapters", "structured_output", "memory_fraction", "bandwidth")
)

_TIMES = (
    ("ttft", r"ttft|time to first token|first[- ]token(?: latency)?|token đầu(?: tiên)?|первый токен|первого токена"),
    ("tpot", r"tpot|time per (?:output )?token|ms per token"),
    ("itl", r"itl|inter[- ]?token latency"),
    ("e2e", r"e2el?|end[- ]to[- ]end(?: latency)?|request latency"),
)
_AHEAD = 70  # characters after a metric's name in which its numbers stand
_PREFILL = re.compile(r"prefill|prompt (?:eval|processing)|\bpp\b|pp\d+|input token", re.I)
_SUM = re.compile(
    r"aggregate|total|\bsum\b|combined|across|overall|batched|all (?:users|requests)|tổng|сумм|всего|вместе", re.I
)
_ONE = re.compile(
    r"decode|generation|\btg\b|tg\d+|single|per[- ](?:user|request|stream)|one (?:user|request)|\beval\b"
    r"|một request|один|одного",
    re.I,
)
_LENGTH = r"(?:length|len|tokens|of|[:=]|\s)*(\d[\d.,]*k?)\b(?!\s*(?:t/s|tok|ms))"
_COUNTS = tuple(
    (name, re.compile(pattern, re.I))
    for name, pattern in (
        (
            "concurrency",
            r"(?:concurrency|concurrent(?: \w+)?|users|parallel(?: requests)?|batch(?: size)?)[\s:=]+(\d{1,5})\b",
        ),
        (
            "concurrency",
            r"\b(\d{1,5})\s*(?:concurrent|parallel|simultaneous|users|clients|streams|người dùng|пользовател)",
        ),
        ("input", rf"(?:input|prompt|isl)\s{_LENGTH}"),
        ("output", rf"(?:output|answer|osl|generated)\s{_LENGTH}"),
        ("depth", rf"(?:context|ctx|depth)\s{_LENGTH}"),
        ("repeats", r"\b(\d{1,3})\s*(?:runs|repeats|repetitions|trials|lần(?: chạy| đo)|прогон)"),
        ("warmup", r"\b(\d{1,5})\s*warm[- ]?ups?\b|warm(?:ing|ed)?[- ]?up with (\d{1,5})"),
        ("seed", r"\bseed\s*[:=]?\s*(\d{1,10})\b"),
    )
)
_DATE = re.compile(r"\b(20\d\d[-./](?:0?[1-9]|1[0-2])[-./](?:0?[1-9]|[12]\d|3[01])|[0-3]?\d[./][01]?\d[./]20\d\d)\b")
_VERSION = re.compile(r"\bv?(\d+\.\d+(?:\.\d+)?(?:[-.+]?(?:post|rc|dev)\d*)?)\b|\bb(\d{4,6})\b")
_COMMAND = re.compile(r"(?:^|\s)--?[a-z][\w-]*(?:[ =]|$)", re.I)


def read(lines: list[str], fields: Plain, tools: Plain) -> tuple[Plain, Plain, str]:
    """(what is stated by field id, quantities, the prose without fields).

    fields: the report's fields with `names`, `told_by`; a value that says nothing does not count as stated.
    """
    labels = {fold(name): id_ for id_, field in fields.items() for name in field["names"]}
    stated: Plain = {}
    known: Plain = {}
    prose: list[str] = []
    for raw in lines[:LINES]:
        line = _BULLET.sub("", raw[:2000]).replace("**", "").replace("`", "").strip()
        if not line:
            continue
        _flags(line, tools, known, stated)
        pair = _PAIR.match(line)
        id_ = labels.get(fold(re.sub(r"\([^)]*\)", "", pair[1]))) or labels.get(fold(pair[1])) if pair else None
        if pair and id_:
            value = pair[2].strip()
            if not _NOTHING.match(value):
                stated.setdefault(id_, value[:400])
                _field(id_, fields[id_], pair[1], value, known)
            continue
        prose.append(line)
        _sentence(line, known)
    return stated, known, "\n".join(prose)


# ---------------------------------------------------------------------- a field's value


def _field(id_: str, field: Plain, label: str, value: str, known: Plain) -> None:
    """Quantities of one field. A number without a unit takes the one its label names: "TTFT (ms): 320"."""
    names = field.get("told_by") or ()
    found = numbers.measures(value)
    if "(ms)" in label.lower():
        found = [m._replace(value=m.value / 1000, unit="ms") if m.unit == "" else m for m in found]
    for name in names:
        if name in ("ttft", "tpot", "itl", "e2e"):
            _times(name, [m for m in found if m.unit in numbers.TIME], known)
        elif name in ("decode_tps", "output_tps", "total_tps", "prefill_tps", "input_tps"):
            continue
        elif name == "prefix_cache":
            known.setdefault(name, "off" if _OFF.search(value) else value[:200])
        elif name == "warmup" and _NO.match(value):
            known.setdefault(name, 0.0)
        elif name in _WORDS:
            known.setdefault(name, value[:400])
        elif found and _plausible(name, found[0]):
            known.setdefault(name, found[0].value)
    if any(name.endswith("_tps") for name in names):
        default = None if {"output_tps", "decode_tps"} <= set(names) else names[0]
        _rates(value, known, default)
        bare = [m for m in found if m.unit == ""]
        if bare and not any(m.unit == "tok/s" for m in found):
            known.setdefault(default or "some_tps", bare[0].value)
    if id_.endswith("engine-version"):
        version = _VERSION.search(value)
        if version:
            known.setdefault("version", version[1] or f"b{version[2]}")


def _plausible(name: str, measure: numbers.Measure) -> bool:
    if name in ("memory", "memory_size", "weight_bytes"):
        return measure.value >= 1e6
    if name in ("input", "output", "concurrency", "requests", "depth", "repeats", "total_input", "total_output"):
        return measure.value >= 1 and measure.unit not in (*numbers.TIME, "tok/s")
    return True


def _times(name: str, found: list[numbers.Measure], known: Plain) -> None:
    for measure in found:
        known.setdefault(f"{name}.{measure.stat}" if measure.stat else name, measure.value)


# ---------------------------------------------------------------------- sentences


def _sentence(line: str, known: Plain) -> None:
    for name, pattern in _TIMES:
        for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", line, re.I):
            before = numbers.stat((re.search(r"(\S+)\s*$", line[: match.start()]) or [""])[0])
            ahead = line[match.end() : match.end() + _AHEAD]
            for measure in numbers.measures(ahead):
                if measure.unit in numbers.TIME:
                    _times(name, [measure if measure.stat else measure._replace(stat=before)], known)
                elif measure.unit == "" and ahead.lstrip().lower().startswith("(ms)"):
                    _times(name, [measure._replace(value=measure.value / 1000, stat=before)], known)
                    break
    for name, pattern in _COUNTS:
        match = pattern.search(line)
        value = numbers.number(next((g for g in match.groups() if g), None)) if match else None
        if value is not None and value >= 1:
            known.setdefault(name, value)
    if re.search(r"\bno warm-?up|without warm-?up|không warm-?up|без прогрева", line, re.I):
        known.setdefault("warmup", 0.0)
    cache = re.search(r"prefix[- ]?cach\w*|radix cache|prompt cache|кэш\w* префикс\w*", line, re.I)
    if cache:
        known.setdefault("prefix_cache", "off" if _OFF.search(_clause(line, cache)) else "on")
    if re.search(r"speculative|draft model|\bMTP\b|\bEAGLE\b|спекулятивн", line):
        known.setdefault("speculation", line[:200])
    date = _DATE.search(line)
    if date:
        known.setdefault("date", date[1])
    _rates(line, known)


def _clause(line: str, match: re.Match[str]) -> str:
    """The part between commas or the like that a match stands in: what is switched off beside it is another thing."""
    start = max((m.end() for m in _BREAK.finditer(line, 0, match.start())), default=0)
    end = _BREAK.search(line, match.end())
    return line[start : end.start() if end else len(line)]


def _rates(line: str, known: Plain, default: str | None = None) -> None:
    """Tokens per second by the words before the number, else behind it; what no word tells is `some_tps`."""
    end = 0
    pattern = re.compile(rf"({numbers.NUMBER})\s*(?:±\s*{numbers.NUMBER}\s*)?(?:{numbers.RATE})", re.I)
    matches = list(pattern.finditer(line))
    for n, match in enumerate(matches):
        value = numbers.parsed(match[1])
        behind = line[match.end() : matches[n + 1].start() if n + 1 < len(matches) else match.end() + 30]
        name = _kind(line[end : match.start()]) or _kind(behind) or default or "some_tps"
        end = match.end()
        if value is not None and value > 0:
            known.setdefault(name, value)


def _kind(words: str) -> str | None:
    hits = [
        (found.start(), name)
        for name, pattern in (("prefill_tps", _PREFILL), ("output_tps", _SUM), ("decode_tps", _ONE))
        if (found := pattern.search(words))
    ]
    return min(hits)[1] if hits else None


# ---------------------------------------------------------------------- commands


def _flags(line: str, tools: Plain, known: Plain, stated: Plain) -> None:
    """Flags of the tools we know in a pasted command; the command itself is stated then."""
    if not _COMMAND.search(line) or line.count("-") < 2:
        return
    try:
        words = shlex.split(line, comments=False)
    except ValueError:
        words = line.split()
    words = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    meanings = {flag["flag"]: flag for tool in tools.values() for flag in tool.get("flags", ())}
    seen = False
    for n, word in enumerate(words):
        flag = meanings.get(word)
        if not flag:
            continue
        seen = True
        value = flag.get("value", words[n + 1] if n + 1 < len(words) else None)
        number = numbers.number(value)
        if flag["as"] in _WORDS or flag["as"] in ("prefix_cache", "forced", "data", "profile"):
            known.setdefault(flag["as"], str(value))
        elif number is not None:
            known.setdefault(flag["as"], number)
    if seen:
        known.setdefault("command", line[:400])
        stated.setdefault("field-engine-flags", line[:400])
