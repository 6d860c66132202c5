"""The page of one model: parameter groups, attention, KV bytes per token, weights per format, engines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup, escape

from macros import words
from macros.catalog import Page
from macros.facts import Fact
from macros.sizes import kv_per_token, kv_sizes, state_bytes, weight_bytes
from macros.speed import percent
from macros.templates import render as fill
from macros.view import View
from macros.world import Entry, World

KV_TYPES = ("f16", "fp8", "q8_0", "q4_0")
CONTEXTS = (8192, 32768, 131072)
_SHAPE = ("kv_heads", "head_dim", "v_head_dim", "window", "latent", "rope", "indexer", "shared_kv")
_ABROAD = ("yes", "any", "no")


def pages(world: World) -> Iterator[Page]:
    """One page a model."""
    for id_, entry in world.entries("model").items():
        yield Page(f"models/{id_}.md", "model", id_, title=lambda v, e=entry: v.name(e), boost=1.5)


def render(view: View, id_: str) -> str:
    """The Markdown of one model's page."""
    entry = view.world.entries("model")[id_]
    contexts = [n for n in CONTEXTS if n <= max(entry["context"]["native"], entry["context"].get("extended", 0))]
    kv = [(t, kv_per_token(entry, t), kv_sizes(entry, t, contexts)) for t in KV_TYPES] if entry["attention"] else []
    return fill(
        "model.md", view, id=id_, entry=entry, facts=facts(view, entry), contexts=contexts,
        kv=[row for row in kv if row[1]], state=state_bytes(entry), shape=shape, weights=weights(view, entry),
        share=lambda part: percent(view, part, rough=True),
        engines=engines(view.world, entry), words=words, sources=view.world.sources_of("model", id_),
        situation={"model": {"id": id_}},
    )  # fmt: skip


def facts(view: View, entry: Entry) -> list[Fact]:
    """Context, tasks, layers and widths, experts."""
    t = view.t
    context = entry["context"]
    tokens = view.plain("pages.model.tokens", n=context["native"])
    note = view.plain("pages.model.extended", n=context["extended"]) if "extended" in context else ""
    takes = words.joined(view, "modality", entry["modality"])
    does = words.joined(view, "task", entry["tasks"])
    config = entry["config"]
    name = Markup("<code>{}</code>").format(entry["architecture"])
    rows = [
        Fact(t("pages.model.context"), tokens, context["source"], ("context",), note),
        Fact(t("pages.model.architecture"), name, config, ("architecture",)),
        Fact(t("pages.model.takes"), takes, config, ("modality",)),
        Fact(t("pages.model.does"), does, config, ("tasks",)),
        Fact(t("pages.model.widths"), view.plain(
            "pages.model.widths-value", layers=entry["layers"], hidden=entry["hidden"], heads=entry["heads"],
            vocab=entry["vocab"]), config, ("layers",)),
    ]  # fmt: skip
    if "experts" in entry:
        e = entry["experts"]
        value = view.plain("pages.model.experts-value", count=e["count"], active=e["active"])
        if e.get("shared"):
            value += view.plain("pages.model.experts-shared", n=e["shared"])
        rows.append(Fact(t("pages.model.experts"), value, config, ("experts",)))
    return rows


def shape(view: View, group: Entry) -> Markup:
    """Widths of an attention group, each with its name."""
    parts = [view.plain(f"pages.model.shape-{k.replace('_', '-')}", n=group[k]) for k in _SHAPE if group.get(k)]
    if group.get("k_is_v"):
        parts.append(view.plain("pages.model.shape-k-is-v"))
    state = group.get("state")
    if state:
        named = {k: v for k, v in state.items() if isinstance(v, int) and not isinstance(v, bool)}
        parts += [view.plain(f"pages.model.state-{k.replace('_', '-')}", n=v) for k, v in named.items()]
    return escape(", ".join(parts))


def weights(view: View, entry: Entry) -> list[dict[str, Any]]:
    """Weights in every published format; the size from the file, else computed from bits per group."""
    world, rows = view.world, []
    for point in entry.get("checkpoints", []):
        type_ = world.kb.type_of(point["format"], point["type"])
        name = view.words.format({"family": point["format"], "type": point["type"]})
        size = point.get("bytes") or weight_bytes(entry, type_, world.entries("format")[point["format"]]["container"])
        rows.append({
            "family": point["format"], "type": point["type"], "name": name, "bytes": size,
            "repository": point["repository"], "official": point.get("official"), "source": point["source"],
        })  # fmt: skip
    return sorted(rows, key=lambda r: (-r["bytes"], r["name"], r["repository"]))


def engines(world: World, entry: Entry) -> dict[str, list[str]]:
    """Engines that list the architecture, that take any, and that are known not to run it."""
    found: dict[str, list[str]] = {kind: [] for kind in _ABROAD}
    for id_, engine in world.entries("engine").items():
        models = engine.get("models")
        if models is None:
            continue
        if any(u["architecture"] == entry["architecture"] for u in models.get("unsupported", [])):
            found["no"].append(id_)
        elif not models.get("needs_architecture", True):
            found["any"].append(id_)
        elif entry["architecture"] in models.get("supported", []):
            found["yes"].append(id_)
        elif models["complete"]:
            found["no"].append(id_)
    return found
