"""Format names as people, logs and repositories write them, as a format type the arithmetic takes.

Known types come from the knowledge; what is left are GGUF file types outside of it, sizes given in bits
per weight, and the many spellings of integer formats.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from . import ggml

_WIDE = ("embeddings", "head", "norms", "router", "vision", "audio", "mtp")
_BPW = re.compile(r"(?<![\d.])(\d{1,2}(?:\.\d+)?)\s*_?\s*(?:bpw|bits? per weight)", re.I)
_GROUP = re.compile(r"(?:\bg|group[ _-]?(?:size)?[ _-]?)(\d{2,4})\b", re.I)
_BITS = re.compile(
    r"(?<![\d.])([2-8])\s*[-_ ]?bits?\b|\bint([2-8])\b|\bw([2-8])a\d+\b|\bq([2-8])(?:$|[ _-]?g\d+)", re.I
)
_FAMILIES = (
    ("mlx", r"\bmlx\b"), ("exl3", r"\bexl(?:lama)?v?3\b"), ("exl2", r"\bexl(?:lama)?v?2\b"),
    ("nvfp4", r"nv[ _-]?fp4"), ("mxfp4", r"mx[ _-]?fp4"),
    ("awq", r"\bawq\b"), ("gptq", r"gptq|auto[ _-]?round|w4a16|w8a16|int[48] weight[ _-]?only|weight[ _-]only"),
    ("bitsandbytes", r"bitsandbytes|\bbnb\b|\bnf4\b"), ("int8", r"w8a8|smooth[ _-]?quant"),
    ("fp8", r"fp8|float8|e4m3|e5m2"),
    ("openvino-ir", r"openvino|\bnncf\b"), ("mlc", r"\bq\df(?:16|32)_\d\b"),
)  # fmt: skip


# the type that a family's name alone stands for
USUAL = ("q4_k_m", "4_0bpw", "int4-g128", "int4", "e4m3", "bf16")


class Named(NamedTuple):
    """family and type: ids as in the knowledge where it has them; entry: the type's bits; said: what was assumed."""

    family: str
    type: str
    entry: dict[str, Any]
    container: str
    said: tuple[str, ...] = ()


def find(text: str, kb: Any) -> Named | None:
    """The format a name means, or None when no format is called so."""
    name = " ".join(text.strip().split())
    if not name or len(name) > 80:
        return None
    ids = name.replace(":", " ").split(" ")
    if len(ids) == 2 and kb.type_of(*ids):  # as the knowledge itself says it
        return _known(ids[0], ids[1], kb)
    bpw = _BPW.search(name)
    family = next((f for f, pattern in _FAMILIES if re.search(pattern, name, re.I)), None)
    mixture = None if family else ggml.file_type(name)
    if bpw and mixture is None and family in (None, "exl2", "exl3"):
        return _uniform(float(bpw[1]), family, name, kb)
    if mixture and not _is_plain(name):
        return _gguf(mixture, kb)
    known = kb.find_format(name)
    if known and known[1]:
        return _known(known[0], known[1], kb)
    plain = _plain(name)
    if plain:
        return plain
    if family:
        return _family(family, name, kb)
    if mixture:
        return _gguf(mixture, kb)
    if known:
        types = [t["id"] for t in kb.formats[known[0]]["types"]]
        return _known(known[0], next((t for t in USUAL if t in types), types[0]), kb)
    return _integers(name, kb)


def _known(family: str, type_: str, kb: Any) -> Named:
    entry = kb.type_of(family, type_)
    return Named(family, type_, entry, kb.formats[family].get("container", ""))


def _is_plain(name: str) -> bool:
    return name.lower() in ("f16", "fp16", "bf16", "f32", "fp32")


