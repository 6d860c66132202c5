"""Peak operations per second of a device in the numbers a kernel computes in, from its entry."""

from __future__ import annotations

import re
from typing import Any

from .nodes import CPU_BACKENDS

# compute format of a native kernel -> entries of a device's peak
_OWN = {"fp8": "fp8", "int8": "int8", "nvfp4": "fp4", "mxfp4": "fp4"}
# Cards with matrix units reach at least twice their plain 32-bit rate in 16 bits.
FROM_FP32 = 2.0
# Operations per core and clock of a processor: two units that multiply and add, by the width of their
# registers in 32-bit numbers; four narrow ones in Apple's cores; tiles of 16 x 16 x 2 sums of 16-bit products.
VECTOR = (("avx512", 64), ("avx2", 32), ("sve", 32), ("avx", 16), ("neon", 16), ("sse42", 8))
APPLE_VECTOR = 32
TILES = 1024
CLOCK = 3e9  # of a processor under load where its entry does not say; the fitted share takes up what is left
_CORES = re.compile(r"\b(\d{1,3})[- \u2011]?cores?(?: gpu)?\b", re.I)


def peak(
    entry: dict[str, Any], compute: str | None, backend: str | None = None, unpacked: bool = False
) -> float | None:
    """Dense operations per second of one device; None when its entry states none that helps.

    compute: the format a native kernel computes in, None for 16 bits. unpacked: kernels that multiply in 8-bit
    integers or keep sums in 16 bits, whichever is quicker there; half the integer rate is then the measure,
    which consumer cards have whole while their 16-bit rate with sums in 32 bits is halved. Without a 16-bit
    entry the 32-bit one stands in, doubled.
    """
    if backend in CPU_BACKENDS or entry.get("kind") == "cpu":
        return processor(entry, tiles=not unpacked)
    known = {line["type"]: line["tflops"] * 1e12 for line in entry.get("compute") or ()}
    own = _OWN.get(compute or "")
    if unpacked and "int8" in known:
        return max(known["int8"] / 2, known.get("fp16", 0.0))
    for name in (own, "bf16", "fp16"):
        if name in known:
            return known[name]
    return known["fp32"] * FROM_FP32 if "fp32" in known else None


def most(
    entry: dict[str, Any], compute: str | None, backend: str | None = None, unpacked: bool = False
) -> float | None:
    """Dense operations per second that no kernel can pass on one device; None for processors, whose clocks vary, and
    where the entry does not state it. Arguments as in `peak`.

    Kernels may keep sums in 16 bits, which consumer cards do twice as fast as their entries say, or multiply in
    8-bit integers.
    """
    if backend in CPU_BACKENDS or entry.get("kind") == "cpu":
        return None
    known = {line["type"]: line["tflops"] * 1e12 for line in entry.get("compute") or ()}
    found = max(known.get("bf16", 0.0), known.get("fp16", 0.0))
    if _single_rate(entry):
        found = found or known.get("fp32", 0.0)
    elif found:
        found = max(found, known.get("int8", 0.0) / 2)
    if not found:
        return None  # matrix units may be many times as fast as what is stated
    return max(found, known.get("int8", 0.0) if unpacked else 0.0, known.get(_OWN.get(compute or "", ""), 0.0))


def _single_rate(entry: dict[str, Any]) -> bool:
    """Whether 16-bit numbers are computed no faster than 32-bit ones: CUDA devices before 7.0."""
    stated = entry.get("compute_capability")
    return bool(stated) and float(stated) < 7.0


def processor(entry: dict[str, Any], tiles: bool) -> float | None:
    """Operations per second of one processor: cores x operations per clock x a usual clock; None without cores.

    tiles: for kernels that use matrix tiles where there are some.
    """
    cores = (entry.get("cpu") or {}).get("cores") or (entry.get("cores") or {}).get("cpu")
    if not cores:
        return None
    has = entry.get("instructions") or ()
    if tiles and "amx" in has:
        return cores * TILES * CLOCK
    usual = APPLE_VECTOR if entry.get("vendor") == "apple" else 16
    return cores * next((width for name, width in VECTOR if name in has), usual) * CLOCK


def sized(entry: dict[str, Any], name: str) -> dict[str, Any]:
    """The entry for the number of graphics cores that a name states, where it differs from the entry's own."""
    own = (entry.get("cores") or {}).get("gpu")
    stated = _CORES.search(name)
    if not own or not stated or not 0.4 <= int(stated[1]) / own < 1:
        return entry
    part = int(stated[1]) / own
    lines = [line | {"tflops": line["tflops"] * part} for line in entry.get("compute") or ()]
    return entry | {"compute": lines}
