"""Which processes, arguments and variables start this candidate: filtered by condition and version, filled.

An argument whose placeholder has no value is left out and reported in `left_out`; nothing is
guessed. Two words of the templates exist only for several machines: `{launch.node_rank}` and
`{launch.head_address}`. A process that uses the rank is written once for the first machine and
once for all others; a process named `head…` or `worker…` goes to the first or to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .. import versions
from ..facts import Facts, Kind
from ..kb import KB
from . import below as below_of
from . import copies as copies_of
from . import values as v

Plain = dict[str, Any]

HEAD_ADDRESS = "HEAD_ADDRESS"  # the person puts the address of the first machine here
_RANK = "{launch.node_rank}"


def command(
    candidate: Plain, situation: Plain, kb: KB, facts: Facts | None = None, below: Plain | None = None
) -> Plain | None:
    """How to start a candidate, or None when its entry does not say.

    candidate: the fields of a recommendation; situation: normalised; below: for an orchestrator, the
    recommendation of the engine it drives. Returns the Command of a Decision, with `values` (what
    the placeholders stood for) and `left_out` beside the parts.
    """
    entry = kb.engines[candidate["engine"]]
    launch = entry.get("launch")
    if not launch:
        return None
    layout = candidate.get("layout") or {}
    copies, candidate = copies_of.one(candidate, entry)
    apart = (layout.get("dp") or 1) // ((candidate.get("layout") or {}).get("dp") or 1)
    known = v.values(candidate, situation, kb) | {"launch.copies": apart}
    version = str(known.get("engine.version", ""))
    facts = facts or Facts(situation, kb)
    chosen = {d.get("device") or "custom" for d in (candidate.get("layout") or {}).get("devices") or []}
    kinds = [k for k in facts.kinds if not chosen or k.device in chosen]
    extra = v.extra(candidate, kb)
    driven = _driven(candidate, entry, below, situation, kb, facts) if below else None
    if below:
        extra["engine.below"] = below["engine"]
        known["launch.below_name"] = below_of.line_of(entry, below["engine"]).get("called") or below["engine"]
    _paths(known, _named(kb, candidate["engine"]), facts, kinds, extra)

    holds = facts.holding(extra, kinds)
    left_out: list[Plain] = []
    builder = _Builder(known, version, holds, left_out, driven, launch.get("with_below"))
    specs = [spec for spec in launch.get("processes", []) if holds(spec.get("when"))]
    machines = max(layout.get("nodes") or 1, situation.get("nodes") or 1) if below else layout.get("nodes") or 1
    known.setdefault("candidate.nodes", 1)
    client = bool(kinds) and all(kind.entry["kind"] == "client" for kind in kinds)
    if client:
        specs = []  # nobody types commands on a phone or into a tab
    workers = frozenset(spec["id"] for spec in specs if spec.get("below"))
    processes: list[Plain] = []
    for copy in range(min(copies, copies_of.SHOWN)):
        builder.known = known | {"launch.port": known["launch.port"] + copy}
        shared = []
        if copy == 0:
            builder.known = {**builder.known, "candidate.nodes": machines}
            shared = [p for spec in specs if spec.get("once") for p in builder.nodes(spec)]
            builder.known = {**builder.known, "candidate.nodes": known["candidate.nodes"]}
        mine = [p for spec in specs if not spec.get("once") for p in builder.nodes(spec)]
        _model_args(mine, candidate, situation, kb, builder)
        copies_of.visible(mine, candidate, situation, copy if copies > 1 else None)
        if apart > 1:
            mine = copies_of.name(mine, copy, layout["nodes"], processes, workers)
        processes += [*shared, *mine]
    builder.known = known
    if copies > 1 or layout.get("nodes", 1) > (candidate.get("layout") or {}).get("nodes", 1):
        known["candidate.nodes"], known["candidate.dp"] = layout["nodes"], layout["dp"]
    if below:
        known["candidate.nodes"] = machines  # where each process runs; the engine itself may need fewer
    exposure = (situation.get("optional") or {}).get("exposure")
    below = kb.engines.get(candidate.get("via") or "") or {}
    plugin = below if below.get("layer") == "plugin" else {}  # an app brings its engine along
    check = next((c for c in launch.get("checks", ()) if holds(c["when"])), launch.get("check"))
    words = builder.words(check["argv"]) if check and processes else None
    if words is not None and len(words) < len(check["argv"]):
        words = None  # a part of it needs the model
    return {
        "kind": launch["kind"],
        "processes": processes,
        "install": []
        if client and situation.get("serving") not in ("app", "browser", "mobile")
        else [*_install(entry, builder), *_install(plugin, builder)],
        "open": [
            {"name": o["name"], "url": o["url"], "sources": sources(o["source"])}
            for o in launch.get("open", ())
            if client and holds(o.get("when"))
        ],
        "check": words,
        "code": [
            code
            for spec in launch.get("code", [])
            if holds(spec.get("when")) and (code := _code(spec, known, left_out)) is not None
        ],
        "convert": _convert(launch, candidate, builder),
        "forms": [
            {"form": f["form"], "sources": sources(f["source"])}
            for f in launch.get("forms", ())
            if holds(f.get("when"))
        ],
        "expose": launch.get("expose") if exposure not in (None, "loopback") else None,
        "values": known,
        "left_out": left_out,
    }


def _driven(candidate: Plain, entry: Plain, below: Plain, situation: Plain, kb: KB, facts: Facts) -> Plain | None:
    """The process of the engine below, on the orchestrator's layout and in the version it brings."""
    line = below_of.line_of(entry, below["engine"])
    alone = {**below, "layout": candidate.get("layout"), "fit": candidate.get("fit")}
    if line.get("version"):
        alone["version"] = line["version"]
    made = command(alone, situation, kb, facts)
    return made["processes"][0] if made and made["processes"] else None


