"""Which model, hardware, engine and format a report is about: named in a field, or found in its sentences."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from wizard.kb import KB, fold
from wizard.speed import names

Plain = dict[str, Any]
WORDS = 4000  # of running text that are looked at
LONGEST = 6  # words of a name

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*(?:/[A-Za-z0-9][A-Za-z0-9.+_-]*)?")
_COUNT = re.compile(r"(\d{1,3})\s*[x×]\s*$|(\d{1,3})\s+$", re.I)
SHORT = 4  # letters: in lower case such an engine's name is more often an ordinary word ("max 35 ms")
_VOWEL = re.compile(r"[aeiou]")  # no word goes without one: "vllm 0.9" is a name, "max 3.5" is not
_RELEASE = re.compile(r"(?:\s+|==?|@|:|-)\s*(?:version\s+)?(?:v?\d+(?:\.\d+)+\w*|b\d{4,6})\b")


class Subject(NamedTuple):
    """What is measured. Ids of entries or None; the words as written stand beside."""

    device: str | None = None
    device_text: str | None = None
    count: int = 1
    model: str | None = None
    model_text: str | None = None
    engine: str | None = None
    engine_text: str | None = None
    format: str | None = None


def subject(known: Plain, prose: str, kb: KB) -> Subject:
    """known: values as written by quantity (device, model, engine, format); prose: the rest of the text."""
    found = _in_prose(prose, kb)
    device_text, count = _machines(str(known.get("device") or ""))
    machine = names.hardware(device_text, kb) if device_text else None
    if machine is None and found.get("device"):
        device_text, id_, n = found["device"]
        machine = names.hardware(kb.devices[id_]["name"], kb)
        count = max(count, n)
    if machine and machine.count:
        count = max(count, machine.count)
    model_text = str(known.get("model") or "")
    model, kind = _model(model_text, kb)
    if model is None and found.get("model"):
        model_text, model, _ = found["model"]
    engine_text = str(known.get("engine") or "")
    hit = kb.find_engine(_bare(engine_text)) if engine_text else None
    engine = hit[0] if hit else None
    if engine is None and found.get("engine"):
        engine_text, engine, _ = found["engine"]
    format_ = known.get("format") or kind or (found.get("format") or (None,))[0]
    return Subject(
        machine.device if machine else None, device_text or None, max(1, count), model, model_text or None,
        engine, engine_text or None, str(format_) if format_ else None,
    )  # fmt: skip


def _model(text: str, kb: KB) -> tuple[str | None, str | None]:
    """(model id, weight type its name ends with)."""
    if not text:
        return None, None
    tail = re.sub(r"\.gguf$", "", text.replace("\\", "/").rstrip("/"), flags=re.I)
    known, kind = names.model(tail if tail.count("/") < 2 else tail.rsplit("/", 1)[-1], kb)
    return (known or {}).get("id"), kind


def _machines(text: str) -> tuple[str, int]:
    """One device's name, and how often it stands in a list of the same."""
    parts = [part.strip() for part in re.split(r"[,;/]|\s\+\s", text) if part.strip()]
    if len(parts) > 1 and len({fold(part) for part in parts}) == 1:
        return parts[0], len(parts)
    return text.strip(), 1


def _bare(text: str) -> str:
    """An engine's name without its version."""
    return re.sub(r"[\s(@:=]*\bv?\d+(\.\d+)+.*$|\s+b\d{3,}.*$", "", text).strip() or text


def _in_prose(text: str, kb: KB) -> dict[str, tuple[str, str, int]]:
    """{kind: (words, id, count)}: the longest names that stand in the text, the first of each kind."""
    index = _index(kb)
    words = list(_WORD.finditer(text))[:WORDS]
    best: dict[str, tuple[int, str, str, int]] = {}
    for start in range(len(words)):
        key = ""
        for end in range(start, min(start + LONGEST, len(words))):
            key += fold(words[end][0])
            for kind, id_ in index.get(key, ()):
                said = text[words[start].start() : words[end].end()]
                if kind == "engine":
                    release = _RELEASE.match(text, words[end].end())
                    if len(key) <= SHORT and said == said.lower() and (_VOWEL.search(said) or not release):
                        continue
                    said += release[0] if release else ""
                before = _COUNT.search(text[max(0, words[start].start() - 8) : words[start].start()])
                count = int(before[1] or before[2]) if before else 1
                if kind not in best or len(key) > best[kind][0]:
                    best[kind] = (len(key), said, id_, count if 1 < count <= 64 else 1)
    return {kind: (said, id_, count) for kind, (_, said, id_, count) in best.items()}


def _index(kb: KB) -> dict[str, list[tuple[str, str]]]:
    """Folded names of devices, models, engines and formats; kept with the base."""
    kept = kb.kept.get("report-names")
    if kept is not None:
        return kept
    index: dict[str, list[tuple[str, str]]] = {}

    def put(kind: str, name: Any, id_: str) -> None:
        key = fold(str(name))
        if len(key) >= 3 and not key.isdigit():
            index.setdefault(key, []).append((kind, id_))

    for id_, entry in kb.devices.items():
        for name in (entry["name"], *entry.get("aka", ())):
            put("device", name, id_)
    for id_, entry in kb.models.items():
        points = [p["repository"] for p in entry.get("checkpoints", ()) if p.get("repository")]
        for name in (id_, entry["name"], *entry.get("aka", ()), entry.get("repository") or "", *points):
            put("model", name, id_)
            if "/" in str(name):
                put("model", str(name).rsplit("/", 1)[-1], id_)
    for id_, entry in kb.engines.items():
        for name in (id_, entry["name"], *entry.get("aka", ())):
            put("engine", name, id_)
    for family, entry in kb.formats.items():
        for type_ in entry["types"]:
            for name in (type_["name"], type_["id"], *type_.get("aka", ())):
                put("format", name, f"{family}:{type_['id']}")
    kb.kept["report-names"] = index
    return index
