"""How many bytes a row of cache elements takes, for every KV cache type an engine offers.

A row is what is stored for one token, one layer and one head (or one latent). Block types hold a
whole number of blocks; row types add a scale and a zero point per row. Integers only.
"""

from __future__ import annotations

# type: (bytes of a block, elements in a block, extra bytes per row)
ELEMENTS: dict[str, tuple[int, int, int]] = {
    "f32": (4, 1, 0),
    "f16": (2, 1, 0),
    "bf16": (2, 1, 0),
    "fp16": (2, 1, 0),
    "fp8": (1, 1, 0),
    "fp8_e4m3": (1, 1, 0),
    "fp8_e5m2": (1, 1, 0),
    # ggml blocks of 32: an fp16 scale (and for _1 an fp16 minimum) beside the integers
    "q8_0": (34, 32, 0),
    "q5_1": (24, 32, 0),
    "q5_0": (22, 32, 0),
    "q4_1": (20, 32, 0),
    "q4_0": (18, 32, 0),
    "iq4_nl": (18, 32, 0),
    # caches of ExLlama and MLX: 16 bits of scale per 32 elements, or scale and bias per 64
    "q8": (34, 32, 0),
    "q6": (26, 32, 0),
    "q5": (22, 32, 0),
    "q4": (18, 32, 0),
    # a 16-bit scale and zero point per head and token, K and V each (LMDeploy)
    "int8": (1, 1, 4),
    "int4": (1, 2, 4),
    # eight or four bits with a 32-bit scale per head and token, K and V each
    "int8_per_token_head": (1, 1, 4),
    "fp8_per_token_head": (1, 1, 4),
    # a latent of 512 in 8 bits with four 32-bit scales, its rotary part of 64 in 16 bits
    "fp8_ds_mla": (1, 1, 80),
    # one 8-bit scale per 16 elements
    "nvfp4": (9, 16, 0),
    "fp4": (1, 2, 0),
}
DEFAULT = "f16"


def known(kv_type: str) -> bool:
    """Whether every part of a type such as "q8_0" or "q8_0/q4_0" (K/V) is in the table."""
    return all(part in ELEMENTS for part in kv_type.split("/", 1))


_SAME = {
    "float16": "f16", "half": "f16", "16": "f16", "16bit": "f16", "bfloat16": "bf16", "float32": "f32", "fp32": "f32",
    "float8": "fp8", "e4m3": "fp8_e4m3", "e5m2": "fp8_e5m2", "fp8_e4m3fn": "fp8_e4m3", "fp8e4m3": "fp8_e4m3",
    "fp8e5m2": "fp8_e5m2", "fp8_inc": "fp8", "i8": "int8", "i4": "int4", "u8": "int8",
    "u4": "int4",
    "8bit": "q8", "6bit": "q6", "5bit": "q5", "4bit": "q4", "8": "q8", "6": "q6", "5": "q5", "4": "q4", "q8_kv": "q8_0",
    "f16f16": "f16", "turbo8": "int8", "mxfp8": "fp8",
}  # fmt: skip


def resolve(text: str) -> str | None:
    """A type as people and logs write it ("FP8", "i8", "K q8_0 / V q4_0", "q4_q8", "8,4"), or None when unknown.

    Remarks in brackets and words such as "state" are ignored; "auto" is 16 bit.
    """
    bare = text.split("(")[0].strip().lower()
    if bare in ("", "auto", "default", "none"):
        return DEFAULT
    for mark in ("/", ",", "+", "|"):
        if mark in bare:
            halves = [_one(part) for part in bare.split(mark)]
            return "/".join(h for h in halves if h) if len(halves) == 2 and all(halves) else None
    found = _one(bare)
    if found is None and bare.count("_") == 1:  # "q4_q8"
        halves = [_one(part) for part in bare.split("_")]
        return "/".join(h for h in halves if h) if all(halves) else None
    return found


def _one(text: str) -> str | None:
    words = [w for w in text.replace("-", "_").split() if w not in ("k", "v", "k:", "v:", "kv", "cache", "state")]
    name = "_".join(words).removeprefix("k_").removeprefix("v_").removeprefix("torch.").removeprefix("ggml_type_")
    name = _SAME.get(name, name)
    return name if name in ELEMENTS else None


def pair(kv_type: str | None) -> tuple[str, str]:
    """Types of K and V: "q8_0/q4_0" names both; None, "auto" and unknown names mean 16 bit.

    A type that is not in the table counts as 16 bit, the safe side; `known()` tells the caller.
    """
    if not kv_type or kv_type == "auto":
        return DEFAULT, DEFAULT
    k, _, v = kv_type.partition("/")
    v = v or k
    return (k if k in ELEMENTS else DEFAULT), (v if v in ELEMENTS else DEFAULT)


def row_bytes(kv_type: str, elements: int) -> int:
    """Bytes of one row of `elements` values; 0 for an empty row."""
    if elements <= 0:
        return 0
    block, per_block, extra = ELEMENTS[kv_type]
    return -(-elements * block // per_block) + extra
