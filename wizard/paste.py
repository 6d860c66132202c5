"""What a person pastes or drops into the wizard, read: outputs of system tools, files of a model.

The results are plain data for a dialog, which shows them for confirmation before they fill the form: `fields` are
the form's own, and a sentence is an id with its parameters; the page has the words.
"""

from __future__ import annotations

import io
import json
import re
from typing import Any

from . import importers
from .address import fragment, to_flat
from .importers import ImportProblem, gguf, hardware, safetensors
from .kb import KB
from .models import check_architecture

Plain = dict[str, Any]

MAX_TEXT = 8_000_000  # characters of one JSON file; the largest index is a third of it
# a file within files so often is none of a model, and the browser's Python has no stack for it
_DEEP = re.compile(r'(?:[\[{]\s*(?:"[^"\\]{0,200}"\s*:\s*)?){64}')
_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".onnx", ".npz")


def read_hardware(text: str, kb: KB) -> Plain:
    """`importers.hardware.read` with the names that the form shows: "shown" is [[count, name, GiB or None]]."""
    found = hardware.read(text, kb)
    found["shown"] = [
        [d["count"], kb.devices[d["device"]]["name"], d.get("memory_gib")]
        if "device" in d
        else [d["count"], d["custom"]["name"], d["custom"]["memory_gib"]]
        for d in found["devices"]
    ]
    return found


def read_model(files: list[Plain], kb: KB, name: str = "") -> Plain:
    """The model in files that belong together: [{"name", "text"}] with the config.json among them.

    name: what to call the model, where the person or a hub named it. Returns {"fields", "known": name of the same
    model in the knowledge or None, "name", "params", "active", "layers", "format", "kv", "said", "index": {"bytes",
    "files"} or None, "link": characters of the address} or {"problem": {"id", "params"}}.
    """
    parts: Plain = {}
    for file in files:
        text = str(file["text"])[:MAX_TEXT]
        name_ = str(file["name"])
        try:
            if _DEEP.search(text):
                raise ValueError("too deep")
            data = json.loads(text)
        except (ValueError, RecursionError):
            weights = name_.lower().endswith(_WEIGHTS)
            return _refused(name_, "", "weights" if weights else "not-json" if text.strip() else "empty", "")
        parts[_kind(data, name_)] = (data, name_)
    if "other" in parts:
        parts.setdefault("config", parts["other"])
    try:
        index = safetensors.read(parts["index"][0]) if "index" in parts else None
    except ImportProblem as error:
        return _problem(parts["index"][1], error)
    held = {"bytes": index.bytes, "files": len(index.files)} if index else None
    if "config" not in parts:
        return _refused(next(iter(parts.values()))[1] if parts else "", "", "no-config", "", held)
    config, file = parts["config"]
    if "quant" in parts and isinstance(config, dict) and not config.get("quantization_config"):
        config = {**config, "quantization_config": _method(parts["quant"][0])}
    try:
        found = importers.architecture(config, parts["modelopt"][0] if "modelopt" in parts else None)
    except ImportProblem as error:
        return _problem(file, error)
    return _model(found, name, file, held, kb)


def read_gguf(data: bytes, whole: bool, kb: KB, name: str = "") -> Plain:
    """The model in the beginning of a GGUF file, as `read_model`, or {"more": True} when the header goes on.

    whole: there is nothing behind `data`, so that an end within the header is a defect of the file.
    """
    try:
        found = gguf.architecture(io.BytesIO(data))
    except ImportProblem as error:
        if error.kind == "cut" and not whole:
            return {"more": True}
        return _problem(name, error)
    return _model(found, "", name, {"bytes": (found.format or {}).get("bytes"), "files": 1}, kb)


def _kind(data: Any, name: str) -> str:
    if not isinstance(data, dict):
        return "config"
    if "weight_map" in data:
        return "index"
    if "producer" in data and "quantization" in data:
        return "modelopt"
    sizes = ("hidden_size", "n_embd", "d_model", "num_hidden_layers", "n_layer", "architectures", "text_config")
    if any(key in data for key in sizes):
        return "config"
    if "bits" in data or "w_bit" in data:
        return "quant"
    if any(key in data for key in ("added_tokens", "added_tokens_decoder", "tokenizer_class")):
        return "tokenizer"
    return "config" if name.lower() == "config.json" else "other"  # a generation_config.json goes before no config


def _method(section: Any) -> Any:
    """The file of a quantizer names itself by its keys only: AWQ writes w_bit, GPTQ bits."""
    if not isinstance(section, dict) or section.get("quant_method"):
        return section
    return {**section, "quant_method": "awq" if "w_bit" in section else "gptq"}


def _model(found: importers.Imported, name: str, file: str, held: Plain | None, kb: KB) -> Plain:
    entry, problems = check_architecture({**found.entry, **({"name": name} if name else {})})
    if entry is None:
        first = problems[0]
        return _refused(file, first.path.removeprefix("model.architecture."), "impossible", first.value)
    known = _known(entry, name, kb)
    model: Plain = {"id": known} if known else {"architecture": entry}
    stated: Plain = {"model": model}
    written = found.format or {}
    family, type_ = written.get("family"), written.get("type")
    named = family in kb.formats and any(t["id"] == type_ for t in kb.formats[family]["types"])
    if named and not (family == "safetensors" and known):  # what a known model is published in is known
        stated["format"] = {"family": family, "type": type_}
    return {
        "fields": to_flat(stated),
        "known": kb.models[known]["name"] if known else None,
        "name": entry["name"],
        "params": entry["params"]["total"],
        "active": entry["params"]["active"],
        "layers": entry["layers"],
        "format": f"{kb.formats[family]['name']}, {kb.type_of(family, type_)['name']}" if named else None,
        "kv": found.kv,
        "said": [{"id": said.id.removeprefix("paste."), "params": said.values} for said in found.said[:8]],
        "index": held,
        "link": len(fragment(stated)),
    }


def _known(entry: Plain, name: str, kb: KB) -> str | None:
    """The model of the knowledge that has the same matrices and the same attention; of several the one so named."""
    mine = _shape(entry)
    same = [id_ for id_, model in kb.models.items() if model.get("groups") and _shape(model) == mine]
    hit = kb.find_model(name[:200]) if name and len(same) > 1 else None
    return hit[0] if hit and hit[0] in same else next(iter(same), None)


def _shape(entry: Plain) -> Any:
    """What two names of one model share; towers and a few named leftovers are described in more ways than one."""
    groups: dict[str, int] = {}
    for row in entry["groups"]:
        if row["group"] not in ("vision", "audio"):
            name = "mlp" if row["group"] == "other" else row["group"]
            groups[name] = groups.get(name, 0) + row["params"]
    attention = [{k: v for k, v in g.items() if k != "heads"} for g in entry.get("attention") or []]
    kinds = sorted(json.dumps(g, sort_keys=True) for g in attention)
    return entry["layers"], entry["hidden"], entry["vocab"], sorted(groups.items()), kinds


def _problem(file: str, error: ImportProblem) -> Plain:
    return _refused(file, error.field, error.kind, **error.values)


def _refused(file: str, field: str, id_: str, value: Any, held: Plain | None = None, **more: Any) -> Plain:
    params = {"file": str(file)[:120], "field": str(field)[:120], "value": str(value)[:200], **more}
    return {"problem": {"id": id_, "params": params}, "index": held}
