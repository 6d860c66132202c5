"""What the commands share: numbers as flags, files as flags, and how both are refused."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from .importers import Imported, architecture

LANGUAGES = ("en", "vi", "ru")


class Wrong(ValueError):
    """What is wrong with the command line or a file, in one sentence."""


def whole(text: str) -> int:
    """A whole number above 0, also as tables write it ("16.0")."""
    value = _number(text)
    if not 1 <= value <= 10**9 or value != int(value):
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number above 0 is needed")
    return int(value)


def count(text: str) -> int:
    """A whole number, or 0."""
    return 0 if _number(text) == 0 else whole(text)


def positive(text: str) -> float:
    """A number above 0."""
    value = _number(text)
    if not 0 < value <= 10**9:
        raise argparse.ArgumentTypeError(f"{text!r}: a number above 0 is needed")
    return value


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a share from 0 to 1 is needed")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: a number is needed") from None


# what a file or folder that holds quantized weights is named
_QUANTIZED = re.compile(r"(?<![A-Za-z])(?:NVFP4|MXFP4|FP8|AWQ|GPTQ|INT[48]|W[48]A\d+)(?![A-Za-z])", re.IGNORECASE)


def config(name: str, quantization: bool = True) -> Imported:
    """The architecture of a config.json, or of the folder it is in, with hf_quant_config.json beside it.

    quantization: whether the format that the files state is wanted. Raises Wrong or ImportProblem.
    """
    file = Path(name)
    if file.is_dir():
        file = file / "config.json"
    beside = file.with_name("hf_quant_config.json")
    more = read_json(beside) if beside.is_file() and beside != file else None
    read = architecture(read_json(file), more, quantization)
    named = _QUANTIZED.search(f"{file.parent.name}/{file.stem}" if file.parent.name else file.stem)
    if named and read.format and read.format["bits"] >= 16:
        told = (
            f"quantization_config missing, though the name says {named[0]}: taken as {read.format['type']} "
            "(give --format, or put hf_quant_config.json beside it)"
        )
        read = read._replace(said=(*read.said, told))
    return read


def read_json(file: Path) -> Any:
    """What a JSON file holds. Raises Wrong."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Wrong(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Wrong(f"{file}: not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Wrong(f"{file}: not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise Wrong(f"{file}: nested too deeply") from None
