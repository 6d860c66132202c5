"""The closed list of memory rules, and which of them hold for an engine, mode, back end and version.

An engine entry chooses rules by name and gives parameters; the arithmetic of each rule is in the module
that carries its name. Where an entry is silent the table in `wizard/memory/assumed.py` stands in and the
profile remembers it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import lcm
from types import ModuleType
from typing import Any

from wizard import versions

from .. import assumed
from ..cache import Memo
from . import (
    activation,
    budget_fraction_of_free,
    budget_fraction_of_total,
    budget_need,
    communication,
    compute_buffer,
    context_overhead,
    draft_model,
    graphs,
    host_weights,
    kv_mla,
    kv_none,
    kv_pad,
    kv_page,
    kv_replicate,
    kv_state_page,
    kv_type,
    kv_windowed,
    lora_slots,
    prefill_chunk,
    prompt_cache,
    state_slots,
    vision_encoder,
    weights_loaded,
)
from .base import Parameter, Parameters, complete

RULES: dict[str, ModuleType] = {
    module.NAME: module
    for module in (
        activation, budget_fraction_of_free, budget_fraction_of_total, budget_need, communication,
        compute_buffer, context_overhead, draft_model, graphs, host_weights, kv_mla, kv_none, kv_pad, kv_page,
        kv_replicate, kv_state_page, kv_type, kv_windowed, lora_slots, prefill_chunk, prompt_cache, state_slots,
        vision_encoder, weights_loaded,
    )
}  # fmt: skip
BUDGETS = ("budget-fraction-of-total", "budget-fraction-of-free", "budget-need")
_NOT_PARAMETERS = frozenset({"rule", "mode", "backend", "chips", "versions", "switch", "source", "note"})

__all__ = ["BUDGETS", "RULES", "Parameter", "Profile", "problems", "profile"]


@dataclass(frozen=True, eq=False)
class Profile:
    """Rules with parameters for one engine, mode, back end and version; compared by identity.

    granule: tokens by which a request's KV grows; chunk: tokens of the largest prefill step;
    batch: requests an engine profiles with at once;
    assumed: text ids of the stand-ins that were used; sources: readings of the rules that were not.
    """

    budget: ModuleType
    parameters: dict[str, dict[str, Any]]
    granule: int
    chunk: int
    batch: int
    assumed: tuple[str, ...]
    sources: tuple[str, ...] = ()
    stated: frozenset[str] = field(default=frozenset())
    alone: tuple[str, ...] = ()  # the stand-ins that matter on one rank

    def of(self, rule: str) -> dict[str, Any]:
        """Parameters of a rule, defaults filled in."""
        return self.parameters[rule]

    def queues(self) -> bool:
        """Whether a request that finds no room waits instead of stopping the engine."""
        return self.budget.RESERVES or bool(self.parameters[self.budget.NAME]["queues"])

    def said(self, ranks: int) -> tuple[str, ...]:
        """The stand-ins that matter with so many ranks."""
        return self.assumed if ranks > 1 else self.alone


_profiles = Memo()


def profile(
    engine: dict[str, Any],
    mode: str | None,
    backend: str,
    version: str,
    unified: bool,
    memory_bytes: int,
    device: str = "",
    arch: str = "",
) -> Profile:
    """The rules of an engine entry that hold here. Of two lines for one rule the first that matches wins.

    memory_bytes: what the card reports; some engines choose defaults by it, and by the device's id. arch: chip
    family, such as sm_90; a line that names chips holds on these alone.
    """
    size = prefill_chunk.size_class(memory_bytes)
    if size and any(device in line.get("small_on", "").split() for line in engine.get("memory", ())):
        size = 0
    chip = arch if any(arch in line.get("chips", "").split() for line in engine.get("memory", ())) else ""
    key = (mode, backend, version, unified, size, chip)
    return _profiles.get(engine, key, lambda: _resolve(engine, mode, backend, version, unified, size, chip))


def _resolve(
    engine: dict[str, Any], mode: str | None, backend: str, version: str, unified: bool, size: int, chip: str
) -> Profile:
    version = version or engine.get("versions", {}).get("stable", "")
    given: dict[str, Parameters] = {}
    sources: list[str] = []
    for line in engine.get("memory", ()):
        if line["rule"] in given or line["rule"] not in RULES or not _holds(line, mode, backend, version, chip):
            continue
        if line["rule"] in BUDGETS and any(name in given for name in BUDGETS):
            continue
        given[line["rule"]] = line
        source = line.get("source", ())
        sources += [source] if isinstance(source, str) else source
    table = assumed.RULES[assumed.kind_of(backend, unified)]
    said = []
    # a line may carry a parameter that no source states; it says so itself
    stated = frozenset(name for name, line in given.items() if line.get("note") != "assumed")
    for name, stand_in in table.items():
        missing = not any(b in given for b in BUDGETS) if name in BUDGETS else name not in given
        # a ggml compute buffer is the activation peak of that engine
        if name == "activation" and "compute-buffer" in given:
            missing = False
        if missing:
            given[name] = stand_in
            if name in assumed.SAID:
                said.append(assumed.SAID[name])
    parameters = {name: complete(rule.PARAMETERS, given.get(name, {})) for name, rule in RULES.items()}
    if unified or backend in assumed.CPU_BACKENDS:  # system memory is the same memory
        parameters["budget-need"]["input_on_host"] = False
    granule = lcm(kv_page.granule(parameters["kv-page"]), kv_pad.granule(parameters["kv-pad"]))
    return Profile(
        RULES[next(name for name in BUDGETS if name in given)],
        parameters,
        granule,
        prefill_chunk.tokens(parameters["prefill-chunk"], size),
        activation.batch(parameters["activation"], size),
        tuple(said),
        tuple(dict.fromkeys(sources)),
        stated,
        tuple(text for text in said if text != assumed.SAID["communication"]),
    )


def _holds(line: Parameters, mode: str | None, backend: str, version: str, chip: str) -> bool:
    if line.get("switch"):  # holds only for a start with that switch, see query
        return False
    if line.get("mode") and line["mode"] != mode:
        return False
    if line.get("chips") and chip not in line["chips"].split():
        return False
    wanted = line.get("backend")
    if wanted and backend not in ([wanted] if isinstance(wanted, str) else wanted):
        return False
    return versions.matches(line.get("versions"), version)


def problems(line: Parameters) -> list[str]:
    """What is wrong with one line of an engine's `memory`, in words; empty when it can be used."""
    rule = RULES.get(line.get("rule", ""))
    if rule is None:
        return [f"no memory rule is called {line.get('rule')!r}; known: {', '.join(sorted(RULES))}"]
    found = []
    for name, value in line.items():
        if name in _NOT_PARAMETERS:
            continue
        declared = rule.PARAMETERS.get(name)
        if declared is None:
            found.append(f"{rule.NAME} has no parameter {name!r}; it has: {', '.join(sorted(rule.PARAMETERS))}")
        elif not isinstance(value, declared.kind) or (isinstance(value, bool) and declared.kind is not bool):
            found.append(f"{rule.NAME}: {name} cannot be {value!r}")
        elif declared.values and value not in declared.values:
            found.append(f"{rule.NAME}: {name} is one of {', '.join(declared.values)}")
    needed = [name for name, parameter in rule.PARAMETERS.items() if parameter.default is None]
    return found + [f"{rule.NAME} needs {name!r}" for name in needed if name not in line]
