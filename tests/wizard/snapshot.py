"""A line for each of some six hundred decisions, so that review sees what a changed fact or rule decides.

    python -m tests.wizard.snapshot            write decisions.txt anew
    python -m tests.wizard.snapshot --check    print what would change

The situations are fixed here and named by entries; speeds are left out, they have tests of their own.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wizard.decide import decide
from wizard.kb import KB

FILE = Path(__file__).with_name("decisions.txt")
TODAY = "2026-11-30"

# devices of one machine, and what is around them where the default would not do
MACHINES: dict[str, dict[str, Any]] = {
    "1x rtx-3060": {},
    "1x rtx-4090": {},
    "1x rtx-4090 windows": {"host": {"os": "windows"}},
    "2x rtx-3090": {},
    "4x rtx-3090": {},
    "1x rtx-5090": {},
    "1x rtx-pro-6000-blackwell": {},
    "1x gtx-1080-ti": {},
    "2x p40": {},
    "1x t4": {},
    "2x v100": {},
    "2x l4": {},
    "4x l40s": {},
    "1x a100": {},
    "8x h100-sxm": {},
    "8x h100-sxm, 2 nodes": {"nodes": 2, "links": {"between": "rdma"}},
    "8x h200": {},
    "8x b200": {},
    "1x dgx-spark": {},
    "1x rx-7900-xtx": {},
    "8x mi300x": {},
    "1x ryzen-ai-max-395": {},
    "1x arc-b580": {},
    "1x core-ultra-7-258v": {},
    "1x m4-max": {},
    "1x m3-ultra": {},
    "1x xeon-6980p": {},
    "1x ryzen-9-9950x": {},
}
MODELS = (None, "qwen3-8b", "qwen3-32b", "llama-3-3-70b", "gpt-oss-120b", "qwen3-235b-a22b")
SERVING = ("self", "team", "customers")
FORMATS = ("gguf", "awq", "fp8", "nvfp4")  # asked for by a team with qwen3-32b


def situations() -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and Situation of each line."""
    for machine, around in MACHINES.items():
        count, device = machine.split(",")[0].split()[0][:-1], machine.split(",")[0].split()[1]
        here = {"devices": [{"device": device, "count": int(count)}], **around}
        for model in MODELS:
            for serving in SERVING:
                yield f"{machine} | {model or 'no model'} | {serving}", {**here, "model": model, "serving": serving}
        for family in FORMATS:
            yield (
                f"{machine} | qwen3-32b {family} | team",
                {**here, "model": "qwen3-32b", "format": family, "serving": "team"},
            )


def line(name: str, decision: dict[str, Any]) -> str:
    """One decision in a line: start, format, layout, fit, then the other roles."""
    found = decision["recommendations"]
    start = next((r for r in found if r["role"] == "start"), None)
    if start is None:
        return f"{name} -> nothing"
    parts = [start["engine"] + (f"/{start['mode']}" if start["mode"] else "")]
    if start["format"]:
        parts += [f"{start['format']['family']}:{start['format']['type']}", start["fit"]["class"]]
    degrees = [f"{k}{start['layout'][k]}" for k in ("tp", "pp", "ep", "dp") if start["layout"][k] > 1]
    parts += degrees or ["one"]
    told = " ".join(parts)
    if start["tied_with"]:
        told += " = " + " ".join(start["tied_with"])
    for mark, role in (("+", "alternative"), ("?", "benchmark-against"), ("^", "orchestrate-with")):
        others = [r["engine"] for r in found if r["role"] == role and r["engine"] not in start["tied_with"]]
        told += f" {mark} {' '.join(others)}" if others else ""
    return f"{name} -> {told}"


def lines(kb: KB) -> list[str]:
    """Every line, in order."""
    return [line(name, decide(situation, kb, TODAY)) for name, situation in situations()]


def changes(now: list[str]) -> list[str]:
    """What differs from the committed file, as a diff without context."""
    before = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    found = difflib.unified_diff(before, now, n=0, lineterm="")
    return [row for row in found if row[:2] not in ("--", "++", "@@")]


def main() -> int:
    """Write or check the file; 1 when a check finds changes."""
    from knowledge.bundle import load_for_cli

    core, _, measurements = load_for_cli()
    now = lines(KB(core, measurements))
    found = changes(now)
    print("\n".join(found) or "no decision changed")
    if "--check" in sys.argv:
        return 1 if found else 0
    FILE.write_text("\n".join(now) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