def _gguf(found: tuple[str, str], kb: Any) -> Named:
    mixture, extra = found
    entry = kb.type_of("gguf", mixture) or {"id": mixture, "bits": ggml.bits(ggml.MIXTURES[mixture])}
    said = ("memory.format-dynamic",) if extra else ()
    return Named("gguf", mixture, {**entry, "mixture": mixture}, "gguf", said)


def _plain(name: str) -> Named | None:
    key = re.sub(r"[\s_-]+", "", name.lower()).removeprefix("safetensors").removeprefix("torch.")
    bits = {"bf16": 16, "bfloat16": 16, "fp16": 16, "f16": 16, "float16": 16, "half": 16, "16bit": 16, "fp32": 32,
            "f32": 32, "float32": 32, "float": 32}.get(key)  # fmt: skip
    if bits is None:
        return None
    type_ = "bf16" if key.startswith("b") or key == "16bit" else "fp16" if bits == 16 else "fp32"
    return Named("safetensors", type_, {"id": type_, "bits": bits}, "safetensors")


def _uniform(bits: float, family: str | None, name: str, kb: Any) -> Named | None:
    if not 0.5 <= bits <= 32:
        return None
    if family is None:  # a mean over the whole file, as a header prints it
        return Named("gguf", f"{bits:g}bpw", {"bits": bits}, "mean")
    head = re.search(r"[-_ ]h(\d)\b", name, re.I)
    first = (kb.formats.get(family) or {"types": [{}]})["types"][0].get("tensors", {"embeddings": 16, "norms": 16})
    tensors = {**first, **({"head": int(head[1])} if head else {})}
    type_ = f"{bits:.1f}bpw".replace(".", "_")
    return Named(family, type_, {"id": type_, "bits": bits, "tensors": tensors}, "")


def _width(name: str) -> int | None:
    match = _BITS.search(name)
    return int(next(g for g in match.groups() if g)) if match else None


def _family(family: str, name: str, kb: Any) -> Named | None:
    bits, group = _width(name), _GROUP.search(name)
    size = int(group[1]) if group else 0
    types = kb.formats[family]["types"] if family in kb.formats else []
    if family == "mlx":
        bits, size = bits or 4, size or 64
        entry = {"id": f"int{bits}", "bits": bits + 32 / size, "tensors": {"norms": 16, "vision": 16}}
        return Named("mlx", f"int{bits}", entry, "mlx")
    if family in ("awq", "gptq"):
        bits, size = bits or 4, size or 128
        zero = bits if family == "awq" else 0
        if bits == 4 and size == 128 and types:
            return _known(family, types[0]["id"], kb)
        entry = {"id": f"int{bits}", "bits": bits + (16 + zero) / size, "tensors": dict.fromkeys(_WIDE, 16)}
        return Named(family, f"int{bits}", entry, "safetensors")
    if family == "bitsandbytes" and bits == 8:
        return _known(family, "int8", kb)
    if family == "fp8":
        block = re.search(r"block|128", name, re.I)
        wanted = "e4m3" if block or name.lower() == "fp8" else "e4m3-tensor"
        return _known("fp8", wanted, kb)
    wanted = [t["id"] for t in types]
    return _known(family, next((t for t in USUAL if t in wanted), wanted[0]), kb) if types else None


def _integers(name: str, kb: Any) -> Named | None:
    """ "int4", "4-bit", "INT4 (native)": integers in groups, with what such files leave wide."""
    bits = _width(name)
    if bits is None:
        return None
    if bits == 8:
        return _known("int8", "w8a8", kb)
    size = int(m[1]) if (m := _GROUP.search(name)) else (32 if "native" in name.lower() else 128)
    entry = {"id": f"int{bits}", "bits": bits + 16 / size, "tensors": dict.fromkeys(_WIDE, 16)}
    if "native" in name.lower():  # a model trained for it: only the routed experts are stored so
        entry["tensors"] |= {"attention": 16, "mlp": 16, "shared-experts": 16}
    return Named("gptq", f"int{bits}", entry, "safetensors", ("memory.format-integers",))
