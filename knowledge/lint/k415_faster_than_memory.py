"""Measured rates at which a token's bytes could not have been read."""

from collections.abc import Iterator
from typing import Any

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World

ROUNDING = 1.02  # sizes and bandwidths are printed with two or three digits


def check(world: World) -> Iterator[Finding]:
    for file, page in world.entries("measurement"):
        for position, record in enumerate(page["records"]):
            said = too_fast(record)
            if said:
                yield RULE.at(file.place(("records", position, "decode_tps")), said)


def too_fast(record: dict[str, Any]) -> str | None:
    """The arithmetic of a single-stream record that reads more per second than its memory can, or None."""
    rate, size, bandwidth = (record.get(key) for key in ("decode_tps", "bytes_per_token", "bandwidth_gbs"))
    if record.get("batch") != 1 or not (rate and size and bandwidth):
        return None
    count = record.get("count", 1)
    # with layers on several devices one of them reads at a time; unknown splits get the benefit of the doubt
    ranks = count if record.get("split", "none") in ("tensor", "unknown") else 1
    read, limit = rate * size / 1e9, bandwidth * ranks
    if read <= ROUNDING * limit:
        return None
    devices = f" x {ranks} devices" if ranks > 1 else ""
    return (
        f"{rate:g} tokens/s x {size / 1e9:.3f} GB per token = {read:.0f} GB/s, "
        f"the memory gives {bandwidth:g} GB/s{devices} = {limit:g} GB/s"
    )


RULE = Rule(
    code="K415",
    level="error",
    name="faster than the memory",
    why="one request reads all active weights for every token, so no rate is above bandwidth / bytes; such a record "
    "counts several requests, drafted tokens or a cache, or one of its numbers is wrong",
    fix="look at the page again: batch, drafted tokens, split, size of the file; if it cannot be told, leave it out",
    bad="{bandwidth_gbs: 100, bytes_per_token: 5000000000, batch: 1, decode_tps: 21}",
    good="{bandwidth_gbs: 100, bytes_per_token: 5000000000, batch: 1, decode_tps: 14}",
    check=check,
)
