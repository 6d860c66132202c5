"""Estimates: decode, throughput, prefill and first token as intervals, and where the time goes."""

from __future__ import annotations

from math import fsum
from typing import Any, NamedTuple

from wizard.memory.need import Model, model_of
from wizard.memory.rules import Profile
from wizard.shapes import Card, Layout, Path, Workload

from . import assumed, lookup, nodes, prefill
from .load import Host, Reads, host, kv_bytes, reads, stream_rate
from .lookup import Basis
from .terms import OPS_PER_BYTE, Constants, Step, experts_read, floor, step

_EMPTY = ("decode_tps", "throughput_tps", "prefill_tps", "ttft_s", "tpot_s", "shares", "prefill_shares", "basis")


class Known(NamedTuple):
    """What a measurement says and a candidate does not. depth: tokens in the context of decode_tps; driver: of
    the back end; years: age of the engine's build; apart: all prompts were read before the steps; sized: whether the
    weights were measured and not computed from nominal bits."""

    depth: int | None = None
    driver: str | None = None
    years: float = 0.0
    apart: bool = False
    flash: bool = True
    sized: bool = True


class Machine(NamedTuple):
    """The devices of one copy as the formula sees them.

    bandwidth: bytes per second of one device, or of the pipeline as if it were one; compute: operations per
    second of one device, None when unknown; link and hop: kind of link between ranks, the slowest, and between
    stages; machines: among which the ranks of one stage are shared out.
    """

    bandwidth: float
    compute: float | None
    link: str | None
    hop: str | None
    machines: int = 1


class Case(NamedTuple):
    """Everything about one candidate that its numbers share.

    prompt: tokens of a usual prompt that are not in the shared prefix; host_rate and host_layer: bytes per
    second and seconds per layer of the processor for what waits in system memory; driver: of the back end,
    where one was named; unpacking: see `nodes.unpacking`; rate: operations per second on prompts, before
    factors; peak: whether that comes from a peak of the device and not from its bandwidth; most: operations per
    second that no kernel passes.
    """

    basis: Basis
    machine: Machine
    read: Reads
    seen: Model
    profile: Profile
    layout: Layout
    work: Workload
    prompt: int
    host: Host | None
    host_rate: float
    host_layer: float
    engine: str
    driver: str | None
    unpacking: str | None
    rate: float
    peak: bool
    most: float | None
    backend: str
    years: float
    flash: bool
    apart: bool


def missing(reason: str) -> dict[str, Any]:
    """Estimates without numbers. reason: bandwidth, model, fit or constants."""
    return dict.fromkeys(_EMPTY) | {"nearest": [], "missing": reason}


