"""A recommendation: one candidate in its role, with settings, reasons, cautions and command."""

from __future__ import annotations

from typing import Any

from .candidates import SEVERE, Candidate
from .decision import statement, word
from .facts import Facts
from .launch import command
from .launch.copies import one
from .launch.values import extra, host
from .obstacles import sources_of
from .roles import of_rule
from .rules import Fired
from .shapes import GIB, Entry
from .sizing import workload_of
from .slots import Told, told
from .smaller import changes_of
from .speed import cost, nearest
from .versions import matches

Plain = dict[str, Any]
MAX_RULE_REASONS = 3


def devices_of(candidate: Candidate) -> list[Plain]:
    """The devices a candidate uses on one machine, equal ones together."""
    found: list[Plain] = []
    for card in candidate.layout.cards:
        if found and found[-1]["device"] == card.device and found[-1]["memory_gib"] == _gib(card):
            found[-1]["count"] += 1
        else:
            found.append({"device": card.device, "name": card.entry["name"], "count": 1, "memory_gib": _gib(card)})
    return found


def _gib(card: Any) -> float:
    return round(card.memory_bytes / GIB, 1)


def settings_of(candidate: Candidate, facts: Facts, said: Told | None = None) -> Plain:
    """What the engine is told: context, slots, KV type, what is moved to system memory, address."""
    said = said or told(candidate, facts)
    s, fit = facts.situation, said.fit
    offload = (fit or {}).get("offload") or {}
    launch = facts.kb.engines[candidate.path.engine].get("launch") or {}
    kv = s["settings"]["kv"]
    found = {
        "context": said.context,
        "slots": said.slots,
        "context_total": said.total,
        "cache": said.cache,
        "kv_type": fit["kv_type"] if fit else "f16" if kv == "auto" else kv,
        "gpu_layers": offload["layers_gpu"] if offload.get("kind") == "layers" else None,
        "cpu_moe_layers": offload.get("cpu_moe_layers"),
        "host": host(s),
        "port": launch.get("port"),
    }
    if candidate.path.backend == "cpu":
        found["gpu_layers"] = 0
    return {k: x for k, x in found.items() if x is not None}


def build(
    id_: str,
    role: str,
    candidate: Candidate,
    fired: list[Fired],
    facts: Facts,
    *,
    tied: list[str] | None = None,
    orchestrator: str | None = None,
    by_estimate: bool = False,
    full: bool = True,
    near: bool = True,
) -> Plain:
    """The recommendation as plain data. `full` adds command, cautions and the reasons beyond the rule, `near` the
    measurements most like it."""
    path, layout = candidate.path, candidate.layout
    said = told(candidate, facts)
    rec: Plain = {
        "id": id_,
        "role": role,
        "engine": path.engine,
        "mode": path.mode,
        "orchestrator": orchestrator,
        "via": path.via,
        "tied_with": tied or [],
        "backend": path.backend,
        "kernel": path.kernel,
        "format": {"family": path.family, "type": path.type} if facts.arch else None,
        "checkpoint": path.checkpoint if facts.arch else None,
        "layout": {
            "devices": devices_of(candidate),
            "tp": layout.tp,
            "pp": layout.pp,
            "ep": layout.ep,
            "dp": layout.dp,
            "nodes": layout.nodes,
        },
        "version": path.version,
        "fit": said.fit,
        "estimates": candidate.estimates,
        "settings": settings_of(candidate, facts, said),
        "command": None,
        "condition": None,
        "reasons": [],
        "cautions": [],
        "unconfirmed": list(candidate.unconfirmed),
    }
    rec["reasons"] = [of_rule(f) for f in fired[:MAX_RULE_REASONS]]
    if by_estimate:
        rec["reasons"].append(
            statement("by-estimate", "decision.by-estimate" if facts.arch else "decision.by-hardware")
        )
    if fired and fired[0].rule.get("condition"):
        rec["condition"] = statement(
            f"condition-{fired[0].id}",
            fired[0].rule["condition"],
            sources_of(fired[0].rule),
            rule=fired[0].id,
        )
    if full:
        rec["reasons"] += _reasons(candidate, facts)
        if candidate.estimates and role == "start":
            work = workload_of(facts.situation)
            alike = nearest(path, layout, facts.arch, work, facts.kb) if near else []
            rec["estimates"] = {**candidate.estimates, "nearest": alike}
            price = facts.situation["optional"]["cost"]
            per_million = cost.per_million(candidate.estimates["throughput_tps"], price)
            if per_million:
                rec["estimates"]["cost_per_million"] = per_million | {"currency": str(price.get("currency") or "")}
        rec["command"] = command(launchable(rec), facts.situation, facts.kb, facts)
        rec["cautions"] = cautions(rec, candidate, facts)
        if rec["fit"] and role == "start":
            rec["fit"]["changes"] = changes_of(candidate, facts)
    return rec


