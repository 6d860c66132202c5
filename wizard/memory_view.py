"""The answer of `which-engine memory` for people, in a language: a line per number, GiB beside bytes."""

from __future__ import annotations

from typing import Any

from .render import numbers
from .shapes import GIB
from .texts import Texts

Plain = dict[str, Any]


def assumption(said: Any, words: Texts) -> str:
    """What was assumed as a sentence. said: a text id, (text id, values), or words of the imported file."""
    id_, values = said if isinstance(said, tuple) else (said, ())
    return words.plain(id_, dict(values)) if words.has(id_) else str(id_)


def text(answer: Plain, words: Texts) -> str:
    """Plain text in the language of `words`; the assumptions are sentences already."""
    engine = f"{answer['engine']} {answer['version'] or ''}".strip() if answer["engine"] else None
    head = words.plain(
        "terminal.memory-head",
        model=answer["model"], billions=_number(answer["parameters"] / 1e9, words, 3), kv=answer["kv_type"],
        format=f"{answer['format']['family']} {answer['format']['type']}", tp=answer["tp"], pp=answer["pp"],
        engine=engine or words.plain("terminal.memory-no-engine"),
    )  # fmt: skip
    rows = [
        ("weights", _size(answer["weights_bytes"], words)),
        ("weights-device", _size(answer["weights_bytes_per_device"], words)),
        ("token", words.plain(
            "terminal.memory-token-value", whole=answer["kv_bytes_per_token"],
            each=answer["kv_bytes_per_token_per_device"],
        )),
        (words.plain("terminal.memory-request", tokens=answer["context"]), _size(answer["kv_bytes"], words)),
    ]  # fmt: skip
    if answer["state_bytes_per_sequence"]:
        rows.append(("state", _size(answer["state_bytes_per_sequence"], words)))
    lines = [head, *answer["doubts"], *_aligned(rows, words)]
    if answer["fit"]:
        lines += [*_parts(answer, words), *_aligned(_fit(answer, words), words)]
    label = words.plain("terminal.memory-assumed")
    return "\n".join(lines + [f"{label}: {said}" for said in answer["assumptions"]])


def _fit(answer: Plain, words: Texts) -> list[tuple[str, str]]:
    count = answer["max_concurrency"]
    most = "–" if count is None else _number(count, words, 0 if count == int(count) else 2)
    if answer["waiting"]:
        values = {"most": most, "waiting": answer["waiting"], "asked": answer["concurrency"]}
        most = words.plain("terminal.memory-waiting", values)
    pool = {"size": _size(answer["pool_bytes"], words), "tokens": answer["pool_tokens"] or 0}
    rows = [("fit", words.plain(f"fit.word-{answer['fit']}"))]
    if answer["kv_bytes_per_token"] or answer["state_bytes_per_sequence"]:  # else nothing grows with a request
        rows += [
            ("pool", words.plain("terminal.memory-pool-value", pool)),
            (words.plain("fit.one-request"), words.plain("fit.tokens", n=answer["max_context"] or 0)),
            (words.plain("fit.at-full", tokens=answer["context"]), most),
        ]
    if answer["budget_bytes"]:
        rows.append(("budget", _size(answer["budget_bytes"], words)))
    if answer["shortfall_bytes"]:
        rows.append(("missing", _size(answer["shortfall_bytes"], words)))
    how = answer["offload"]
    if how:
        layers = how["cpu_moe_layers"] if how["kind"] == "experts" else how["layers_gpu"]
        rows.append(("moved", words.plain(f"fit.partly-{how['kind']}", n=layers, size=how["host_bytes"])))
    for change in answer["changes"]:
        to = change["to"] if isinstance(change["to"], int) else str(change["to"]).upper()
        rows.append((words.plain(f"fit.change-{change['change']}", to=to), words.plain(f"fit.word-{change['fit']}")))
    return rows


def _parts(answer: Plain, words: Texts) -> list[str]:
    """A line per part; devices that hold the same are told once."""
    shown: dict[str, list[Plain]] = {}
    for part in answer["parts"]:
        shown.setdefault(part["device"], []).append(part)
    groups: list[tuple[str, int, list[Plain]]] = []
    for device, parts in shown.items():
        sizes = [(p["name"], p["bytes"] >> 20) for p in parts]
        place = next(
            (n for n, (_, _, known) in enumerate(groups) if [(p["name"], p["bytes"] >> 20) for p in known] == sizes),
            None,
        )
        if place is None:
            groups.append((device, 1, parts))
        else:
            name, count, known = groups[place]
            groups[place] = (name, count + 1, known)
    lines = []
    for device, count, parts in groups:
        name = words.plain("fit.system-memory") if device == "system" else device
        lines.append(f"{count} × {name.rsplit(' #', 1)[0]}" if count > 1 else name)
        wide = max(len(words.plain(f"fit.part-{p['name']}")) for p in parts)
        for part in parts:
            off = f" ± {_number(part['error_bytes'] / GIB, words, 2)}" if part["error_bytes"] else ""
            known = "" if part["basis"] == "exact" else f"  {words.plain('fit.how-' + part['basis'] + '-only')}"
            size = f"{_number(part['bytes'] / GIB, words, 3):>10} {words.plain('unit.gib')}"
            lines.append(f"  {words.plain('fit.part-' + part['name']).ljust(wide)}{size}{off}{known}")
    return lines


def _aligned(rows: list[tuple[str, str]], words: Texts) -> list[str]:
    """ "name   value"; a name is a text of this command or words already."""
    names = [words.plain(f"terminal.memory-{n}") if words.has(f"terminal.memory-{n}") else n for n, _ in rows]
    wide = max(len(name) for name in names) + 2
    return [name.ljust(wide) + value for name, (_, value) in zip(names, rows, strict=True)]


def _number(value: float, words: Texts, decimals: int) -> str:
    return numbers.number(value, words.lang, decimals)


def _size(count: int | None, words: Texts) -> str:
    if count is None:
        return "–"
    return words.plain("terminal.memory-size", gib=_number(count / GIB, words, 3), bytes=count)
