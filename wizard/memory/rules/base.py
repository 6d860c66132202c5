"""What every memory rule declares: its parameters, so that the knowledge check can refuse a typing error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MIB = 1024**2
Parameters = Mapping[str, Any]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a rule. `default` None means that the entry has to give it."""

    kind: type | tuple[type, ...]
    help: str
    default: Any = None
    values: tuple[str, ...] = ()


def complete(declared: dict[str, Parameter], given: Parameters) -> dict[str, Any]:
    """Parameters of an entry with the declared defaults filled in."""
    return {name: given.get(name, parameter.default) for name, parameter in declared.items()}


def mib(value: float | int | None) -> int:
    """MiB as written in the knowledge, in whole bytes."""
    return round((value or 0) * MIB)


def round_up(value: int, multiple: int) -> int:
    """The next multiple, upwards."""
    return -(-value // multiple) * multiple
