"""The checked base as the plain objects that `wizard` and the browser read.

`build()` is pure and deterministic: equal files give equal bytes. Maps keep the order of the files,
since the order of clauses is the order in which obstacles are told. What neither a decision nor the
rendering of an answer reads is listed in `DROPPED` and stays with the pages, which have the whole base.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from knowledge import kinds
from knowledge.inputs import digest
from wizard.reuse import asked

if TYPE_CHECKING:
    from knowledge.load import File, Knowledge

SCHEMA = 1
CONSTANTS = "constants/speed.json"
LANGUAGES = ("en", "vi", "ru")

# Folders that the core holds, in its order; the others (claims, scenarios, families, guides, workloads)
# are for pages and tests only.
CORE = (
    "engines", "devices", "models", "formats", "rules", "questions", "recipes", "bottlenecks", "mistakes",
    "benchmarking",
)  # fmt: skip

# What only the report checker reads: it comes in a file of its own, when somebody pastes a report.
REPORT = ("why", "essential", "told_by", "aka", "shown_by", "output", "flags", "example")
REPORT_TEXTS = "report."

# Fields left out of the core, by kind; "*" holds for every kind, [] stands for the items of a list.
DROPPED: dict[str, tuple[str, ...]] = {
    "*": ("checked", "claims"),
    # notes of runs_on, formats and parallelism stay: they are told when the line stands in the way
    "engine": (
        "homepage", "repository", "licence", "choose_when", "avoid_when", "summary", "verdict", "apis",
        "modes.[].note", "offload.[].note",
    ),
    "device": (
        "released", "summary", "memory.type", "memory.reported_mib.note", "memory.usable_fraction.note",
        "bandwidth_gbs.note", "power_w.note",
    ),
    "model": ("publisher", "licence", "released", "summary"),
    "format": ("hardware", "summary", "source", "types.[].source", "types.[].quality.note", "convert.[].note"),
    "recipe": ("name", "guide", "intro", "watch", "expect", "source"),
    "bottleneck": ("summary", "signs", "remedies", "source"),  # an answer tells the name and links to the page
    "mistake": ("why", "instead"),  # an answer tells the warning
    "question": ("source", "fields.[].why"),
    "benchmarking": REPORT,
}  # fmt: skip

# Sentences of the reference pages and of dialogs, which stand in the page: the browser gets only those that an
# answer shows too; the command line says what was pasted in the words of the dialog, and has its own.
PAGE_TEXTS = (
    "pages.", "paste.", "terminal.", "out.", "form.", "wizard-page.",
    *(f"words.{group}." for group in (
        "kernel-says", "offload-kind", "api", "parameter", "parameter-value", "memory-rule", "memory-rule-text",
        "benchmark-type", "recipe-group",
    )),
)  # fmt: skip
COMMAND_TEXTS = ("paste.", "terminal.")
PAGE_TEXTS_IN_ANSWERS = (
    "pages.source.", "pages.untranslated", "wizard-page.live", "wizard-page.at-once", "wizard-page.assumed",
    "wizard-page.copied", "wizard-page.group-",
)  # fmt: skip

Plain = dict[str, Any]


class Bundle(NamedTuple):
    """What `build` returns: see the module and the functions below for the shape of each part."""

    core: Plain
    texts: dict[str, Plain]
    measurements: list[Plain]
    sources: dict[str, Plain]
    report: dict[str, Plain]


def build(knowledge: Knowledge, fitted: Plain | None = None) -> Bundle:
    """The bundle of a base.

    core: entries by folder and id with every text replaced by its id; texts: {language: {text id: words,
    "$untranslated": [ids shown in English]}}; measurements: rows; sources: every reading in full.
    Entries that break their schema are left out (`check` names them).
    `fitted` replaces the fitted constants of the base, for those who fit them.
    """
    core: Plain = {"schema": SCHEMA, "version": "", "date": ""}
    for folder in CORE:
        kind = kinds.KINDS[folder]
        sound = [
            file for file in _sound(knowledge, kind) if file.data.get("type") != "metric"
        ]  # pages alone show those
        core[folder] = {file.id: _core_entry(file, kind) for file in sound}
    for file in _sound(knowledge, "order"):
        core["order"] = {"ties": _with_ids(file, file.data["ties"], ("ties",))}
    core.setdefault("order", {"ties": []})
    core["terms"] = {f.id: _pick(_core_entry(f, "term"), ("name", "plural")) for f in _sound(knowledge, "term")}
    core["constants"] = fitted if fitted is not None else constants(knowledge.root)
    core["sources"] = {
        id: {"k": reading["kind"], "d": reading["read"], "p": file.id}
        for file in _sound(knowledge, "source")
        for id, reading in file.data["readings"].items()
    }
    core["asked"] = asked(core["engines"])
    core["publishers"] = {file.id: file.data.get("called") or file.data["name"] for file in _sound(knowledge, "source")}
    core["measurements"] = []
    core["date"] = date_of(knowledge)
    reachable = _text_ids(core)
    texts = texts_of(knowledge, reachable)
    measurements, sources = measurements_of(knowledge), sources_of(knowledge)
    everything = canonical([core, texts, measurements, sources])
    core["version"] = hashlib.sha256(everything.encode()).hexdigest()[:12]
    return Bundle(core, texts, measurements, sources, report_of(knowledge))


def canonical(data: Any) -> str:
    """JSON without spaces in the order of the data: the bytes that are hashed and written."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def texts_of(knowledge: Knowledge, only: set[str] | None = None) -> dict[str, Plain]:
    """Texts by language and id; `only` limits those of entries to these ids, and those of the
    interface to what an answer shows; without it all are there, for the pages.

    A text that a language lacks is the English one, and its id is listed under "$untranslated".
    """
    found: dict[str, Plain] = {lang: {} for lang in LANGUAGES}
    missing: dict[str, list[str]] = {lang: [] for lang in LANGUAGES}
    for file in knowledge.readable():
        for path, text in file.mentions.texts:
            id = file.text_id(path)
            if "en" not in text or (only is not None and not _travels(id, file.kind, only)):
                continue
            for lang in LANGUAGES:
                found[lang][id] = text.get(lang, text["en"])
                if lang not in text:
                    missing[lang].append(id)
    return {lang: dict(sorted(found[lang].items())) | {"$untranslated": sorted(missing[lang])} for lang in LANGUAGES}


