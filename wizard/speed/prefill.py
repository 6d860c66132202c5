"""Reading a prompt: bound by compute, with the weights read once per chunk and attention over itself.

seconds = chunks x (layers x overhead + all weights / rate) + 2 x active parameters x prompt / rate of compute
        + attention of every token to those before it + what crosses the link between ranks

where layers are split, chunks follow each other through the stages, so the compute of several works at once;

rate of compute = peak x share, or bandwidth x operations per byte where no peak is known, times factors of the
device, the engine, the driver and the kind of weights: see `knowledge/calibrate/prefill.py`.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from wizard.kb import fold
from wizard.memory.cache import Memo
from wizard.shapes import Card, Path

from . import assumed, lookup, peaks
from .load import stream_rate
from .terms import power

if TYPE_CHECKING:
    from .estimate import Case

# attention computes at about half the rate of the matrix products around it
ATTENTION = 0.5
SHORT = 256  # tokens below which a prompt does not fill the device

_memo = Memo()


class Prompt(NamedTuple):
    """Seconds for a prompt, factors of the 80 % interval on its rate, shares of the time, seconds that
    a server takes beside it before the first token, seconds a prompt waits for each further request, and seconds
    below which the devices cannot compute it."""

    total: float
    low: float
    high: float
    shares: dict[str, float]
    first: float
    waiting: float
    least: float


def peak(card: Card, path: Path, kb: Any) -> float | None:
    """Dense operations per second of one device in the numbers the kernel computes in, None when not known."""
    key = (path.family, path.type, path.kernel, path.backend)
    # kernels for GGUF unpack to 16 bits or 8-bit integers whatever the type is
    unpacked = kb.formats.get(path.family, {}).get("container") == "gguf"
    compute = None if unpacked else _compute(path, kb)
    return _memo.get(card.entry, key, lambda: peaks.peak(card.entry, compute, path.backend, unpacked))


def most(card: Card, path: Path, kb: Any) -> float | None:
    """Dense operations per second that one device cannot pass with this kernel, None when not known."""
    key = ("most", path.family, path.type, path.kernel, path.backend)
    unpacked = kb.formats.get(path.family, {}).get("container") == "gguf"
    compute = None if unpacked else _compute(path, kb)
    return _memo.get(card.entry, key, lambda: peaks.most(card.entry, compute, path.backend, unpacked))


def _compute(path: Path, kb: Any) -> str | None:
    if path.kernel != "native":
        return None
    return (kb.type_of(path.family, path.type) or {}).get("compute")


def seconds(fitted: dict[str, Any], case: Case, prompt: int) -> Prompt | None:
    """Time for a prompt of one request on an idle engine, or None without a prompt."""
    if prompt < 1:
        return None
    constants, read, layout, known = case.basis.constants, case.read, case.layout, fitted["prefill"]
    # a device's own factor is one of its peak, or of its bandwidth where no peak is known
    device = known["device" if case.peak else "bare"].get(_device(case))
    rate = case.rate * (device or 1.0) * _factors(known["factor"], case)
    if case.years and case.backend in known["yearly"]:
        rate /= lookup.over(known["yearly"][case.backend], case.years)
    if prompt < SHORT and known["short"]:
        rate /= power(SHORT / prompt, known["short"])
    layers = case.seen.layers
    chunks = -(-prompt // case.profile.chunk)
    at_once = power(stages_at_once(chunks, layout.pp), max(0, min(16, known["stages"]))) if layout.pp > 1 else 1.0
    rate *= at_once
    once = layers * constants.overhead * (constants.moe_overhead if read.moe else 1.0)
    # servers read prompts outside the graphs that decode steps are captured in
    once += layers * known["launch_s"].get(case.basis.shown["family"], 0.0)
    weights = (read.dense + read.experts) / (constants.efficiency * case.machine.bandwidth * layout.tp)
    moved = 0.0
    if case.host:
        moved = (case.host.dense + case.host.experts) / stream_rate(layout.cards[0].entry) / layout.tp
    attention = 0.0
    for width, window in read.attention:
        seen = prompt / 2 if window is None or window >= prompt else float(window)
        attention += 4.0 * width * prompt * seen
    if not case.flash:
        attention *= known["plain"].get(case.basis.path[0], assumed.PLAIN_ATTENTION)
    crossing = 0.0
    if layout.tp > 1 and case.machine.link:
        link = case.machine.link
        size = crossing_bytes(layers, prompt, case.seen.hidden, layout.tp)
        crossing = size / assumed.LINK_RATE[link] * known["crossing"].get(link, 1.0)
    parts = {
        "weights": chunks * weights / at_once,
        "overhead": chunks * once / at_once,
        "compute": 2.0 * read.active * prompt / (rate * layout.tp),
        "attention": attention / (ATTENTION * rate * layout.tp),
        "communication": crossing,
        "host": chunks * moved,
    }
    total = fsum(parts.values())
    if device:
        low, high = case.basis.prompt
    else:
        low, high = case.basis.unseen if case.peak else (known["unpeaked"]["low"], known["unpeaked"]["high"])
    first = known["first_s"].get(case.basis.shown["family"], 0.0) * known["start"].get(fold(case.engine), 1.0)
    # weights and launches are shared by prompts in one chunk, so they are not waited for again
    waiting = known["waiting"] * (parts["compute"] + parts["attention"])
    least = 1e-9
    if case.most:
        devices = layout.tp * (stages_at_once(chunks, layout.pp) if layout.pp > 1 else 1.0)
        least = (2.0 * read.matrices * prompt + attention) / (case.most * devices)
    return Prompt(total, low, high, {name: part / total for name, part in parts.items()}, first, waiting, least)


def crossing_bytes(layers: int, prompt: int, width: float, ranks: int) -> float:
    """Bytes that each rank sends for a prompt: two sums a layer over all ranks, of 16-bit numbers."""
    return layers * prompt * width * 8.0 * (ranks - 1) / ranks


def stages_at_once(chunks: int, stages: int) -> float:
    """How many stages work at the same time on average while so many chunks of a prompt pass through them."""
    return chunks * stages / (chunks + stages - 1)


def _device(case: Case) -> str:
    name = case.layout.cards[0].device
    return f"{name}@cpu" if case.basis.path[0] == "cpu" else name


def _factors(known: dict[str, float], case: Case) -> float:
    """Product of what the engine, the driver and the kind of weights change about the rate of compute."""
    read, basis = case.read, case.basis
    wide = read.dense + read.share * read.experts > 1.5 * read.active
    vulkan = basis.path[-1].endswith("/vulkan")
    key = (basis.path[0], basis.shown["family"], case.engine, case.driver, read.moe, wide, vulkan, case.unpacking)
    return _memo.get(known, key, lambda: _product(known, *key))


def _product(
    known: dict[str, float], root: str, family: str | None, engine: str, driver: str | None, moe: bool, wide: bool,
    vulkan: bool, unpacking: str | None,
) -> float:  # fmt: skip
    names = [f"engine {fold(engine)}", f"driver {driver}"]
    if moe:
        names += [f"moe {root}", f"mixture {family}"]
    else:
        names.append(f"driver-dense {driver}")
    if wide:
        names += [f"wide {root}", f"wide {family}"] + (["wide vulkan"] if vulkan else [])
    if unpacking:
        names += [f"type {unpacking}"] + ([f"kernel {fold(engine)}"] if root == "cpu" else [])
    found = 1.0
    for name in names:
        found *= known.get(name, 1.0)
    return found
