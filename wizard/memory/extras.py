"""What a must-have adds to a model: adapters, a draft, images. Nothing is worked out where nobody asks for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from wizard.models import writes
from wizard.shapes import Layout, Path

from . import kv, mixture, ranks, state, weights
from .cache import Memo
from .rules import Profile, draft_model, lora_slots, vision_encoder

NEEDS = frozenset({"lora", "multi-lora", "vision", "speculative"})  # must-haves that take memory
_PADDING = 128  # rows by which the vocabularies of one tokenizer differ
_SMALLER = 6  # a draft has at most this fraction of the parameters; a larger one costs more than it guesses right


class Extra(NamedTuple):
    """Bytes of one part on one tensor-parallel rank. first, last: on that pipeline stage alone; each: on every
    device; spread: over the layers. basis as in a Fit."""

    name: str
    first: int = 0
    last: int = 0
    each: int = 0
    spread: int = 0
    error: int = 0
    basis: str = "computed"

    def on(self, layers: int, of: int, first: bool, last: bool) -> int:
        """Bytes on a device that holds `layers` of `of` layers and is the first or last stage or both."""
        return self.first * first + self.last * last + self.each + -(-self.spread * layers // of)


class Added(NamedTuple):
    """parts: what lies on the devices; arch and profile: the model and the rules its cache and states follow while
    it drafts, None as without; cache: KV of a draft model on one rank, None without one; state: its states of one
    request on one rank; said: what was assumed, text ids or (text id, pairs of name and value)."""

    parts: tuple[Extra, ...] = ()
    arch: dict[str, Any] | None = None
    profile: Profile | None = None
    cache: kv.KV | None = None
    state: int = 0
    said: tuple[Any, ...] = ()


NOTHING = Added()


class Asks(NamedTuple):
    """needs: must-haves that take memory, in one order; draft: id of the model that drafts, "mtp" for the model's
    own prediction layers, None to choose; tokens: drafted at once; rank and slots: of adapters. None: as the
    engine has them."""

    needs: tuple[str, ...] = ()
    draft: str | None = None
    tokens: int | None = None
    rank: int | None = None
    slots: int | None = None


NONE = Asks()


def asked(needs: Any) -> Asks:
    """The must-haves among `needs` that take memory."""
    found = NEEDS.intersection(needs) if needs else ()
    return Asks(tuple(sorted(found))) if found else NONE


def build(
    arch: dict[str, Any], path: Path, layout: Layout, kv_type: str | None, asks: Asks, profile: Profile,
    held: weights.Weights, kb: Any,
) -> Added:  # fmt: skip
    """What `asks` add to a model on one rank of a layout. held: the model's weights. A draft that nobody names is
    the model's own prediction layers where engine and model have them, else the smallest model of its line."""
    needs = asks.needs
    if not needs or arch.get("attention") is None:
        return NOTHING
    parts, said = [], []
    if "lora" in needs or "multi-lora" in needs:
        one, told = _adapters(arch, layout, asks, profile, held)
        parts.append(one)
        said.append(told)
    if "vision" in needs and any(g["group"] == "vision" and g["params"] for g in arch["groups"]):
        parts.append(_images(arch, profile, held))
    drafting = Added()
    if "speculative" in needs:
        drafting = _draft(arch, path, layout, kv_type, profile, asks, kb)
    return drafting._replace(parts=(*parts, *drafting.parts), said=(*said, *drafting.said))


