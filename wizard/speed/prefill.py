"""Reading a prompt: bound by compute, with the weights read once per chunk and attention over itself.

seconds = chunks x (layers x overhead + all weights / rate) + 2 x active parameters x prompt / rate of compute
        + attention of every token to those before it + what crosses the link between ranks
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from wizard.memory.cache import Memo
from wizard.shapes import Card, Path

from . import assumed

if TYPE_CHECKING:
    from .estimate import Case

# number format of a native kernel -> entries of a device's peak, in the order they are looked for
_NATIVE = {"fp8": ("fp8",), "int8": ("int8",), "nvfp4": ("fp4",), "mxfp4": ("fp4",)}
_PLAIN = ("bf16", "fp16")
# attention computes at about half the rate of the matrix products around it
ATTENTION = 0.5

_memo = Memo()


class Prompt(NamedTuple):
    """Seconds for a prompt, factors of the 80 % interval on its rate, and shares of the time."""

    total: float
    low: float
    high: float
    shares: dict[str, float]


def peak(card: Card, path: Path, fitted: dict[str, Any], kb: Any) -> float | None:
    """Dense operations per second of one device in the numbers the kernel computes in.

    Where the entry has no peak but prompts were measured on this device, the peak that explains them.
    """
    key = (path.family, path.type, path.kernel, id(fitted))
    return _memo.get(card.entry, key, lambda: _peak(card, path, fitted, kb))


def _peak(card: Card, path: Path, fitted: dict[str, Any], kb: Any) -> float | None:
    known = {line["type"]: line["tflops"] * 1e12 for line in card.entry.get("compute") or ()}
    wanted: tuple[str, ...] = _PLAIN
    if path.kernel == "native":
        type_ = kb.type_of(path.family, path.type) or {}
        wanted = (*_NATIVE.get(type_.get("compute", ""), ()), *_PLAIN)
    found = next((known[name] for name in wanted if name in known), None)
    if found:
        return found
    measured = fitted["prefill"]["devices"].get(card.device)
    return measured / assumed.PREFILL_SHARE if measured else None


def seconds(fitted: dict[str, Any], case: Case, prompt: int) -> Prompt | None:
    """Time for a prompt of one request on an idle engine, or None without a rate of compute."""
    compute = case.machine.compute
    if not compute or prompt < 1:
        return None
    constants, read, layout, known = case.basis.constants, case.read, case.layout, fitted["prefill"]
    card = layout.cards[0]
    stands_in = not card.entry.get("compute") and card.device in known["devices"]
    # peak() turned a measured rate into a peak by the assumed share
    rate = compute * (assumed.PREFILL_SHARE if stands_in else case.basis.prefill_share)
    if read.moe:
        rate *= known["moe"]
    if (read.dense + read.share * read.experts) > 1.5 * read.active:
        rate *= known["wide"]
    layers = case.seen.layers
    chunks = -(-prompt // case.profile.chunk)
    once = layers * constants.overhead * (constants.moe_overhead if read.moe else 1.0)
    weights = (read.dense + read.experts) / (constants.efficiency * case.machine.bandwidth * layout.tp)
    moved = 0.0
    if case.host:
        moved = (case.host.dense + case.host.experts) / assumed.STREAM_RATE / layout.tp
    attention = 0.0
    for width, window in read.attention:
        seen = prompt / 2 if window is None or window >= prompt else float(window)
        attention += 4.0 * width * prompt * seen
    crossing = 0.0
    if layout.tp > 1 and case.machine.link:
        size = layers * prompt * case.seen.hidden * 8.0 * (layout.tp - 1) / layout.tp
        crossing = size / assumed.LINK_RATE[case.machine.link]
    parts = {
        "weights": chunks * weights,
        "overhead": chunks * once,
        "compute": 2.0 * read.active * prompt / (rate * layout.tp),
        "attention": attention / (ATTENTION * rate * layout.tp),
        "communication": crossing,
        "host": chunks * moved,
    }
    total = fsum(parts.values())
    seen_before = case.basis.seen or card.device in known["devices"]
    low, high = (known["seen_low"], known["seen_high"]) if seen_before else (known["low"], known["high"])
    return Prompt(total, low, high, {name: part / total for name, part in parts.items()})
