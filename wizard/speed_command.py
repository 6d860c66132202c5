"""which-engine speed: how fast a model runs on a machine, as intervals with their basis and nearest records."""

from __future__ import annotations

import argparse
from typing import Any

from . import flags, speed_view
from .against import against
from .decision import finish, to_json
from .flags import LANGUAGES, choice, number, of_field, one_of, visible, whole
from .importers import ImportProblem
from .kb import KB
from .speed import ask, cost, names
from .speed.ask import listed
from .texts import Texts

_BETWEEN = ("rdma", "ethernet", "thunderbolt")
_SPLITS = ("none", "layer", "tensor")
_SWITCH = ("on", "off")
_LONGEST = 120  # characters of a name: longer ones are no names, and only their beginning is repeated


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the subcommands of `which-engine`; returns its parser."""
    one = commands.add_parser(
        "speed", help="estimate how fast a model runs on a machine",
        epilog="All names of devices, models, engines, formats, classes and back ends: which-engine names KIND",
    )  # fmt: skip

    def numeric(group: Any, flag: str, metavar: str, read: Any, limits: tuple[float, float], text: str,
                default: Any = None) -> None:  # fmt: skip
        group.add_argument(flag, metavar=metavar, type=read(flag, *limits), default=default, help=text)

    model = one.add_argument_group("model (a name, a file, or its counts)")
    which = model.add_mutually_exclusive_group()
    which.add_argument("--model", metavar="NAME", help="model as people write it")
    which.add_argument("--config", metavar="FILE", help='a config.json, the folder it is in, or "-"')
    numeric(model, "--params-b", "X", number, flags.BILLIONS, "billions of parameters")
    numeric(model, "--active-b", "Y", number, flags.BILLIONS, "billions read per token (mixture of experts)")
    numeric(model, "--layers", "N", whole, flags.LAYERS, "layers")
    model.add_argument("--format", metavar="F", help="weight type: Q4_K_M, fp8, AWQ 4-bit, mxfp4, bf16, ...")
    numeric(model, "--file-gib", "X", number, flags.GIB, "size of the weights in GiB")
    machine = one.add_argument_group("machine (a name, or bandwidth and class)")
    machine.add_argument("--device", metavar="NAME", help='hardware as people write it: "GeForce RTX 3070 8GB"')
    numeric(machine, "--bandwidth-gbs", "X", number, flags.GBS, "memory bandwidth of one device, GB/s")
    machine.add_argument("--class", metavar="C", dest="speed_class", help="class of device, such as nv-consumer")
    numeric(machine, "--count", "N", whole, flags.COUNT, "devices that hold the model")
    numeric(machine, "--nodes", "N", whole, of_field("nodes"), "machines they stand in, evenly", 1)
    machine.add_argument(
        "--between", metavar=choice(_BETWEEN), type=one_of("--between", _BETWEEN), help="what joins the machines"
    )
    machine.add_argument(
        "--split",
        metavar=choice(_SPLITS),
        type=one_of("--split", _SPLITS),
        help="how they share it; none: each holds all of it",
    )
    software = one.add_argument_group("software")
    software.add_argument("--engine", metavar="ID[@VERSION]", help="engine, with or without version or build")
    software.add_argument("--backend", metavar="B", help="cuda, rocm, metal, vulkan, sycl, cpu, ...")
    software.add_argument(
        "--flash-attention", metavar=choice(_SWITCH), type=one_of("--flash-attention", _SWITCH),
        help="attention in one kernel; default: as the build does",
    )  # fmt: skip
    load = one.add_argument_group("load (tokens)")
    tokens = of_field("context.tokens")
    numeric(load, "--depth", "N", whole, (0, tokens[1]), "tokens in the context before the answer")
    numeric(load, "--batch", "N", whole, of_field("traffic.concurrency"), "requests at the same time", 1)
    numeric(load, "--input", "N", whole, of_field("context.input"), "tokens of a prompt", 512)
    numeric(load, "--output", "N", whole, of_field("context.output"), "tokens of an answer", 128)
    numeric(load, "--shared-prefix", "X", number, of_field("traffic.shared_prefix"),
            "share of a prompt in the cache", 0.0)  # fmt: skip
    price = one.add_argument_group("price")
    numeric(price, "--price-per-hour", "X", number, flags.MONEY, "money per hour for the machine")
    numeric(price, "--watts", "X", number, flags.MONEY, "power of the machine, measured under this load")
    numeric(price, "--price-per-kwh", "X", number, flags.MONEY, "money per kilowatt-hour")
    one.add_argument("--json", action="store_true", help="print JSON")
    one.add_argument(
        "--lang", metavar=choice(LANGUAGES), type=one_of("--lang", LANGUAGES), default="en", help="language of the text"
    )
    return one


def run(args: argparse.Namespace, knowledge: tuple[Any, Any, Any]) -> int:
    """Print the estimate. Exit code 0 with a decode estimate, 1 when something was not said, 2 for a name that is not
    known. Refused: a question that contradicts itself, a file that cannot be read.

    knowledge: core, texts and measurements of the base.
    """
    core, texts, measurements = knowledge
    kb = KB(core, measurements)
    found = answer(args, kb)
    _complete(found["nearest"], kb)
    lang = "en" if args.json else args.lang  # data is for programs
    words = Texts(texts[lang], lang, kb.terms)
    found["assumptions"] = list(dict.fromkeys(speed_view.sentence(said, words) for said in found["assumptions"]))
    found["doubts"] = speed_view.doubts(found["doubts"], words, kb)
    for item in found["missing"]:
        item["what"] = speed_view.sentence(item["what"], words)
    print(to_json(found) if args.json else visible(speed_view.text(found, words, kb), lines=True), flush=True)
    return 2 if any(item["kind"] for item in found["missing"]) else 1 if found["missing"] else 0


def answer(args: argparse.Namespace, kb: KB) -> dict[str, Any]:
    """The estimate for parsed arguments: what `--json` prints but for the sentences, which are still texts by id.

    doubts: what the decision knows against running it so, as obstacles. Refused: a config file that cannot be read,
    names and numbers that contradict each other.
    """
    architecture, written, read = _config(args.config) if args.config is not None else (None, None, ())
    plain = {name: visible(value)[:_LONGEST] if isinstance(value, str) else value for name, value in vars(args).items()}
    asked = argparse.Namespace(**plain)
    found = ask.answer(
        ask.Question(
            model=asked.model, architecture=architecture, params_b=asked.params_b, active_b=asked.active_b,
            layers=asked.layers, format=written if asked.format is None else asked.format,
            file_gib=asked.file_gib, device=asked.device,
            bandwidth_gbs=asked.bandwidth_gbs, speed_class=asked.speed_class, count=asked.count,
            split=asked.split,
            nodes=asked.nodes, between=asked.between, engine=asked.engine, backend=asked.backend,
            depth=asked.depth, batch=asked.batch, input=asked.input, output=asked.output,
            shared_prefix=asked.shared_prefix,
            flash=None if asked.flash_attention is None else asked.flash_attention == "on",
        ),
        kb,
    )  # fmt: skip
    known = {"per_hour": args.price_per_hour, "watts": args.watts, "per_kwh": args.price_per_kwh}
    found["cost_per_million"] = cost.per_million(found["throughput_tps"], known)
    found["joules_per_token"] = cost.joules_per_token(found["throughput_tps"], args.watts)
    found["assumptions"] = [*read, *found["assumptions"]]
    found["doubts"] = _doubts(asked, found["resolved"], kb)
    if args.price_per_kwh and not args.watts:
        found["assumptions"].append(("terminal.speed-watts", {}))
    return finish(found)


def _doubts(asked: argparse.Namespace, what: dict[str, Any], kb: KB) -> list[dict[str, Any]]:
    """The obstacles of a decision for this engine, device, back end and format."""
    device, engine = what.get("device"), what.get("engine")
    if not device or not engine or names.hardware(asked.device or "", kb).processor:  # type: ignore[union-attr]
        return []
    family, _, type_ = what["format"].partition(":")
    stops = against(
        device, engine, kb, mode=what["mode"], version=asked.engine.partition("@")[2], family=family, type_=type_,
        backend=what["backend"] if asked.backend else None, count=what["count"],
    )  # fmt: skip
    return [{"engine": engine, **stop} for stop in stops]


def _complete(rows: list[dict[str, Any]], kb: KB) -> None:
    """Give each record its format, count and depth, and the addresses of the pages it was read from."""
    if not rows:
        return
    from knowledge.load import load

    readings = load().readings
    known = {row["id"]: row for row in kb.measurements}
    for row in rows:
        record = known[row["id"]]
        row["format"] = record.get("format")
        row["written"] = speed_view.format_name(record.get("format") or {}, kb)
        row["depth"], row["count"] = record.get("depth") or 0, record.get("count") or 1
        row["links"] = [readings[id_][1]["url"] for id_ in listed(row["source"]) if id_ in readings]


def _config(name: str) -> tuple[dict[str, Any], str | None, tuple[Any, ...]]:
    """(architecture, weight type the files state, what was taken for granted) of a config.json."""
    try:
        read = flags.config(name)
    except ImportProblem as error:
        raise error.refused(name) from None
    format_ = read.format or {}
    return read.entry, format_.get("type") or format_.get("family"), tuple((said.id, said.values) for said in read.said)
