"""which-engine memory: what one model takes on one machine, part by part.

The same arithmetic as a decision (`wizard.memory`), asked directly: a known model, a config.json or the
header of a GGUF; a format, a KV type, an engine and its version, devices. Nothing is decided here. An
error is one line on standard error that names the field, and exit code 2.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from . import flags, memory_view, speed_view
from .against import against
from .facts import Facts
from .fields import FIELDS
from .flags import LANGUAGES, choice, config, number, of_field, one_of, unreadable, visible, whole
from .importers import ImportProblem, Said
from .importers import gguf as gguf_file
from .kb import KB, fold
from .memory import elements, extras, named, query
from .memory.assumed import CPU_BACKENDS
from .models import published, stored_as
from .refused import Refused
from .shapes import GIB, Card, Layout
from .shapes import Path as EnginePath
from .situation import read
from .speed import alike, notes
from .speed import names as written
from .texts import Texts

Plain = dict[str, Any]
_CONTEXT = 8192  # tokens, where nobody said
_RAM_GIB = 32
_VERSION = re.compile(r"v?b?\d")


def add(commands: Any) -> argparse.ArgumentParser:
    """Declare the command and its options on argparse's sub-commands; returns its parser."""
    one = commands.add_parser(
        "memory", help="what a model takes in memory, and whether it fits",
        epilog="All names of devices, models, engines and formats: which-engine names KIND",
    )  # fmt: skip
    source = one.add_mutually_exclusive_group(required=True)
    source.add_argument("--model", metavar="NAME", help="a model of the knowledge base")
    source.add_argument("--config", metavar="FILE", help='a config.json, the folder it is in, or "-"')
    source.add_argument("--gguf", metavar="FILE", help="a GGUF file; only its header is read")
    one.add_argument(
        "--format", metavar="F", help="format of the weights: Q4_K_M, fp8, awq, 'mlx 4bit', 'exl3 4.0bpw', …"
    )
    one.add_argument("--kv", metavar="TYPE", help="type of the KV cache: f16, fp8, q8_0, q8_0/q4_0 (K/V), …")
    one.add_argument("--index-kv", metavar="TYPE", help="type of an indexer's keys where it differs")
    one.add_argument("--engine", metavar="ID[@VERSION]", help="whose rules count; none: ideal sizes")
    one.add_argument("--device", metavar="NAME", help="device, as in a Situation")
    one.add_argument("--memory-gib", type=number("--memory-gib", 0.25, 10_000), metavar="X",
                     help="a device with X GiB instead of a named one")  # fmt: skip
    one.add_argument("--count", type=whole("--count", *flags.COUNT), metavar="N", help="number of equal devices")
    one.add_argument("--ram-gib", type=number("--ram-gib", *of_field("host.ram_gib")), metavar="X",
                     help="system memory, for offload")  # fmt: skip
    systems = FIELDS["host.os"].values
    one.add_argument("--os", metavar=choice(systems), type=one_of("--os", systems), help="operating system")
    one.add_argument("--backend", metavar="NAME", help="cuda, rocm, metal, cpu, …, where an engine has several")
    tokens, ranks = of_field("context.tokens"), of_field("nodes")
    for name, limits, text in (
        ("tp", ranks, "tensor parallel ranks"), ("pp", ranks, "pipeline stages"),
        ("ep", ranks, "expert parallel ranks"), ("dcp", ranks, "decode context parallel ranks"),
        ("context", tokens, "tokens of one request"),
        ("concurrency", of_field("traffic.concurrency"), "requests at once"),
        ("input", tokens, "tokens of a usual prompt, where requests rarely fill the context"),
        ("output", tokens, "tokens of a usual answer"), ("chunk", tokens, "largest prefill step in tokens"),
        ("sequences", of_field("traffic.concurrency"), "requests the engine is started for, as vLLM's --max-num-seqs"),
    ):  # fmt: skip
        one.add_argument(f"--{name}", type=whole(f"--{name}", *limits), metavar="N", help=text)
    one.add_argument("--switch", metavar="TEXT", help="a switch the engine is started with, such as 'mla 0'")
    needs = tuple(sorted(extras.NEEDS))
    one.add_argument(
        "--need", action="append", metavar=choice(needs), type=one_of("--need", needs),
        help="a must-have that takes memory; may be repeated",
    )  # fmt: skip
    one.add_argument("--draft", metavar="NAME", help="model that drafts for --need speculative; mtp: the model itself")
    for name, high, text in (
        ("draft-tokens", 1024, "tokens drafted at once"),
        ("lora-rank", 65_536, "rank of the adapters for --need lora"), ("loras", 65_536, "adapters held at once"),
    ):  # fmt: skip
        one.add_argument(f"--{name}", type=whole(f"--{name}", 1, high), metavar="N", help=text)
    one.add_argument("--fraction", type=number("--fraction", 0, 1), metavar="X",
                     help="share of the memory, where the engine takes one")  # fmt: skip
    one.add_argument("--json", action="store_true", help="print as JSON")
    one.add_argument(
        "--lang", metavar=choice(LANGUAGES), type=one_of("--lang", LANGUAGES), default="en", help="language of the text"
    )
    return one


