"""Placeholders that nothing fills."""

from collections.abc import Iterator
from typing import Any

from knowledge.findings import Finding, Place
from knowledge.lint.placeholders import FORMS, placeholders, template_names
from knowledge.lint.rule import Rule, World, word_place
from knowledge.load import File
from knowledge.nearest import nearest
from knowledge.yaml12 import Path
from wizard.vocabulary import LAUNCH_PLACEHOLDERS, PATHS

# what sentences of the interface are filled with is up to the code that says them
_FREE = ("text", "question")
# fields whose strings are templates for commands, files or code
_TEMPLATES = {
    "engine": ("launch", "install"),
    "format": ("convert",),
    "benchmarking": ("command", "instead", "shows"),
    "model": ("engine_args",),
}


def check(world: World) -> Iterator[Finding]:
    known = {*PATHS, *LAUNCH_PLACEHOLDERS}
    terms = world.knowledge.entries["term"].items()
    plural = {id for id, term in terms if isinstance(term.get("plural"), dict)}
    broken = {file.id for file in world.knowledge.files.values() if file.kind == "term" and file.data is None}
    for file, path, text in world.texts():
        for lang, words in text.items():
            for found in placeholders(words) if "{" in words else ():
                place = word_place(file, (*path, lang), found.written)
                if found.name is None:
                    said, fix = f"{found.written} is no placeholder", "write {name}, {name|term} or {name:form}"
                    yield RULE.at(place, said, fix=fix)
                elif found.term and found.term not in plural | broken:
                    said = f'the glossary has no plural forms for "{found.term}"'
                    fix = f"add `plural` to knowledge/glossary/{found.term}.yml"
                    near = nearest(found.term, plural)
                    yield RULE.near(file, place, found.term, near, message=said, fix=fix)
                elif found.form and found.form not in FORMS:
                    said, fix = f'a number has no form ":{found.form}"', f"one of: {', '.join(sorted(FORMS))}"
                    yield RULE.near(file, place, found.form, nearest(found.form, FORMS), message=said, fix=fix)
                elif file.kind not in _FREE and found.name not in known:
                    yield _unfilled(file, place, found.name, known)
    for file in world.knowledge.readable():
        for field in _TEMPLATES.get(file.kind or "", ()):
            for path, words in _strings(file.data.get(field), (field,)):
                for name in template_names(words):
                    if name not in known:
                        yield _unfilled(file, word_place(file, path, name), name, known)


def _unfilled(file: File, place: Place, name: str, known: set[str]) -> Finding:
    return RULE.near(file, place, name, nearest(name, known, 0.75), message=f"nothing fills {{{name}}}")


def _strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        if "{" in value:
            yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in ("needs", "when", "why", "note", "source", "expose"):
                yield from _strings(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings(item, (*path, index))


RULE = Rule(
    code="K303",
    level="error",
    name="a placeholder that nothing fills",
    why="readers would see the name in braces instead of the value",
    fix="use a path of the condition language or a launch placeholder (wizard/vocabulary.py)",
    bad="{en: 'spread over {candidate.tps} cards'}",
    good="{en: 'spread over {candidate.tp} cards'}",
    check=check,
)
