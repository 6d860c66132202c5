"""What an engine holds beyond the file once weights are loaded: padding that its kernels want, tables.

A loaded size is not a file size: kernels for some formats round matrices up or leave room between rows,
and the table of rotary positions grows with the longest context the model declares.
"""

from __future__ import annotations

from math import gcd
from typing import Any

from .base import Parameter, Parameters, mib, round_up

NAME = "weights-loaded"
PARAMETERS = {
    "base_mib": Parameter((int, float), "MiB on each device beside the weights", 0),
    "rope_bytes": Parameter(int, "bytes per position and rotary dimension of the longest context; 0: no table", 0),
    "mxfp4_hidden": Parameter(int, "MXFP4 experts: the hidden size is rounded up to a multiple of this", 1),
    "mxfp4_intermediate": Parameter(int, "MXFP4 experts: the width on a rank is rounded up to a multiple of this", 1),
    "fp8_row_pad": Parameter(int, "FP8: bytes left free after each row of a matrix", 0),
    "fp8_row_multiple": Parameter(int, "FP8: only for rows whose bytes are a multiple of this", 512),
}
_BY_ROW = ("attn_output", "ffn_down")  # cut along the row by tensor parallelism; others are cut between rows


def extra(parameters: Parameters, arch: dict[str, Any], family: str, rows: list[dict[str, Any]] | None, tp: int) -> int:
    """Bytes one of `tp` ranks holds beyond its share of the file, all layers.

    rows: the matrices of the architecture (see `mixture.derive`), None where they are not known.
    """
    found = mib(parameters["base_mib"])
    if parameters["rope_bytes"]:
        found += parameters["rope_bytes"] * _rotary(arch) * (arch.get("context") or {}).get("native", 0)
    if family == "mxfp4":
        found += _experts(parameters, arch, tp)
    if family == "fp8" and parameters["fp8_row_pad"]:
        found += _padded(parameters, rows or (), tp)
    return found


def _rotary(arch: dict[str, Any]) -> int:
    """Rotary dimensions of a head."""
    if arch.get("rotary"):
        return arch["rotary"]
    widths = [g.get("rope") or g.get("head_dim", 0) for g in arch.get("attention") or () if g["kind"] != "none"]
    return max(widths, default=0)


def _experts(parameters: Parameters, arch: dict[str, Any], tp: int) -> int:
    experts = arch.get("experts")
    if not experts or not experts.get("intermediate"):
        return 0
    hidden, width = arch["hidden"], -(-experts["intermediate"] // tp)
    held = round_up(hidden, parameters["mxfp4_hidden"]) * round_up(width, parameters["mxfp4_intermediate"])
    more = 3 * (held - hidden * width) * experts["count"] * experts.get("layers", arch["layers"])
    return -(-more * 17 // 32)  # half a byte each and a scale per 32


def _padded(parameters: Parameters, rows: Any, tp: int) -> int:
    pad, multiple, found = parameters["fp8_row_pad"], parameters["fp8_row_multiple"], 0
    for row in rows:
        role, columns = row["role"], row["columns"]
        if not role.startswith(("attn_", "ffn_")):
            continue
        count = row["params"] // columns
        along = role.startswith(_BY_ROW)
        length = columns // tp if along and columns % tp == 0 else columns
        if length % multiple == 0:
            found += pad * row["layers"] * (count if along else -(-count // gcd(tp, count)))
    return found
