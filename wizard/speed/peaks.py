"""Peak operations per second of a device in the numbers a kernel computes in, from its entry."""

from __future__ import annotations

from typing import Any

from .nodes import CPU_BACKENDS

# compute format of a native kernel -> entries of a device's peak
_OWN = {"fp8": "fp8", "int8": "int8", "nvfp4": "fp4", "mxfp4": "fp4"}
# Cards with matrix units reach at least twice their plain 32-bit rate in 16 bits.
FROM_FP32 = 2.0


def peak(entry: dict[str, Any], compute: str | None, backend: str | None = None) -> float | None:
    """Dense operations per second of one device; None when its entry states none that helps.

    On the processor of a system chip the peak of its graphics part says nothing. compute: the format a native
    kernel computes in, None for 16 bits. Without a 16-bit entry the 32-bit one stands in, doubled.
    """
    if backend in CPU_BACKENDS and entry.get("kind") != "cpu":
        return None
    known = {line["type"]: line["tflops"] * 1e12 for line in entry.get("compute") or ()}
    own = _OWN.get(compute or "")
    for name in (own, "bf16", "fp16"):
        if name in known:
            return known[name]
    return known["fp32"] * FROM_FP32 if "fp32" in known else None
