"""What a question about speed says against itself or against what is known: sentences by id, never silence.

The estimate is made all the same, from what each sentence says was taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wizard.kb import KB
from wizard.shapes import GIB

from . import builds, names, nodes

if TYPE_CHECKING:
    from .ask import Question

Entry = dict[str, Any]
Said = tuple[str, Entry]
_OFF = 1.05  # numbers within this factor are the same measured or rounded in two ways
_BUILDS_AHEAD = 1.5  # times the newest measured build: more than a year's worth
_FILE_OFF = 1.6  # a file this far from the nominal bits is not of that type: mixtures keep some tensors wider


def _differ(one: float, other: float, factor: float = _OFF) -> bool:
    return max(one, other) > factor * min(one, other)


def _tidy(value: float) -> float:
    return float(f"{value:.3g}")


def of_machine(q: Question, machine: names.Machine) -> list[Said]:
    """About the device: counts, class, links and splits that say two things."""
    said: list[Said] = []
    entry = machine.entry
    class_ = entry.get("speed_class")
    if q.count and machine.count and q.count != machine.count:
        said.append(("terminal.speed-two-counts", {"given": q.count, "name": q.device, "named": machine.count}))
    asked = names.class_of(q.speed_class) if q.speed_class else None
    if asked and class_ and asked != class_:
        said.append(("terminal.speed-two-classes", {"class": class_, "asked": q.speed_class, "name": entry["name"]}))
    count = q.count or machine.count or 1
    joined = nodes.usual_link(class_, entry["name"]) == nodes.NETWORK
    if q.between and q.nodes == 1 and not (joined and count > 1):
        said.append(("terminal.speed-one-machine", {"flag": f"--between {q.between}"}))
    if q.split and count == 1:
        said.append(("terminal.speed-one-device", {"flag": f"--split {q.split}"}))
    return said


def of_bandwidth(given: float | None, known: float | None, name: str) -> list[Said]:
    """A bandwidth that is not the one of the named device. GB/s."""
    if given and known and _differ(given, known):
        return [("terminal.speed-two-rates", {"given": given, "known": _tidy(known), "name": name})]
    return []


def of_counts(q: Question, arch: Entry) -> list[Said]:
    """Counts given beside a model whose own are known; those are taken."""
    params = arch["params"]
    active = params.get("active") or params["total"]
    pairs = [
        ("--layers", q.layers, arch["layers"], 1.0),
        ("--active-b", q.active_b, active / 1e9, 1.15),
        ("--params-b", q.params_b if q.architecture else None, params["total"] / 1e9, 1.15),
    ]
    return [
        ("terminal.speed-two-sizes", {"flag": flag, "given": given, "known": _tidy(known), "name": arch["name"]})
        for flag, given, known, factor in pairs
        if given and known and _differ(given, known, factor)
    ]


def of_weights(q: Question, arch: Entry, type_: tuple[str, str, Entry]) -> list[Said]:
    """A file whose size is not that of the type it is said to be of."""
    if not q.file_gib or not q.format:
        return []
    bits = q.file_gib * GIB * 8 / arch["params"]["total"]
    nominal = type_[2]["bits"]
    if not _differ(bits, nominal, _FILE_OFF):
        return []
    values = {"gib": q.file_gib, "bits": _tidy(bits), "format": type_[1], "nominal": _tidy(nominal)}
    return [("terminal.speed-two-files", values)]


def of_version(engine: str, version: str, kb: KB) -> list[Said]:
    """A version that no release and no dated measurement is known of."""
    if not version or engine not in kb.engines:
        return []
    newest = str(kb.engines[engine]["versions"]["stable"])
    if not any(c.isdigit() for c in version):
        return [
            ("terminal.speed-version", {"engine": kb.engines[engine]["name"], "version": version, "newest": newest})
        ]
    number, latest = builds.number(version), builds.number(newest)
    if version.isdigit() and len(latest) > 1 and not number:
        number = (int(version), 0)  # "99" of an engine that counts "0.33.0"
    if len(number) == 1:  # a build: measured ones tell how far their count has come
        latest = max(
            (builds.number(name) for name in builds.known(engine, kb) if len(builds.number(name)) == 1), default=()
        )
        newest, ahead = f"b{latest[0]}" if latest else newest, bool(latest) and number[0] > _BUILDS_AHEAD * latest[0]
    else:
        ahead = bool(number and latest) and number > latest
    values = {"engine": kb.engines[engine]["name"], "version": version, "newest": newest}
    return [("terminal.speed-version-new", values)] if ahead else []


def of_context(q: Question, depth: int, arch: Entry) -> list[Said]:
    """A context longer than the model's."""
    native = (arch.get("context") or {}).get("native")
    longest = depth + q.output
    if native and longest > native:
        return [("terminal.memory-context", {"tokens": longest, "native": native, "name": arch["name"]})]
    return []
