"""What the base holds and what it leaves open: fields filled, kinds of source, own documentation, freshness."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

from knowledge import kinds
from knowledge.shelf import overdue

if TYPE_CHECKING:
    from knowledge.load import File, Knowledge

UNKNOWN = "unknown"
# readings in which a project speaks for itself
OWN = ("official-docs", "release-notes", "code")


@dataclass(slots=True)
class Field:
    """One top-level field of a kind: entries that have it, of how many, and how it is filled.

    known, unknown: values inside it that are stated, and those that say "unknown"; sourced: values that
    name a source.
    """

    name: str
    filled: int
    entries: int
    known: int
    unknown: int
    sourced: int


@dataclass(slots=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    @property
    def share(self) -> float:
        """0 to 1; 1 where there is nothing to count."""
        return self.part / self.whole if self.whole else 1.0


def fields(knowledge: Knowledge, kind: str) -> list[Field]:
    """The fields of a kind in the order of its schema, without those that every entry has to have as a date."""
    files = [file for file in knowledge.readable() if file.kind == kind]
    cited = Counter(path[0] for file in files for path in _claims(file))
    found = []
    for name in kinds.schema(kind).get("properties", {}):
        values = [file.data[name] for file in files if name in file.data]
        leaves = Counter(leaf == UNKNOWN for value in values for leaf in _leaves(value))
        found.append(Field(name, len(values), len(files), leaves[False], leaves[True], cited[name]))
    return found


def sources(knowledge: Knowledge) -> dict[str, Counter[str]]:
    """{folder: {kind of reading: how many facts name one}}; a fact with two kinds counts for both."""
    found = {}
    for folder, kind in kinds.KINDS.items():
        count: Counter[str] = Counter()
        for file in knowledge.readable():
            if file.kind == kind:
                for ids in _claims(file).values():
                    count.update({knowledge.readings[id][1]["kind"] for id in ids if id in knowledge.readings})
        if count:
            found[folder] = count
    return found


def own(knowledge: Knowledge) -> Share:
    """Sourced facts of engines that name a page of the project itself.

    Its own page is one below its repository, of the same owner, or of its home page, and says what
    projects publish about themselves (documentation, release notes, code).
    """
    part = whole = 0
    for file in knowledge.readable():
        if file.kind != "engine":
            continue
        marks = _addresses(file.data)
        for ids in _claims(file).values():
            read = [knowledge.readings[id][1] for id in ids if id in knowledge.readings]
            whole += 1
            part += any(r["kind"] in OWN and any(mark in r["url"].lower() for mark in marks) for r in read)
    return Share(part, whole)


def fresh(knowledge: Knowledge, today: str) -> Share:
    """Sourced facts of which at least one reading is within its shelf life."""
    part = whole = 0
    for file in knowledge.readable():
        for ids in _claims(file).values():
            read = [knowledge.readings[id][1] for id in ids if id in knowledge.readings]
            whole += 1
            part += any(not overdue(str(r["kind"]), str(r["read"]), today) for r in read)
    return Share(part, whole)


def _claims(file: File) -> dict[tuple[Any, ...], list[str]]:
    """Readings by the fact that names them; those of one list carry one fact."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for path, id in file.mentions.sources:
        found.setdefault(path if isinstance(path[-1], str) else path[:-1], []).append(id)
    return found


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() if key != "source" for leaf in _leaves(inner)]
    return [leaf for inner in value for leaf in _leaves(inner)] if isinstance(value, list) else [value]


def _addresses(engine: dict[str, Any]) -> set[str]:
    """Parts of an address by which a page is the project's own."""
    marks = set()
    host = urlparse(str(engine.get("homepage", ""))).netloc.lower().removeprefix("www.")
    if host and host != "github.com":
        marks.add(host)
    where = urlparse(str(engine.get("repository", "")))
    owner = where.path.strip("/").split("/")[0].lower()
    if where.netloc == "github.com" and owner:
        marks |= {f"github.com/{owner}/", f"githubusercontent.com/{owner}/", f"{owner}.github.io"}
    return marks
