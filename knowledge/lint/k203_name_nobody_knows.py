"""Hardware, models, formats and engines in a Situation that the wizard would not recognise."""

from collections.abc import Iterator
from typing import Any

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World
from knowledge.nearest import nearest
from knowledge.yaml12 import Path
from wizard.kb import KB

_FOLDERS = {"engine": "engines", "device": "devices", "model": "models", "format": "formats"}


def check(world: World) -> Iterator[Finding]:
    core: dict[str, dict] = {folder: {} for folder in _FOLDERS.values()}
    for file in world.knowledge.sound():
        if file.kind in _FOLDERS:
            core[_FOLDERS[file.kind]][file.id] = file.data
    kb = KB({**core, "rules": {}, "questions": {}})
    find = {"engine": kb.find_engine, "device": kb.find_device, "model": kb.find_model, "format": kb.find_format}
    broken = {(f.kind, f.id) for f in world.knowledge.files.values() if f.kind in _FOLDERS and not (f.data and f.sound)}
    for file in world.knowledge.readable():
        for path, situation in file.mentions.situations:
            for inner, kind, name in _names(situation):
                if name == "auto" or (kind, name) in broken or find[kind](name):
                    continue
                near = nearest(name, world.ids(kind))
                yield RULE.near(
                    file,
                    file.place((*path, *inner)),
                    name,
                    near,
                    message=f'nobody would know the {kind} "{name}"',
                    fix=f"write the id or a known name of a {kind}, or add it to the `aka` of one",
                )


def _names(situation: dict[str, Any]) -> Iterator[tuple[Path, str, str]]:
    devices = situation.get("devices")
    for index, item in enumerate(devices if isinstance(devices, list) else []):
        if isinstance(item, dict) and isinstance(item.get("device"), str):
            yield ("devices", index, "device"), "device", item["device"]
    host = situation.get("host")
    if isinstance(host, dict) and isinstance(host.get("cpu"), str):
        yield ("host", "cpu"), "device", host["cpu"]
    for field, inner in (("model", "id"), ("format", "family")):
        value = situation.get(field)
        if isinstance(value, str):
            yield (field,), field, value
        elif isinstance(value, dict) and isinstance(value.get(inner), str):
            yield (field, inner), field, value[inner]
    if isinstance(situation.get("already"), str):
        yield ("already",), "engine", situation["already"]


RULE = Rule(
    code="K203",
    level="error",
    name="a name in a situation that the wizard does not know",
    why="the situation is decided exactly as a visitor's would be, by the same look-up",
    fix="write a name that an entry has",
    bad="devices: [{device: rtx-3099, count: 2}]",
    good="devices: [{device: rtx-3090, count: 2}]",
    check=check,
)
