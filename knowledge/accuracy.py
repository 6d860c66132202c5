"""`python -m knowledge.accuracy [--extra FILE]...`: how wrong the speed estimates are, on public measurements.

Prints the held-out errors that were written beside the constants, then what `wizard.speed` says about every
record of the base (which it was fitted to), and, for each `--extra` file, about records it has never seen.
Extra files are YAML or JSON lists of single-stream records, or CSV tables of serving runs; the fields they
need are listed in `read_extra` and `read_serving`.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable
from math import exp, log
from pathlib import Path
from typing import Any

from knowledge.calibrate.rows import Row, row_of, rows_of
from wizard.kb import KB
from wizard.shapes import GIB, MIB, Card, Layout, Workload
from wizard.shapes import Path as WizardPath
from wizard.speed import lookup, terms

Point = tuple[str, float, bool | None]  # (group, log(predicted / measured rate), inside the interval)

# how an extra file may call a class of hardware
_CLASSES = {
    "nv_consumer": "nv-consumer", "nv_vulkan": "nv-consumer", "nv_workstation": "nv-workstation",
    "nv_datacenter": "nv-datacenter", "nv_old_datacenter": "nv-legacy", "jetson": "nv-jetson", "nv_spark": "nv-spark",
    "amd_consumer": "amd-radeon", "amd_datacenter": "amd-instinct", "strix_halo": "amd-apu", "intel_gpu": "intel-arc",
    "apple": "apple-gpu", "apple_cpu": "apple-gpu", "cpu_desktop": "cpu-desktop", "cpu_server": "cpu-server",
    "sbc": "cpu-sbc",
}  # fmt: skip
_FAMILIES = (
    ("tensorrt-edge", "compiled"), ("tensorrt", "serving"), ("vllm", "serving"), ("sglang", "serving"),
    ("nim", "serving"),
    ("llama.cpp", "ggml"), ("ollama", "ggml"), ("ds4", "ggml"), ("mlx", "mlx"), ("exllama", "exllama"),
    ("mlc", "compiled"), ("gpt-fast", "compiled"),
)  # fmt: skip
_HELD_OUT = {
    "training": "fitted rows", "row_out": "tenths left out", "hardware_out": "hardware left out",
    "source_out": "pages left out",
}  # fmt: skip
PEER_EFFICIENCY = 0.55  # llmfit (PyPI: llmfit): rate = bandwidth / bytes x 0.55


def predicted(row: Row, fitted: dict[str, Any]) -> tuple[float, lookup.Basis] | None:
    """Seconds of one step by the formula the wizard uses, at the age of the record; None without a basis."""
    basis = lookup.basis_at(fitted, row.path, row.family, row.unpacking, row.link)
    if basis is None:
        return None
    aged = exp(row.age * (fitted["age"].get("", 0.0) + fitted["age"].get(row.family, 0.0)))
    constants = basis.constants._replace(overhead=basis.constants.overhead * aged)
    parts = terms.step(
        terms.Step(
            row.layers, row.moe, row.dense, row.experts, row.share, row.kv, row.active, row.batch, row.ranks,
            row.bandwidth, row.compute, row.prompt if row.answer else 0, row.answer,
        ),
        constants,
    )  # fmt: skip
    return sum(parts), basis


def points(rows: Iterable[Row], fitted: dict[str, Any], group: Callable[[Row], str]) -> list[Point]:
    """Error of the rate of every row, with its group."""
    found = []
    for row in rows:
        answer = predicted(row, fitted)
        if answer and row.time:
            seconds, basis = answer
            error = log(row.time / seconds)
            spread = fitted["batched"] if row.batch > 1 else {"low": basis.low, "high": basis.high}
            measured = exp(-error)
            found.append((group(row), error, spread["low"] <= measured <= spread["high"]))
    return found


def table(title: str, found: list[Point]) -> str:
    """One line per group and one for all: rows, median and upper quartile of the error, within 20 %, coverage."""
    groups: dict[str, list[Point]] = {}
    for point in found:
        groups.setdefault(point[0], []).append(point)
    lines = [title, f"  {'group':34}{'rows':>6}{'median':>9}{'75 %':>8}{'in 20 %':>9}{'in interval':>13}"]
    for name in [*sorted(groups), "all"]:
        rows = groups.get(name, found)
        if rows:
            off = sorted(abs(exp(error) - 1) for _, error, _ in rows)
            inside = [held for _, _, held in rows if held is not None]
            share = f"{sum(inside) / len(inside):>12.0%}" if inside else f"{'':>12}"
            near = sum(value <= 0.2 for value in off) / len(off)
            lines.append(f"  {name:34}{len(off):>6}{_at(off, 0.5):>9.1%}{_at(off, 0.75):>8.0%}{near:>9.0%} {share}")
    return "\n".join(lines)


def _at(values: list[float], share: float) -> float:
    position = share * (len(values) - 1)
    low = int(position)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (position - low)


def peer(rows: Iterable[Row]) -> list[Point]:
    """The same rows by bandwidth over bytes times one efficiency."""
    found = []
    for row in rows:
        read = row.dense + row.share * row.experts + row.kv * row.ranks
        rate = PEER_EFFICIENCY * row.bandwidth * row.ranks / read
        found.append(("bandwidth / bytes x 0.55", log(rate * row.time), None))
    return found


def read_extra(path: Path, devices: dict[str, Any]) -> list[Row]:
    """Rows of a list of records with hardware_class, bandwidth_gbps, engine, backend, model, params_total_b,
    params_active_b, layers, bytes_per_token_gb, quantization, multi, count, decode_tps, date and quality."""
    import yaml

    records = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    found = []
    for position, record in enumerate(records):
        if record.get("kind") == "decode" and record.get("quality") in ("high", "medium"):
            row = row_of(path.name, _own_form(record, position), devices)
            if row:
                found.append(row)
    return found


def _own_form(record: dict[str, Any], position: int) -> dict[str, Any]:
    engine, backend = str(record.get("engine", "")).lower(), str(record.get("backend") or "").lower()
    family = next((family for word, family in _FAMILIES if word in engine), "torch")
    multi = record.get("multi") or ""
    type_ = str(record.get("quantization") or "").lower().removeprefix("ud-").replace("-", "_")
    return {
        "id": f"r{position}",
        "hardware": record.get("hardware"),
        "bandwidth_gbs": record.get("bandwidth_gbps"),
        "speed_class": _CLASSES.get(record.get("hardware_class", "")),
        "count": record.get("count") or 1,
        "split": "tensor" if multi.startswith("TP") or "tensor" in multi else "layer" if multi else "none",
        "engine": engine,
        "speed_family": family,
        "backend": backend.split(" ")[0] or None,
        "model": record.get("model"),
        "params_b": record.get("params_total_b") or 0,
        "active_b": record.get("params_active_b"),
        "layers": record.get("layers"),
        "moe": record.get("arch") == "moe",
        "format": {"family": "gguf" if family == "ggml" else "other", "type": type_},
        "bytes_per_token": (record.get("bytes_per_token_gb") or 0) * 1e9,
        "batch": 1,
        "decode_tps": record.get("decode_tps"),
        "date": str(record["date"]) if record.get("date") else "unknown",
        "quality": record["quality"],
    }


def read_serving(path: Path, kb: KB) -> list[Point]:
    """Time per output token of serving runs through the whole estimate, for models and devices of the base.

    Columns: backend, model_path, system, precision, gemm_quant_mode, isl, osl, batch_size, tp_size,
    attention_dp_size, silicon_tpot_ms.
    """
    from wizard import memory, speed

    host = {"ram_bytes": 2048 * GIB, "unified": False, "os": "linux"}
    links = {"within": "nvswitch", "between": "rdma"}
    formats = {
        "fp8": ("fp8", "e4m3"), "fp8_block": ("fp8", "e4m3"), "nvfp4": ("nvfp4", "nvfp4"),
        "bf16": ("safetensors", "bf16"),
    }  # fmt: skip
    found = []
    with path.open(encoding="utf-8") as stream:
        for line in csv.DictReader(stream):
            model, device = kb.find_model(line["model_path"]), _device(line["system"], kb)
            engine = kb.find_engine({"trtllm": "tensorrt-llm"}.get(line["backend"], line["backend"]))
            format_ = formats.get(line["gemm_quant_mode"] or line["precision"] or "bf16")
            tp, batch = int(line["tp_size"]), round(float(line["batch_size"]))
            if not (model and device and engine and format_) or tp > 8 or (line["attention_dp_size"] or "1") != "1":
                continue
            arch, entry = kb.models[model[0]], kb.devices[device]
            if arch["name"].startswith("gpt-oss"):
                format_ = ("mxfp4", "mxfp4")
            way = WizardPath(engine[0], None, "cuda", *format_, "native", {"status": "published"})
            reported = entry["memory"].get("reported_mib")
            size = reported["is"] * MIB if reported else round(max(entry["memory"]["options"]) * GIB)
            layout = Layout(tuple(Card(device, entry, size, n) for n in range(tp)), tp=tp)
            prompt, answer = int(line["isl"]), int(line["osl"])
            work = Workload(prompt + answer, prompt, answer, batch)
            fit = memory.fit(way, layout, arch, work, {"kv_type": "f16"}, host, kb)
            # the run was measured, so it fitted; what is asked is the time
            fit |= {"class": "fits", "max_concurrency": None}
            estimates = speed.estimate(way, layout, arch, work, fit, links, kb)
            step = estimates["tpot_s"]
            measured = float(line["silicon_tpot_ms"]) / 1e3
            if step:
                found.append((arch["name"], log(measured / step["point"]), step["low"] <= measured <= step["high"]))
    return found


def _device(system: str, kb: KB) -> str | None:
    found = kb.find_device(system.replace("_", "-")) or kb.find_device(system.partition("_")[0])
    return found[0] if found else None


def report(extra: list[Path]) -> str:
    """Everything as text."""
    from knowledge.bundle import load_for_cli
    from knowledge.load import load

    core, _, measurements = load_for_cli()
    kb = KB(core, measurements)
    fitted = lookup.constants_of(kb)
    knowledge = load()
    devices = knowledge.entries["device"]
    rows = [r for r in rows_of(knowledge.entries["measurement"], devices) if r.time and r.quality != "low"]
    single = [r for r in rows if r.single]
    errors, counts = fitted["errors"], fitted["counts"]
    parts = [
        f"Speed, constants of {fitted['date']}: {counts['single_stream']} single-stream, {counts['batched']} batched "
        f"and {counts['prefill']} prompt records on {counts['machines']} machines from {counts['pages']} pages.",
        "Single-stream decode, |predicted / measured - 1| of the time per token:",
    ]
    for name, words in _HELD_OUT.items():
        e = errors[name]
        numbers = f"median {e['median']:.1%}   75 % {e['p75']:.0%}   within 20 % {e['within_20']:.0%}"
        parts.append(f"  {words:20}{e['rows']:>6} rows   {numbers}")
    parts.append(f"  the 80 % interval held {errors['coverage']:.0%} of rows of pages left out")
    for name, words in (("batched", "Batched steps"), ("prefill", "Prompts")):
        unseen = fitted[name].get("model_out") or fitted[name]["source_out"]
        trained = fitted[name]["training"]
        how = "models" if name == "batched" else "pages"
        parts.append(
            f"{words}: fitted rows {trained['rows']}, median {trained['median']:.1%}; "
            f"{how} left out {unseen['rows']}, median {unseen['median']:.1%}"
        )
    parts += ["", table("Decode of the base's own records by class (fitted rows):", points(single, fitted, _class))]
    parts += ["", table("The same rows by one constant (llmfit's rule):", peer(single))]
    batched = points([r for r in rows if not r.single], fitted, lambda r: r.model)
    parts += ["", table("Batched records of the base (fitted rows):", batched)]
    for path in extra:
        if path.suffix == ".csv":
            served = read_serving(path, kb)
            parts += ["", table(f"{path.name}: time per output token through the whole estimate:", served)]
        else:
            unseen = read_extra(path, devices)
            parts += ["", table(f"{path.name}: single-stream decode by class:", points(unseen, fitted, _class))]
            parts += ["", table(f"{path.name}: the same rows by one constant:", peer(unseen))]
    return "\n".join(parts)


def _class(row: Row) -> str:
    return row.path[min(2, len(row.path) - 1)]


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0, or 2 when a file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m knowledge.accuracy", description=__doc__.split("\n")[0])
    parser.add_argument("--extra", action="append", default=[], type=Path, metavar="FILE", help="more records")
    chosen = parser.parse_args(arguments)
    missing = [str(path) for path in chosen.extra if not path.is_file()]
    if missing:
        print(f"no such file: {', '.join(missing)}", file=sys.stderr)
        return 2
    print(report(chosen.extra))
    return 0


if __name__ == "__main__":
    sys.exit(main())