def run(args: argparse.Namespace, knowledge: tuple[Any, Any, Any]) -> int:
    """Answer on standard output; 0. Refused: what cannot be answered."""
    core, texts, measurements = knowledge
    kb = KB(core, measurements)
    try:
        answer = ask(args, kb)
    except ImportProblem as error:
        raise error.refused(args.config or args.gguf) from None
    lang = "en" if args.json else args.lang  # data is for programs
    words = Texts(texts[lang], lang, kb.terms)
    answer["assumptions"] = [memory_view.assumption(said, words) for said in answer["assumptions"]]
    answer["doubts"] = speed_view.doubts(answer["doubts"], words, kb)
    shown = json.dumps(answer, indent=1) if args.json else visible(memory_view.text(answer, words), lines=True)
    print(shown, flush=True)
    return 0


class _Model(NamedTuple):
    arch: Plain
    said: tuple[Said, ...]
    format: named.Named | None  # as the file itself says
    size: int | None  # exact bytes of the file's tensors
    kv: str | None


def ask(args: argparse.Namespace, kb: KB) -> Plain:
    """The answer as plain data (see `wizard.memory.query.answer`)."""
    model = _model(args, kb)
    stored = _format(args, model, kb)
    usual = alike.of_family(args.format, stored.family, stored.type, kb) if args.format else ()
    kv = _kv(args.kv) if args.kv else None
    index = _kv(args.index_kv, "--index-kv") if args.index_kv else None
    engine, mode, version = _engine(args.engine, kb)
    engine, over = _inside(engine, kb)
    if over:
        mode, version = None, ""
    elif version and not _VERSION.match(version):
        over, version = (("terminal.memory-version", {"version": version}),), ""
    mode = mode or next((m["id"] for m in kb.engines.get(engine or "", {}).get("modes", ())), None)
    machine = _cards(args, engine, mode, stored.family, kb)
    cards, ram_gib = machine.cards, machine.ram
    count = len(cards) or (args.count or 0)
    tp, pp, dp = _layout(args, count, query.splits(engine, kb))
    _experts(args.ep, tp * dp if cards else 0, model.arch)
    size = model.size if stored is model.format and model.size else _size(model.arch, stored)
    point = {} if stored.said else published(model.arch, stored.family, stored.type) or {}
    entry = stored_as(point, kb.type_of(stored.family, stored.type)) or stored.entry
    checkpoint = {"status": "unknown", "bytes": size, "stored": entry, "container": stored.container}
    path = EnginePath(
        engine or query.NONE, mode, machine.backend, stored.family, stored.type, "native", checkpoint, version
    )
    native = (model.arch.get("context") or {}).get("native")
    work = query.Asked(
        args.context or min(native or _CONTEXT, _CONTEXT), args.concurrency or 1, args.dcp or 1, args.fraction,
        args.chunk, index, args.input or 0, args.output or 0, args.switch, _asks(args, kb),
        args.sequences,
    )  # fmt: skip
    ram = round(ram_gib * GIB)
    host = {"ram_bytes": ram, "os": machine.os, "unified": any(c.entry["memory"].get("unified") for c in cards)}
    layout = Layout(cards, tp, pp, args.ep or 1, dp, 1, pp > 1 and _uneven(engine, kb)) if cards else None
    answer = query.answer(path, layout, (tp, pp, args.ep or 1), model.arch, work, kv, host, kb)
    answer["doubts"] = _doubts(args, engine, mode, version, machine, stored, kb)
    beyond = _beyond(engine, stored.family, kv, kb, bool(answer["doubts"]))
    over += tuple(notes.of_version(engine or "", version, kb))
    said = [
        *((one.id, one.values) for one in model.said),
        *machine.said,
        *over,
        *stored.said,
        *usual,
        *beyond,
        *answer["assumptions"],
    ]
    longest = (args.context or 0) if native else 0
    if native and longest > native:
        said.append(("terminal.memory-context", {"tokens": longest, "native": native, "name": model.arch["name"]}))
    if cards and not args.ram_gib and answer["fit"] == "offload":
        said.append(("terminal.memory-ram", {"gib": ram_gib}))
    answer["assumptions"] = [one for n, one in enumerate(said) if one not in said[:n]]
    return answer


