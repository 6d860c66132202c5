"""The time of one decode step as a sum of named parts: the one formula behind every estimate.

    step = layers x overhead                                  launches, synchronisation, small kernels
         + weights read / (efficiency x bandwidth x ranks)    shared by all sequences of the step
         + KV read / (KV efficiency x bandwidth)              once per sequence
         + recurrent state x passes / (efficiency x bandwidth)   once per sequence
         + active parameters x operations / compute           processors only: weights are unpacked by arithmetic
         + further sequences x (layers x sequence overhead + 2 x active parameters / compute)
         + layers x link overhead x hops                      tensor parallel only, inside machines and between
         + prompts of other requests between the steps        servers under load

Constants come from `knowledge/constants/speed.json`; this module holds only the formula. Seconds, bytes,
bytes per second. Of the transcendental functions it uses the square root alone.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

READ_AND_WRITTEN = 2.0  # passes over a recurrent state that no step can do without
OPS_PER_BYTE = 20.0  # of a processor whose cores are not known, for every byte of its bandwidth


class Step(NamedTuple):
    """What one step has to do. batch: sequences in the step; ranks: devices that read at the same time.

    dense: bytes of weights every token reads; experts: bytes of all routed experts; share: part of them
    one token reads; kv: bytes of KV of one sequence on the device that reads most, state: of its recurrent
    state there; active: parameters per token; bandwidth: bytes per second of one device; compute: operations
    per second of one device, or None; prompt and answer: tokens of a request, for prompts that other requests
    insert; machines: among which the ranks are shared out.
    """

    layers: int
    moe: bool
    dense: float
    experts: float
    share: float
    kv: float
    active: float
    batch: int
    ranks: int
    bandwidth: float
    compute: float | None
    prompt: int = 0
    answer: int = 0
    machines: int = 1
    state: float = 0.0


class Constants(NamedTuple):
    """Fitted numbers for one node and family. Times in seconds, efficiencies as shares.

    expert_power: sixteenths of the power of the batch by which the experts read grow; weight: operations by
    which a processor unpacks and multiplies one weight, 0.0 elsewhere; link and
    link_sequence: between the ranks of one machine, across and across_sequence: between machines; state: passes over a
    recurrent state.
    """

    overhead: float
    moe_overhead: float
    efficiency: float
    unpacking: float
    kv_efficiency: float
    sequence: float
    compute: float
    expert_power: int
    link: float
    link_sequence: float
    prefill: float
    weight: float = 0.0
    across: float = 0.0
    across_sequence: float = 0.0
    state: float = READ_AND_WRITTEN


class Parts(NamedTuple):
    """Seconds of one step by what they are spent on."""

    overhead: float
    weights: float
    kv: float
    compute: float
    communication: float
    prompts: float


def power(base: float, sixteenths: int) -> float:
    """base ** (sixteenths / 16) by square roots alone, so that every platform gives the same bits."""
    result = 1.0
    root = base
    for bit in (8, 4, 2, 1):
        root = sqrt(root)
        if sixteenths & bit:
            result *= root
    return base if sixteenths >= 16 else result


def hops(ranks: int) -> int:
    """Steps of a collective over so many ranks: the logarithm to base two, rounded up."""
    return (ranks - 1).bit_length()


def experts_read(share: float, batch: int, sixteenths: int) -> float:
    """Share of the routed experts that `batch` tokens read together; one token reads `share`."""
    read = share * power(float(batch), sixteenths)
    return read if read < 1.0 else 1.0


def floor(work: Step) -> float:
    """Seconds below which no step can be: what one token reads of the weights, and the cache of every sequence, at
    the whole bandwidth. Sequences of a batch that meet at the same experts read no more than one."""
    weights = (work.dense + work.experts * work.share) / work.ranks
    return (weights + work.batch * (work.kv + READ_AND_WRITTEN * work.state)) / work.bandwidth


def step(work: Step, c: Constants) -> Parts:
    """Seconds of one step."""
    rate = c.efficiency * work.bandwidth
    read = work.dense
    if work.experts:
        read += work.experts * experts_read(work.share, work.batch, c.expert_power)
    overhead = work.layers * c.overhead * (c.moe_overhead if work.moe else 1.0)
    more = work.batch - 1
    compute = more * work.layers * c.sequence
    if work.compute and more:
        compute += 2.0 * work.active * more / (c.compute * work.compute * work.ranks)
    if c.weight:
        compute += work.active * c.weight / (work.compute or OPS_PER_BYTE * work.bandwidth)
    communication = 0.0
    if work.ranks > 1:
        each = c.across_sequence if work.machines > 1 else c.link_sequence
        inside = hops(work.ranks // work.machines) * c.link
        communication = work.layers * (inside + hops(work.machines) * c.across + more * each)
    prompts = 0.0
    if more and work.compute and work.answer and c.prefill:
        prompts = work.batch * 2.0 * work.active * work.prompt / (c.prefill * work.compute * work.ranks) / work.answer
    return Parts(
        overhead,
        read * c.unpacking / (rate * work.ranks),
        work.batch * (work.kv / c.kv_efficiency + work.state * c.state) / rate,
        compute,
        communication,
        prompts,
    )
