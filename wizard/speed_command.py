"""which-engine speed: how fast a model runs on a machine, as intervals with their basis and nearest records."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .decision import finish, to_json
from .flags import config, count, positive, share, whole
from .kb import KB
from .speed import ask, cost
from .speed.ask import listed


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
    machine.add_argument("--split", choices=("none", "layer", "tensor"), help="how they share it")
    software = one.add_argument_group("software")
    software.add_argument("--engine", metavar="ID[@VERSION]", help="engine, with or without version or build")
    software.add_argument("--backend", metavar="B", help="cuda, rocm, metal, vulkan, sycl, cpu")
    load = one.add_argument_group("load (tokens)")
    load.add_argument("--depth", metavar="N", type=count, help="tokens in the context before the answer")
    load.add_argument("--batch", metavar="N", type=whole, default=1, help="requests at the same time")
    load.add_argument("--input", metavar="N", type=whole, default=512, help="tokens of a prompt")
    load.add_argument("--output", metavar="N", type=whole, default=128, help="tokens of an answer")
    load.add_argument("--shared-prefix", metavar="X", type=share, default=0.0, help="share of a prompt in the cache")
    price = one.add_argument_group("price")
    price.add_argument("--price-per-hour", metavar="X", type=positive, help="money per hour for the machine")
    price.add_argument("--watts", metavar="X", type=positive, help="power of the machine under load")
    price.add_argument("--price-per-kwh", metavar="X", type=positive, help="money per kilowatt-hour")
    one.add_argument("--json", action="store_true", help="print JSON")
    return one


def run(args: argparse.Namespace, knowledge: tuple[Any, Any, Any]) -> int:
    """Print the estimate. Exit code 0 with a decode estimate, 1 when something is missing, 2 for a bad file.

    knowledge: core, texts and measurements of the base.
    """
    core, _, measurements = knowledge
    kb = KB(core, measurements)
    try:
        found = answer(args, kb)
    except ValueError as error:
        print(f"which-engine: {error}", file=sys.stderr)
        return 2
    _link(found["nearest"])
    print(to_json(found) if args.json else text(found), flush=True)
    return 1 if found["missing"] else 0


def answer(args: argparse.Namespace, kb: KB) -> dict[str, Any]:
    """The estimate for parsed arguments: what `--json` prints. ValueError: a config file that cannot be read."""
    architecture, written = _config(args.config) if args.config else (None, None)
    found = ask.answer(
        ask.Question(
            model=args.model, architecture=architecture, params_b=args.params_b, active_b=args.active_b,
            layers=args.layers, format=args.format or written, file_gib=args.file_gib, device=args.device,
            bandwidth_gbs=args.bandwidth_gbs, speed_class=args.speed_class, count=args.count,
            split=None if args.split == "none" else args.split, engine=args.engine, backend=args.backend,
            depth=args.depth, batch=args.batch, input=args.input, output=args.output,
            shared_prefix=args.shared_prefix,
        ),
        kb,
    )  # fmt: skip
    known = {"per_hour": args.price_per_hour, "watts": args.watts, "per_kwh": args.price_per_kwh}
    found["cost_per_million"] = cost.per_million(found["throughput_tps"], known)
    found["joules_per_token"] = cost.joules_per_token(found["throughput_tps"], args.watts)
    return finish(found)


def _link(rows: list[dict[str, Any]]) -> None:
    """Give each record the addresses of the pages it was read from."""
    if not rows:
        return
    from knowledge.load import load

    readings = load().readings
    for row in rows:
        row["links"] = [readings[id_][1]["url"] for id_ in listed(row["source"]) if id_ in readings]


def _config(name: str) -> tuple[dict[str, Any], str | None]:
    """(architecture, weight type the files state) of a config.json."""
    read = config(name)
    format_ = read.format or {}
    return read.entry, format_.get("type") or format_.get("family")


def text(found: dict[str, Any]) -> str:
    """The answer for a terminal."""
    lines = []
    for item in found["missing"]:
        near = f"; nearest names: {', '.join(item['near'])}" if item["near"] else ""
        lines.append(f"missing: {item['what']} ({item['flag']}){near}")
    if found["missing"]:
        return "\n".join(lines)
    what = found["resolved"]
    count = f"{what['count']} x " if what["count"] > 1 else ""
    lines.append(
        f"{what['model']}, {what['format']}, {what['file_gib']:.3g} GiB, on {count}{what['hardware']} "
        f"({what['bandwidth_gbs']:.4g} GB/s, {what['class'] or 'no class'}), "
        f"{what['engine'] or 'any engine'} ({what['backend']})"
    )
    for key, name, unit in (
        ("decode_tps", "decode, one request", "tokens/s"),
        ("prefill_tps", "prompt", "tokens/s"),
        ("ttft_s", "first token", "s"),
        ("ttft_hit_s", "first token, prefix cached", "s"),
        ("throughput_tps", "decode, all requests", "tokens/s"),
        ("tpot_s", "time per token, all requests", "s"),
        ("cost_per_million", "a million tokens", "(in the currency given)"),
        ("joules_per_token", "energy per token", "J"),
    ):
        interval = found.get(key)
        if interval:
            lines.append(f"  {name:30}{_number(interval['point']):>10}  {_span(interval)} {unit}")
        elif key in ask.NUMBERS:
            lines.append(f"  {name:30}{'-':>10}  no basis: peak operations per second of the device are not known")
    reads = found["reads"]
    lines.append(
        f"  a token reads {reads['weights_gb']:.3g} GB of weights and {reads['kv_gb']:.2g} GB of KV cache: "
        f"{_number(1e3 * reads['floor_s'])} ms at the full bandwidth, nothing can be faster"
    )
    shares = [f"{name} {share:.0%}" for name, share in found["shares"].items() if share >= 0.005]
    lines.append(f"  where the time of a step goes: {', '.join(shares)}")
    basis = found["basis"]
    lines.append(
        f"  basis: {basis['records']} records of {basis['machines']} machines ({basis['class']}, {basis['level']}); "
        f"median error {basis['error']:.0%}, interval held {basis['coverage']:.0%} of unseen records"
    )
    lines.append("  rates of the engine itself, as llama-bench prints them; a client sees its network and server too")
    lines += [f"  assumed: {item}" for item in found["assumptions"]]
    for row in found["nearest"]:
        differs = ", ".join(row["differs"]) or "nothing"
        links = " ".join(row["links"])
        lines.append(
            f"  measured: {row['decode_tps']:.4g} tokens/s, {row['model']} on {row['hardware']}, {row['engine']} "
            f"({row['date']}); differs in {differs} {links}"
        )
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _span(interval: dict[str, float]) -> str:
    return f"{_number(interval['low'])} to {_number(interval['high'])}"