def _adapters(
    arch: dict[str, Any], layout: Layout, asks: Asks, profile: Profile, held: weights.Weights
) -> tuple[Extra, Any]:
    many = "multi-lora" in asks.needs
    rule = dict(profile.of("lora-slots"))
    if asks.rank:
        rule["rank"] = asks.rank
    if asks.slots:
        rule["slots"] = rule["slots_multi"] = asks.slots
    if rule["share_of_free"]:
        left = max(0, layout.cards[0].memory_bytes - held.total // layout.ranks)
        return Extra("lora", each=int(rule["share_of_free"] * left)), "memory.lora-share"
    rows = arch.get("matrices") or mixture.derive(arch) or _plain_rows(arch)
    size = lora_slots.held(rule, rows, layout.tp, many, (arch.get("experts") or {}).get("count", 1))
    basis = "computed" if "lora-slots" in profile.stated else "assumed"
    slots = rule["slots_multi"] if many else rule["slots"]
    return Extra("lora", spread=size, basis=basis), ("memory.lora-slots", (("n", slots), ("rank", rule["rank"])))


def _plain_rows(arch: dict[str, Any]) -> list[dict[str, Any]]:
    """Matrices of a model of which only the groups are known, as if all had the model's width."""
    hidden, names = arch["hidden"], ("attention", "linear-attention", "mlp", "shared-experts", "experts")
    return [
        {"group": g["group"], "role": "other", "columns": hidden, "params": g["params"], "layers": 1}
        for g in arch["groups"]
        if g["group"] in names and g["params"]
    ]


def _images(arch: dict[str, Any], profile: Profile, held: weights.Weights) -> Extra:
    rule = profile.of("vision-encoder")
    apart = sum(g["params"] for g in arch["groups"] if g["group"] == "vision") if held.towers_apart else 0
    size, error = vision_encoder.taken(rule, apart, profile.chunk, arch["hidden"])
    basis = "fitted" if "vision-encoder" in profile.stated else "assumed"
    return Extra("vision", **{"first" if rule["first_only"] else "each": size}, error=error, basis=basis)


def _draft(
    arch: dict[str, Any], path: Path, layout: Layout, kv_type: str | None, profile: Profile, asks: Asks, kb: Any
) -> Added:
    rule, draft = profile.of("draft-model"), asks.draft
    more, error = draft_model.buffers(rule)
    tokens = asks.tokens or rule["tokens"]
    own, group, params = arch.get("mtp") or 0, None, {}
    if draft in (None, "mtp") and rule["mtp"] and own:
        group, params = draft_model.prediction_layer(arch)
    rules, model = _guessing(arch, profile, tokens) if rule["states"] else (profile, arch)
    if group is not None:
        if any(g["group"] == "mtp" for g in arch["groups"]):
            params = {}  # a file that has them: the weights count them
        bits = _bits(path, kb)
        stored = bits.get("tensors", {})
        size = sum(round(n * stored.get("mtp", stored.get(name, bits["bits"])) / 8) for name, n in params.items())
        part = Extra("draft", last=-(-size * own // layout.tp), each=more, error=error)
        model = {**model, "attention": [*model["attention"], {**group, "layers": own}]}
        return Added((part,), model, rules, said=(("memory.draft-own", (("n", tokens),)),))
    id_ = draft if draft != "mtp" else None
    if id_ is None and rule["small"]:
        id_ = _small(arch, kb)
    if id_ is None:
        return Added(said=("memory.draft-unknown",))
    entry = kb.models[id_]
    size = ranks.stage_bytes(_draft_weights(entry, path, kb), (entry["layers"],), layout.tp, 1)[0]
    cache = kv.build(entry, rule["kv_type"] or kv_type, layout.tp, profile)
    states = state.sequence_bytes(entry["attention"], layout.tp, profile.of("state-slots"))
    part = Extra("draft", spread=size, each=more, error=error, basis="computed" if draft else "assumed")
    return Added((part,), model, rules, cache, states, (("memory.draft-model", (("model", entry["name"]),)),))


def _guessing(arch: dict[str, Any], profile: Profile, tokens: int) -> tuple[Profile, dict[str, Any]]:
    """Rules and model of an engine that keeps a recurrent state for each drafted token, until it knows which one
    was right; the convolution looks back over the drafted tokens too."""
    if not any(g.get("state") for g in arch["attention"]):
        return profile, arch
    slots = profile.of("state-slots")
    more = {**profile.parameters, "state-slots": {**slots, "per_request": slots["per_request"] + tokens}}
    attention = [
        {**g, "state": {**g["state"], "conv_kernel": g["state"].get("conv_kernel", 0) + tokens}}
        if g.get("state")
        else g
        for g in arch["attention"]
    ]
    return replace(profile, parameters=more), {**arch, "attention": attention}


def _bits(path: Path, kb: Any) -> dict[str, Any]:
    stored = path.checkpoint.get("stored") if path.checkpoint else None
    return stored or kb.type_of(path.family, path.type) or {"bits": 16}


def _draft_weights(entry: dict[str, Any], path: Path, kb: Any) -> weights.Weights:
    """A draft in the format of the model where that is a file type, in 16 bits elsewhere."""
    file_type = (kb.formats.get(path.family) or {}).get("container") == "gguf"
    return weights.compute(entry, _bits(path, kb), None, "gguf") if file_type else weights.compute(entry, None)


_drafts = Memo(64)


def _small(arch: dict[str, Any], kb: Any) -> str | None:
    """The smallest text model that shares family and vocabulary with this one; None where none is small enough."""

    def look() -> str | None:
        limit = arch["params"]["total"] // _SMALLER
        fit = [
            (entry["params"]["total"], id_)
            for id_, entry in kb.models.items()
            if _kin(entry, arch) and entry.get("attention") and "vision" not in entry["modality"]
            and entry["params"]["total"] <= limit and writes(entry)
        ]  # fmt: skip
        return min(fit, default=(0, None))[1]

    return _drafts.get(arch, id(kb.models), look)


def _kin(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two models are of one line and one vocabulary but for padding; imported ones are known by class."""
    if abs(a.get("vocab", 0) - b.get("vocab", 0)) > _PADDING:
        return False
    if a.get("family") and b.get("family"):
        return a.get("publisher") == b.get("publisher") and _line(a["family"]) == _line(b["family"])
    return bool(b.get("architecture")) and a.get("architecture") == b.get("architecture")


def _line(family: str) -> str:
    """The part of a family's id that its sizes and years share: "llama" of "llama-3.2", "qwen3" of "qwen3"."""
    return family.split(".")[0].split("-")[0]
