"""Numbers of one's own: hardware described by memory, bandwidth and compute, a model described by its size."""

from __future__ import annotations

from html import escape

from macros.view import View

# part of an own device, label, unit; the first is needed
_NUMBERS = (
    ("memory_gib", "form.own-memory", "unit.gib"),
    ("bandwidth_gbs", "form.own-bandwidth", "unit.gbs"),
    ("tflops", "form.own-compute", "form.tflops"),
)
# what an own processor may be called by, see `wizard.facts`
_SETS = {"avx2": "AVX2", "avx512": "AVX-512", "amx": "AMX", "neon": "NEON"}
_EXAMPLES = 2


def device(view: View) -> str:
    """The fields of an own device, as a template that a script puts into the row where it was chosen."""
    numbers = "".join(
        f'<label>{view.t(label)}<span class="wf-number wf-measured">'
        f'<input type="text" inputmode="decimal" data-part="{part}">'
        f'<span class="wf-unit">{view.t(unit)}</span></span></label>'
        for part, label, unit in _NUMBERS
    )
    return (
        f'<template data-we-own><div class="wf-own" data-own>{numbers}'
        f'<label>{view.t("form.own-name")}<input type="text" data-part="name" maxlength="60"></label>'
        f'<label class="wf-own-chip">{view.t("form.own-chip")}<select data-part="chip">'
        f'<option value="">{view.t("wizard-page.unknown")}</option>{_chips(view)}</select></label></div></template>'
    )


def _chips(view: View) -> str:
    """Kernel targets of the known devices by maker, each with cards that have it; instruction sets of processors."""
    groups: dict[str, dict[tuple[str, str], list[tuple[float, str]]]] = {}
    for id_, entry in view.world.entries("device").items():
        if entry["kind"] in ("gpu", "soc"):
            chips = groups.setdefault(entry["vendor"], {})
            band = entry.get("bandwidth_gbs")
            speed = float(band["is"]) if isinstance(band, dict) and isinstance(band.get("is"), int | float) else 0.0
            chips.setdefault((entry["arch"], entry["kind"]), []).append((speed, view.words.device(id_)))
    found = ""
    for vendor, chips in groups.items():
        rows = "".join(_chip(vendor, kind, arch, cards) for (arch, kind), cards in sorted(chips.items(), key=_order))
        found += f'<optgroup label="{escape(view.plain(f"wizard-page.vendor-{vendor}"))}">{rows}</optgroup>'
    rows = "".join(f'<option value=":cpu:{id_}">{name}</option>' for id_, name in _SETS.items())
    return f'{found}<optgroup label="{escape(view.plain("wizard-page.kind-cpu"))}">{rows}</optgroup>'


def _order(item: tuple[tuple[str, str], list[tuple[float, str]]]) -> tuple[bool, int, str]:
    (arch, kind), _ = item
    digits = "".join(c for c in arch if c.isdigit())
    return kind != "gpu", -int(digits or 0), arch


def _chip(vendor: str, kind: str, arch: str, cards: list[tuple[float, str]]) -> str:
    names = [name for _, name in sorted(cards, reverse=True)[:_EXAMPLES]]
    return f'<option value="{vendor}:{kind}:{arch}">{escape(", ".join(names))} · {escape(arch)}</option>'


def model(view: View) -> str:
    """The fields of a model by its size, hidden until that is chosen; their names are paths of the Situation."""
    boxes = "".join(
        f'<label data-field="model.{path}">{view.t(f"form.own-{text}")}<span class="wf-number wf-measured">'
        f'<input type="text" inputmode="decimal" name="model.{path}">'
        f'<span class="wf-unit">{view.t("unit.billion")}</span></span></label>'
        for path, text in (("params_b", "params"), ("active_b", "active"))
    )
    return f'<div class="wf-own" data-own-model hidden>{boxes}</div>'