def _named(kb: KB, engine: str) -> frozenset[str]:
    """Every placeholder of an engine's templates."""
    found = kb.kept.get(("placeholders", engine))
    if found is None:
        entry = kb.engines[engine]
        every = v.PLACEHOLDER.findall(repr((entry.get("launch"), entry.get("install"))))
        found = kb.kept["placeholders", engine] = frozenset(every)
    return found


def _paths(known: Plain, named: frozenset[str], facts: Facts, kinds: list[Kind], extra: Plain) -> None:
    """Add the condition paths that the entry's templates name and `values` does not hold."""
    for name in named - known.keys():
        value = extra.get(name, facts.value(name))
        if value is None and name.startswith("device.") and kinds:
            value = facts.device_value(kinds[0], name)
        if isinstance(value, str | int | float) and value not in ("", "none"):
            known[name] = value


class _Builder:
    """Fills the templates of one candidate."""

    def __init__(
        self,
        known: Plain,
        version: str,
        holds: Callable[[Any], bool],
        left_out: list[Plain],
        driven: Plain | None = None,
        beside: list[Plain] | None = None,
    ) -> None:
        self.known = known
        self.driven = driven  # process of the engine below, for an orchestrator
        self.beside = beside or []  # what goes with its arguments
        self.version = version
        self.holds = holds
        self.left_out = left_out

    def nodes(self, spec: Plain) -> Iterator[Plain]:
        """One process entry as it stands on each machine; `repeat` counts machines that do the same."""
        nodes = int(self.known.get("candidate.nodes") or 1)
        if nodes == 1:
            yield self.process(spec, 0, 1)
            return
        if spec["id"].startswith("head"):
            yield self.process(spec, 0, 1)
        elif spec["id"].startswith("worker"):
            yield self.process(spec, 1, nodes - 1)
        elif _RANK in repr(spec):
            yield self.process(spec, 0, 1)
            yield self.process(spec, 1, nodes - 1)
        else:
            yield self.process(spec, 0, nodes)

    def process(self, spec: Plain, node: int, repeat: int) -> Plain:
        here = {**self.known, "launch.node_rank": node, "launch.head_address": HEAD_ADDRESS}
        loose = [{"flag": w} for w in spec["program"] if "{" in w and v.PLACEHOLDER.search(w)]
        named = {a["flag"] for a in loose}
        fixed = [w for w in spec["program"] if w not in named]
        args = [self.arg(a, here) for a in [*loose, *spec.get("args", [])]]
        chosen = next((i["image"] for i in spec.get("images", []) if self.holds(i.get("when"))), spec.get("image"))
        image, missing = v.fill(chosen, here) if chosen else (None, [])
        if missing:
            self.left_out.append({"flag": "image", "missing": missing})
        taken = self.taken(spec.get("below"), here)
        files = [f for f in (self.file(f, here, spec.get("below"), taken) for f in spec.get("files", [])) if f]
        env = [e for e in (self.variable(e, here) for e in spec.get("env", [])) if e]
        if self.driven and (spec.get("below") or {}).get("as") == "flags":
            args += taken
            files += self.driven["files"]
            env += [e for e in self.driven["env"] if e["why"] != copies_of.WHY]  # each copy has its own devices
        own = node == 0 or spec["id"].startswith("worker")
        return {
            "id": spec["id"] if own else f"{spec['id']}-worker",  # one name a process, as Compose needs
            "node": node,
            "repeat": repeat,
            "program": fixed,
            "args": [a for a in args if a],
            "env": env,
            "image": image,
            "entrypoint": bool(spec.get("entrypoint")),
            "port": here.get("launch.port"),
            "files": files,
        }

    def arg(self, spec: Plain, here: Plain) -> Plain | None:
        when, lines = spec.get("when"), spec.get("versions")
        if when and not self.holds(when) or lines and not versions.matches(lines, self.version):
            return None
        flag, lost = v.fill(spec["flag"], here)
        value = None
        template = spec["flag"]
        if spec.get("value") is not None:
            value, more = v.fill(spec["value"], here)
            lost = lost + more
            template = f"{template} {spec['value']}"
        if lost:
            self.left_out.append({"flag": spec["flag"], "missing": lost})
            if spec["flag"].startswith("-") or not any(name.startswith("checkpoint.") for name in lost):
                return None
            flag, value = here["launch.model"], None  # a command without its model would not start
        return {
            "flag": flag,
            "value": value,
            "why": spec.get("why"),
            "params": v.used(template, here),
            "sources": sources(spec.get("source")),
            "bind": "{launch.host}" in template,
        }

    def variable(self, spec: Plain, here: Plain) -> Plain | None:
        if not self.holds(spec.get("when")):
            return None
        value, lost = v.fill(spec["value"], here)
        if lost:
            self.left_out.append({"flag": spec["name"], "missing": lost})
            return None
        bind = "{launch.host}" in str(spec["value"])
        return {"name": spec["name"], "value": value, "why": spec.get("why"), "bind": bind}

    def taken(self, below: Plain | None, here: Plain) -> list[Plain]:
        """What an orchestrator hands on: the flags of the engine below, and its own of that kind."""
        if not below or not self.driven:
            return []
        more = [self.arg(a, here) for a in self.beside]
        return [*below_of.arguments(self.driven, below), *(a for a in more if a)]

    def file(self, spec: Plain, here: Plain, below: Plain | None, taken: list[Plain]) -> Plain | None:
        if not self.holds(spec.get("when")):
            return None
        path, _ = v.fill(spec["path"], here)
        template = spec["content"]
        parts = template.split(below_of.PLACE)
        filled = [v.fill(part, {k: _inside(x) for k, x in here.items()}) for part in parts]
        lost = [name for _, missing in filled for name in missing]
        content = None if lost else below_of.PLACE.join(str(text) for text, _ in filled)
        if content is not None and below and self.driven:
            content = below_of.put(content, below, taken)
        if path is None or content is None:
            self.left_out.append({"flag": spec["path"], "missing": lost})
            return None
        return {"path": path, "content": content}

    def words(self, templates: list[str]) -> list[str]:
        """Words of a request made on the machine itself."""
        here = {**self.known, "launch.host": v.LOOPBACK}
        return [w for w in (v.fill(t, here)[0] for t in templates) if w is not None]


