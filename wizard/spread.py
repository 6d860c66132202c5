"""May a model be spread this way: what the engine does, and what has to divide.

Tensor parallel ranks must divide heads, vocabulary and quantization blocks; KV heads replicate. Where
experts would be cut inside a block, whole experts on each rank (expert parallel) are the way out.
"""

from __future__ import annotations

from .conditions import paths_of
from .facts import Facts, Kind
from .found import Option
from .kb import KB
from .obstacles import from_result, obstacle
from .shapes import Entry, Layout
from .versions import matches

_OK = ("yes", "partial", "experimental")


def parallelism(option: Option, facts: Facts, name: str) -> Entry:
    """The engine's line on one way of spreading, for its version and mode; empty when nothing is written."""
    path = option.path
    key = ("parallelism", path.engine, path.mode, path.version, name)
    found = facts.kb.kept.get(key)
    if found is None:
        fact = (facts.kb.engines[path.engine].get("parallelism") or {}).get(name) or {}
        if fact.get("mode") not in (None, path.mode) or not matches(fact.get("versions"), path.version):
            fact = {"is": "no", "source": fact.get("source", [])}
        found = facts.kb.kept[key] = fact
    return found


def allowed(name: str, option: Option, facts: Facts, kinds: tuple[Kind, ...]) -> tuple[bool | None, list[Entry]]:
    """True, None (not known) or False with the obstacles, for one way of spreading; asked once a decision."""
    path = option.path
    key = (name, path.engine, path.mode, path.version, path.backend, path.family, path.type, *(k.device for k in kinds))
    found = facts.memo.get(key)
    if found is None:
        found = facts.memo[key] = _ask(name, option, facts, kinds)
    return found


def reads_type(engine: str, kb: KB) -> bool:
    """Whether any way of spreading depends on the type of the format, not only on its family."""
    key = ("spread-reads-type", engine)
    found = kb.kept.get(key)
    if found is None:
        facts = (kb.engines[engine].get("parallelism") or {}).values()
        read = {path for fact in facts for path in paths_of(fact.get("needs"))}
        found = kb.kept[key] = bool(read & {"format.type", "format.bits"})
    return found


def _ask(name: str, option: Option, facts: Facts, kinds: tuple[Kind, ...]) -> tuple[bool | None, list[Entry]]:
    fact = parallelism(option, facts, name)
    clause = f"engine.parallelism.{name}"
    if not fact or fact.get("is") == "unknown":
        text = "obstacle.parallelism-unknown"
        return None, [obstacle(clause, "unknown", "yes", fact or [], unknown=True, text=text, how=name)]
    if fact["is"] not in _OK:
        return False, [obstacle(clause, fact["is"], "yes", fact, text="obstacle.parallelism", how=name)]
    if not fact.get("needs"):
        return True, []
    extra = {"candidate.backend": option.path.backend, **_format_values(option, facts)}
    result = facts.check(fact["needs"], kinds, extra)
    return (True, []) if result.value is True else (result.value, from_result(result, fact))


def _format_values(option: Option, facts: Facts) -> Entry:
    type_ = facts.kb.type_of(option.path.family, option.path.type) or {}
    return {
        "format.family": option.path.family,
        "format.type": option.path.type,
        "format.bits": type_.get("bits"),
    }


def experimental(option: Option, facts: Facts, layout: Layout) -> bool:
    """Whether a way of spreading that this layout uses is experimental, or often fails on such a machine."""
    used = (
        ("tp", layout.tp > 1),
        ("pp", layout.pp > 1),
        ("ep", layout.ep > 1),
        ("multi_node", layout.nodes > layout.dp),
    )
    return any(on and _unsteady(option, facts, name) for name, on in used)


def _unsteady(option: Option, facts: Facts, name: str) -> bool:
    fact = parallelism(option, facts, name)
    if fact.get("is") == "experimental":
        return True
    unsteady = fact.get("unsteady")
    return bool(unsteady) and facts.check(unsteady["when"], facts.kinds).value is True