def _model(args: argparse.Namespace, kb: KB) -> _Model:
    if args.model is not None:
        found = kb.find_model(_named("--model", args.model))
        if not found:
            raise _unknown("model", args.model, kb, "model")
        hint = found[1]
        stored = None
        if hint:
            name = " ".join(part for part in hint if part)
            stored = _usual(name, named.find(name, kb) or named.find(hint[0], kb), kb.models[found[0]], kb)
        own = None if stored else _own(kb.models[found[0]], kb)
        said = (
            ()
            if own is None or args.format
            else (Said("terminal.own-type", {"name": own.entry.get("name", own.type)}),)
        )
        return _Model(kb.models[found[0]], said, stored or own, None, None)
    if args.gguf is not None:
        try:
            with Path(args.gguf).open("rb") as file:
                imported = gguf_file.architecture(file)
        except OSError as error:
            raise unreadable(args.gguf, error) from None
        fmt = imported.format
        assert fmt is not None
        stored = named.Named(
            "gguf", fmt["type"], {"id": fmt["type"], "bits": fmt["bits"], "tensors": fmt["tensors"]}, "mean"
        )
        return _Model(imported.entry, imported.said, stored, fmt["bytes"], None)
    imported = config(args.config, not args.format)
    fmt = imported.format
    stored = None
    if fmt:
        container = (kb.formats.get(fmt["family"]) or {}).get("container", "")
        stored = named.Named(
            fmt["family"], fmt["type"], {"id": fmt["type"], "bits": fmt["bits"], "tensors": fmt["tensors"]}, container
        )
    return _Model(imported.entry, imported.said, stored, None, imported.kv)


def _named(flag: str, text: str) -> str:
    """A name that is not empty. Raises Refused."""
    if not text.strip():
        raise Refused("terminal.flag-empty", flag=flag)
    return text


def _own(arch: Plain, kb: KB) -> named.Named | None:
    """The format its publisher's own repository holds; 16 bit where none is known."""
    points = [p for p in arch.get("checkpoints", ()) if p["repository"] == arch.get("repository")]
    types = [named.find(f"{point['format']} {point['type']}", kb) for point in points]
    return next((stored for stored in types if stored), None) or named.find("bf16", kb)


def _usual(text: str, found: named.Named | None, arch: Plain, kb: KB) -> named.Named | None:
    """The type a family's bare name means for a model: the published one where only that is published."""
    points = [p for p in arch.get("checkpoints", ()) if found and p["format"] == found.family]
    bare = found is not None and fold(text) in (
        fold(found.family),
        fold(kb.formats.get(found.family, {}).get("name", "")),
    )
    if not points or not bare or found is None or any(p["type"] == found.type for p in points):
        return found
    best = max(points, key=lambda p: (bool(p.get("official")), p["repository"]))
    return named.find(f"{best['format']} {best['type']}", kb) or found


