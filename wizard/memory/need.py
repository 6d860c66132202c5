"""What one device needs and has, before anything is called fitting: one place for the sums."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt
from typing import Any, NamedTuple

from wizard.shapes import Layout, Path, Workload

from . import elements, extras, kv, mixture, rules, state, weights
from .cache import Memo
from .room import Room
from .rules import (
    Profile,
    activation,
    communication,
    compute_buffer,
    context_overhead,
    graphs,
    prefill_chunk,
    state_slots,
    weights_loaded,
)

_USUAL = 32768  # tokens at which the caches of known models are compared


class Load(NamedTuple):
    """The load of one copy of the model, in tokens and requests. request: input + output.

    tokens: context over all slots that has to be there at least.
    """

    context: int
    request: int
    seats: int
    tokens: int


class Model(NamedTuple):
    """What of the model does not depend on the device. kv is None when nothing is known about it.

    kv: on one tensor-parallel rank; whole: uncopied; kv_error: bytes per token the KV may be off;
    per_token: bytes per token, uncopied, inside every window; state: bytes of one request on one rank;
    state_whole: uncopied; limit: longest context the model
    takes, tokens; said: text ids of what was assumed; loaded: bytes on a rank that holds all layers beyond the
    file (padding, tables).
    """

    weights: weights.Weights
    kv: kv.KV | None
    whole: kv.KV | None
    kv_error: int
    per_token: int
    state: int
    state_whole: int
    layers: int
    expert_layers: int
    hidden: int
    limit: int | None
    kv_type: str | None
    said: tuple[str, ...]
    vocab: int = 0
    moe: bool = False
    loaded: int = 0
    direct: bool = False  # ranks talk without a switch
    extras: extras.Added = extras.NOTHING  # what must-haves add


class Parts(NamedTuple):
    """Bytes on one device that neither request nor layer changes.

    sizes and errors: activation, graphs, communication, context, compute; resident: what stays outside
    the engine's tensors; peak: activations and buffers; error: of all together.
    """

    sizes: tuple[int, int, int, int, int]
    errors: tuple[int, int, int, int, int]
    resident: int
    peak: int
    error: int


class Plan(NamedTuple):
    """Everything the arithmetic of one candidate shares.

    one and many: KV and state of one request at the whole context and at its usual length, bytes on a
    rank that holds all layers; scratch: bytes by which the compute buffer grows when everyone is at the
    maximum.
    """

    profile: Profile
    model: Model
    parts: Parts
    load: Load
    layout: Layout
    one: int
    many: int
    scratch: int


class Seat(NamedTuple):
    """One device with its stage, in bytes. pool: what it has for KV and state; need: what these take at
    least; full: with everyone at the maximum; margin = pool - need, negative is what is missing."""

    room: Room
    layers: int
    weights: int
    pool: int
    need: int
    full: int
    error: int
    margin: int


def extras_on(model: Model, shares: tuple[int, ...], stage: int) -> dict[str, int]:
    """Bytes of what must-haves add on a rank of one stage, by part. shares: layers of each stage."""
    last = stage == len(shares) - 1
    return {p.name: p.on(shares[stage], model.layers, stage == 0, last) for p in model.extras.parts}


def load_of(work: Workload, copies: int) -> Load:
    """The share of the load that one of `copies` replicas carries."""
    context = max(1, work.context)
    request = max(1, min(context, work.input + work.output))
    seats = max(1, -(-work.concurrency // copies))
    return Load(context, request, seats, max(context, seats * request))


def held_of(work: Workload, queues: bool = False) -> Workload:
    """The part of the load that has to go in at once: the one place where it is decided who may wait.

    A batch job waits in the engine's queue, so one request has to fit. People of whom the usual length is
    known must all find room at it. Where only the longest context is known (input and output 0), an engine
    with a pool of pages (`queues`) lets those wait that find none, so one has to fit; an engine with a slot
    for each request starts with all of them at that length or not at all.
    """
    if work.mode == "offline":
        return replace(work, concurrency=1)
    if work.input + work.output:
        return work
    return replace(work, input=work.context, concurrency=1 if queues else work.concurrency)


_models = Memo()
_parts = Memo()


def model_of(
    arch: dict[str, Any], path: Path, layout: Layout, kv_type: str | None, kb: Any, asks: extras.Asks = extras.NONE
) -> tuple[Model, Profile]:
    """The model on this engine and number of ranks, and the engine's rules on this card.

    arch: a model entry, an imported architecture or parameters only. asks: must-haves that take memory.
    """
    engine = kb.engines[path.engine]
    card = layout.cards[0]
    checkpoint = path.checkpoint
    key = (
        id(engine), path.mode, path.backend, path.version, path.family, path.type,
        checkpoint.get("bytes") if checkpoint else None, id(checkpoint.get("stored")) if checkpoint else 0,
        layout.tp, kv_type, card.memory_bytes, id(card.entry), asks,
    )  # fmt: skip

    def make() -> tuple[Model, Profile, Any, Any]:
        unified = bool(card.entry["memory"].get("unified"))
        profile = rules.profile(
            engine, path.mode, path.backend, path.version, unified, card.memory_bytes, card.device,
            card.entry.get("arch") or "",
        )  # fmt: skip
        direct = communication.is_direct(card.entry, profile.of("communication")["switched"])
        model = _model(arch, path, layout.tp, kv_type, profile, kb)._replace(direct=direct)
        return _with(model, arch, path, layout, kv_type, profile, asks, kb), profile, engine, card.entry

    found = _models.get(arch, key, make)
    if found[2] is not engine or found[3] is not card.entry:  # an address used again by another entry
        found = make()
    return found[0], found[1]


def _model(arch: dict[str, Any], path: Path, tp: int, kv_type: str | None, profile: Profile, kb: Any) -> Model:
    held = weights.build(arch, path, kb)
    said = ["memory.kv-type-unknown"] if kv_type and kv_type != "auto" and not elements.known(kv_type) else []
    if held.towers_apart:
        said.append("memory.towers-apart")
    if held.uncounted:
        said.append("memory.towers-uncounted")
    rank = whole = None
    error = here = one = 0
    if arch.get("attention") is not None:
        slots = profile.of("state-slots")
        whole = kv.build(arch, kv_type, 1, profile)
        rank = whole if tp == 1 else kv.build(arch, kv_type, tp, profile)
        one = state.sequence_bytes(arch["attention"], 1, slots)
        here = _states(arch, kv_type, tp, profile)
    else:
        low, high = _range(arch, kv_type, profile, kb)
        if high:
            middle = (low + high) // 2
            whole = kv.KV((), profile.granule, middle, ())
            rank = kv.KV((), profile.granule, -(-middle // tp), ())
            error = -(-(high - low) // (2 * tp))
        said.append("memory.kv-range" if high else "memory.kv-unknown")
    layers = max(1, arch.get("layers") or 1)
    context = arch.get("context") or {}
    return Model(
        held, rank, whole, error, whole.per_token() if whole else 0, here, one, layers,
        (arch.get("experts") or {}).get("layers") or layers,
        arch.get("hidden") or 0,
        max(context.get("native", 0), context.get("extended", 0)) or None,
        kv_type,
        tuple(said),
        arch.get("vocab") or 0,
        arch.get("kind") == "moe",
        loaded(arch, path, tp, profile),
    )  # fmt: skip


def _with(
    model: Model, arch: dict[str, Any], path: Path, layout: Layout, kv_type: str | None, profile: Profile,
    asks: extras.Asks, kb: Any,
) -> Model:  # fmt: skip
    """The model with what must-haves add: a draft's cache and states grow with each request as its own do."""
    added = extras.build(arch, path, layout, kv_type, asks, profile, model.weights, kb)
    if added is extras.NOTHING:
        return model
    rank, here = of_request(arch, kv_type, layout.tp, profile, added)
    return model._replace(extras=added, kv=rank, state=here, said=(*model.said, *added.said))


