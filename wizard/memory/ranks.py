"""What one rank holds of the weights under tensor, pipeline and expert parallelism.

Tensor parallelism divides matrices and copies norms, routers and, beyond the number of KV heads, the K
and V projections. Pipeline stages hold whole layers; the embedding sits on the first stage and the head
on the last (a tied embedding on both). Expert parallelism deals out whole experts. Every division
rounds up, as padding does; nothing else is added beyond these copies.
"""

from __future__ import annotations

from .cache import Memo
from .weights import Weights

_memo = Memo()


def even_stages(layers: int, stages: int) -> tuple[int, ...]:
    """Layers per pipeline stage, as equal as possible, the longer ones first."""
    base, more = divmod(layers, stages)
    return tuple(base + (index < more) for index in range(stages))


def expert_share(count: int, tp: int, ep: int) -> tuple[int, int]:
    """Share of the routed experts on one rank, as (numerator, denominator).

    Without expert parallelism each expert is cut like any matrix. With it each group of ranks holds
    whole experts, rounded up, cut further only where there are fewer groups than ranks.
    """
    if ep <= 1:
        return 1, tp
    count = max(1, count)
    return -(-count // ep), count * max(1, tp // ep)


def stage_bytes(
    weights: Weights, stages: tuple[int, ...], tp: int, ep: int, input_on_host: bool = False
) -> tuple[int, ...]:
    """Bytes of the weights on one rank of each pipeline stage."""
    return _memo.get(weights, (stages, tp, ep, input_on_host), lambda: _stages(weights, stages, tp, ep, input_on_host))


def _stages(weights: Weights, stages: tuple[int, ...], tp: int, ep: int, input_on_host: bool) -> tuple[int, ...]:
    total = max(1, sum(stages))
    top, bottom = expert_share(weights.expert_count, tp, ep)
    found: list[int] = []
    before = 0
    for index, layers in enumerate(stages):
        end = before + layers
        spread, copied, experts, projection = (
            count * end // total - count * before // total
            for count in (weights.spread, weights.copied, weights.experts, weights.kv_projection)
        )
        held = -(-(spread - projection) // tp) + copied + -(-experts * top // bottom)
        held += _projection(projection, tp, weights.kv_heads)
        if index == 0:
            held += -(-(weights.first - (weights.tables if input_on_host else 0)) // tp)
        if index == len(stages) - 1:
            # a tied embedding is the head as well: on a later stage, or beside the one in system memory
            needs_copy = weights.tied and (index > 0 or input_on_host)
            held += -(-(weights.last + (weights.embedding if needs_copy else 0)) // tp)
        found.append(held)
        before = end
    return tuple(found)


def _projection(count: int, tp: int, kv_heads: int) -> int:
    parts = min(tp, kv_heads) if kv_heads else tp
    return -(-count // max(1, parts))


def copies(weights: Weights, stages: tuple[int, ...], tp: int, ep: int) -> int:
    """Bytes that all ranks of one copy of the model hold beyond the model itself, before rounding up."""
    extra = (tp - 1) * weights.copied
    parts = min(tp, weights.kv_heads) if weights.kv_heads else tp
    extra += weights.kv_projection * tp // max(1, parts) - weights.kv_projection
    if weights.tied and len(stages) > 1:
        extra += weights.embedding
    top, bottom = expert_share(weights.expert_count, tp, ep)
    extra += weights.experts * top * tp // bottom - weights.experts
    return extra
