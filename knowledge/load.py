"""Every entry of the knowledge base as plain data, with the place of each value.

`load()` never raises for what a file contains and never skips a file: one that cannot be read is a
problem like any other. What belongs to a single file (parsing, its schema, its mentions) is kept by
content hash, so that only changed files are read again.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from knowledge import kinds, mentions, validate, yaml12
from knowledge.findings import Place
from knowledge.inputs import yaml_files
from knowledge.yaml12 import Path as DataPath
from knowledge.yaml12 import Problem, Span

_CODE = ("yaml12.py", "validate.py", "mentions.py", "kinds.py", "nearest.py", "load.py")
_STRUCTURAL = ("K001", "K003", "K004", "K011", "K012", "K013", "K014", "K015")


@dataclass(slots=True)
class File:
    """One YAML file. `data` is None when it could not be read; `sound` when it follows its schema."""

    name: str
    kind: str | None
    id: str
    data: Any
    problems: list[Problem]
    mentions: mentions.Mentions
    text: str = field(repr=False)
    spans: bytes = field(repr=False)  # pickled (values, keys): only findings need them
    cached: bool = False
    _spans: tuple[dict[DataPath, Span], dict[DataPath, Span]] | None = field(default=None, repr=False)

    @property
    def sound(self) -> bool:
        """True when rules may read fields without asking whether they are there."""
        return not any(problem.code in _STRUCTURAL for problem in self.problems)

    def place(self, path: DataPath = (), on_key: bool = False) -> Place:
        """Place of the value (or key) at `path`, or of the nearest enclosing one that exists."""
        if self._spans is None:
            self._spans = pickle.loads(self.spans)
        values, keys = self._spans
        table = keys if on_key else values
        for length in range(len(path), -1, -1):
            head = path[:length]
            span = table.get(head) or values.get(head)
            if span:
                return self.at(span, whole_line=not head)
        return Place(self.name)

    def text_id(self, path: DataPath) -> str:
        """Id of the text at `path`: `engines.vllm.cautions.0.text`, or `answer.start-with` in text files."""
        if self.kind == "text":
            return ".".join([self.id, *(str(step) for step in path[1:])])
        return ".".join([kinds.FOLDERS[self.kind or ""], self.id, *(str(step) for step in path)])

    def at(self, span: Span, whole_line: bool = False) -> Place:
        """Place of a span; one that ends on a later line is shown to the end of its first line."""
        line, col, end_line, end = span
        if end_line != line or whole_line:
            lines = self.text.split("\n")
            shown = lines[line - 1] if line <= len(lines) else ""
            end = max(col + 1, len(shown.rstrip()) + 1)
        return Place(self.name, line, col, max(end, col + 1))


@dataclass(slots=True)
class Knowledge:
    """The whole base: `entries[kind][id]` is the plain data of an entry that could be read."""

    root: Path
    files: dict[str, File]
    entries: dict[str, dict[str, Any]]
    by_entry: dict[tuple[str, str], File]
    readings: dict[str, tuple[str, dict[str, Any]]]  # reading id -> (publisher id, reading)

    def where(self, kind: str, id: str, path: DataPath = (), on_key: bool = False) -> Place:
        """`file:line:col` of a value; raises KeyError for an entry that does not exist."""
        return self.by_entry[kind, id].place(tuple(path), on_key)

    def sound(self) -> Iterator[File]:
        """Files that follow their schema, in the order of their names."""
        return (f for f in self.files.values() if f.kind and f.data is not None and f.sound)

    def readable(self) -> Iterator[File]:
        """Files whose mentions can be used, sound or not, in the order of their names."""
        return (f for f in self.files.values() if f.kind and isinstance(f.data, dict))


def load(root: Path | None = None, cache: Path | None = None) -> Knowledge:
    """Read every YAML file below `root` (default: this package's folder).

    `cache` is the file that keeps results by content hash; by default `.cache/knowledge.pickle` beside
    the default root, and none for any other root.
    """
    base = Path(root) if root else kinds.ROOT
    if cache is None and base.resolve() == kinds.ROOT:
        cache = kinds.ROOT.parent / ".cache" / "knowledge.pickle"
    kept = _read_cache(cache)
    files: dict[str, File] = {}
    fresh: dict[str, bytes] = {}
    changed = False
    for relative in yaml_files(base):
        name = f"{base.name}/{relative}"
        content = (base / relative).read_bytes()
        key = hashlib.sha256(relative.encode() + b"\0" + content).hexdigest()
        record = kept.get(key)
        file = None
        if record is not None:
            file = pickle.loads(record)
            file.cached = True
        if file is None:
            file = read(relative, name, content)
            record = pickle.dumps(file, protocol=pickle.HIGHEST_PROTOCOL)
            changed = True
        fresh[key] = record
        files[name] = file
    if cache and (changed or len(fresh) != len(kept)):
        write_atomically(cache, (_stamp(), fresh))
    return assemble(base, files)


def read(relative: str, name: str, content: bytes) -> File:
    """Read one file: parse it, hold it against its schema and collect what it mentions."""
    kind = kinds.kind_of(relative) if relative.endswith(".yml") else None
    problems: list[Problem] = []
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        text = content.decode("utf-8", errors="replace")
        line = content.count(b"\n", 0, error.start) + 1
        fix = "save the file in the encoding UTF-8; the caret stands at the start of the line with the first such byte"
        detail = {"reason": "a byte that is not UTF-8", "fix": fix}
        parsed = yaml12.Parsed(problems=[Problem("K001", span=(line, 1, line, 2), detail=detail)])
    else:
        text = text.replace("\r\n", "\n").removeprefix("\ufeff")
        parsed = yaml12.parse(text)
    data = parsed.data
    problems += parsed.problems
    if kind is None:
        problems.append(Problem("K004", span=(1, 1, 1, 2), detail={"relative": relative}))
    elif not any(p.code == "K001" for p in problems):
        problems += validate.problems(kind, data)
    gathered = mentions.gather(kind, data) if kind and isinstance(data, dict) else mentions.Mentions()
    spans = pickle.dumps((parsed.values, parsed.keys), protocol=pickle.HIGHEST_PROTOCOL)
    stem = relative.rpartition("/")[2].rpartition(".")[0]
    return File(name, kind, stem, data, problems, gathered, text, spans)


def assemble(base: Path, files: dict[str, File]) -> Knowledge:
    """The base that these files, by name, make up; `base` is only remembered."""
    entries: dict[str, dict[str, Any]] = {kind: {} for kind in kinds.FOLDERS}
    by_entry: dict[tuple[str, str], File] = {}
    readings: dict[str, tuple[str, dict[str, Any]]] = {}
    for file in files.values():
        if file.kind is None:
            continue
        by_entry[file.kind, file.id] = file
        if isinstance(file.data, dict):
            entries[file.kind][file.id] = file.data
            if file.kind == "source" and isinstance(file.data.get("readings"), dict):
                for reading, about in file.data["readings"].items():
                    if isinstance(about, dict):
                        readings.setdefault(reading, (file.id, about))
    return Knowledge(base, files, entries, by_entry, readings)


def _stamp() -> str:
    """Hash of the schemas and of the code that reads: a cache made by others is no cache."""
    total = hashlib.sha256()
    for file in [*sorted(kinds.SCHEMAS.glob("*.json")), *(kinds.ROOT / name for name in _CODE)]:
        total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()


def _read_cache(cache: Path | None) -> dict[str, bytes]:
    if cache is None:
        return {}
    try:
        with cache.open("rb") as stream:
            stamp, records = pickle.load(stream)
    except (OSError, EOFError, ValueError, TypeError, pickle.UnpicklingError):
        return {}
    return records if stamp == _stamp() else {}


def write_atomically(cache: Path, value: object) -> None:
    """Pickle `value` into a cache file so that no other run ever sees half of it."""
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        scratch = cache.with_suffix(f".{os.getpid()}")
        with scratch.open("wb") as stream:
            pickle.dump(value, stream, protocol=pickle.HIGHEST_PROTOCOL)
        scratch.replace(cache)
    except OSError:
        return  # a read-only checkout works, only slower
