"""Measured records as questions for `which-engine speed`: the base's own, lists of records, tables of serving runs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowledge.calibrate.rows import SERVED
from wizard.speed import names
from wizard.speed.ask import Question

if TYPE_CHECKING:
    from knowledge.speed_accuracy import Asked

Entry = dict[str, Any]
_SYSTEMS = {"b200_sxm": "B200", "b300_sxm": "B300", "h100_sxm": "H100 SXM", "h200_sxm": "H200"}
_TYPE = re.compile(r"(nvfp4|fp8)$", re.I)
_ENGINES = {"trtllm": "tensorrt-llm"}


def own(measurements: Iterable[Entry]) -> list[Asked]:
    """The records of the base that are good enough to be judged by."""
    from knowledge.speed_accuracy import Asked

    found = []
    for record in measurements:
        if record["quality"] == "low":
            continue
        format_ = record.get("format") or {}
        backend, driver = record.get("backend"), record.get("driver")
        batch = record["batch"]
        version = record.get("engine_version")
        question = Question(
            model=record["model"], params_b=record.get("params_b"), active_b=record.get("active_b"),
            layers=record.get("layers"), format=format_.get("type") or format_.get("family"),
            file_gib=record.get("file_gib"), device=record.get("hardware") or record.get("device"),
            bandwidth_gbs=record.get("bandwidth_gbs"), speed_class=record.get("speed_class"),
            count=record.get("count"), split=_split(record.get("split")),
            engine=f"{record['engine']}@{version}" if version else record["engine"],
            backend=f"{backend} {driver}" if backend and driver else backend, depth=record.get("depth", 0),
            batch=batch, input=record.get("prefill_tokens") or 512, output=_answer(record),
            flash=record.get("flash_attention", True),
        )  # fmt: skip
        alone = batch == 1
        found.append(
            Asked(
                record.get("speed_class") or "no class", question,
                record.get("decode_tps") if alone else None,
                record.get("prefill_tps") if alone else None,
                None if alone or record.get("speed_family") == "serving" else record.get("decode_tps"),
                ttft_s=_first(record),
            )
        )  # fmt: skip
    return found


def _first(record: Entry) -> float | None:
    """Seconds to the first token of a server with several requests."""
    served = record["batch"] > 1 and record.get("speed_family") == "serving"
    rate, prompt = record.get("prefill_tps"), record.get("prefill_tokens")
    return prompt / rate if served and rate and prompt and record["batch"] <= SERVED else None


def _answer(record: Entry) -> int:
    """Tokens of an answer, from the depth in its middle; 128 where that says nothing."""
    length = round(2 * (record.get("depth", 0) - record.get("prefill_tokens", 0)))
    return length if record["batch"] > 1 and length > 0 else 128


def _split(written: str | None) -> str | None:
    return written if written in ("layer", "tensor") else None


def read_extra(path: Path) -> list[Asked]:
    """A YAML or JSON list of single-stream records; another file gives nothing.

    Fields: kind (decode), quality, model, params_total_b, params_active_b, arch, layers, quantization, file_gib,
    hardware, hardware_class, bandwidth_gbps, count, multi, engine, engine_version, backend, depth_tokens,
    decode_tps, prefill_tps, prefill_test, bytes_per_token_gb.
    """
    import yaml

    from knowledge.speed_accuracy import PEER_EFFICIENCY, Asked

    records = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    found: list[Asked] = []
    for record in records if isinstance(records, list) else ():
        if not isinstance(record, dict) or record.get("kind") != "decode" or record.get("quality") == "low":
            continue
        size, rate = record.get("bytes_per_token_gb"), record.get("bandwidth_gbps")
        multi = record.get("multi") or ""
        ranks = (record.get("count") or 1) if _tensor(multi) else 1
        group = names.class_of(record.get("hardware_class") or "") or "no class"
        if record.get("hardware_class") == "apple_cpu":
            group += "@cpu"
        found.append(
            Asked(
                group, _question(record, multi), record.get("decode_tps"), record.get("prefill_tps"), None,
                PEER_EFFICIENCY * rate * ranks / size if size and rate else None,
            )
        )  # fmt: skip
    return found


def _tensor(multi: str) -> bool:
    return "TP" in multi or "tensor" in multi


def _question(record: Entry, multi: str) -> Question:
    version = record.get("engine_version")
    test = record.get("prefill_test") or ""
    return Question(
        model=record.get("model"), params_b=record.get("params_total_b"),
        active_b=record.get("params_active_b") if record.get("arch") == "moe" else None,
        layers=record.get("layers"), format=record.get("quantization"),
        file_gib=record.get("file_gib") or record.get("file_gib_elsewhere"), device=record.get("hardware"),
        bandwidth_gbs=record.get("bandwidth_gbps"), speed_class=record.get("hardware_class"),
        count=record.get("count"), split="tensor" if _tensor(multi) else "layer" if multi else None,
        engine=f"{record['engine']}@{version}" if version else record.get("engine"), backend=record.get("backend"),
        depth=record.get("depth_tokens") or 0, input=int(test[2:]) if test[2:].isdigit() else 512,
    )  # fmt: skip


def read_serving(path: Path) -> list[Asked]:
    """A CSV table of serving runs; one without these columns gives nothing.

    Columns: backend, model_path, system, precision, gemm_quant_mode, isl, osl, batch_size, tp_size,
    attention_dp_size, silicon_tpot_ms. The total is compared, requests over time per output token; with
    silicon_ttft_ms the time to the first token too.
    """
    from knowledge.speed_accuracy import Asked

    found = []
    with path.open(encoding="utf-8") as stream:
        for line in csv.DictReader(stream):
            if not {"silicon_tpot_ms", "model_path", "system", "tp_size", "batch_size"} <= line.keys():
                return []
            tp, batch = int(line["tp_size"]), round(float(line["batch_size"]))
            if tp > 8 or (line["attention_dp_size"] or "1") != "1":
                continue  # ranks that hold different requests are another layout than tensor parallelism
            experts = int(line.get("moe_tp_size") or 1) * int(line.get("moe_ep_size") or 1)
            if experts > tp:
                continue  # the same, told by the ranks among which the experts are shared out
            named = _TYPE.search(line["model_path"])
            type_ = line["gemm_quant_mode"] or line["precision"] or (named[0] if named else "bf16")
            if "gpt-oss" in line["model_path"]:
                type_ = "mxfp4"  # published so, whatever the run calls it
            question = Question(
                model=line["model_path"], format=type_.removesuffix("_block"),
                device=_SYSTEMS.get(line["system"], line["system"]), count=tp, split="tensor",
                engine=_ENGINES.get(line["backend"], line["backend"]), batch=batch,
                input=int(line["isl"]), output=int(line["osl"]),
            )  # fmt: skip
            measured = batch / float(line["silicon_tpot_ms"]) * 1e3
            alone = measured if batch == 1 else None
            first = float(line.get("silicon_ttft_ms") or 0) / 1e3
            together = None if alone else measured
            found.append(Asked(line["model_path"], question, alone, None, together, ttft_s=first or None))
    return found
