"""An orchestrator's command holds the settings of the engine below it, taken from that engine's own entry.

The engine's command is made first, as if it stood alone. What the orchestrator repeats are its flags:
as flags, or as the members of a JSON or YAML map whose keys are the flags' names with underscores
(`--max-model-len 4096` becomes `max_model_len: 4096`), which is how orchestrators hand them on.
Which flags stay behind, and which are called otherwise above, is data of the orchestrator.
"""

from __future__ import annotations

import json
import re
from typing import Any

Plain = dict[str, Any]

PLACE = "{launch.below}"  # where a file takes the settings
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def line_of(entry: Plain, engine: str) -> Plain:
    """The orchestrator's line about an engine; empty when it does not drive that one."""
    return next((line for line in entry.get("over", []) if line["engine"] == engine), {})


def arguments(process: Plain, spec: Plain) -> list[Plain]:
    """Flags of an engine's process as an orchestrator takes them: without words, host and what it leaves.

    process: of the engine's own command; spec: `below` of the orchestrator's process.
    """
    leave, names = set(spec.get("leave", [])), spec.get("names") or {}
    taken = []
    for arg in process["args"]:
        flag = arg["flag"]
        if flag.startswith("-") and flag not in leave and not arg["bind"]:
            taken.append({**arg, "flag": names.get(flag, flag)})
    return taken


def settings(taken: list[Plain]) -> Plain:
    """The same flags as a map: names with underscores, numbers as numbers, a flag without value as true."""
    return {a["flag"].lstrip("-").rstrip("=").replace("-", "_"): _typed(a["value"]) for a in taken}


def put(content: str, spec: Plain, taken: list[Plain]) -> str:
    """A file's template with the settings at their place, indented like the line they stand on.

    JSON: members for an object that already has one before them. YAML: lines of a map, or with
    `as: yaml-list` items of a list of words.
    """
    if PLACE not in content:
        return content
    lines = []
    for line in content.split("\n"):
        if PLACE not in line:
            lines.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        lines += [indent + text for text in _written(spec["as"], taken)]
    return "\n".join(lines)


def _written(form: str, taken: list[Plain]) -> list[str]:
    if form == "yaml-list":
        words = [w for a in taken for w in (a["flag"], a["value"]) if w is not None]
        return [f"- {json.dumps(word, ensure_ascii=False)}" for word in words]
    members = settings(taken).items()
    if form == "json":
        texts = [f"{json.dumps(k)}: {json.dumps(x, ensure_ascii=False)}" for k, x in members]
        return [text + ("," if i < len(texts) - 1 else "") for i, text in enumerate(texts)]
    return [f"{key}: {json.dumps(x, ensure_ascii=False)}" for key, x in members]


def _typed(value: str | None) -> Any:
    if value is None:
        return True
    if value in ("true", "false"):
        return value == "true"
    if not _NUMBER.fullmatch(value):
        return value
    return float(value) if "." in value else int(value)