def estimate(
    path: Path, layout: Layout, arch: dict[str, Any] | None, work: Workload, fit: dict[str, Any] | None,
    links: dict[str, Any], kb: Any, known: Known | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Estimates of a candidate that fits (the shape is Estimates in the contributor docs).

    decode_tps is one request alone at the middle of its answer, or at the depth that `known` gives.
    throughput_tps and tpot_s are at the asked concurrency over all copies, with the unshared part of the
    others' prompts in between. ttft_s is at the same concurrency: the whole prompt, whose last pass gives the first
    token, and the mean wait for prompts of the others. shares are of the step at the asked concurrency. No end of
    an interval is above what memory and arithmetic units allow. links: {"within", "between"} as in the Situation.
    `nearest` stays empty: see `nearest.nearest()`.
    """
    if arch is None:
        return missing("model")
    if fit is None or fit["class"] == "no":
        return missing("fit")
    fitted = lookup.constants_of(kb)
    if not fitted:
        return missing("constants")
    case = _case(fitted, path, layout, arch, work, fit, links, kb, known or Known())
    if isinstance(case, str):
        return missing(case)
    depth = min(work.context, work.input + work.output // 2) if known is None or known.depth is None else known.depth
    copies = layout.dp
    seats = max(1, -(-work.concurrency // copies))
    most = fit["max_concurrency"]
    if most is not None:
        seats = max(1, min(seats, most // max(1, fit.get("copies", 1))))
    alone = _step(case, 1, depth)
    loaded = alone if seats == 1 else _step(case, seats, depth)
    low, high = _spread(fitted, case)
    if known and not known.sized:
        low, high = low * assumed.NOMINAL[0], high * assumed.NOMINAL[1]
    one = fsum(alone.values())
    total = fsum(loaded.values())
    many_low, many_high = low, high
    if seats > 1:
        many_low, many_high = _spread_of_many(fitted["batched"], case, low, high)
    least, together = _floor(case, 1, depth), _floor(case, seats, depth)
    answer: dict[str, Any] = {
        "decode_tps": _rate(1 / one, low, high, 1 / least),
        "throughput_tps": _rate(copies * seats / total, many_low, many_high, copies * seats / together),
        "prefill_tps": None,
        "ttft_s": None,
        "tpot_s": _time(total, many_low, many_high, together),
        "shares": {name: seconds / total for name, seconds in loaded.items()},
        "prefill_shares": None,
        "basis": case.basis.shown,
        "nearest": [],
        "missing": None,
    }
    read = prefill.seconds(fitted, case, work.input)
    if read:
        answer["prefill_tps"] = _rate(work.input / read.total, read.low, read.high, work.input / read.least)
        # of the others' prompts what is not in the shared prefix is waited for
        waits = 0.0 if case.apart else (seats - 1) * read.waiting * case.prompt / work.input
        answer["ttft_s"] = _time(read.total + read.first + waits, read.low, read.high, read.least)
        answer["prefill_shares"] = read.shares
    return answer


def _case(
    fitted: dict[str, Any], path: Path, layout: Layout, arch: dict[str, Any], work: Workload, fit: dict[str, Any],
    links: dict[str, Any], kb: Any, known: Known,
) -> Case | str:  # fmt: skip
    card = layout.cards[0]
    family = kb.engines[path.engine].get("speed_family")
    link = hop = across = None
    machines = max(1, layout.tp // len(layout.cards))
    if layout.tp > machines:
        link = lookup.link_name(links, False)
    if machines > 1:
        across = lookup.link_name(links, True)
    if layout.pp > 1:
        hop = lookup.link_name(links, layout.nodes > 1)
    entry = card.entry
    basis = lookup.basis_of(
        fitted, entry.get("speed_class"), entry.get("vendor"), family, path.backend, path.type, link,
        card.device, across,
    )  # fmt: skip
    if basis is None:
        return "constants"
    if basis.constants.weight and nodes.unpacking(path.type, path.backend):
        basis = lookup.of_engine(fitted, basis, path.engine)
    if known.years:
        basis = lookup.at_age(fitted, basis, known.years)
    if not known.flash:
        basis = lookup.without_flash(fitted, basis)
    bandwidth = _bandwidth(layout, fit)
    if not bandwidth:
        return "bandwidth"
    seen, profile = model_of(arch, path, layout, fit["kv_type"], kb)
    read = reads(arch, seen.weights)
    compute = prefill.peak(card, path, kb)
    rate_ = compute * basis.share if compute else (bandwidth_of(card) or bandwidth) * basis.ratio
    machine = Machine(bandwidth, compute, across or link, hop, machines)
    rate, layer = _host_rate(fitted, host_kind(card.entry, fit), path, kb) if fit["offload"] else (0.0, 0.0)
    prompt = 0 if known.apart else round(work.input * (1 - work.shared_prefix))
    moved = host(fit, read, seen.layers, seen.expert_layers)
    return Case(
        basis, machine, read, seen, profile, layout, work, prompt, moved, rate, layer,
        path.engine, known.driver, nodes.unpacking(path.type, path.backend), rate_, bool(compute),
        prefill.most(card, path, kb), path.backend, known.years, known.flash, known.apart,
    )  # fmt: skip


def bandwidth_of(card: Card) -> float | None:
    """Bytes per second of one device, or None when its entry does not say."""
    value = card.entry.get("bandwidth_gbs")
    if isinstance(value, dict):
        value = value.get("is")
    return value * 1e9 if isinstance(value, int | float) and value > 0 else None


def _bandwidth(layout: Layout, fit: dict[str, Any]) -> float | None:
    """Bandwidth of one rank; a pipeline reads its stages one after another, so it is their harmonic mean."""
    cards = layout.cards
    first = cards[0].entry
    if all(card.entry is first for card in cards):
        return bandwidth_of(cards[0])
    rates = [bandwidth_of(card) for card in cards]
    if not all(rates):
        return None
    if layout.pp == 1:
        return min(rate for rate in rates if rate)
    layers = [device.get("layers", 1) for device in fit["devices"]][: layout.tp * layout.pp]
    known = [(count, rates[slot % len(rates)]) for slot, count in enumerate(layers)]
    if not any(layers):  # every layer moved to system memory: the devices read nothing but the cache
        return min(rate for rate in rates if rate)
    return sum(count for count, _ in known) / fsum(count / rate for count, rate in known if rate)


def host_kind(entry: dict[str, Any], fit: dict[str, Any]) -> str:
    """Kind of board that the system memory of a fit sits on, a key of `assumed.HOST_RATE`."""
    large = fit["offload"]["host_bytes"] > assumed.DESKTOP_MOST
    return "server" if large or entry.get("segment") in assumed.SERVER_SEGMENTS else "desktop"


def _host_rate(fitted: dict[str, Any], kind: str, path: Path, kb: Any) -> tuple[float, float]:
    """(bytes per second read and unpacked from system memory by the processor, seconds of overhead per layer there)."""
    found = lookup.basis_of(fitted, f"cpu-{kind}", None, "ggml", "cpu", path.type, None)
    peak = assumed.HOST_RATE[kind]
    if not found:
        return peak * 0.5, 2e-4
    bits = (kb.type_of(path.family, path.type) or {}).get("bits", 16.0)
    unpacking = found.constants.weight * 8 / bits / OPS_PER_BYTE
    return peak / (1 / found.constants.efficiency + unpacking), found.constants.overhead


def _work(case: Case, batch: int, depth: int) -> Step:
    """What one step of `batch` sequences at `depth` tokens each does on the devices."""
    read, machine, layout = case.read, case.machine, case.layout
    in_step = batch
    if layout.pp > 1 and batch > 1 and case.basis.shown["family"] in assumed.PIPELINED:
        in_step = -(-batch // layout.pp)  # the stages work on different requests at the same time
    dense, experts = read.dense, read.experts
    if case.host:
        dense, experts = dense - case.host.dense, experts - case.host.experts
    return Step(
        case.seen.layers, read.moe, dense, experts, read.share, kv_bytes(case.seen, depth), read.active, in_step,
        layout.tp, machine.bandwidth, machine.compute, case.prompt, case.work.output, machine.machines,
        float(case.seen.state),
    )  # fmt: skip


def _floor(case: Case, batch: int, depth: int) -> float:
    """Seconds below which a step cannot be, by the memory of the devices; what waits elsewhere comes no faster."""
    return floor(_work(case, batch, depth)._replace(dense=case.read.dense, experts=case.read.experts))


def _step(case: Case, batch: int, depth: int) -> dict[str, float]:
    """Seconds of one step by share, `batch` sequences at `depth` tokens each."""
    c, machine, moved = case.basis.constants, case.machine, case.host
    work = _work(case, batch, depth)
    parts = step(work, c)
    communication = parts.communication
    if machine.hop:
        communication += (case.layout.pp - 1) * assumed.UNMEASURED_US.get(machine.hop, 25.0) * 1e-6
    waiting = _host_seconds(case, moved, work.batch, c) if moved else 0.0
    return {
        "weights": parts.weights,
        "kv": parts.kv,
        "overhead": parts.overhead,
        "compute": parts.compute + parts.prompts,
        "communication": communication,
        "host": waiting,
    }


def _host_seconds(case: Case, moved: Host, batch: int, c: Constants) -> float:
    grown = experts_read(case.read.share, batch, c.expert_power)
    size = moved.dense + moved.experts * grown
    if moved.streamed:
        return size / stream_rate(case.layout.cards[0].entry) / case.layout.tp
    return size / case.host_rate + moved.layers * case.seen.layers * case.host_layer


def _spread(fitted: dict[str, Any], case: Case) -> tuple[float, float]:
    low, high = case.basis.low, case.basis.high
    if case.host:
        low, high = low * assumed.OFFLOAD_SPREAD[0], high * assumed.OFFLOAD_SPREAD[1]
    measured = lookup.measured_link(fitted, case.machine.link)
    if not measured or case.layout.tp > case.machine.machines > 1 or (case.machine.hop and case.layout.nodes > 1):
        low, high = low * assumed.LINK_SPREAD[0], high * assumed.LINK_SPREAD[1]
    return low, high


def _spread_of_many(batched: dict[str, Any], case: Case, low: float, high: float) -> tuple[float, float]:
    """Ends for a batch: of measured ones where the class has enough of them, else no surer than one request."""
    if case.basis.node in batched["nodes"]:
        return batched["low"] * low / case.basis.low, batched["high"] * high / case.basis.high
    return min(low, batched["low"]), max(high, batched["high"])


def _rate(point: float, low: float, high: float, most: float) -> dict[str, float]:
    """An interval of rates from a point and factors, none of them above `most`."""
    point, top = min(point, most), point * high
    return {"point": point, "low": point * low, "high": max(point, min(top, most))}


def _time(point: float, low: float, high: float, least: float) -> dict[str, float]:
    """An interval of seconds from factors on a rate, none of them below `least`."""
    found = _rate(1 / point, low, high, 1 / least)
    return {"point": 1 / found["point"], "low": 1 / found["high"], "high": 1 / found["low"]}