def launchable(rec: Plain) -> Plain:
    """The recommendation as launch code reads it: without a model, format and checkpoint are empty maps."""
    return rec if rec["format"] else {**rec, "format": {}, "checkpoint": {}}


def _reasons(candidate: Candidate, facts: Facts) -> list[Plain]:
    path, layout = candidate.path, candidate.layout
    found = []
    names = " + ".join(sorted({c.entry["name"] for c in layout.cards}))
    if facts.arch:
        type_ = facts.kb.type_of(path.family, path.type) or {}
        found.append(
            statement(
                "why-kernel",
                f"decision.why-kernel-{path.kernel}",
                path.sources,
                strength="decisive",
                headline="decision.head-format",
                format=format_name(path.family, path.type, facts),
                device=names,
                bits=type_.get("bits"),
            )
        )
    how = "one"
    if layout.dp > 1:
        how = "replicas"
    elif layout.tp > 1 and layout.pp > 1:
        how = "both"
    elif layout.tp > 1:
        how = "tensor"
    elif layout.pp > 1:
        how = "mixed" if len({c.device for c in layout.cards}) > 1 else "pipeline"
    if how != "one" or len(facts.cards) > 1:
        parallel = facts.kb.engines[path.engine].get("parallelism") or {}
        fact = parallel.get({"tensor": "tp", "both": "tp", "pipeline": "pp", "mixed": "mixed"}.get(how, "")) or {}
        arch = facts.arch or {}
        found.append(
            statement(
                "why-layout",
                f"decision.why-layout-{how}",
                sources_of(fact),
                headline="decision.head-layout",
                tp=layout.tp,
                pp=layout.pp,
                dp=layout.dp,
                nodes=layout.nodes,
                cards=len(layout.cards),
                heads=arch.get("heads"),
                engine=facts.kb.engines[path.engine]["name"],
            )
        )
        if layout.ep > 1:
            found.append(
                statement(
                    "why-ep",
                    "decision.why-layout-experts",
                    sources_of(parallel.get("ep") or {}),
                    headline="decision.head-layout",
                    ep=layout.ep,
                )
            )
    return found


def format_name(family: str, type_: str, facts: Facts) -> str:
    """ "GGUF Q4_K_M": family and type as people write them."""
    entry = facts.kb.formats[family]
    name = (facts.kb.type_of(family, type_) or {}).get("name", type_)
    return name if name.lower().startswith(entry["name"].lower()) else f"{entry['name']} {name}"