def of_request(
    arch: dict[str, Any], kv_type: str | None, tp: int, profile: Profile, added: extras.Added,
    index_type: str | None = None,
) -> tuple[kv.KV, int]:  # fmt: skip
    """(cache, bytes of states) of one request on one rank that holds all layers, with those of a draft."""
    model, rules_here = added.arch or arch, added.profile or profile
    cache = kv.build(model, kv_type, tp, rules_here, index_type)
    if added.cache:
        cache = kv.together(cache, added.cache)
    return cache, _states(model, kv_type, tp, rules_here) + added.state


def _states(arch: dict[str, Any], kv_type: str | None, tp: int, profile: Profile) -> int:
    slots = profile.of("state-slots")
    paged = kv.page(arch, kv_type, tp, profile)[1]
    return paged or _copies(state.sequence_bytes(arch["attention"], tp, slots), slots["per_request"])


def loaded(arch: dict[str, Any], path: Path, tp: int, profile: Profile) -> int:
    """Bytes one of `tp` ranks holds beyond its share of the file, all layers."""
    parameters = profile.of("weights-loaded")
    if not (parameters["base_mib"] or parameters["rope_bytes"] or parameters["fp8_row_pad"]):
        return 0
    rows = (
        (arch.get("matrices") or mixture.derive(arch)) if path.family == "fp8" and parameters["fp8_row_pad"] else None
    )
    return weights_loaded.extra(parameters, arch, path.family, rows, tp)


