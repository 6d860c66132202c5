"""Block types of ggml and its forks: bytes and weights of a block, and what a file type's name stands for.

Sizes: ggml-common.h at the commits of the sources `ggml-quant-mixtures` and `ik-ggml-common`; a block is a
whole number of bytes, so that a row's size is exact.
"""

from __future__ import annotations

import re

# type: (bytes of a block, weights in a block, bytes more per row)
BLOCKS: dict[str, tuple[int, int, int]] = {
    "f32": (4, 1, 0), "f64": (8, 1, 0), "f16": (2, 1, 0), "bf16": (2, 1, 0), "i8": (1, 1, 0), "i16": (2, 1, 0),
    "i32": (4, 1, 0), "i64": (8, 1, 0),
    "q4_0": (18, 32, 0), "q4_1": (20, 32, 0), "q5_0": (22, 32, 0), "q5_1": (24, 32, 0), "q8_0": (34, 32, 0),
    "q8_1": (36, 32, 0), "q6_0": (26, 32, 0),
    "q2_k": (84, 256, 0), "q3_k": (110, 256, 0), "q4_k": (144, 256, 0), "q5_k": (176, 256, 0), "q6_k": (210, 256, 0),
    "q8_k": (292, 256, 0),
    "iq1_s": (50, 256, 0), "iq1_m": (56, 256, 0), "iq2_xxs": (66, 256, 0), "iq2_xs": (74, 256, 0),
    "iq2_s": (82, 256, 0),
    "iq3_xxs": (98, 256, 0), "iq3_s": (110, 256, 0), "iq4_nl": (18, 32, 0), "iq4_xs": (136, 256, 0),
    "tq1_0": (54, 256, 0), "tq2_0": (66, 256, 0), "mxfp4": (17, 32, 0), "nvfp4": (36, 64, 0),
    # of the fork with more types: some keep a scale per row
    "iq2_k": (76, 256, 0), "iq3_k": (110, 256, 0), "iq4_k": (144, 256, 0), "iq5_k": (176, 256, 0),
    "iq6_k": (212, 256, 0),
    "iq1_bn": (13, 64, 2), "iq2_bn": (16, 64, 4), "iq2_ks": (70, 256, 2), "iq2_kl": (86, 256, 2),
    "iq3_ks": (102, 256, 2),
    "iq4_ks": (136, 256, 4), "iq4_kss": (128, 256, 4), "iq5_ks": (168, 256, 4),
    "iq1_kt": (56, 256, 4), "iq2_kt": (68, 256, 4), "iq3_kt": (100, 256, 4), "iq4_kt": (128, 256, 4),
}  # fmt: skip
# numbers by which a file's header names the types of its tensors
NUMBERS: dict[int, str] = {
    0: "f32", 1: "f16", 2: "q4_0", 3: "q4_1", 6: "q5_0", 7: "q5_1", 8: "q8_0", 9: "q8_1", 10: "q2_k", 11: "q3_k",
    12: "q4_k", 13: "q5_k",
    14: "q6_k", 15: "q8_k", 16: "iq2_xxs", 17: "iq2_xs", 18: "iq3_xxs", 19: "iq1_s", 20: "iq4_nl", 21: "iq3_s",
    22: "iq2_s", 23: "iq4_xs",
    24: "i8", 25: "i16", 26: "i32", 27: "i64", 28: "f64", 29: "iq1_m", 30: "bf16", 34: "tq1_0", 35: "tq2_0",
    39: "mxfp4", 40: "nvfp4",
    133: "q6_0", 134: "iq1_bn", 135: "iq2_bn", 137: "iq2_k", 138: "iq3_k", 139: "iq4_k", 140: "iq5_k", 141: "iq6_k",
    144: "iq4_ks", 145: "iq2_ks", 146: "iq4_kss", 152: "iq5_ks", 153: "iq2_kt", 154: "iq3_kt", 155: "iq4_kt",
    156: "iq3_ks", 157: "iq2_kl", 158: "iq1_kt",
}  # fmt: skip
# file types that are mixtures: the type most matrices get
MIXTURES: dict[str, str] = {
    "q2_k": "q2_k", "q2_k_s": "q2_k", "q3_k_s": "q3_k", "q3_k_m": "q3_k", "q3_k_l": "q3_k", "q4_k_s": "q4_k",
    "q4_k_m": "q4_k",
    "q5_k_s": "q5_k", "q5_k_m": "q5_k", "q6_k": "q6_k", "q4_0": "q4_0", "q4_1": "q4_1", "q5_0": "q5_0",
    "q5_1": "q5_1", "q8_0": "q8_0",
    "iq1_s": "iq1_s", "iq1_m": "iq1_m", "iq2_xxs": "iq2_xxs", "iq2_xs": "iq2_xs", "iq2_s": "iq2_xs", "iq2_m": "iq2_s",
    "iq3_xxs": "iq3_xxs", "iq3_xs": "iq3_s", "iq3_s": "iq3_s", "iq3_m": "iq3_s", "iq4_nl": "iq4_nl", "iq4_xs": "iq4_xs",
    "tq1_0": "tq1_0", "tq2_0": "tq2_0", "mxfp4_moe": "mxfp4", "mxfp4": "mxfp4", "f32": "f32", "f16": "f16",
    "bf16": "bf16",
    "q6_0": "q6_0", "iq1_bn": "iq1_bn", "iq2_bn": "iq2_bn", "iq2_k": "iq2_k", "iq2_ks": "iq2_ks", "iq2_kl": "iq2_kl",
    "iq3_k": "iq3_k", "iq3_ks": "iq3_ks", "iq3_kl": "iq3_k",
    "iq4_k": "iq4_k", "iq4_ks": "iq4_ks", "iq4_kss": "iq4_kss", "iq5_k": "iq5_k", "iq5_ks": "iq5_ks", "iq6_k": "iq6_k",
    "iq1_kt": "iq1_kt", "iq2_kt": "iq2_kt", "iq3_kt": "iq3_kt", "iq4_kt": "iq4_kt",
}  # fmt: skip
_SIZE = {"small": "s", "medium": "m", "large": "l"}
_PLAIN = {"q3_k": "q3_k_m", "q4_k": "q4_k_m", "q5_k": "q5_k_m", "fp16": "f16", "fp32": "f32", "q2_k_m": "q2_k"}