def sources(source: Any) -> list[str]:
    """Reading ids as a list."""
    return [] if not source else [source] if isinstance(source, str) else list(source)


def _install(entry: Plain, builder: _Builder) -> list[Plain]:
    """Ways to install, as shell text of the entry; a missing version leaves the line out."""
    own = {**builder.known, "engine.version": (entry.get("versions") or {}).get("stable")}
    if builder.known.get("engine.version") and entry.get("layer") == "engine":
        own["engine.version"] = builder.version
    ways = []
    for way in entry.get("install", []):
        text, _ = v.fill(way["command"], own)
        if text is not None and builder.holds(way.get("needs")):
            ways.append(
                {"how": way["how"], "command": text, "note": way.get("note"), "sources": sources(way["source"])}
            )
    return ways


def _convert(launch: Plain, candidate: Plain, builder: _Builder) -> list[Plain]:
    """How to make the weights, when nobody has published them in this format."""
    if (candidate.get("checkpoint") or {}).get("status") == "published":
        return []
    family = (candidate.get("format") or {}).get("family")
    steps = []
    for step in launch.get("convert", []):
        text, _ = v.fill(step["command"], builder.known)
        if step["format"] == family and text is not None and builder.holds(step.get("when")):
            steps.append({"command": text, "sources": sources(step["source"])})
    return steps


def _code(spec: Plain, known: Plain, left_out: list[Plain]) -> Plain | None:
    """Embedding code; a comment whose placeholder has no value is left out. None when a statement has none: what
    remained would not run."""
    inside = {key: _inside(value, spec["language"]) for key, value in known.items()}
    lines = []
    whole = True
    for template in spec["lines"]:
        line, lost = v.fill(template, inside)
        if line is None:
            left_out.append({"flag": template.strip(), "missing": lost})
            whole = whole and template.strip().startswith(("#", "//"))
        else:
            lines.append(line)
    if not whole:
        return None
    return {"language": spec["language"], "lines": lines, "sources": sources(spec.get("source"))}


def _inside(value: Any, language: str = "") -> Any:
    """A value made safe inside a double-quoted literal of the languages we print, JSON and YAML too."""
    if not isinstance(value, str):
        return value
    text = value.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return text.replace("$", "\\$") if language == "kotlin" else text


def _model_args(processes: list[Plain], candidate: Plain, situation: Plain, kb: KB, builder: _Builder) -> None:
    """What the model's entry says this engine needs for it, before the address of the server."""
    model = kb.models.get((situation.get("model") or {}).get("id") or "") or {}
    extra = [builder.arg(a, builder.known) for a in model.get("engine_args", []) if a["engine"] == candidate["engine"]]
    wanted = [a for a in extra if a]
    if not wanted or not processes:
        return
    name = builder.known["launch.model"]
    for process in processes:
        words = [a["value"] or a["flag"] for a in process["args"]]
        if name in words or len(processes) == 1:
            have = {a["flag"] for a in process["args"]}
            at = next((i for i, a in enumerate(process["args"]) if a["bind"]), len(process["args"]))
            process["args"][at:at] = [dict(a) for a in wanted if a["flag"] not in have]