def _travels(id: str, kind: str | None, reachable: set[str]) -> bool:
    if kind != "text":
        return id in reachable
    if id.startswith(REPORT_TEXTS):
        return False
    return not id.startswith(PAGE_TEXTS) or id.startswith(PAGE_TEXTS_IN_ANSWERS)


def report_of(knowledge: Knowledge) -> dict[str, Plain]:
    """What the report checker needs beside the core, by language: fields, rules, tools and its sentences.

    fields: {id: {"names" in every language and as people call it, "told_by", "essential"}}; rules: {id:
    {"shown_by"}}; tools: {id: {"output", "flags"}}; texts as in `texts_of`. Entries stand in their order.
    """
    entries = sorted(_sound(knowledge, "benchmarking"), key=lambda file: (file.data.get("order", 0), file.id))
    fields, rules, tools, texts = {}, {}, {}, set()
    for file in entries:
        data = file.data
        if data["type"] == "field":
            names = dict.fromkeys([*data["name"].values(), *data.get("aka", ())])
            fields[file.id] = {"names": list(names)} | _pick(data, ("told_by", "essential", "group"))
            texts.add(f"benchmarking.{file.id}.why")
        elif data["type"] == "rule":
            rules[file.id] = _pick(data, ("shown_by",))
        elif data["type"] == "tool" and "output" in data:
            forms = [{k: v for k, v in form.items() if k != "source"} for form in data["output"]]
            tools[file.id] = {"output": forms} | _pick(data, ("flags",))
    shared = {"fields": fields, "rules": rules, "tools": tools}
    every = texts_of(knowledge)
    return {
        lang: shared
        | {"texts": {id: words for id, words in every[lang].items() if id in texts or id.startswith(REPORT_TEXTS)}}
        for lang in LANGUAGES
    }


def measurements_of(knowledge: Knowledge) -> list[Plain]:
    """Every measured record with its source, `id` being `<file>.<record>`; notes stay with the pages."""
    rows = []
    for file in _sound(knowledge, "measurement"):
        for record in file.data["records"]:
            row = {key: value for key, value in record.items() if key != "note"}
            rows.append({**row, "id": f"{file.id}.{record['id']}", "source": file.data["source"]})
    return rows


def sources_of(knowledge: Knowledge) -> dict[str, Plain]:
    """Every reading in full, with the id and the name of its publisher."""
    return {
        id: {**reading, "publisher": file.id, "name": file.data["name"]}
        for file in _sound(knowledge, "source")
        for id, reading in file.data["readings"].items()
    }


def edits_of(knowledge: Knowledge) -> dict[str, Plain]:
    """`<folder>.<id>` -> {file, lines}: the line of every text and of every fact that has a source."""
    found = {}
    for file in knowledge.readable():
        paths = [path for path, _text in file.mentions.texts]
        for path, _id in file.mentions.sources:
            claim = path if isinstance(path[-1], str) else path[:-1]
            paths.append(claim[:-1])
        lines = {".".join(map(str, path)): file.place(path).line for path in paths if path}
        found[f"{kinds.FOLDERS[file.kind or '']}.{file.id}"] = {"file": file.name, "lines": lines}
    return found