def cautions(rec: Plain, candidate: Candidate, facts: Facts) -> list[Plain]:
    """Cautions of the engine, model and devices whose conditions hold, and those every engine shares."""
    entry = facts.kb.engines[rec["engine"]]
    values = extra(one(launchable(rec), entry)[1], facts.kb)  # a copy of its own spans no machines
    kinds = [k for k in facts.kinds if k.device in {c.device for c in candidate.layout.cards}]
    found = []
    holds = facts.holding(values, kinds)
    tables: list[tuple[str, Entry]] = [(rec["engine"], entry)]
    if facts.arch and "id" in (facts.situation["model"] or {}):
        tables.append((facts.situation["model"]["id"], facts.arch))
    tables += [(k.device, k.entry) for k in kinds]
    for owner, table in tables:
        for line in table.get("cautions", []):
            if not matches(line.get("versions"), rec["version"]):
                continue
            if holds(line.get("when")):
                found.append(
                    statement(
                        f"caution-{owner}-{line['id']}",
                        line["text"],
                        sources_of(line),
                        opinion=line.get("opinion"),
                    )
                )
    if candidate.path.kernel == "experimental":
        found.append(
            statement(
                "caution-experimental",
                "decision.caution-experimental",
                candidate.path.sources,
                engine=entry["name"],
            )
        )
    exposure = facts.situation["optional"]["exposure"]
    auth = (entry.get("production") or {}).get("auth") or {}
    if exposure != "loopback" and auth.get("is") in ("no", "external", "unknown", None):
        found.append(statement("caution-auth", "decision.caution-auth", sources_of(auth), engine=entry["name"]))
    told_, asked = rec["settings"].get("context_total"), facts.situation["context"]["tokens"]
    if rec["fit"] and told_ and told_ < asked and rec["fit"].get("allocated_tokens"):
        found.append(statement("caution-context-cut", "decision.caution-context-cut", tokens=told_, asked=asked))
    point = rec["checkpoint"] or {}
    if facts.arch and point.get("status") == "convert":
        found.append(
            statement(
                "caution-convert",
                "decision.caution-convert",
                format=format_name(candidate.path.family, candidate.path.type, facts),
            )
        )
    if point.get("release") and facts.arch:
        named = {"release": point["release"], "model": facts.arch["name"]}
        found.append(statement("caution-release", "decision.caution-release", point["sources"], **named))
    if facts.arch and point.get("status") == "unknown":
        found.append(
            statement(
                "caution-no-checkpoint",
                "decision.caution-no-checkpoint",
                format=format_name(candidate.path.family, candidate.path.type, facts),
            )
        )
    if candidate.lossy and (candidate.lossy < SEVERE or isinstance(facts.situation["format"], dict)):
        quality = (facts.kb.type_of(candidate.path.family, candidate.path.type) or {}).get("quality", {})
        found.append(
            statement(
                "caution-quality",
                "decision.caution-quality",
                sources_of(quality),
                format=format_name(candidate.path.family, candidate.path.type, facts),
            )
        )
    if candidate.unconfirmed:
        found.append(statement("caution-unconfirmed", "decision.caution-unconfirmed", n=len(candidate.unconfirmed)))
    return found


def plain_role(
    id_: str, role: str, engine: str, fired: Fired, facts: Facts, below: str | None = None, like: Plain | None = None
) -> Plain:
    """An orchestrator or an app: no candidate of its own.

    like: the recommendation whose devices, format and settings it takes over for its command; an
    orchestrator also takes the flags of that engine.
    """
    entry = facts.kb.engines[engine]
    rec: Plain = {
        "id": id_,
        "role": role,
        "engine": engine,
        "mode": None,
        "orchestrator": None,
        "via": below,
        "tied_with": [],
        "backend": None,
        "kernel": None,
        "format": None,
        "checkpoint": None,
        "layout": None,
        "version": entry["versions"]["stable"],
        "fit": None,
        "estimates": None,
        "settings": {},
        "command": None,
        "condition": None,
        "reasons": [of_rule(fired, below=facts.kb.engines[below]["name"] if below else None)],
        "cautions": [],
        "unconfirmed": [],
    }
    if fired.rule.get("condition"):
        rec["condition"] = statement(
            f"condition-{fired.id}", fired.rule["condition"], sources_of(fired.rule), rule=fired.id
        )
    values: Plain = {}
    if like:
        taken = ("backend", "format", "checkpoint", "layout", "fit", "settings")
        own = {**like["settings"], "port": (entry.get("launch") or {}).get("port")}
        rule = (entry.get("launch") or {}).get("slots") or {}
        if rule and not rule.get("shared") and own["context_total"] < own["context"] * own["slots"]:
            own["slots"] = max(1, own["context_total"] // own["context"])  # the memory was reckoned for so many tokens
        app = launchable(
            {**rec, **{k: like[k] for k in taken}, "settings": {k: x for k, x in own.items() if x is not None}}
        )
        values = extra(app, facts.kb)
        over = None if entry["layer"] == "app" else launchable(like)
        rec["command"] = command(app, facts.situation, facts.kb, facts, over)
    holds = facts.holding(values)
    for line in entry.get("cautions", []):
        if holds(line.get("when")):
            rec["cautions"].append(
                statement(
                    f"caution-{engine}-{line['id']}",
                    line["text"],
                    sources_of(line),
                    opinion=line.get("opinion"),
                )
            )
    return rec


__all__ = ["build", "cautions", "devices_of", "format_name", "plain_role", "settings_of", "word"]
