"""`python -m knowledge stats`: how much there is, in which languages, and how well it is sourced."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge import kinds, translations
from knowledge.load import Knowledge
from knowledge.shelf import overdue

LANGUAGES = translations.LANGUAGES


@dataclass(slots=True)
class Row:
    """Coverage of one kind. `translated` and `outdated` count texts by language; readings are distinct."""

    folder: str
    entries: int
    texts: int
    translated: dict[str, int]
    outdated: dict[str, int]
    sourced: int
    readings: int
    overdue: int


def rows(knowledge: Knowledge, today: str) -> list[Row]:
    """One row per folder, in the order of `kinds.KINDS`, and one for all."""
    old = translations.outdated_ids(knowledge, translations.read(knowledge.root))
    found = [_row(knowledge, folder, {kind}, old, today) for folder, kind in kinds.KINDS.items()]
    return [*found, _row(knowledge, "all", set(kinds.FOLDERS), old, today)]


def table(knowledge: Knowledge, today: str) -> str:
    """The table as text."""
    languages = [*LANGUAGES[1:], *(f"{lang} old" for lang in LANGUAGES[1:])]
    head = ["kind", "entries", "texts", *languages, "sourced", "readings", "overdue"]
    body = []
    for row in rows(knowledge, today):
        body.append([
            row.folder, f"{row.entries:,}", f"{row.texts:,}",
            *(_share(row.translated[lang], row.texts) for lang in LANGUAGES[1:]),
            *(f"{row.outdated[lang]:,}" for lang in LANGUAGES[1:]),
            f"{row.sourced:,}", f"{row.readings:,}", f"{row.overdue:,}",
        ])  # fmt: skip
    widths = [max(len(line[i]) for line in [head, *body]) for i in range(len(head))]
    lines = []
    for line in [head, *body]:
        cells = [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        lines.append("  ".join([line[0].ljust(widths[0]), *cells]))
    return "".join(f"{line}\n" for line in lines)


def _row(knowledge: Knowledge, folder: str, of: set[str], old: dict[str, set[str]], today: str) -> Row:
    files = [file for file in knowledge.readable() if file.kind in of]
    texts = [(file.text_id(path), text) for file in files for path, text in file.mentions.texts]
    used = {id for file in files for _path, id in file.mentions.sources}
    stale = 0
    for id in used & knowledge.readings.keys():
        reading = knowledge.readings[id][1]
        try:
            stale += overdue(str(reading.get("kind")), str(reading.get("read")), today)
        except (KeyError, ValueError):
            continue  # a wrong kind or date is a finding of the check
    return Row(
        folder,
        entries=len(files),
        texts=len(texts),
        translated={lang: sum(lang in text for _id, text in texts) for lang in LANGUAGES[1:]},
        outdated={lang: sum(id in old[lang] for id, _text in texts) for lang in LANGUAGES[1:]},
        sourced=sum(len(file.mentions.sources) for file in files),
        readings=len(used),
        overdue=stale,
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"