def _size(arch: Plain, stored: named.Named) -> int | None:
    """Bytes of the published weights in this format, as a decision takes them."""
    return None if stored.said else (published(arch, stored.family, stored.type) or {}).get("bytes")


def _format(args: argparse.Namespace, model: _Model, kb: KB) -> named.Named:
    if args.format:
        found = named.find(args.format, kb)
        if found is None:
            raise _refuse("--format", args.format, alike.near_types(args.format, kb), "formats", kb)
        return _usual(args.format, found, model.arch, kb) or found
    if model.format is None:
        return named.find("bf16", kb)._replace(said=("terminal.memory-16-bit",))  # type: ignore[union-attr]
    return model.format


def _kv(text: str, flag: str = "--kv") -> str:
    found = elements.resolve(text)
    if found is None:
        known = ", ".join(sorted(elements.ELEMENTS))
        raise Refused("terminal.flag-choice", flag=flag, value=text, known=known)
    return found


def _experts(ep: int | None, ranks: int, arch: Plain) -> None:
    """Refuse expert parallel ranks that nothing is dealt to. ranks: 0 where no devices are given."""
    if ep and ep > 1 and not arch.get("experts"):
        raise Refused("terminal.memory-no-experts", model=arch["name"], ep=ep)
    if ep and ranks and ranks % ep:
        raise Refused("terminal.memory-experts", ranks=ranks, ep=ep)


def _doubts(
    args: argparse.Namespace, engine: str | None, mode: str | None, version: str, machine: _Machine,
    stored: named.Named, kb: KB,
) -> list[Plain]:  # fmt: skip
    """The obstacles of a decision for this engine, device and format; empty where one of them is not named."""
    device = machine.cards[0].device if machine.cards else ""
    if not engine:
        return []
    backend = machine.backend if args.backend else None
    stops = against(
        device, engine, kb, mode=mode if len(kb.engines[engine].get("modes", ())) < 2 else None, version=version,
        backend=backend, family=stored.family if args.format else None, type_=stored.type,
        count=len(machine.cards) or 1,
    )  # fmt: skip
    return [{"engine": engine, **stop} for stop in stops]


def _beyond(engine: str | None, family: str, kv: str | None, kb: KB, told: bool) -> list[Any]:
    """What the engine is not known to have: the format it would load, the type of its cache.

    told: the format was told already.
    """
    entry = kb.engines.get(engine or "", {})
    said: list[Any] = []
    if not told and entry.get("formats") and all(line["format"] != family for line in entry["formats"]):
        told = {"engine": entry["name"], "format": kb.formats[family]["name"] if family in kb.formats else family}
        said.append(("terminal.memory-no-format", told))
    types = {_plain_type(part) for line in entry.get("kv_types", ()) for part in line["type"].split("/")}
    if kv and types and not {_plain_type(part) for part in kv.split("/")} <= {*types, "f16"}:
        said.append(("terminal.memory-no-kv", {"engine": entry["name"], "kv": kv.upper()}))
    return said


def _plain_type(text: str) -> str:
    """A cache type without what does not change its width."""
    type_ = elements.resolve(text) or text
    return "f16" if type_ in ("bf16", "fp16") else type_.removesuffix("_e4m3").removesuffix("_e5m2")


def _asks(args: argparse.Namespace, kb: KB) -> extras.Asks:
    """The must-haves that take memory; a draft, a rank or a number of adapters asks for what it belongs to."""
    needs = set(args.need or ())
    draft = args.draft
    if draft:
        needs.add("speculative")
        if draft != "mtp":
            known = kb.find_model(draft)
            if not known:
                raise _unknown("draft", draft, kb, "model")
            draft = known[0]
    if (args.lora_rank or args.loras) and not needs & {"lora", "multi-lora"}:
        needs.add("lora")
    if args.draft_tokens:
        needs.add("speculative")
    if not needs:
        return extras.NONE
    more = {"draft": draft, "tokens": args.draft_tokens, "rank": args.lora_rank, "slots": args.loras}
    return extras.asked(needs)._replace(**more)


