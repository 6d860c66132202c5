"""The model of a Situation as one shape: a model entry, an imported architecture, or parameters only."""

from __future__ import annotations

from typing import Any

from .kb import KB
from .problems import Problem, printable, problem

Entry = dict[str, Any]

# Fields of a model entry without which neither weights nor KV cache can be computed.
_REQUIRED = ("layers", "hidden", "heads", "vocab", "attention")
_ATTENTION = {
    "full": ("kv_heads", "head_dim"),
    "swa": ("kv_heads", "head_dim", "window"),
    "chunked": ("kv_heads", "head_dim", "window"),
    "mla": ("latent", "rope"),
    "linear": ("state",),
    "mamba": ("state",),
    "none": (),
}
_LIMIT = 10**15


def resolve(model: Entry | None, kb: KB) -> Entry | None:
    """The architecture the stages work on, or None when no model was named.

    model: the normalised `situation.model`. The result has the fields of a model entry; for
    parameters only, `attention` is None and `kv_models` names the known models whose KV per token
    bounds the unknown one.
    """
    if not model:
        return None
    if "id" in model:
        return kb.models[model["id"]]
    if "architecture" in model:
        return kb.once(model, lambda: model["architecture"])
    return kb.once(model, lambda: _from_parameters(model, kb))


def _from_parameters(model: Entry, kb: KB) -> Entry:
    total = round(model["params_b"] * 1e9)
    active = round(model.get("active_b", model["params_b"]) * 1e9)
    kind = model.get("kind") or ("moe" if active < total else "dense")
    chats = [m for m in kb.models.values() if m["kind"] == kind and "chat" in m["tasks"]]
    near = [m for m in chats if 0.6 <= m["params"]["total"] / total <= 1.7]
    if not near:
        near = sorted(chats or kb.models.values(), key=lambda m: abs(m["params"]["total"] - total))[:2]
    closest = min(near, key=lambda m: (abs(m["params"]["total"] - total), m["name"]))
    entry: Entry = {
        "name": f"{model['params_b']:g}B",
        "kind": kind,
        "family": None,
        "architecture": None,
        "modality": ["text"],
        "tasks": ["chat"],
        "params": {"total": total, "active": active},
        "layers": closest["layers"],
        "hidden": closest["hidden"],
        "heads": closest["heads"],
        "vocab": closest["vocab"],
        "tied": False,
        "attention": None,
        "groups": [{"group": "other", "params": total}],
        "kv_models": sorted(id_ for id_, m in kb.models.items() if any(m is n for n in near)),
        "checkpoints": [],
    }
    if kind == "moe" and "experts" in closest:
        entry["experts"] = closest["experts"]
    return entry


def check_architecture(raw: Any) -> tuple[Entry | None, list[Problem]]:
    """Check an architecture given as model-entry fields; never guesses.

    Returns the entry, or None with problems that name the missing or contradictory field.
    """
    found: list[Problem] = []
    if not isinstance(raw, dict):
        return None, [problem("model.architecture", raw, "not-a-map")]
    for name in _REQUIRED:
        if name not in raw:
            found.append(problem(f"model.architecture.{name}", None, "missing"))
    for name in ("layers", "hidden", "heads", "vocab"):
        if name in raw and not _count(raw[name]):
            found.append(problem(f"model.architecture.{name}", raw[name], "not-whole", low=1, high=_LIMIT))
    if found:
        return None, found
    attention = raw["attention"]
    if not isinstance(attention, list) or not attention or len(attention) > 1000:
        return None, [problem("model.architecture.attention", attention, "not-a-list", known=[])]
    clean = []
    for index, group in enumerate(attention):
        path = f"model.architecture.attention.{index}"
        kind = group.get("kind") if isinstance(group, dict) else group
        if not isinstance(group, dict) or not isinstance(kind, str) or kind not in _ATTENTION:
            return None, [problem(f"{path}.kind", kind, "not-one-of", known=sorted(_ATTENTION))]
        for name in ("layers", *_ATTENTION[group["kind"]]):
            if name == "state":
                if not _state(group.get("state")):
                    return None, [problem(f"{path}.state", group.get("state"), "missing")]
            elif not _count(group.get(name)):
                return None, [problem(f"{path}.{name}", group.get(name), "missing")]
        clean.append(
            {
                k: x
                for k, x in group.items()
                if k in ("kind", "state", "k_is_v") or (isinstance(x, int) and 0 <= x <= _LIMIT)
            }
        )
    layers = sum(g["layers"] for g in clean)
    if layers != raw["layers"]:
        return None, [problem("model.architecture.layers", raw["layers"], "contradicts", other="attention", sum=layers)]
    groups = raw.get("groups")
    params = raw.get("params", {}).get("total") if isinstance(raw.get("params"), dict) else None
    if isinstance(groups, list) and groups:
        if not all(isinstance(g, dict) and isinstance(g.get("group"), str) and _count(g.get("params")) for g in groups):
            return None, [problem("model.architecture.groups", None, "not-whole", low=1, high=_LIMIT)]
        total = sum(g["params"] for g in groups)
        groups = [{"group": printable(g["group"], 60), "params": g["params"]} for g in groups]
    elif _count(params):
        total, groups = params, [{"group": "other", "params": params}]
    else:
        return None, [problem("model.architecture.params", None, "missing")]
    active = raw.get("params", {}).get("active") if isinstance(raw.get("params"), dict) else None
    moe = raw.get("kind") == "moe" or "experts" in raw
    entry: Entry = {
        "name": printable(raw.get("name", "imported"), 80),
        "kind": "moe" if moe else "dense",
        "family": None,
        "architecture": printable(raw["architecture"], 80) if raw.get("architecture") else None,
        "modality": ["text"],
        "tasks": ["chat"],
        "params": {"total": total, "active": active if _count(active) and active <= total else total},
        **{k: raw[k] for k in ("layers", "hidden", "heads", "vocab")},
        "tied": bool(raw.get("tied")),
        "attention": clean,
        "groups": groups,
        "checkpoints": [],
    }
    for name in ("intermediate",):
        if _count(raw.get(name)):
            entry[name] = raw[name]
    experts = raw.get("experts")
    if isinstance(experts, dict) and _count(experts.get("count")) and _count(experts.get("active")):
        entry["experts"] = {k: x for k, x in experts.items() if _count(x)}
    elif moe:
        return None, [problem("model.architecture.experts", None, "missing")]
    return entry, []


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LIMIT


def _state(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(_count(x) for x in value.values())


def writes(arch: Entry | None) -> bool:
    """Whether a model answers with text; taken for granted where nobody says what it is for."""
    tasks = (arch or {}).get("tasks")
    return not tasks or bool({"chat", "completion"} & set(tasks))


def published(arch: Entry, family: str, type_: str) -> Entry | None:
    """The published weights of a model in one format: of its own release, then official ones, then of known size."""
    matching = [p for p in arch.get("checkpoints", ()) if p["format"] == family and p["type"] == type_]
    return max(matching, key=_nearest, default=None)


def _nearest(point: Entry) -> tuple[Any, ...]:
    own = not point.get("release")
    return own, bool(point.get("official")), bool(point.get("bytes")), point["repository"]


def stored_as(point: Entry, type_: Entry | None) -> Entry | None:
    """The type of a published file with what it stores otherwise than the type does; None where nothing differs."""
    other = point.get("tensors")
    return {**type_, "tensors": {**type_.get("tensors", {}), **other}} if other and type_ else None
