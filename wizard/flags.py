"""What the commands share: numbers as flags with their limits, files as flags, and how both are refused."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from .fields import FIELDS, MAX_COUNT
from .importers import Imported, Said, architecture
from .refused import Refused

LANGUAGES = ("en", "vi", "ru")

# Limits of what is no field of a Situation: beyond any model, machine or bill there is.
BILLIONS = (0.001, 100_000.0)  # parameters
LAYERS = (1, 10_000)
GIB = (0.001, 100_000.0)
GBS = (0.1, 100_000.0)
MONEY = (0.0001, 1e9)
COUNT = (1, MAX_COUNT)


def of_field(path: str) -> tuple[float, float]:
    """The limits of a field of the Situation."""
    return FIELDS[path].low, FIELDS[path].high


def whole(flag: str, low: float, high: float) -> Callable[[str], int]:
    """Reads a whole number within limits, also as tables and the form write it ("16.0", "32,768", "32k" as 32,768).
    Raises Refused."""

    def read(text: str) -> int:
        short = re.fullmatch(r"(\d{1,9}(?:[.,]\d{1,3})?)\s?([kKкКmMмМ])", text.strip())
        times = 1 if not short else 1024 if short[2] in "kKкК" else 1024**2
        value = _checked(flag, text, _parsed(short[1] if short else text), low, high, times)
        if value != int(value):
            raise Refused("terminal.flag-whole", flag=flag, value=text, low=low, high=high)
        return int(value)

    return read


def number(flag: str, low: float, high: float) -> Callable[[str], float]:
    """Reads a number within limits. Raises Refused."""
    return lambda text: _checked(flag, text, _parsed(text), low, high)


def _parsed(text: str) -> float | None:
    """A number as people and tables write it; None when it is none."""
    plain = text.strip()
    if re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+", plain):  # one number in every language
        plain = plain.replace(",", "")
    elif re.fullmatch(r"\d+,\d+", plain):  # a decimal comma, as the form takes it too
        plain = plain.replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


def _checked(flag: str, text: str, value: float | None, low: float, high: float, times: int = 1) -> float:
    if value is None:
        raise Refused("terminal.flag-number", flag=flag, value=text, low=low, high=high)
    if not low <= value * times <= high:  # also what is no number at all
        raise Refused("terminal.flag-range", flag=flag, value=text, low=low, high=high)
    return value * times


def one_of(flag: str, values: tuple[str, ...]) -> Callable[[str], str]:
    """Reads one of a few words. Raises Refused, which names them."""

    def read(text: str) -> str:
        if text.lower() not in values:
            raise Refused("terminal.flag-choice", flag=flag, value=text, known=", ".join(values))
        return text.lower()

    return read


def choice(values: tuple[str, ...]) -> str:
    """How the help shows what `one_of` takes."""
    return "{" + ",".join(values) + "}"


# The sentences of argparse that a person meets, as texts of ours: pattern, id, names of the groups.
_SAYS = (
    (re.compile(r"unrecognized arguments: (?P<value>\S+)"), "unknown"),
    (re.compile(r"argument (?P<flag>\S+): expected (?:one|at least one) argument"), "empty"),
    (re.compile(r"argument (?P<flag>\S+): not allowed with argument (?P<other>\S+)"), "both"),
    (re.compile(r"argument (?P<flag>\S+): ignored explicit argument '(?P<value>.*)'"), "no-value"),
    (re.compile(r"argument (?P<flag>\S+): invalid choice: '(?P<value>.*)' \(choose from (?P<known>.*)\)"), "choice"),
    (re.compile(r"ambiguous option: (?P<value>\S+) could match (?P<known>.*)"), "ambiguous"),
    (re.compile(r"one of the arguments (?P<flag>.*) is required"), "needed"),
    (re.compile(r"the following arguments are required: (?P<flag>.*)"), "needed"),
)  # fmt: skip


class Parser(argparse.ArgumentParser):
    """A parser that raises Refused instead of printing its usage and ending the process."""

    def error(self, message: str) -> NoReturn:
        """The sentence of argparse as one of ours."""
        for pattern, id_ in _SAYS:
            found = pattern.match(message)
            if found:
                values = {k: v.replace("'", "") if k in ("known", "flag") else v for k, v in found.groupdict().items()}
                if message.startswith("one of"):
                    values["flag"] = values["flag"].replace(" ", " | ")
                if id_ == "unknown":
                    near = get_close_matches(values["value"].partition("=")[0], self._options(), 1)
                    if near:
                        raise Refused("terminal.flag-unknown-near", **values, near=near[0])
                raise Refused(f"terminal.flag-{id_}", **values)
        raise Refused("terminal.flag-other", what=message)

    def _options(self) -> list[str]:
        """The options of this parser and of its commands."""
        commands = [choices for action in self._actions if isinstance(choices := action.choices, dict)]
        parsers = [self, *(parser for choices in commands for parser in choices.values())]
        return sorted({name for parser in parsers for name in parser._option_string_actions})


def visible(text: str, lines: bool = False) -> str:
    """A text whose marks cannot steer a terminal: control characters and turns of direction as "\\x1b".

    lines: whether new lines stay.
    """
    kept = "\n\t" if lines else ""
    return "".join(c if c in kept or not _steers(c) else c.encode("unicode_escape").decode() for c in text)


def _steers(c: str) -> bool:
    code = ord(c)
    return code < 32 or 127 <= code < 160 or 0x2028 <= code <= 0x202E or 0x2066 <= code <= 0x2069 or code == 0x061C


# what a file or folder that holds quantized weights is named
_QUANTIZED = re.compile(r"(?<![A-Za-z])(?:NVFP4|MXFP4|FP8|AWQ|GPTQ|INT[48]|W[48]A\d+)(?![A-Za-z])", re.IGNORECASE)


def config(name: str, quantization: bool = True) -> Imported:
    """The architecture of a config.json, or of the folder it is in, with hf_quant_config.json beside it.

    name: "-" is standard input. quantization: whether the format that the files state is wanted. Raises Refused
    or ImportProblem.
    """
    if name == "-":
        return architecture(_json("-", sys.stdin.read()), None, quantization)
    if not name.strip():
        raise Refused("terminal.flag-empty", flag="--config")
    file = Path(name)
    if file.is_dir():
        file = file / "config.json"
    beside = file.with_name("hf_quant_config.json")
    more = read_json(beside) if beside.is_file() and beside != file else None
    read = architecture(read_json(file), more, quantization)
    named = _QUANTIZED.search(f"{file.parent.name}/{file.stem}" if file.parent.name else file.stem)
    if named and read.format and read.format["bits"] >= 16:
        told = Said("terminal.config-named", {"name": named[0], "type": read.format["type"]})
        read = read._replace(said=(*read.said, told))
    return read


def read_json(file: Path) -> Any:
    """What a JSON file holds. Raises Refused."""
    try:
        return _json(str(file), file.read_text(encoding="utf-8"))
    except OSError as error:
        raise unreadable(str(file), error) from None
    except UnicodeDecodeError:
        raise Refused("terminal.file-not-text", file=file) from None


def unreadable(name: str, error: OSError) -> Refused:
    """A file that the system does not give, by the cases that people meet."""
    if isinstance(error, FileNotFoundError):
        return Refused("terminal.file-none", file=name)
    if isinstance(error, PermissionError):
        return Refused("terminal.file-closed", file=name)
    if isinstance(error, IsADirectoryError):
        return Refused("terminal.file-folder", file=name)
    return Refused("terminal.file-unreadable", file=name, reason=error.strerror or "")


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Refused("terminal.file-not-json", file=name, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise Refused("terminal.file-deep", file=name) from None