def _engine(text: str | None, kb: KB) -> tuple[str | None, str | None, str]:
    if not text:
        return None, None, ""
    name, _, version = text.partition("@")
    bare = name.split("(")[0].strip()
    for form in (name.strip(), bare, bare.split(" ")[0]):
        found = kb.find_engine(form) if form else None
        if found:
            return found[0], found[1], version.strip().lstrip("v")
    raise _unknown("engine", name, kb, "engine")


def _inside(engine: str | None, kb: KB) -> tuple[str | None, tuple[Any, ...]]:
    """The engine whose rules count: an app or a plugin has those of the engine inside it."""
    entry = kb.engines.get(engine or "", {})
    below = entry.get("over", ())
    if entry.get("memory") or not below:
        return engine, ()
    inner = below[0]["engine"]
    return inner, (("terminal.memory-rules-of", {"app": entry["name"], "engine": kb.engines[inner]["name"]}),)


def _unknown(option: str, text: str, kb: KB, kind: str) -> Refused:
    return _refuse(f"--{option}", text, kb.nearest_names(text, kind), f"{kind}s", kb)


def _refuse(flag: str, text: str, near: list[str], kind: str, kb: KB) -> Refused:
    """A name that nothing has: the nearest, and the command that lists all of them."""
    everything = {"t": "terminal.names-all", "p": {"command": alike.listing(kind, text, kb)}}
    values = {"flag": flag, "value": text, "all": everything}
    return Refused("terminal.memory-unknown-near" if near else "terminal.memory-unknown", **values,
                   **({"near": near} if near else {}))  # fmt: skip


class _Machine(NamedTuple):
    """ram: system memory in GiB; said: what the name of the device left open."""

    cards: tuple[Card, ...]
    backend: str
    ram: float
    os: str
    said: tuple[Any, ...] = ()


def _cards(args: argparse.Namespace, engine: str | None, mode: str | None, family: str, kb: KB) -> _Machine:
    entry = kb.engines.get(engine or "", {})
    lines = [line for line in entry.get("runs_on", ()) if line.get("mode") in (None, mode)]
    ram, system = args.ram_gib or _RAM_GIB, args.os or "linux"
    known, named_count = _device(args.device, kb) if args.device is not None else (None, None)
    count = args.count or named_count or (args.tp or 1) * (args.pp or 1)
    said = _open(args, known, named_count, kb)
    if known and args.memory_gib is None:
        host = {k: v for k, v in (("os", args.os), ("ram_gib", args.ram_gib)) if v}
        sized = {"memory_gib": known[1]} if known[1] else {}
        reading = read({"devices": [{"device": known[0], "count": count, **sized}], "host": host}, kb)
        wrong = next((p for p in reading.problems if p.path == "host.os"), None)
        if wrong:
            names = ", ".join(wrong.params["known"])
            raise Refused("terminal.memory-os", os=args.os, name=kb.devices[known[0]]["name"], known=names)
        facts = Facts(reading.situation, kb)
        told = facts.situation["host"]
        asked = _backend(args.backend, entry, lines, family, facts)
        return _Machine(facts.cards, asked, told["ram_gib"], told["os"], said)
    offered = (kb.devices[known[0]].get("backends") or []) if known else []
    backends = [line["backend"] for line in lines if not offered or line["backend"] in offered]
    backends.sort(key=lambda name: (name in CPU_BACKENDS, name != "cuda"))
    backend = args.backend or (backends or offered or ["cuda"])[0]
    if args.memory_gib is None:
        return _Machine((), backend, ram, system)
    if backend in CPU_BACKENDS:
        ram = args.ram_gib or args.memory_gib  # a processor has no other memory
    own = (
        kb.devices[known[0]] if known else {"name": f"{args.memory_gib:g} GiB", "kind": "gpu", "segment": "datacenter"}
    )
    kept = {k: v for k, v in own.get("memory", {}).items() if k != "reported_mib"}
    own = {**own, "memory": {"unified": False, **kept, "options": [args.memory_gib]}}
    total = round(args.memory_gib * GIB)
    cards = tuple(Card(known[0] if known else "custom", own, total, i) for i in range(count))
    return _Machine(cards, backend, ram, system, said)


