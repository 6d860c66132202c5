"""One question about speed, put in flags and answered by the same estimate that decisions use.

What a question names is looked up in the entries, then in the measurements, then read from the name itself;
what it gives in numbers fills what is still missing. Nothing is guessed in silence: `assumptions` says what
stood in, `missing` what no number can do without and which flag gives it.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, replace
from typing import Any

from wizard.fields import MAX_COUNT
from wizard.kb import KB
from wizard.memory import need
from wizard.refused import Refused
from wizard.shapes import GIB, Card, Layout, Path, Workload
from wizard.vocabulary import BACKENDS

from . import alike, assumed, held, names, nodes, notes, tools
from .builds import years_old, years_since
from .by_size import by_size
from .estimate import Known, bandwidth_of, estimate
from .load import kv_bytes, reads
from .nearest import nearest
from .terms import READ_AND_WRITTEN

Entry = dict[str, Any]
Said = tuple[str, Entry]  # id of a text, with its values
STEPS, CLIENT = "steps", "client"  # what a rate is of: the engine's own steps, or what a client of a server sees
NUMBERS = ("decode_tps", "prefill_tps", "ttft_s", "throughput_tps", "tpot_s")
NATIVE = ("fp8", "int8", "nvfp4", "mxfp4")


@dataclass(frozen=True)
class Question:
    """The flags of `which-engine speed`. architecture: a model entry read from a config file; format_hint: the
    weight type that file states; flash: attention in one kernel, None for the default of the build; nodes:
    machines among which the devices are shared out, joined by `between`. Tokens, billions, GiB, GB/s."""

    model: str | None = None
    architecture: Entry | None = None
    params_b: float | None = None
    active_b: float | None = None
    layers: int | None = None
    format: str | None = None
    file_gib: float | None = None
    device: str | None = None
    bandwidth_gbs: float | None = None
    speed_class: str | None = None
    count: int | None = None
    split: str | None = None
    nodes: int = 1
    between: str | None = None
    engine: str | None = None
    backend: str | None = None
    depth: int | None = None
    batch: int = 1
    input: int = 512
    output: int = 128
    shared_prefix: float = 0.0
    flash: bool | None = None


@dataclass(frozen=True)
class Missing:
    """Something without which there is no number. what: its name as a text; flag: the flag that gives it; near:
    entries whose names look like what was written; kind and name: of what was written
    that nothing has."""

    what: Said
    flag: str
    near: tuple[str, ...] = ()
    kind: str | None = None
    name: str | None = None


def answer(question: Question, kb: KB) -> Entry:
    """Estimates as in a Decision, with `assumptions` (texts by id), `missing` and what the names meant.

    Keys: decode_tps, prefill_tps, ttft_s, throughput_tps, tpot_s: {point, low, high} or None; shares,
    prefill_shares, basis, nearest, resolved, assumptions, missing ([{what, flag, near, kind,
    name}]); reads: what one token of one request reads, {weights_gb, kv_gb, floor_s}, the last over the bandwidth
    with nothing lost;
    ttft_hit_s: the first token when the shared part of the prompt is in the cache; asked: the load in tokens;
    rate_of: STEPS or CLIENT; throughput_with_prompts: whether the prompts of all requests are in that time;
    run: what measures it, [{tool, command}]. Refused: numbers and names that contradict each other.
    """
    if question.active_b and question.params_b and question.active_b > question.params_b:
        raise Refused("terminal.speed-active", active=question.active_b, total=question.params_b)
    said: list[Said] = []
    lacking: list[Missing] = []
    engine = names.engine(question.engine.partition("@")[0], kb) if question.engine else None
    machine = _machine(question, kb, said, lacking)
    arch, hint = _architecture(question, kb, said, lacking)
    written = question.format or hint
    if question.format is None and not written:
        written = _of_maker(question, arch, kb, said)
    family = engine[2] if engine else None
    if family is None and written:
        family = _family_of(written, machine.entry.get("speed_class") if machine else None, kb)
        if engine and family:
            said.append(("terminal.speed-as-family", {"engine": engine[0], "family": family}))
    if engine and not family:
        said.append(("terminal.speed-any-family", {"engine": engine[0]}))
    near = kb.nearest_names(engine[0], "engine") if engine and engine[0] not in kb.engines else []
    if near:
        said.append(("terminal.speed-near-engines", {"names": ", ".join(near)}))
    type_ = names.weight_type(written, kb, family) if written else None
    if type_ is None and (arch or written):
        type_ = _width_of(question, arch, written, kb, said, lacking)
    if type_ and arch and not arch.get("experts"):
        type_ = names.of_dense(type_)
    if type_ and written:
        said += alike.of_family(written, type_[0], type_[1], kb)
    depth = question.depth if question.depth is not None else question.input
    # batch tools of engines that keep no pipeline of prompts read all prompts first and time the steps alone
    apart = question.batch > 1 and family not in assumed.PIPELINED
    told: Entry = {
        "asked": {"depth": depth}
        | {key: getattr(question, key) for key in ("input", "output", "batch", "shared_prefix")},
        "rate_of": CLIENT if family in assumed.PIPELINED else STEPS,
        "throughput_with_prompts": question.batch > 1 and not apart,
        "run": tools.runs(engine[0] if engine else None, family, question, kb),
        "assumptions": said,
    }
    empty = dict.fromkeys(NUMBERS) | {"shares": None, "prefill_shares": None, "basis": None, "nearest": []}
    empty |= {"resolved": {}, "reads": None, "ttft_hit_s": None} | told
    if lacking or machine is None or arch is None or type_ is None:
        return empty | {"missing": [vars(item) for item in lacking]}
    own = _own(kb, engine, family, type_)
    name = engine[0] if engine else ""
    backend = _backend(question, machine, name, kb, said)
    said += notes.of_machine(question, machine)
    said += notes.of_weights(question, arch, type_) + notes.of_context(question, depth, arch)
    size = round(question.file_gib * GIB) if question.file_gib else None
    kernel = "native" if type_[2].get("compute") in NATIVE and _computes(machine.entry, type_[2]) else "weight-only"
    version = (question.engine or "").partition("@")[2]
    path = Path(
        name, engine[1] if engine else None, backend, type_[0], type_[1], kernel,
        {"status": "published", "bytes": size}, version,
    )  # fmt: skip
    layout, links = _layout(question, machine, family)
    work = Workload(
        depth + question.input + question.output,
        question.input,
        question.output,
        question.batch,
        question.shared_prefix,
    )
    # what a request holds at its end: the work counts its prompt twice, before it and in the context
    longest = replace(work, context=max(depth, question.input) + question.output)
    room = held.held(path, layout, arch, longest, own)
    if room.short:
        lack = ("terminal.speed-lacks-memory", {"weights": held.gib(room.weights), "gib": held.gib(room.short)})
        return empty | {"missing": [vars(Missing(lack, "--count | --format | --file-gib"))]}
    if room.moved:
        said.append(
            ("terminal.speed-moved", {"gib": held.gib(room.moved), "gbs": held.host_rate(room.fit, machine.entry)})
        )
    if room.raised:
        said.append(("terminal.speed-raised", {}))
    if room.seats:
        said.append(("terminal.speed-waiting", {"n": room.seats, "batch": question.batch}))
    fit = room.fit
    years = years_old(name, version, kb) if version else 0.0
    said += notes.of_version(name, version, kb)
    flash = _flash(question, family, years, said)
    known = Known(depth + question.output // 2, _driver(question.backend, own), years, apart, flash, bool(size))
    if years >= 0.25:
        known_as = kb.engines[name]["name"] if name in kb.engines else name
        said.append(("terminal.speed-old", {"engine": known_as, "version": version, "years": round(years, 1)}))
    found = estimate(path, layout, arch, work, fit, links, own, known)
    if found["missing"]:
        lack = Missing(("terminal.speed-lacks-bandwidth", {}), "--bandwidth-gbs")
        return empty | {"missing": [vars(lack)]}
    found["ttft_hit_s"] = None
    if question.shared_prefix:
        # what is in the cache is not computed again; that the rest attends to it is a small part of the time
        rest = replace(work, input=max(1, round(question.input * (1 - question.shared_prefix))), shared_prefix=0.0)
        found["ttft_hit_s"] = estimate(path, layout, arch, rest, fit, links, own, known)["ttft_s"]
    found["nearest"] = nearest(path, layout, arch, work, own, depth=depth + question.output // 2)
    seen = need.model_of(arch, path, layout, "f16", own)[0]
    read = reads(arch, seen.weights)
    weights, cache = read.dense + read.share * read.experts, kv_bytes(seen, depth + question.output // 2)
    kv = (cache + READ_AND_WRITTEN * seen.state) * layout.tp
    peak = (bandwidth_of(layout.cards[0]) or 0) * layout.tp
    found["reads"] = {"weights_gb": weights / 1e9, "kv_gb": kv / 1e9, "floor_s": (weights + kv) / peak}
    found["resolved"] = {
        "device": machine.device, "hardware": machine.entry["name"] or None, "class": machine.entry.get("speed_class"),
        "bandwidth_gbs": (bandwidth_of(layout.cards[0]) or 0) / 1e9, "count": question.count or machine.count or 1,
        "model": arch["name"], "format": f"{type_[0]}:{type_[1]}", "engine": name or None, "family": family,
        "backend": backend, "file_gib": seen.weights.total / GIB, "layers": seen.layers, "mode": path.mode,
    }  # fmt: skip
    return found | told | {"missing": []}


# ---------------------------------------------------------------------- hardware


def _machine(q: Question, kb: KB, said: list[Said], lacking: list[Missing]) -> names.Machine | None:
    machine = names.hardware(q.device, kb) if q.device else None
    if machine and machine.count is not None and not 1 <= machine.count <= MAX_COUNT:
        raise Refused("terminal.flag-range", flag="--device", value=q.device, low=1, high=MAX_COUNT)
    wanted = names.class_of(q.speed_class) if q.speed_class else None
    if q.speed_class and not wanted and q.speed_class != "unknown":
        known = ", ".join(sorted(names.CLASSES))
        said.append(("terminal.speed-unknown-known", {"flag": "--class", "name": q.speed_class, "known": known}))
    if machine is None:
        class_ = wanted or (names.class_of(q.device) if q.device else None)
        if not q.bandwidth_gbs:
            near = tuple(kb.nearest_names(q.device, "device")) if q.device else ()
            several = q.device and alike.several(q.device)
            text_ = "several" if several else "device" if q.device else "any"
            what = (f"terminal.speed-lacks-{text_}", {"name": q.device} if q.device else {})
            flag = "--bandwidth-gbs --class" if q.device else "--device"
            lacking.append(Missing(what, flag, near, "devices" if q.device else None, q.device))
            return None
        entry = names.described(q.device or "", class_, q.bandwidth_gbs)
        if q.device and not wanted:
            said.append(("terminal.speed-class", {"class": class_ or "global", "name": q.device}))
        cpu = bool(q.device and re.search(r"\bcpu\b", q.device, re.I)) or (q.speed_class or "").endswith("_cpu")
        return names.Machine(None, entry, None, cpu, None)
    entry = machine.entry
    if entry is not kb.devices.get(machine.device or "", entry) and machine.entry.get("kind") == "soc":
        said.append(("terminal.speed-cores", {"name": q.device}))
    own = bandwidth_of(Card("", entry, 0, 0))
    said += notes.of_bandwidth(q.bandwidth_gbs, own and own / 1e9, entry["name"])
    if machine.device and q.device:
        others = alike.variants(q.device, machine.device, kb)
        if others:
            values = {"name": q.device, "taken": entry["name"], "others": ", ".join(others)}
            said.append(("terminal.variant", values))
    if q.bandwidth_gbs and q.bandwidth_gbs * 1e9 != own:
        entry = entry | {"bandwidth_gbs": {"is": q.bandwidth_gbs}}
    if wanted and not entry.get("speed_class"):
        entry = entry | {"speed_class": wanted}
    return machine._replace(entry=entry)


def _computes(entry: Entry, type_: Entry) -> bool:
    """Whether the device computes in the numbers of a weight type."""
    listed = set((entry.get("native") or {}).get("types", ())) | {line["type"] for line in entry.get("compute") or ()}
    return type_["compute"] in listed or (type_["compute"] in ("nvfp4", "mxfp4") and "fp4" in listed)


def _backend(q: Question, machine: names.Machine, engine: str, kb: KB, said: list[Said]) -> str:
    """The back end as the base calls it: what was asked, else the processor's or the device's own."""
    if machine.processor or machine.entry["kind"] == "cpu":
        return "cpu"
    asked = (q.backend or "").lower()
    for name in BACKENDS:
        if asked.startswith(name) or asked.startswith({"rocm": "hip"}.get(name, name)):
            offered = alike.backends(machine, kb)
            if offered and name not in offered:
                values = {"name": q.backend, "device": machine.entry["name"], "known": ", ".join(offered)}
                raise Refused(
                    "terminal.speed-backend" if values["device"] else "terminal.speed-backend-class", **values
                )
            return name
    if asked:
        values = {"flag": "--backend", "name": q.backend, "known": ", ".join(BACKENDS)}
        said.append(("terminal.speed-unknown-known", values))
    own = machine.entry.get("backends") or [
        {"nvidia": "cuda", "amd": "rocm", "apple": "metal", "intel": "sycl"}.get(
            machine.entry.get("vendor") or "", "cuda"
        )
    ]
    if machine.entry["kind"] == "soc" and not (machine.entry.get("speed_class") or "").startswith("cpu"):
        own = sorted(own, key=lambda b: b in nodes.CPU_BACKENDS)  # the graphics part is what its class is of
    runs = {b for line in kb.engines.get(engine, {}).get("runs_on", ()) for b in listed(line["backend"])}
    return next((b for b in own if b in runs), own[0])


def _flash(q: Question, family: str | None, years: float, said: list[Said]) -> bool:
    """Whether attention is one kernel: what was asked, else the default of such a build."""
    if q.flash is not None:
        return q.flash
    since = assumed.FLASH_SINCE.get(family or "")
    if since and years > years_since(since):
        said.append(("terminal.speed-no-flash", {}))
        return False
    return True


def _driver(backend: str | None, kb: KB) -> str | None:
    """The driver that a back end as tables write it names: "Vulkan vulkan_amdvlk"."""
    if not backend:
        return None
    known = {row["driver"] for row in kb.measurements if row.get("driver")}
    # "rocm-7_2_3" is not "rocm-7_2": the longest name that is written there
    return max(sorted(name for name in known if name in backend.lower()), key=len, default=None)


def listed(value: Any) -> list[Any]:
    """One or several, as a list."""
    return value if isinstance(value, list) else [value]


def _layout(q: Question, machine: names.Machine, family: str | None) -> tuple[Layout, Entry]:
    """Ranks, stages and links of so many devices; split by what engines of the family do by default.

    Refused: devices that the machines cannot share evenly.
    """
    count = q.count or machine.count or 1
    if count % q.nodes:
        raise Refused("terminal.speed-nodes", count=count, nodes=q.nodes)
    entry = machine.entry
    options = entry["memory"].get("options") or [max(1.0, q.file_gib or 24.0)]
    size = round((machine.memory_gib or max(options)) * GIB)
    card = machine.device or entry["name"]
    split = q.split or ("tensor" if family in assumed.PIPELINED else "layer")
    link = nodes.usual_link(entry.get("speed_class"), entry["name"])
    if link == "pcie" and names.nvlinked(q.device or ""):
        link = "nvlink"
    between = q.between or ("rdma" if link == nodes.NETWORK else None)
    links = {"within": "nvlink" if link == "nvlink" else "pcie", "between": between}
    if count == 1:
        return Layout((Card(card, entry, size, 0),)), links
    # machines of one device each, else as many as were named and share the devices evenly
    across = count if link == nodes.NETWORK else q.nodes
    cards = tuple(Card(card, entry, size, n) for n in range(count // across))
    if split == "none":
        return Layout(cards, dp=count, nodes=across), links  # each holds the whole model, requests are shared out
    if split == "tensor":
        return Layout(cards, tp=count, nodes=across), links
    return Layout(cards, pp=count, nodes=across), links


# ---------------------------------------------------------------------- model and weights


def _architecture(q: Question, kb: KB, said: list[Said], lacking: list[Missing]) -> tuple[Entry | None, str | None]:
    if q.architecture:
        said += notes.of_counts(q, q.architecture)
        return q.architecture, None
    known, hint = names.model(q.model, kb) if q.model else (None, None)
    if known and "id" in known:
        arch = kb.models[known["id"]]
        total = arch["params"]["total"] / 1e9
        if not q.params_b or 0.75 <= q.params_b / total <= 1.33:
            said += notes.of_counts(q, arch)
            return arch, hint
        values = {"model": arch["name"], "known": float(f"{total:.3g}"), "given": q.params_b}
        said.append(("terminal.speed-sizes", values))
        known = None
    params = q.params_b or (known or {}).get("params_b")
    if not params:
        near = tuple(kb.nearest_names(q.model, "model")) if q.model else ()
        what = ("terminal.speed-lacks-params", {"name": q.model}) if q.model else ("terminal.speed-lacks-model", {})
        flag = "--params-b [--active-b --layers]" if q.model else "--model"
        lacking.append(Missing(what, flag, near, "models" if q.model else None, q.model))
        return None, hint
    known = known or {}
    active = q.active_b or known.get("active_b")
    return by_size(params, active, q.layers or known.get("layers"), known.get("experts"), q.model, kb, said), hint


def _of_maker(q: Question, arch: Entry | None, kb: KB, said: list[Said]) -> str | None:
    """The format in which a model's own repository holds it, where the question names neither type nor size."""
    points = [] if q.file_gib or arch is None else arch.get("checkpoints", ())
    own = next((p for p in points if p["repository"] == arch.get("repository")), None) if arch else None
    if own is None:
        return None
    type_ = kb.type_of(own["format"], own["type"]) or {}
    said.append(("terminal.own-type", {"name": type_.get("name", own["type"])}))
    return f"{own['format']} {own['type']}"