def constants(root: Path) -> Plain:
    """Fitted constants of the speed model, or nothing before they are fitted."""
    file = root / CONSTANTS
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def date_of(knowledge: Knowledge) -> str:
    """The newest day on which anything was read or checked, as YYYY-MM-DD; empty for an empty base."""
    days = [
        text
        for file in knowledge.readable()
        for path, text in file.mentions.dates
        if path[-1] in ("read", "checked") and len(text) == 10
    ]
    return max(days, default="")


def write(bundle: Bundle, edits: dict[str, Plain], out: Path) -> list[tuple[str, int, int]]:
    """Write the files the browser loads; returns (name, bytes, bytes after gzip) of each."""
    parts: dict[str, Any] = {"core.json": bundle.core}
    parts |= {f"text.{lang}.json": words for lang, words in bundle.texts.items()}
    parts |= {f"report.{lang}.json": part for lang, part in bundle.report.items()}
    parts |= {"measurements.json": bundle.measurements, "sources.json": bundle.sources, "edit.json": edits}
    out.mkdir(parents=True, exist_ok=True)
    sizes = []
    for name, data in parts.items():
        content = canonical(data).encode()
        (out / name).write_bytes(content)
        sizes.append((name, len(content), len(gzip.compress(content, 9, mtime=0))))
    return sizes


def load_for_cli(root: Path | None = None, cache: Path | None = None) -> tuple[Plain, dict[str, Plain], list[Plain]]:
    """(core, texts, measurements) of the base, from a cache as long as no file of it has changed."""
    return _kept(root, cache)[:3]


def report_for_cli(root: Path | None = None, cache: Path | None = None) -> dict[str, Plain]:
    """`Bundle.report` of the base, from the same cache."""
    return _kept(root, cache)[3]


def _kept(root: Path | None, cache: Path | None) -> tuple[Any, ...]:
    base = root or kinds.ROOT
    kept = cache or kinds.ROOT.parent / ".cache" / "bundle.pickle"
    state = digest(base)
    try:
        with kept.open("rb") as stream:
            known, value = pickle.load(stream)
        if known == state and len(value) == 4:
            return value
    except (OSError, EOFError, ValueError, TypeError, pickle.UnpicklingError):
        pass
    from knowledge.load import load, write_atomically

    knowledge = load(base)
    bundle = build(knowledge)
    spoken = {lang: {id: t for id, t in words.items() if id.startswith(COMMAND_TEXTS)}
              for lang, words in texts_of(knowledge).items()}  # fmt: skip
    words = {lang: own | spoken[lang] for lang, own in bundle.texts.items()}
    value = (bundle.core, words, bundle.measurements, bundle.report)
    write_atomically(kept, (state, value))
    return value


def _sound(knowledge: Knowledge, kind: str) -> list[File]:
    return [file for file in knowledge.sound() if file.kind == kind]


def _core_entry(file: File, kind: str) -> Plain:
    entry = _with_ids(file, file.data, ())
    if kind == "benchmarking" and entry["type"] != "rule":
        del entry["text"]  # of tools and fields an answer tells the name, of rules also why
    for pattern in (*DROPPED["*"], *DROPPED.get(kind, ())):
        _drop(entry, pattern.split("."))
    return entry


def _with_ids(file: File, data: Any, path: tuple[Any, ...]) -> Any:
    """A copy of part of an entry in which every text is its id."""
    texts = {at for at, _text in file.mentions.texts}

    def copy(value: Any, at: tuple[Any, ...]) -> Any:
        if at in texts:
            return file.text_id(at)
        if isinstance(value, dict):
            return {key: copy(item, (*at, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [copy(item, (*at, index)) for index, item in enumerate(value)]
        return value

    return copy(data, path)


def _drop(value: Any, steps: list[str]) -> None:
    if steps[0] == "[]":
        for item in value if isinstance(value, list) else ():
            _drop(item, steps[1:])
    elif isinstance(value, dict):
        if len(steps) == 1:
            value.pop(steps[0], None)
        elif steps[0] in value:
            _drop(value[steps[0]], steps[1:])


def _pick(entry: Plain, fields: tuple[str, ...]) -> Plain:
    return {field: entry[field] for field in fields if field in entry}


def _text_ids(core: Plain) -> set[str]:
    """Every string of the core that may be a text id: `<folder>.<entry>.<path>`."""
    folders = {*CORE, "glossary", "rules"}
    found: set[str] = set()
    stack: list[Any] = [core]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, str) and value.partition(".")[0] in folders:
            found.add(value)
    return found