def apart(option: Option, facts: Facts, kind: Kind) -> tuple[list[Entry], tuple[Entry, ...]]:
    """Obstacles against one copy over several machines, and what is not confirmed."""
    fact, stops = allowed("multi_node", option, facts, (kind,))
    if fact is False:
        return stops, ()
    if facts.situation["links"]["between"] == "none":
        entry = parallelism(option, facts, "multi_node")
        return [obstacle("links.between", "none", ["ethernet", "rdma"], entry)], ()
    return [], tuple(stops)


def pipeline(option: Option, facts: Facts, kind: Kind, stages: int) -> tuple[list[Entry], tuple[Entry, ...]]:
    """Obstacles against this many pipeline stages, and what is not confirmed."""
    fact, stops = allowed("pp", option, facts, (kind,))
    if fact is False:
        return stops, ()
    entry = parallelism(option, facts, "pp")
    layers = facts.arch["layers"] if facts.arch else None
    most = min([n for n in (entry.get("max"), layers) if n], default=None)
    if most and stages > most:
        return [obstacle("candidate.pp", stages, f"<={most}", entry)], ()
    return [], tuple(stops)


def tensor(option: Option, facts: Facts, kind: Kind, tp: int) -> tuple[list[Entry], tuple[Entry, ...], int]:
    """Obstacles against tp ranks, what is not confirmed, and the expert parallel degree that helps."""
    fact, stops = allowed("tp", option, facts, (kind,))
    if fact is False:
        return stops, (), 1
    entry = parallelism(option, facts, "tp")
    if entry.get("max") and tp > entry["max"]:
        return [obstacle("candidate.tp", tp, f"<={entry['max']}", entry)], (), 1
    arch = facts.arch
    if arch is None:
        return [], tuple(stops), 1
    heads = arch["heads"]
    if tp > heads or (heads % tp and not entry.get("uneven")):
        return [obstacle("candidate.tp", tp, heads, entry, text="obstacle.tp-heads", tp=tp, heads=heads)], (), 1
    if entry.get("uneven"):
        return [], tuple(stops), 1
    vocab = arch["vocab"]
    if tp & (tp - 1) and vocab % tp:  # powers of two divide the padded vocabulary of every engine
        return [obstacle("candidate.tp", tp, vocab, entry, text="obstacle.tp-vocab", tp=tp, vocab=vocab)], (), 1
    block = block_of(facts.kb.type_of(option.path.family, option.path.type) or {})
    experts = arch.get("experts") or {}
    wide = option.path.checkpoint.get("width") or arch.get("intermediate")  # as published, padded or not
    if wide and not experts and cuts(wide, tp, block):
        return [_block("mlp", wide, tp, block, entry)], (), 1
    width = experts.get("intermediate")
    if width and cuts(width, tp, block):
        if whole_experts(option, facts, kind, tp):
            return [], tuple(stops), tp
        return [_block("experts", width, tp, block, entry)], (), 1
    return [], tuple(stops), 1


def block_of(type_: Entry) -> int:
    """Weights in a row that share a scale: what a share of a matrix has to be a multiple of."""
    return type_.get("block") or type_.get("group_size") or 1


def cuts(width: int, tp: int, block: int) -> bool:
    """Whether tp equal shares of a matrix would be uneven or end inside a quantization block."""
    return bool(width % tp or width // tp % block)


def whole_experts(option: Option, facts: Facts, kind: Kind, ep: int) -> bool:
    """Whether whole experts can be dealt out evenly to this many ranks: nothing is cut inside a block."""
    fact, _ = allowed("ep", option, facts, (kind,))
    count = ((facts.arch or {}).get("experts") or {}).get("count")
    return bool(fact and count and count % ep == 0)


def _block(part: str, width: int, tp: int, block: int, entry: Entry) -> Entry:
    return obstacle(
        "candidate.tp", tp, block, entry, text="obstacle.tp-block", part=part, width=width, tp=tp,
        share=width // tp if width % tp == 0 else round(width / tp, 1), block=block,
    )  # fmt: skip