def _width_of(
    q: Question, arch: Entry | None, written: str | None, kb: KB, said: list[Said], lacking: list[Missing]
) -> tuple[str, str, Entry] | None:
    """A weight type from the size of the file alone."""
    if not q.file_gib:
        what = ("terminal.speed-lacks-type", {"name": written}) if written else ("terminal.speed-lacks-format", {})
        near = tuple(alike.near_types(written, kb)) if written else ()
        lacking.append(Missing(what, "--format | --file-gib", near, "formats" if written else None, written))
        return None
    if arch is None:
        return None
    if written:
        said.append(("terminal.speed-unknown", {"flag": "--format", "name": written}))
    bits = q.file_gib * GIB * 8 / arch["params"]["total"]
    said.append(("terminal.speed-bits", {"bits": float(f"{bits:.3g}")}))
    return "other", f"{bits:.2g}-bit", {"bits": bits, "compute": "none"}


def _family_of(written: str, class_: str | None, kb: KB) -> str | None:
    """The family of engines that mostly ran this format on this class of device, where no engine is named."""
    type_ = names.weight_type(written, kb, None)
    if not type_:
        return None
    counts: dict[str, int] = {}
    for row in kb.measurements:
        if (row.get("format") or {}).get("family") == type_[0] and row.get("speed_family"):
            here = 100 if row.get("speed_class") == class_ else 1
            counts[row["speed_family"]] = counts.get(row["speed_family"], 0) + here
    return max(sorted(counts), key=lambda name: counts[name]) if counts else None


def _own(kb: KB, engine: Any, family: str | None, type_: tuple[str, str, Entry]) -> KB:
    """The base with this engine and weight type in it, when it has no entries for them."""
    name = engine[0] if engine else ""
    if name in kb.engines and kb.type_of(type_[0], type_[1]):
        return kb
    own = copy.copy(kb)
    if name not in kb.engines:
        stand_in = {"speed_family": family, "memory": [], "offload": held.offload_of(family, kb)}
        own.engines = kb.engines | {name: stand_in}
    own._type = kb._type | {(type_[0], type_[1]): type_[2]}
    return own
