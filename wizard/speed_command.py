"""which-engine speed: how fast a model runs on a machine, as intervals with their basis and nearest records."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from . import speed_view
from .decision import finish, to_json
from .flags import LANGUAGES, config, count, positive, share, whole
from .kb import KB
from .speed import ask, cost
from .speed.ask import listed
from .texts import Texts


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the subcommands of `which-engine`; returns its parser."""
    one = commands.add_parser("speed", help="estimate how fast a model runs on a machine")
    model = one.add_argument_group("model (a name, a file, or its counts)")
    model.add_argument("--model", metavar="NAME", help="model as people write it")
    model.add_argument("--config", metavar="FILE", help="a config.json, or the folder it is in")
    model.add_argument("--params-b", metavar="X", type=positive, help="billions of parameters")
    model.add_argument("--active-b", metavar="Y", type=positive, help="billions read per token (mixture of experts)")
    model.add_argument("--layers", metavar="N", type=whole, help="layers")
    model.add_argument("--format", metavar="F", help="weight type: Q4_K_M, fp8, AWQ 4-bit, mxfp4, bf16, ...")
    model.add_argument("--file-gib", metavar="X", type=positive, help="size of the weights in GiB")
    machine = one.add_argument_group("machine (a name, or bandwidth and class)")
    machine.add_argument("--device", metavar="NAME", help='hardware as people write it: "GeForce RTX 3070 8GB"')
    machine.add_argument("--bandwidth-gbs", metavar="X", type=positive, help="memory bandwidth of one device, GB/s")
    machine.add_argument("--class", metavar="C", dest="speed_class", help="class of device, such as nv-consumer")
    machine.add_argument("--count", metavar="N", type=whole, help="devices that hold the model")
    machine.add_argument("--nodes", metavar="N", type=whole, default=1, help="machines they stand in, evenly")
    machine.add_argument("--between", choices=("rdma", "ethernet", "thunderbolt"), help="what joins the machines")
    machine.add_argument(
        "--split", choices=("none", "layer", "tensor"), help="how they share it; none: each holds all of it"
    )
    software = one.add_argument_group("software")
    software.add_argument("--engine", metavar="ID[@VERSION]", help="engine, with or without version or build")
    software.add_argument("--backend", metavar="B", help="cuda, rocm, metal, vulkan, sycl, cpu")
    software.add_argument(
        "--flash-attention", choices=("on", "off"), help="attention in one kernel; default: as the build does"
    )
    load = one.add_argument_group("load (tokens)")
    load.add_argument("--depth", metavar="N", type=count, help="tokens in the context before the answer")
    load.add_argument("--batch", metavar="N", type=whole, default=1, help="requests at the same time")
    load.add_argument("--input", metavar="N", type=whole, default=512, help="tokens of a prompt")
    load.add_argument("--output", metavar="N", type=whole, default=128, help="tokens of an answer")
    load.add_argument("--shared-prefix", metavar="X", type=share, default=0.0, help="share of a prompt in the cache")
    price = one.add_argument_group("price")
    price.add_argument("--price-per-hour", metavar="X", type=positive, help="money per hour for the machine")
    price.add_argument("--watts", metavar="X", type=positive, help="power of the machine, measured under this load")
    price.add_argument("--price-per-kwh", metavar="X", type=positive, help="money per kilowatt-hour")
    one.add_argument("--json", action="store_true", help="print JSON")
    one.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the text")
    return one


def run(args: argparse.Namespace, knowledge: tuple[Any, Any, Any]) -> int:
    """Print the estimate. Exit code 0 with a decode estimate, 1 when something is missing, 2 for a bad file.

    knowledge: core, texts and measurements of the base.
    """
    core, texts, measurements = knowledge
    kb = KB(core, measurements)
    try:
        found = answer(args, kb)
    except ValueError as error:
        print(f"which-engine: {error}", file=sys.stderr)
        return 2
    _link(found["nearest"])
    lang = "en" if args.json else args.lang  # data is for programs
    words = Texts(texts[lang], lang, kb.terms)
    found["assumptions"] = [speed_view.sentence(said, words) for said in found["assumptions"]]
    for item in found["missing"]:
        item["what"] = speed_view.sentence(item["what"], words)
    print(to_json(found) if args.json else speed_view.text(found, words), flush=True)
    return 1 if found["missing"] else 0


def answer(args: argparse.Namespace, kb: KB) -> dict[str, Any]:
    """The estimate for parsed arguments: what `--json` prints but for the sentences, which are still texts by id.

    ValueError: a config file that cannot be read, or devices that machines cannot share evenly.
    """
    architecture, written, read = _config(args.config) if args.config else (None, None, ())
    found = ask.answer(
        ask.Question(
            model=args.model, architecture=architecture, params_b=args.params_b, active_b=args.active_b,
            layers=args.layers, format=args.format or written, file_gib=args.file_gib, device=args.device,
            bandwidth_gbs=args.bandwidth_gbs, speed_class=args.speed_class, count=args.count,
            split=args.split,
            nodes=args.nodes, between=args.between, engine=args.engine, backend=args.backend,
            depth=args.depth, batch=args.batch, input=args.input, output=args.output,
            shared_prefix=args.shared_prefix,
            flash=None if args.flash_attention is None else args.flash_attention == "on",
        ),
        kb,
    )  # fmt: skip
    known = {"per_hour": args.price_per_hour, "watts": args.watts, "per_kwh": args.price_per_kwh}
    found["cost_per_million"] = cost.per_million(found["throughput_tps"], known)
    found["joules_per_token"] = cost.joules_per_token(found["throughput_tps"], args.watts)
    found["assumptions"] = [*read, *found["assumptions"]]
    if args.price_per_kwh and not args.watts:
        found["assumptions"].append(("terminal.speed-watts", {}))
    return finish(found)


def _link(rows: list[dict[str, Any]]) -> None:
    """Give each record the addresses of the pages it was read from."""
    if not rows:
        return
    from knowledge.load import load

    readings = load().readings
    for row in rows:
        row["links"] = [readings[id_][1]["url"] for id_ in listed(row["source"]) if id_ in readings]


def _config(name: str) -> tuple[dict[str, Any], str | None, tuple[Any, ...]]:
    """(architecture, weight type the files state, what was taken for granted) of a config.json."""
    read = config(name)
    format_ = read.format or {}
    return read.entry, format_.get("type") or format_.get("family"), tuple(read.said)
