"""What one device needs and has, before anything is called fitting: one place for the sums."""

from __future__ import annotations

from math import isqrt
from typing import Any, NamedTuple

from wizard.shapes import Card, Layout, Path, Workload

from . import elements, kv, state, weights
from .cache import Memo
from .room import Room
from .rules import Profile, activation, communication, compute_buffer, context_overhead, graphs

_memo = Memo()
_USUAL = 32768  # tokens at which the cache of known models is compared


class Load(NamedTuple):
    """The load of one copy of the model. Tokens and requests; request = input + output."""

    context: int
    request: int
    seats: int

    @property
    def tokens(self) -> int:
        """Tokens of context over all slots that have to be there at least."""
        return max(self.context, self.seats * self.request)


class Model(NamedTuple):
    """What of the model does not depend on the device. kv is None when nothing is known about it.

    kv: on one tensor-parallel rank; whole: uncopied; kv_error: bytes per token the KV may be off;
    state: bytes of one sequence on one rank; state_whole: uncopied.
    """

    weights: weights.Weights
    kv: kv.KV | None
    whole: kv.KV | None
    kv_error: int
    state: int
    state_whole: int
    layers: int
    expert_layers: int
    hidden: int


class Parts(NamedTuple):
    """Bytes on one device that neither request nor layer changes, with errors. peak = what comes and goes."""

    activation: int
    graphs: int
    communication: int
    context: int
    compute: int
    error: int
    errors: tuple[int, int, int, int, int]

    @property
    def resident(self) -> int:
        """Bytes that stay outside the engine's tensors."""
        return self.context + self.communication

    @property
    def peak(self) -> int:
        """Bytes of buffers and activations."""
        return self.activation + self.graphs + self.compute


class Seat(NamedTuple):
    """One device with its stage: sizes in bytes. margin = pool - need; negative is what is missing."""

    card: Card
    room: Room
    layers: int
    weights: int
    pool: int
    need: int
    full: int
    error: int

    @property
    def margin(self) -> int:
        """Bytes left for more KV."""
        return self.pool - self.need


class Plan(NamedTuple):
    """Everything the arithmetic of one candidate shares."""

    profile: Profile
    model: Model
    parts: Parts
    load: Load
    layout: Layout


def load_of(work: Workload, copies: int) -> Load:
    """The share of the load that one of `copies` replicas carries."""
    request = max(1, min(work.context, work.input + work.output))
    return Load(max(1, work.context), request, max(1, -(-work.concurrency // copies)))


def model_of(arch: dict[str, Any], path: Path, tp: int, kv_type: str | None, profile: Profile, kb: Any) -> Model:
    """Weights, KV and state of a model entry, an imported architecture or parameters only."""
    held = weights.build(arch, path, kb)
    layers = max(1, arch.get("layers") or 1)
    experts = (arch.get("experts") or {}).get("layers") or layers
    hidden = arch.get("hidden") or 0
    if arch.get("attention") is None:
        low, high = _range(arch, kv_type, profile, kb)
        if not high:
            return Model(held, None, None, 0, 0, 0, layers, experts, hidden)
        middle = (low + high) // 2
        whole = kv.KV((), profile.granule, middle, ())
        rank = kv.KV((), profile.granule, -(-middle // tp), ())
        return Model(held, rank, whole, -(-(high - low) // (2 * tp)), 0, 0, layers, experts, hidden)

    def make() -> tuple[kv.KV, kv.KV, int, int]:
        slots = profile.of("state-slots")
        whole = kv.build(arch, kv_type, 1, profile)
        rank = whole if tp == 1 else kv.build(arch, kv_type, tp, profile)
        copies = slots["per_request"]
        one = state.sequence_bytes(arch["attention"], 1, slots)
        here = one if tp == 1 else state.sequence_bytes(arch["attention"], tp, slots)
        return rank, whole, -int(-here * copies // 1), one

    rank, whole, here, one = _memo.get(arch, ("kv", kv_type, tp, profile), make)
    return Model(held, rank, whole, 0, here, one, layers, experts, hidden)


def _range(arch: dict[str, Any], kv_type: str | None, profile: Profile, kb: Any) -> tuple[int, int]:
    """Bytes of KV per token, lowest and highest, for a model of which only the size is known."""
    given = arch.get("kv_range")
    if given:
        low, high = given
        scale = elements.row_bytes(elements.pair(kv_type)[0], 1024)
        return int(low * scale // 2048), int(high * scale // 2048)
    found = []
    for id_ in arch.get("kv_models", ()):
        near = kb.models[id_]
        if near.get("attention"):
            cache = _memo.get(near, ("kv", kv_type, profile), lambda n=near: kv.build(n, kv_type, 1, profile))
            tokens = 32768
            found.append(-(-cache.bytes(tokens) // tokens))
    return (min(found), max(found)) if found else (0, 0)


def parts_of(profile: Profile, hidden: int, ranks: int, tokens: int) -> Parts:
    """Fixed parts of one device with `tokens` of context over all slots."""
    act, act_error = activation.peak(profile.of("activation"), profile.chunk, hidden)
    graph, graph_error = graphs.kept(profile.of("graphs"))
    com, com_error = communication.buffers(profile.of("communication"), ranks)
    ctx, ctx_error = context_overhead.taken(profile.of("context-overhead"))
    buf, buf_error = compute_buffer.scratch(profile.of("compute-buffer"), tokens)
    errors = (act_error, graph_error, com_error, ctx_error, buf_error)
    return Parts(act, graph, com, ctx, buf, isqrt(sum(e * e for e in errors)), errors)


def demand(model: Model, load: Load, layers: int) -> tuple[int, int, int]:
    """(smallest demand, demand with everyone at the maximum, error) of KV and state in bytes on one device.

    The smallest demand is the larger of one request of the whole context and all requests at their
    usual length. `layers` of the model's layers are here; their KV is taken to be an even share.
    """
    cache, total = model.kv, model.layers
    if cache is None:
        return 0, 0, 0
    one = cache.bytes(load.context)
    many = cache.bytes(load.request)
    held = model.state
    if layers != total:
        one, many = -(-one * layers // total), -(-many * layers // total)
        held = -(-held * layers // total)
    least = max(one + held, load.seats * (many + held))
    error = model.kv_error * load.tokens
    return least, load.seats * (one + held), error if layers == total else -(-error * layers // total)
