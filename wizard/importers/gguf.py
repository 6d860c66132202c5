"""The header of a GGUF file: metadata and the list of tensors. Nothing behind it is read.

Layout (version 2 and 3, little endian): magic, version, number of tensors, number of metadata pairs,
the pairs, then name, dimensions, type and offset of every tensor. Sizes in a stranger's file are
limits to what is read, never to what is trusted: every count is checked before it is used.
"""

from __future__ import annotations

import struct
from typing import Any, BinaryIO, NamedTuple

from .config import Imported
from .problem import ImportProblem, shown

_PAIRS, _TENSORS, _TEXT, _ARRAY = 65536, 1 << 20, 1 << 24, 1 << 26  # more than any file has
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _LIST = 8, 9
KEPT = 4096  # entries of an array that are kept; of a longer one (the vocabulary) only the length


class Long(NamedTuple):
    """An array too long to be kept, by its length."""

    length: int


class Tensor(NamedTuple):
    """dims: the length of a row first; type: the number by which ggml knows it."""

    name: str
    dims: tuple[int, ...]
    type: int


class Header(NamedTuple):
    """Metadata by key, and the tensors in the order of the file."""

    metadata: dict[str, Any]
    tensors: list[Tensor]


class _Reader:
    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.field = "header"

    def take(self, size: int) -> bytes:
        data = self.file.read(size)
        if len(data) != size:
            raise ImportProblem(self.field, "cut")
        return data

    def number(self, form: str) -> Any:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def text(self, limit: int = _TEXT) -> str:
        size = self.number("Q")
        if size > limit:
            raise ImportProblem(self.field, "impossible", size)
        return self.take(size).decode("utf-8", "replace")

    def skip(self, size: int) -> None:
        while size > 0:
            step = min(size, 1 << 20)
            self.take(step)
            size -= step

    def value(self, kind: int, depth: int = 0) -> Any:
        if kind in _SCALARS:
            return self.number(_SCALARS[kind])
        if kind == _STRING:
            return self.text()
        if kind != _LIST or depth > 2:
            raise ImportProblem(self.field, "unknown", f"type {kind}")
        inner, count = self.number("I"), self.number("Q")
        if count > _ARRAY:
            raise ImportProblem(self.field, "range", count, low=0, high=_ARRAY)
        if inner in _SCALARS and count > KEPT:
            self.skip(count * struct.calcsize("<" + _SCALARS[inner]))
            return Long(count)
        if count > KEPT:
            for _ in range(count):
                self.skip_one(inner, depth)
            return Long(count)
        return [self.value(inner, depth + 1) for _ in range(count)]

    def skip_one(self, kind: int, depth: int) -> None:
        if kind == _STRING:
            size = self.number("Q")
            if size > _TEXT:
                raise ImportProblem(self.field, "impossible", size)
            self.skip(size)
        else:
            self.value(kind, depth + 1)


def read(file: BinaryIO) -> Header:
    """The header of an open file; raises ImportProblem for anything that is not one."""
    reader = _Reader(file)
    if reader.take(4) != b"GGUF":
        raise ImportProblem("header", "not-gguf")
    version = reader.number("I")
    if version not in (2, 3):
        if version in (2 << 24, 3 << 24):  # the same number with its bytes the other way round
            raise ImportProblem("version", "unknown", f"{version >> 24}, big endian")
        raise ImportProblem("version", "unknown", version)
    tensors, pairs = reader.number("Q"), reader.number("Q")
    if tensors > _TENSORS:
        raise ImportProblem("tensor_count", "range", tensors, low=0, high=_TENSORS)
    if pairs > _PAIRS:
        raise ImportProblem("metadata_kv_count", "range", pairs, low=0, high=_PAIRS)
    metadata: dict[str, Any] = {}
    for index in range(pairs):
        reader.field = f"metadata[{index}]"
        key = reader.text(65536)
        reader.field = key[:80] or reader.field
        metadata[key] = reader.value(reader.number("I"))
    found = []
    for index in range(tensors):
        reader.field = f"tensor[{index}]"
        name = reader.text(65536)
        reader.field = name[:80] or reader.field
        count = reader.number("I")
        if not 1 <= count <= 4:
            raise ImportProblem(reader.field, "impossible", count)
        dims = tuple(reader.number("Q") for _ in range(count))
        if any(not 0 < d < 1 << 40 for d in dims):
            raise ImportProblem(reader.field, "impossible", shown(dims))
        found.append(Tensor(name, dims, reader.number("I")))
        reader.number("Q")
    return Header(metadata, found)


def architecture(file: BinaryIO) -> Imported:
    """The architecture of an open GGUF file, with the exact bytes of its tensors."""
    from . import gguf_model

    return gguf_model.build(read(file))