def _device(text: str, kb: KB) -> tuple[tuple[str, float | None], int | None]:
    """((id, memory in GiB where the text names one), how many the text names) of a device. Raises Refused."""
    found = kb.find_device(_named("--device", text))
    if found:
        return found, None
    machine = written.hardware(text, kb)
    if machine is None or machine.device is None:
        raise _unknown("device", text, kb, "device")
    return (machine.device, machine.memory_gib), machine.count


def _open(args: argparse.Namespace, known: Any, count: int | None, kb: KB) -> tuple[Any, ...]:
    """What the words for the device leave open or say in two ways."""
    if not known:
        return ()
    said: list[Any] = []
    entry = kb.devices[known[0]]
    others = alike.variants(args.device, known[0], kb)
    if others:
        said.append(("terminal.variant", {"name": args.device, "taken": entry["name"], "others": ", ".join(others)}))
    if count and args.count and count != args.count:
        said.append(("terminal.speed-two-counts", {"given": args.count, "name": args.device, "named": count}))
    sizes = entry["memory"]["options"]
    if args.memory_gib is not None and entry["kind"] != "cpu" and args.memory_gib not in sizes:
        values = {"gib": args.memory_gib, "name": entry["name"], "sizes": ", ".join(f"{size:g}" for size in sizes)}
        said.append(("terminal.memory-sized", values))
    return tuple(said)


def _backend(asked: str | None, entry: Plain, lines: list[Plain], family: str, facts: Facts) -> str:
    """The back end on a known device: the asked one, else what holds there, reads the format and uses the GPU."""
    offered = facts.kinds[0].entry.get("backends") or []
    possible = [line for line in lines if line["backend"] in offered]
    if asked:
        if asked not in ({line["backend"] for line in possible} if entry else offered):
            names = ", ".join(dict.fromkeys(line["backend"] for line in possible)) or ", ".join(offered) or "–"
            values = {"name": asked, "device": facts.kinds[0].entry["name"], "known": names}
            raise Refused("terminal.memory-backend" if entry else "terminal.speed-backend", **values)
        return asked
    reads: set[str] = set()
    for line in entry.get("formats", ()):
        if line["format"] == family:
            where = line.get("backend", offered)
            reads.update([where] if isinstance(where, str) else where)

    def worse(line: Plain) -> tuple[bool, bool, bool]:
        holds = facts.holds(line.get("needs", {}), facts.kinds)
        return not holds, line["backend"] not in reads, line["backend"] in CPU_BACKENDS

    if possible:
        return min(possible, key=worse)["backend"]
    return offered[0] if offered else "cuda"


def _layout(args: argparse.Namespace, count: int, splits: str) -> tuple[int, int, int]:
    """(tp, pp, copies): what was asked, else tensor ranks over all devices where the engine has them."""
    tp, pp = args.tp, args.pp
    if tp is None and pp is None:
        tp, pp = (1, max(1, count)) if splits == "layers" else (max(1, count), 1)
    tp = tp or 1 if pp else tp or max(1, count)
    pp = pp or 1
    if count and count % (tp * pp):
        raise Refused("terminal.memory-layout", count=count, tp=tp, pp=pp)
    return tp, pp, max(1, count // (tp * pp)) if count else 1


def _uneven(engine: str | None, kb: KB) -> bool:
    part = (kb.engines.get(engine or "", {}).get("parallelism") or {}).get("pp") or {}
    return bool(part.get("uneven"))