def row_bytes(type_: str, columns: int) -> int:
    """Bytes of one row of `columns` weights; a type's blocks are whole."""
    block, per, extra = BLOCKS[type_]
    return -(-columns // per) * block + extra


def matrix_bytes(type_: str, columns: int, params: int) -> int:
    """Bytes of a matrix of `params` weights in rows of `columns`."""
    return params // columns * row_bytes(type_, columns) if columns else 0


def bits(type_: str) -> float:
    """Nominal bits per weight, without what a row adds."""
    block, per, _ = BLOCKS[type_]
    return 8 * block / per


def file_type(text: str) -> tuple[str, str] | None:
    """(name of the mixture, what the name adds to it) for a file type as people and engines write it.

    "Q4_K - Medium", "q4_k_m", "Q4_K_M.gguf", "IQ3_XXS - 3.0625 bpw", "IQ4_K_R4", "UD-Q4_K_XL" are
    understood. The second part is "" or "dynamic", where a publisher's own recipe goes by the name of the
    nearest mixture.
    """
    name = text.strip().lower().removesuffix(".gguf")
    name = re.sub(r"\s*-?\s*\d+(\.\d+)?\s*bpw.*$", "", name)
    sized = re.match(r"(.*?)\s+-\s+(small|medium|large)$", name)
    if sized:
        name = f"{sized[1]}_{_SIZE[sized[2]]}"
    name = re.sub(r"[\s-]+", "_", name.strip()).removeprefix("gguf_").removeprefix("ggml_")
    dynamic = ""
    if name.startswith("ud_"):
        name, dynamic = name[3:], "dynamic"
    name = re.sub(r"_r(4|8|16)$", "", name)
    name = re.sub(r"^q4_0_(4_4|4_8|8_8)$", "q4_0", name)
    if re.match(r"q8_k_x+l$", name):
        return "q8_0", "dynamic"
    if name.endswith("_xl") or name.endswith("_xxl"):
        name, dynamic = re.sub(r"_x+l$", "_l" if name.startswith("q3") else "_m", name), "dynamic"
    if name.endswith("_l") and name not in MIXTURES:
        name, dynamic = name[:-2] + "_m", "dynamic"
    for form in (name, _PLAIN.get(name, ""), name.removesuffix("_m"), name.replace("q_", "q", 1)):
        if form in _PLAIN:
            form = _PLAIN[form]
        if form in MIXTURES:
            return form, dynamic
    return None
