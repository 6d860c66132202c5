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
    # one 8-bit scale per 16 elements
    "nvfp4": (9, 16, 0),
    "fp4": (1, 2, 0),
}
DEFAULT = "f16"


def known(kv_type: str) -> bool:
    """Whether every part of a type such as "q8_0" or "q8_0/q4_0" (K/V) is in the table."""
    return all(part in ELEMENTS for part in kv_type.split("/", 1))


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