def _copies(size: int, count: float) -> int:
    """`count` copies, which need not be whole, rounded up to bytes."""
    return size * count if isinstance(count, int) else -int(-size * count // 1)


def _range(arch: dict[str, Any], kv_type: str | None, profile: Profile, kb: Any) -> tuple[int, int]:
    """Bytes of KV per token, lowest and highest, for a model of which only the size is known."""
    given = arch.get("kv_range")
    if given:
        low, high = given
        scale = elements.row_bytes(elements.pair(kv_type)[0], 1024)
        return int(low * scale // 2048), int(high * scale // 2048)
    known = [kb.models[id_] for id_ in arch.get("kv_models", ())]
    found = [-(-kv.build(m, kv_type, 1, profile).bytes(_USUAL) // _USUAL) for m in known if m.get("attention")]
    return (min(found), max(found)) if found else (0, 0)


def parts_of(profile: Profile, model: Model, tp: int, pp: int, load: Load) -> Parts:
    """Fixed parts of one device with the load's context over all slots."""
    step = prefill_chunk.step(profile.of("prefill-chunk"), profile.chunk, load.context)
    key = (model.hidden, model.vocab, model.moe, model.direct, tp > 1, pp > 1, load.tokens, step)
    return _parts.get(profile, key, lambda: _fixed(profile, model, tp, pp, load.tokens, step))


def _fixed(profile: Profile, model: Model, tp: int, pp: int, tokens: int, step: int) -> Parts:
    logits = model.vocab * profile.batch
    act, act_error = activation.peak(profile.of("activation"), step, model.hidden, logits, model.moe)
    graph, graph_error = graphs.kept(profile.of("graphs"))
    com, com_error = communication.buffers(profile.of("communication"), tp, pp, model.direct)
    ctx, ctx_error = context_overhead.taken(profile.of("context-overhead"))
    buf, buf_error = compute_buffer.scratch(profile.of("compute-buffer"), tokens)
    errors = (act_error, graph_error, com_error, ctx_error, buf_error)
    return Parts(
        (act, graph, com, ctx, buf), errors, ctx + com, act + graph + buf, isqrt(sum(e * e for e in errors))
    )  # fmt: skip


def plan_of(profile: Profile, model: Model, load: Load, layout: Layout) -> Plan:
    """The plan of one candidate."""
    parts = parts_of(profile, model, layout.tp, layout.pp, load)
    grown = profile.of("compute-buffer")["per_ctx_bytes"]
    scratch = round(grown * (load.seats * load.context - load.tokens)) if grown else 0
    if model.kv is None:
        return Plan(profile, model, parts, load, layout, 0, 0, scratch)
    one, many = model.kv.bytes(load.context), model.kv.bytes(load.request)
    slots = profile.of("state-slots")
    one, many = (state_slots.joined(slots, size, model.state) for size in (one, many))
    return Plan(profile, model, parts, load, layout, one, many, scratch)


def demand(plan: Plan, layers: int) -> tuple[int, int, int]:
    """(smallest demand, demand with everyone at the maximum, error) of KV and state in bytes on one device.

    The smallest demand is the larger of one request of the whole context and all requests at their
    usual length. `layers` of the model's layers are here; their part is taken to be an even share.
    """
    one, many, seats, error = plan.one, plan.many, plan.load.seats, plan.model.kv_error
    total = plan.model.layers
    if layers != total:
        one, many = -(-one * layers // total), -(-many * layers // total)
        error = -(-error * layers // total)
    many *= seats
    return (one if one > many else many), one * seats, error * plan.load.tokens


def seat_of(plan: Plan, place: Room, layers: int, held: int) -> Seat:
    """One device that holds `layers` layers and `held` bytes of weights."""
    parts, budget, layout = plan.parts, plan.profile.budget, plan.layout
    need, full, kv_error = demand(plan, layers)
    pool = budget.pool(
        plan.profile.parameters[budget.NAME], place.total, place.free, held, parts.resident, parts.peak,
        layout.tp * layout.pp,
    )  # fmt: skip
    error = parts.error
    if place.error or kv_error:
        error = isqrt(error * error + place.error * place.error + kv_error * kv_error)
    return Seat(place, layers, held, pool, need, full, error, pool - need)


def as_whole(plan: Plan, seat: Seat) -> tuple[int, int, int]:
    """(pool without the growing scratch, bytes of scratch per token, pool) as if the seat held all layers.

    The compute buffer's part that grows with the context competes for the bytes of the pool.
    """
    per_ctx = int(plan.profile.parameters["compute-buffer"]["per_ctx_bytes"])
    total, layers = plan.model.layers, seat.layers
    pool, slope, held = seat.pool + per_ctx * plan.load.tokens, per_ctx, seat.pool
    if layers != total:
        pool, slope, held = pool * total // layers, -(-per_ctx * total // layers), held * total // layers
    return (pool, slope, held) if pool >= 0 else (0, slope, 0)
