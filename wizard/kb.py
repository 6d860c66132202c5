"""The knowledge as the decision reads it: the core bundle with look-ups by the names people write."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

Entry = dict[str, Any]

# Words around a device's name, also as drivers print them: "NVIDIA H100 80GB HBM3", "Tesla V100-SXM2-32GB".
_DROP = re.compile(
    r"\b(nvidia|geforce|tesla|amd|radeon|instinct|intel|apple|gpu|graphics|card|mac|macbook|studio|sxm\d?|hbm\d\w?"
    r"|oam|workstation edition|pro(?=\s+m\d))\b",
    re.I,
)
_MEMORY = re.compile(r"(?<![a-z0-9])(\d{1,4})\s*(gb|gib|g)(?![a-z0-9])", re.I)
_REMARK = re.compile(r"\([^()]*\)|\b\d{1,2}[- ]?(?:ch|channels?)\b", re.I)
_SIZE = re.compile(r"[1-9]\d{0,3}\Z", re.A)
_QUANT_TAIL = re.compile(
    r"[-_. :](?:ud[-_])?(fp8|awq|gptq|int4|int8|gguf|nvfp4|mxfp4|bf16|fp16|exl2|exl3|[348][-_ ]?bit|w\da\d+|mlx|onnx"
    r"|i?q\d\w*)$",
    re.I,
)
# What publishers add to the name of the same weights: "-Instruct", "-it", "-hf", "-v0.1".
_NAME_TAIL = re.compile(r"[-_. ](instruct|it|chat|hf|v0[.-]\d|dynamic|qat)$", re.I)
_NAME_HEAD = re.compile(r"^meta[-_ ](?=llama)", re.I)
# Folding drops signs, and "R" and "R+" are two models: the sign is read as the word hubs write for it.
_PLUS = re.compile(r"(?<=[a-z0-9])\+", re.I)
# Endings that say which format the weights are in; "int4" and "4bit" name several.
_FORMAT_TAILS = ("fp8", "awq", "gptq", "gguf", "nvfp4", "mxfp4", "exl2", "exl3")
_OWN = 64  # machines and models described by somebody whose entries are kept


@lru_cache(maxsize=8192)  # names of the knowledge are compared in every decision
def fold(text: str) -> str:
    """Lower case letters and digits only, accents removed: how names are compared."""
    plain = unicodedata.normalize("NFD", text.lower().replace("đ", "d"))
    return "".join(c for c in plain if c.isalnum())


class KB:
    """Wraps the core bundle (see `knowledge/bundle.py` for its shape). Read only.

    measurements: rows for "nearest measurements"; may arrive later in the browser.
    """

    def __init__(self, core: Entry, measurements: list[Entry] | None = None) -> None:
        self.core = core
        self.engines: dict[str, Entry] = core["engines"]
        self.devices: dict[str, Entry] = core["devices"]
        self.models: dict[str, Entry] = core["models"]
        self.formats: dict[str, Entry] = core["formats"]
        self.rules: dict[str, Entry] = core["rules"]
        self.ties: list[Entry] = (core.get("order") or {}).get("ties", [])
        self.questions: dict[str, Entry] = core["questions"]
        self.recipes: dict[str, Entry] = core.get("recipes", {})
        self.bottlenecks: dict[str, Entry] = core.get("bottlenecks", {})
        self.mistakes: dict[str, Entry] = core.get("mistakes", {})
        self.benchmarking: dict[str, Entry] = core.get("benchmarking", {})
        self.terms: dict[str, Entry] = core.get("terms", {})
        self.sources: dict[str, Entry] = core.get("sources", {})
        self.asked: list[str] | None = core.get("asked")  # see `reuse.asked`; None: not worked out yet
        self.measurements = measurements if measurements is not None else core.get("measurements", [])
        # what depends on knowledge alone and is asked in every decision, kept by whoever worked it out
        self.cards: dict[Any, Any] = {}
        self.kept: dict[Any, Any] = {}
        self.reused: dict[str, Any] = {}  # see `reuse`
        self._own: dict[str, Any] = {}
        self._type = {(f, t["id"]): t for f, e in self.formats.items() for t in e["types"]}

    def once(self, value: Any, make: Callable[[], Entry]) -> Entry:
        """What `make()` gives for a plain value: the same object for equal ones, since much is kept by identity."""
        key = json.dumps(value, sort_keys=True)
        found: Entry | None = self._own.get(key)
        if found is None:
            if len(self._own) >= _OWN:
                self._own.clear()
            found = self._own[key] = make()
        return found

    # Names as people write them, made when somebody writes one: a link and the form say ids.

    @cached_property
    def _devices(self) -> dict[str, str]:
        return _index(self.devices)

    @cached_property
    def _models(self) -> dict[str, str]:
        return _index(self.models)

    @cached_property
    def _engines(self) -> dict[str, str]:
        return _index(self.engines)

    @cached_property
    def _families(self) -> dict[str, str]:
        return _index(self.formats)

    @cached_property
    def _modes(self) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for id_, entry in self.engines.items():
            for mode in entry.get("modes", []):
                for name in [mode["name"], f"{id_}-{mode['id']}", *mode.get("aka", [])]:
                    found.setdefault(fold(name), (id_, mode["id"]))
        return found

    @cached_property
    def types(self) -> dict[str, list[tuple[str, Entry]]]:
        """(format family, type) by each name of a type."""
        found: dict[str, list[tuple[str, Entry]]] = {}
        for family, entry in self.formats.items():
            for type_ in entry["types"]:
                for name in {type_["id"], type_["name"], *type_.get("aka", [])}:
                    found.setdefault(fold(name), []).append((family, type_))
        return found

    # ------------------------------------------------------------------ devices

    def find_device(self, text: str) -> tuple[str, float | None] | None:
        """Device id and, when the text names a size, the memory option in GiB; None if not found.

        "GeForce RTX 3070 8GB", "4090", "m4 max 64" and ids are understood.
        """
        if text in self.devices:
            return text, None
        memory = _MEMORY.search(text)
        bare = _MEMORY.sub(" ", text) if memory else text
        words = bare.split()
        # "m4 max 64" is a known name and a size; the 4 of "Raspberry Pi 4" is a part of the name
        sized = len(words) > 1 and _SIZE.match(words[-1]) and fold(" ".join(words[:-1])) in self._devices
        trailing = float(words[-1]) if sized else None
        gib = float(memory[1]) if memory else trailing
        names = [text, _DROP.sub(" ", text), bare, _DROP.sub(" ", bare)]  # cards that differ by size have both
        if trailing is not None:
            names += [" ".join(words[:-1]), _DROP.sub(" ", " ".join(words[:-1]))]  # "m4 max 64"
        for name in names:
            id_ = self._devices.get(fold(name))
            if id_:
                return id_, _option(self.devices[id_], gib)
        plain = _REMARK.sub(" ", text)  # "GB10 (DGX Spark)", "A100 80GB (not stated)", "EPYC 9654 12-channel"
        return self.find_device(plain) if plain != text else None

    # ------------------------------------------------------------------ models

    def find_model(self, text: str) -> tuple[str, tuple[str, str | None] | None] | None:
        """Model id, and (format family, type) when the text names weights in one format.

        Names, repositories and what model hubs append to them are understood: "-Instruct", "-GGUF", ":Q4_K_M".
        """
        if text in self.models:
            return text, None
        text = _PLUS.sub(" plus", text)
        key = fold(text)
        alias = self._models.get(key)  # may name a format too
        if alias and not _QUANT_TAIL.search(text):
            return alias, None
        for id_, entry in self.models.items():
            if fold(entry.get("repository", "")) == key:
                return id_, None
        for id_, entry in self.models.items():
            for point in entry.get("checkpoints", []):
                if fold(point["repository"]) == key:
                    return id_, (point["format"], point["type"])
        tail = _NAME_HEAD.sub("", text.rsplit("/", 1)[-1])
        hint: tuple[str, str | None] | None = None
        for _ in range(5):
            if fold(tail) in self._models and not (alias and hint is None):
                return self._models[fold(tail)], hint
            ending = _QUANT_TAIL.search(tail)
            if ending and ending[1].lower() in _FORMAT_TAILS and ending[1].lower() in self.formats:
                hint = (ending[1].lower(), hint[1] if hint and hint[0] == ending[1].lower() else None)
            elif ending and (hint is None or hint[1] is None):
                named = self._one_type(ending[1])
                hint = named if named and (hint is None or hint[0] == named[0]) else hint
            shorter = tail[: ending.start()] if ending else _NAME_TAIL.sub("", tail)
            if shorter == tail:
                break
            tail = shorter
        return (alias, hint) if alias else None

    def _one_type(self, name: str) -> tuple[str, str | None] | None:
        """Family and type of a type name that only one family has."""
        found = self.types.get(fold(name), [])
        return (found[0][0], found[0][1]["id"]) if len({family for family, _ in found}) == 1 else None

    # ------------------------------------------------------------------ engines and formats

    def find_engine(self, text: str) -> tuple[str, str | None] | None:
        """Engine id and mode; aliases of a mode resolve to both."""
        if text in self.engines:
            return text, None
        key = fold(text)
        if key in self._engines:
            return self._engines[key], None
        return self._modes.get(key)

    def find_format(self, text: str) -> tuple[str, str | None] | None:
        """Format family and type: "gguf", "Q4_K_M", "awq", "fp8"."""
        if text in self.formats:
            return text, None
        key = fold(text)
        if key in self._families:
            return self._families[key], None
        if key in self.types:
            return self._one_type(text)  # "int4" alone may be any of several families
        for mark in (" ", ":", "/", "-"):
            first, _, second = text.partition(mark)
            for family, type_ in ((first, second), (second, first)):  # also "MXFP4 GGUF"
                id_ = self._families.get(fold(family)) if type_ else None
                for name, entry in self.types.get(fold(type_), []) if id_ else ():
                    if name == id_:
                        return id_, entry["id"]
        return None

    def type_of(self, family: str, type_: str) -> Entry | None:
        """The format type's entry."""
        return self._type.get((family, type_))

    def nearest_names(self, text: str, kind: str, limit: int = 3) -> list[str]:
        """Names that look like `text`, for a message: kind is device, model or engine."""
        index = {"device": self._devices, "model": self._models, "engine": self._engines}[kind]
        entries = {"device": self.devices, "model": self.models, "engine": self.engines}[kind]
        key = fold(text)
        least = -0.2 if len(key) > 3 else -0.5  # three letters stand in many names
        grams = {key[i : i + 2] for i in range(len(key) - 1)}
        scored = []
        for name, id_ in index.items():
            other = {name[i : i + 2] for i in range(len(name) - 1)}
            if grams and other:
                scored.append((-len(grams & other) / len(grams | other), id_))
        best: list[str] = []
        for score, id_ in sorted(scored):
            name = entries[id_]["name"]
            if score < least and name not in best:
                best.append(name)
            if len(best) == limit:
                break
        return best


def _option(entry: Entry, gib: float | None) -> float | None:
    return gib if gib is not None and gib in entry["memory"]["options"] else None


def _index(entries: dict[str, Entry]) -> dict[str, str]:
    index: dict[str, str] = {}
    for id_, entry in entries.items():
        for name in [id_, entry["name"], *entry.get("aka", [])]:
            if isinstance(name, str):
                index.setdefault(fold(name), id_)
    return index
