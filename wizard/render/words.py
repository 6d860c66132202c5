"""Names for what the decision holds as ids and conditions: values, layouts, needed values, changes."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from ..kb import KB
from ..texts import Texts
from ..vocabulary import PATHS
from . import numbers

Plain = dict[str, Any]

_COMPARISON = re.compile(r"^(>=|<=|<|>)\s*(\d[\d.]*)$")
_RANGE = re.compile(r"^(\d[\d.]*)\.\.(\d[\d.]*)$")
_SIZE = re.compile(r"^(\d[\d.]*) GiB$")  # an own device without a name
_SIGNS = {">=": "at-least", "<=": "at-most", "<": "below", ">": "above"}
# Groups of words.yml whose name is not that of the path's last part.
_GROUPS = {
    "device.kind": "device-kind",
    "model.kind": "model-kind",
    "engine.status": "status",
    "within": "link",
    "between": "link",
    "needs": "feature",
    "tasks": "task",
}
# Makers' prefixes that a table column has no room for; the device's page has the full name.
_PREFIX = re.compile(r"^(?:(?:NVIDIA|GeForce|Tesla|AMD|Radeon|Instinct|Intel|Apple)\s+)+(?=\S)")


class Words:
    """Plain-text names; callers escape."""

    def __init__(self, texts: Texts, kb: KB) -> None:
        self.texts = texts
        self.kb = kb
        self.lang = texts.lang

    # ------------------------------------------------------------------ entries

    def engine(self, id_: str, mode: str | None = None) -> str:
        """Name of an engine, with its mode."""
        entry = self.kb.engines.get(id_)
        if not entry:
            return id_
        name = entry["name"]
        chosen = next((m["name"] for m in entry.get("modes", []) if m["id"] == mode), None) if mode else None
        return name if not chosen or name in chosen else f"{name} {chosen}"

    def device(self, id_: str, name: str | None = None) -> str:
        """Short name of a device, without the maker."""
        entry = self.kb.devices.get(id_) or {}
        own = entry.get("name")
        if "called" in entry and (name or own) == own:
            return _PREFIX.sub("", self.texts.plain(entry["called"]))
        unnamed = _SIZE.match(name or "") if not entry else None
        if unnamed:
            return f"{numbers.number(float(unnamed[1]), self.lang)} {self.texts.plain('unit.gib')}"
        return _PREFIX.sub("", name or own or id_)

    @cached_property
    def called(self) -> dict[str, str]:
        """Names of devices that are called otherwise in this language, by their English names."""
        own = {e["name"]: self.texts.plain(e["called"]) for e in self.kb.devices.values() if "called" in e}
        return {name: said for name, said in own.items() if said != name}

    def devices(self, devices: list[Plain]) -> str:
        """ "2 × RTX 3090 + RTX 4090" of a Situation or a layout."""
        parts = []
        for item in devices:
            custom = item.get("custom") or {}
            name = self.device(item.get("device") or "", item.get("name") or custom.get("name"))
            if not name and custom:
                name = f"{numbers.number(custom['memory_gib'], self.lang)} {self.texts.plain('unit.gib')}"
            count = item.get("count") or 1
            parts.append(f"{count} × {name}" if count > 1 else name)
        return " + ".join(parts)

    def model(self, model: Any) -> str:
        """Name of the model of a Situation, or its size; empty when none was named."""
        if not model:
            return ""
        if isinstance(model, str):
            return self.kb.models.get(model, {}).get("name", model)
        if model.get("id"):
            return self.kb.models.get(model["id"], {}).get("name", model["id"])
        if model.get("architecture"):
            arch = model["architecture"]
            return str(arch.get("name") or arch.get("architecture") or self.texts.plain("value.your-model"))
        return self.texts.plain("value.model-size", n=model.get("params_b"))

    def format(self, format_: Plain | None, short: bool = False) -> str:
        """ "AWQ 4-bit", "GGUF Q4_K_M"; short drops the family where the type says enough."""
        if not format_:
            return ""
        family = self.kb.formats.get(format_["family"]) or {}
        name = family.get("name", format_["family"])
        type_ = self.kb.type_of(format_["family"], format_.get("type") or "")
        if not type_:
            return name if not format_.get("type") else f"{name} {format_['type']}"
        inside = name.lower().split()[0] in type_["name"].lower()
        alone = family.get("container") == "gguf" or len(family.get("types", ())) == 1
        return type_["name"] if inside or (short and alone) else f"{name} {type_['name']}"

    def publisher(self, id_: str) -> str:
        """Whose opinion: the name of a claim's or publisher's seed, or the id as words."""
        text = f"source.who.{id_}"
        return self.texts.plain(text) if self.texts.has(text) else id_.replace("-", " ")

    # ------------------------------------------------------------------ layouts

    def device_kind(self, layout: Plain) -> str:
        """card, or the text suffix for memory that is not on a card: soc, cpu, client."""
        devices = layout.get("devices") or [{}]
        kind = (self.kb.devices.get(devices[0].get("device") or "") or {}).get("kind", "gpu")
        return kind if kind in ("soc", "cpu", "client") else "card"

    def layout(self, layout: Plain, present: int | None = None) -> str:
        """How the model lies on the devices, as a phrase. `present`: devices in the machine."""
        t = self.texts.plain
        used = sum(d.get("count") or 1 for d in layout.get("devices") or [])
        tp, pp, dp, nodes = (layout.get(k) or 1 for k in ("tp", "pp", "dp", "nodes"))
        parts = []
        if tp > 1 and pp > 1:
            parts.append(t("layout.tp-pp", tp=tp, pp=pp))
        elif tp > 1:
            parts.append(t("layout.tp-both") if tp == 2 and nodes == 1 and dp == 1 else t("layout.tp", n=tp))
        elif pp > 1:
            parts.append(t("layout.pp-both") if pp == 2 and nodes == 1 and dp == 1 else t("layout.pp", n=pp))
        if (layout.get("ep") or 1) > 1:
            parts.append(t("layout.ep", n=layout["ep"]))
        if dp > 1:
            parts.append(t("layout.dp", n=dp))
        if nodes > 1:
            parts.append(t("layout.nodes", n=nodes))
        if not parts and present and present > used and used:
            parts.append(t("layout.only", device=self.devices(layout["devices"])))
        return ", ".join(parts)

    def layout_short(self, layout: Plain) -> str:
        """ "TP 2", "PP 2", "TP 8 EP 8": empty on one device."""
        names = (("tp", "TP"), ("pp", "PP"), ("ep", "EP"), ("dp", "DP"))
        return " ".join(f"{name} {layout[key]}" for key, name in names if (layout.get(key) or 1) > 1)

    def spec_short(self, rec: Plain) -> str:
        """Format and layout in one cell."""
        parts = (
            self.format(rec.get("format"), True), self.layout_short(rec.get("layout") or {}).replace(" ", "\u00a0"),
            self.processor_only(rec),
        )  # fmt: skip
        return ", ".join(part for part in parts if part)

    def processor_only(self, rec: Plain) -> str:
        """Said of a recommendation that leaves a GPU idle, which has too little memory; else empty."""
        idle = (rec.get("fit") or {}).get("idle_gpu_bytes") is not None
        return self.texts.plain("fit.cpu-only") if idle else ""

    # ------------------------------------------------------------------ values and conditions

    def path(self, path: str) -> str:
        """What a condition path is called."""
        parts = _slug(path.removeprefix("situation.").removeprefix("optional.")).split(".")
        parts = [p for p in parts if not p.isdigit()]  # "devices.0.count" is about the devices
        for end in range(len(parts), 0, -1):
            id_ = "path." + ".".join(parts[:end])
            if self.texts.has(id_):
                return self.texts.plain(id_)
        label = self._question_label(path.removeprefix("situation."))
        return self.texts.plain(label) if label else path

    def _question_label(self, path: str) -> str | None:
        for question in self.kb.questions.values():
            for field in question.get("fields", ()):
                if field["path"].removeprefix("optional.") == path.removeprefix("optional."):
                    return field["label"]
        return None

    def value(self, path: str, value: Any) -> str:
        """A value of a path by its name; numbers with their unit."""
        if value is None or value == "unknown":
            return self.texts.plain("value.unknown")
        if isinstance(value, list | tuple):
            join = self.texts.both if path.endswith("needs") else self.texts.either  # every must-have is one
            return join([self.value(path, v) for v in value]) or self.texts.plain("value.nothing")
        if isinstance(value, bool):
            return self.texts.show(value)
        if path == "devices":
            return self.devices([value]) if isinstance(value, dict) else self.device(str(value))
        if isinstance(value, dict):
            return self._map(path, value)
        if isinstance(value, int | float):
            return self._number(path, value)
        return self._name(path, str(value))

    def _map(self, path: str, value: Plain) -> str:
        if path == "format":
            return self.format(value)
        if path == "model":
            return self.model(value)
        if path == "settings.layout":
            return self.layout_short(value) or self.texts.plain("value.one-device")
        if path.endswith("engine_versions"):
            return ", ".join(f"{self.engine(k)} {v}" for k, v in value.items())
        return ", ".join(f"{k} {v}" for k, v in value.items())

    def _number(self, path: str, value: float) -> str:
        text = numbers.number(value, self.lang)
        for tail, unit in (("_gib", "gib"), ("_gbs", "gbs"), ("params_b", "billion"), ("active_b", "billion")):
            if path.endswith(tail):
                return f"{text} {self.texts.plain(f'unit.{unit}')}"
        if path.endswith("shared_prefix"):
            return f"{numbers.number(value * 100, self.lang)}{'' if self.lang == 'vi' else ' '}%"
        return text

    def _name(self, path: str, value: str) -> str:
        if path.endswith("device.id"):
            return self.device(value)
        if path.endswith(("already", "engine.id")) and value in self.kb.engines:
            return self.engine(value)
        if path == "model" or path.endswith("model.id"):
            return self.model(value)
        known = self.texts.names  # the refusals of one answer ask for a hundred, most of them again and again
        if (path, value) not in known:
            known[path, value] = self._found(path, value)
        return known[path, value]

    def _found(self, path: str, value: str) -> str:
        if path.endswith("format.family") or path == "format":
            return (self.kb.formats.get(value) or {}).get("name", value)
        if path.endswith("format.type"):
            return next((t["name"] for f in self.kb.formats.values() for t in f["types"] if t["id"] == value), value)
        if path == "bottleneck.is" and value in self.kb.bottlenecks:
            return self.texts.plain(self.kb.bottlenecks[value]["name"])
        last = path.rsplit(".", 1)[-1]
        group = _GROUPS.get(path) or _GROUPS.get(last) or last
        if path == "candidate.fit":
            return self.texts.plain(f"fit.word-{value}")
        for id_ in (f"value.{_slug(last)}.{_slug(value)}", f"words.{group}.{_slug(value)}", f"value.{_slug(value)}"):
            if self.texts.has(id_):
                return self.texts.plain(id_)
        return value

    def needed(self, path: str, needed: Any) -> str:
        """What a condition asks for, as a phrase: "8.0 or newer", "Linux or WSL2", "2 or more"."""
        if isinstance(needed, list | tuple):
            return self.texts.either([self.needed(path, n) for n in needed])
        if isinstance(needed, str):
            match = _COMPARISON.match(needed)
            if match:
                sign = _SIGNS[match[1]]
                if path in PATHS and PATHS[path].kind == "version":
                    return self.texts.plain(f"needed.version-{sign}", v=match[2])
                return self.texts.plain(f"needed.{sign}", v=self._number(path, _parse(match[2])))
            match = _RANGE.match(needed)
            if match:
                return f"{match[1]}{numbers.DASH}{match[2]}"
        return self.value(path, needed)

    # ------------------------------------------------------------------ changes of the Situation

    def patch(self, patch: Plain, stated: Plain | None = None) -> str:
        """A change as a short phrase: "format: GGUF", "4 × RTX 3090", "2 at once"."""
        return self.texts.both([self._change(path, value, stated or {}) for path, value in patch.items()])

    def _change(self, path: str, value: Any, stated: Plain) -> str:
        if path == "devices" and isinstance(value, list):
            return self.devices(value)
        if path == "needs" and isinstance(value, list):
            dropped = [n for n in stated.get("needs") or [] if n not in value]
            if dropped:
                return self.texts.plain("patch.without", value=self.value("needs", dropped))
        if value is None:
            return self.texts.plain("patch.unset", path=self.path(path))
        text = f"patch.{_slug(path.removeprefix('optional.'))}"
        named = self.value(path, value)
        if not self.texts.has(text):
            return self.texts.plain("patch.generic", path=self.path(path), value=named)
        return self.texts.plain(text, value=named, n=value if isinstance(value, int | float) else 0)


def _slug(text: str) -> str:
    return text.replace("_", "-").replace(" ", "-").lower()


def _parse(text: str) -> float:
    number = float(text)
    return int(number) if number == int(number) else number
