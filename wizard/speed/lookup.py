"""The fitted constants for one class of device, engine family, back end and weight type, with fall back."""

from __future__ import annotations

from typing import Any, NamedTuple

from wizard.kb import fold
from wizard.memory.cache import Memo

from . import assumed, nodes
from .terms import READ_AND_WRITTEN, Constants, power


class Basis(NamedTuple):
    """Constants and what they rest on. node: the narrowest that exists; level: class, vendor or global.

    low and high: factors on a rate for the 80 % interval; share: part of the peak reached on prompts; ratio:
    operations per byte of bandwidth there, for devices without a peak; prompt: (low, high) of prompts on
    measured devices; unseen: on others; shown: what the reader is told.
    """

    constants: Constants
    path: tuple[str, ...]
    node: str
    level: str
    low: float
    high: float
    share: float
    ratio: float
    prompt: tuple[float, float]
    unseen: tuple[float, float]
    shown: dict[str, Any]


_memo = Memo()


def constants_of(kb: Any) -> dict[str, Any]:
    """The fitted constants of the base; empty before anything was fitted."""
    fitted = kb.core.get("constants") or {}
    return fitted.get("speed", fitted)


def basis_of(
    fitted: dict[str, Any], speed_class: str | None, vendor: str | None, family: str | None, backend: str,
    type_: str | None, link: str | None, device: str | None = None, across: str | None = None,
) -> Basis | None:  # fmt: skip
    """Basis for one kind of candidate, or None when not even the widest node was fitted.

    link: kind of link between tensor-parallel ranks of one machine, None for one rank; across: between machines;
    device: its id or name as measured.
    """
    key = (speed_class, vendor, family, backend, type_, link, device, across)

    def make() -> Basis | None:
        path = nodes.path(speed_class, vendor, family, backend)
        name = f"{device}@cpu" if path[0] == "cpu" else device
        group = nodes.unpacking(type_, backend)
        return basis_at(fitted, path, family, group, link, speed_class, name, across, nodes.integers(type_))

    return _memo.get(fitted, key, make)


def basis_at(
    fitted: dict[str, Any], path: tuple[str, ...], family: str | None, group: str | None, link: str | None,
    speed_class: str | None = None, device: str | None = None, across: str | None = None, integers: bool = False,
) -> Basis | None:  # fmt: skip
    """Basis at the narrowest fitted node of a path. group: of weight types that cost more to unpack; device:
    what the device's own factor is called (see `knowledge.calibrate.rows.Row.key`); integers: see `nodes`."""
    known = fitted.get("nodes", {})
    node = next((name for name in reversed(path) if name in known), None)
    if node is None:
        return None
    found = known[node]
    level = nodes.level(node)
    spread = found if level == "class" else fitted["fallback"][level]
    family = family or ""
    own = fitted["devices"].get(device, 1.0) if device else 1.0
    moe = fitted["moe"].get(family, assumed.MOE_OVERHEAD)
    constants = Constants(
        overhead=found["overhead_us"] * 1e-6 * own,
        moe_overhead=moe * fitted["moe_integers"].get(family, 1.0) if integers else moe,
        efficiency=found["efficiency"] / own,
        unpacking=fitted["unpacking"].get(group, 1.0) if group else 1.0,
        weight=fitted["weight_ops"].get(group or nodes.PLAIN, 0.0) if path[0] == "cpu" else 0.0,
        kv_efficiency=_product(fitted["kv_efficiency"], path),
        sequence=fitted["sequence_us"].get(family, assumed.SEQUENCE_US) * 1e-6,
        compute=fitted["compute"].get(family, assumed.COMPUTE_SHARE),
        expert_power=fitted["expert_power"].get(family, assumed.EXPERT_POWER),
        link=_link(fitted["link_us"], link) if link else 0.0,
        link_sequence=_per_sequence(fitted["link_sequence_us"], link) if link else 0.0,
        across=_link(fitted["link_us"], across) if across else 0.0,
        across_sequence=_per_sequence(fitted["link_sequence_us"], across) if across else 0.0,
        prefill=fitted["prompts"].get(family, assumed.PROMPT_SHARE),
        state=fitted["state_passes"].get(family, READ_AND_WRITTEN),
    )
    shown = {
        "class": (speed_class if level == "class" else node.rpartition("/")[2] if level == "vendor" else "global"),
        "family": family or None,
        "level": level,
        "records": found["records"],
        "machines": found["machines"],
        "error": found["error"] if level == "class" else spread["error"],
        "coverage": found["coverage"] if level == "class" else fitted["errors"]["coverage"],
    }
    prompts = fitted["prefill"]
    return Basis(
        constants, path, node, level, spread["low"], spread["high"],
        _product(prompts["share"], path), _product(prompts["ratio"], path), _ends(prompts["nodes"], path),
        _ends(prompts["unseen"], path), shown,
    )  # fmt: skip


