"""`python -m knowledge format`: the keys of every file in the order of its schema, and the locks.

Values are never changed and comments stay: keys move as whole blocks of lines, so what is written in a
block is written the same afterwards. A file whose data would come out different is left as it is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from knowledge import kinds, translations, yaml12
from knowledge.load import File, Knowledge, load
from knowledge.yaml12 import Path as DataPath

_EVIDENCE = ("versions", "source", "note")  # keys that close a line
_SCHEMA_LINE = "# yaml-language-server"
_COMMENT = re.compile(r"\s*(#|\Z)")


def formatted(file: File) -> str:
    """The text of a file with its keys in order; the same text when it cannot be improved safely."""
    hidden = any(problem.code in ("K001", "K002", "K003") for problem in file.problems)
    if file.kind is None or hidden or not isinstance(file.data, dict):
        return file.text
    text = _tidy(file.text)
    by_depth: dict[int, dict[DataPath, list[str]]] = {}
    for path, wanted in _maps(kinds.schema(file.kind), file.data, ()):
        by_depth.setdefault(len(path), {})[path] = wanted
    parsed = yaml12.parse(text)
    # inner maps first: a reordering below does not change which lines an outer block has
    for depth in sorted(by_depth, reverse=True):
        text, changed = _reorder_all(text, parsed, by_depth[depth])
        if changed:
            parsed = yaml12.parse(text)
    return text if parsed.data == file.data and not parsed.problems else file.text


def run(root: Path | None = None, check: bool = False, still_right: set[str] = frozenset()) -> list[str]:
    """Format every file and write the locks; returns the names of what was (or with `check` would be) changed."""
    knowledge = load(root)
    changed = []
    for file in knowledge.files.values():
        text = formatted(file)
        path = knowledge.root.parent / file.name
        if text != file.text or _foreign(path):
            changed.append(file.name)
            if not check:
                path.write_text(text, encoding="utf-8", newline="\n")
    changed += write_locks(load(root) if changed and not check else knowledge, check, still_right)
    return changed


def _foreign(path: Path) -> bool:
    """Whether an editor left a byte order mark or line ends of Windows, which reading a file passes over."""
    content = path.read_bytes()
    if b"\r" not in content and not content.startswith(b"\xef\xbb\xbf"):
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False  # nothing is known of it, so nothing is written over it
    return True


def write_locks(knowledge: Knowledge, check: bool = False, still_right: set[str] = frozenset()) -> list[str]:
    """Bring `knowledge/translations/` up to date; returns the names of the locks that differ."""
    folder = knowledge.root / "translations"
    locks = translations.read(knowledge.root)
    changed = []
    fresh = translations.renew(knowledge, locks, still_right)
    for name in sorted({*fresh, *locks}):
        file = folder / f"{name}.lock"
        wanted = fresh[name].dump() if name in fresh else None
        present = file.read_text(encoding="utf-8") if file.exists() else None
        if wanted == present:
            continue
        changed.append(f"{knowledge.root.name}/translations/{name}.lock")
        if check:
            continue
        if wanted is None:
            file.unlink()
        else:
            folder.mkdir(exist_ok=True)
            file.write_text(wanted, encoding="utf-8")
    return changed


def _tidy(text: str) -> str:
    """No white space at line ends, one newline at the end."""
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n") + "\n"


def _maps(field: dict[str, Any], value: Any, path: DataPath) -> list[tuple[DataPath, list[str]]]:
    """Paths of all maps whose schema names their keys, with the order of those keys."""
    found = []
    if "$ref" in field:
        found += _maps(kinds.resolve(field["$ref"]), value, path)
    properties = field.get("properties")
    if isinstance(value, dict):
        if properties:
            found.append((path, list(properties)))
        extra = field.get("additionalProperties")
        for key, item in value.items():
            inner = (properties or {}).get(key, extra)
            if isinstance(inner, dict):
                found += _maps(inner, item, (*path, key))
    elif isinstance(value, list) and isinstance(field.get("items"), dict):
        for index, item in enumerate(value):
            found += _maps(field["items"], item, (*path, index))
    for option in field.get("oneOf", ()):
        found += _maps(option, value, path)
    return list({entry[0]: entry for entry in reversed(found)}.values())


def _siblings(parsed: yaml12.Parsed) -> dict[DataPath, list[DataPath]]:
    """Paths of the keys of each map, in the order of the file."""
    found: dict[DataPath, list[DataPath]] = {}
    for at in parsed.keys:
        found.setdefault(at[:-1], []).append(at)
    return found


def _in_order(keys: list[DataPath], wanted: list[str]) -> list[DataPath]:
    """The keys in the wanted order; parameters the schema does not name stay together before the evidence."""
    ranks = {key: float(index) for index, key in enumerate(wanted)}
    free = min((ranks[key] for key in _EVIDENCE if key in ranks), default=float(len(ranks))) - 0.5
    return sorted(keys, key=lambda at: ranks.get(at[-1], free))


def _reorder_all(text: str, parsed: yaml12.Parsed, maps: dict[DataPath, list[str]]) -> tuple[str, bool]:
    """The text with the keys of all these maps in order, and whether anything moved.

    The maps lie beside each other, none in another, and are done from the last to the first: what has
    moved lies behind what is still to come, so that one reading of the places serves all.
    """
    siblings = _siblings(parsed)
    changed = False
    for path in sorted(maps, key=lambda path: parsed.values.get(path, (0, 0))[:2], reverse=True):
        keys = siblings.get(path, [])
        new = _in_order(keys, maps[path])
        if new != keys:
            block = _is_block(parsed, text, keys)
            text = _reorder_block(text, parsed, keys, new) if block else _reorder_flow(text, parsed, keys, new)
            changed = True
    return text, changed


def _is_block(parsed: yaml12.Parsed, text: str, keys: list[DataPath]) -> bool:
    """Whether each key begins its own line (after the dash of a list item at most)."""
    lines = text.split("\n")
    if len({parsed.keys[at][0] for at in keys}) < len(keys):
        return False
    for at in keys:
        line, col, _end_line, _end = parsed.keys[at]
        if lines[line - 1][: col - 1].strip(" -"):
            return False
    return True


def _reorder_block(text: str, parsed: yaml12.Parsed, keys: list[DataPath], new: list[DataPath]) -> str:
    lines = text.split("\n")
    starts = [_with_comments(lines, parsed.keys[at]) for at in keys]
    end = _last_line(lines, parsed, keys[-1])
    bounds = [*starts, end]
    blocks = {at: lines[bounds[index] : bounds[index + 1]] for index, at in enumerate(keys)}
    first_line, first_col, *_ = parsed.keys[keys[0]]
    lead = lines[first_line - 1][: first_col - 1]
    if lead.strip():  # "- key": the dash stays in front of whichever key comes first
        head = blocks[keys[0]]
        at = first_line - 1 - starts[0]
        head[at] = " " * len(lead) + head[at][len(lead) :]
        target = blocks[new[0]]
        at = parsed.keys[new[0]][0] - 1 - starts[keys.index(new[0])]
        if at:  # comments above the new first key would come before the dash
            return text
        target[0] = lead + target[0][len(lead) :]
    return "\n".join([*lines[: starts[0]], *(line for at in new for line in blocks[at]), *lines[end:]])


def _with_comments(lines: list[str], span: yaml12.Span) -> int:
    """Index of the first line of a key's block: comments directly above at its indent go with it.

    Not the line that names the schema, and nothing above the dash of a list item.
    """
    index = span[0] - 1
    indent = " " * (span[1] - 1)
    if not lines[index].startswith(indent):
        return index
    while index > 0 and lines[index - 1].startswith(f"{indent}#") and not lines[index - 1].startswith(_SCHEMA_LINE):
        index -= 1
    return index


def _last_line(lines: list[str], parsed: yaml12.Parsed, at: DataPath) -> int:
    """Index of the line after a key's value; a value that ends at column 1 ended on the line before."""
    key, value = parsed.keys[at], parsed.values[at]
    _line, _col, end_line, end_col = value
    end = end_line if end_col > 1 else end_line - 1
    end = max(end, key[2])
    while end > key[2] and _COMMENT.match(lines[end - 1]):
        end -= 1
    return end


def _reorder_flow(text: str, parsed: yaml12.Parsed, keys: list[DataPath], new: list[DataPath]) -> str:
    """Swap the `key: value` pieces of a flow map; commas and line breaks between them stay where they are."""
    offsets = [0]
    for line in text.split("\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    pieces = {}
    for at in keys:
        (line, col, _el, _ec), (_vl, _vc, end_line, end_col) = parsed.keys[at], parsed.values[at]
        pieces[at] = (offsets[line - 1] + col - 1, offsets[end_line - 1] + end_col - 1)
    out, position = [], 0
    for old, replacing in zip(keys, new, strict=True):
        start, end = pieces[old]
        out += [text[position:start], text[slice(*pieces[replacing])]]
        position = end
    return "".join([*out, text[position:]])
