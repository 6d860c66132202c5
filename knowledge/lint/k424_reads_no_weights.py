"""Engines that start on a back end and have no format line for it: nothing could run there."""

from collections.abc import Iterator

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World
from wizard.versions import matches

_RUNS_MODELS = ("engine", "library")


def check(world: World) -> Iterator[Finding]:
    some = any(True for _ in world.entries("format"))  # a base without formats has nothing to read
    for file, entry in world.entries("engine"):
        if not some and "formats" not in entry:
            continue
        if entry["layer"] not in _RUNS_MODELS or entry["status"]["is"] in ("archived", "inactive"):
            continue
        stable = entry["versions"]["stable"]
        lines = [line for line in entry.get("formats", []) if matches(line.get("versions"), stable)]
        modes = [mode["id"] for mode in entry.get("modes", [])] or [None]
        for index, start in enumerate(entry.get("runs_on", [])):
            if not matches(start.get("versions"), stable):
                continue
            for mode in [start["mode"]] if start.get("mode") else modes:
                if not any(line.get("mode") in (None, mode) for line in lines):
                    place = file.place(("runs_on", index))
                    yield RULE.at(place, f"{file.id}{f' {mode}' if mode else ''} starts here and reads no format")
                    break


RULE = Rule(
    code="K424",
    level="error",
    name="an engine that starts and reads no weights",
    why="a back end or mode without a line under formats can neither be chosen nor be refused with a reason",
    fix="add the format lines of this version, or take the back end out",
    bad="runs_on: [{backend: cuda, source: x}]\nformats: []",
    good="runs_on: [{backend: cuda, source: x}]\nformats: [{format: gguf, backend: cuda, kernel: native, source: x}]",
    check=check,
)