def _ends(table: dict[str, Any], path: tuple[str, ...]) -> tuple[float, float]:
    """(low, high) of the narrowest node that has them; the widest always has."""
    found = next(table[name] for name in reversed(path) if name in table)
    return found["low"], found["high"]


def over(yearly: float, years: float) -> float:
    """yearly ** years, to a sixteenth of a year."""
    whole, rest = divmod(round(16 * years), 16)
    grown = power(yearly, rest)
    for _ in range(whole):
        grown *= yearly
    return grown


def at_age(fitted: dict[str, Any], basis: Basis, years: float) -> Basis:
    """The basis for a build so many years old: overheads were longer by a factor a year."""
    grown = over(fitted["yearly"].get(basis.shown["family"] or "", fitted["yearly"][""]), years)
    constants = basis.constants
    return basis._replace(constants=constants._replace(overhead=constants.overhead * grown))


def of_engine(fitted: dict[str, Any], basis: Basis, engine: str) -> Basis:
    """The basis for an engine whose kernels for processors differ from those of its family."""
    factor = fitted["weight_engine"].get(fold(engine), 1.0)
    constants = basis.constants
    return basis._replace(constants=constants._replace(weight=constants.weight * factor)) if factor != 1.0 else basis


def without_flash(fitted: dict[str, Any], basis: Basis) -> Basis:
    """The basis for attention in several kernels, which pass their intermediate results through memory."""
    known = fitted["plain_attention"]
    worse = _product(known, basis.path) if basis.path[0] in known else assumed.PLAIN_ATTENTION
    constants = basis.constants
    return basis._replace(constants=constants._replace(kv_efficiency=constants.kv_efficiency / worse))


def _product(table: dict[str, float], path: tuple[str, ...]) -> float:
    """The value at the root times the corrections of the nodes below it."""
    found = 1.0
    for name in path:
        found *= table.get(name, 1.0)
    return found


def link_name(links: dict[str, Any], between: bool) -> str:
    """The fitted or assumed link that a link of the Situation counts as; machines are joined by ethernet
    and cards by PCIe unless it says otherwise."""
    if between:
        kind = links.get("between")
        return "ethernet" if kind in (None, "none") else assumed.LINKS.get(kind, kind)
    kind = links.get("within") or "pcie"
    return assumed.LINKS.get(kind, kind)


def _link(measured: dict[str, float], link: str) -> float:
    return measured.get(link, assumed.UNMEASURED_US[link]) * 1e-6


def _per_sequence(measured: dict[str, float], link: str) -> float:
    # not measured: ten kilobytes of activations per layer and token, there and back
    return measured[link] * 1e-6 if link in measured else 4e4 / assumed.LINK_RATE[link]


def measured_link(fitted: dict[str, Any], link: str | None) -> bool:
    """Whether the cost of a link was fitted and not assumed."""
    return link is None or link in fitted["link_us"]
