"""How far `wizard.memory` is from sizes that engines printed: the tables of `python -m knowledge.accuracy`.

Every memory record of `knowledge/measurements/` is asked as the command would ask it: its config (or the
model's entry), format, KV type, engine and version. A record whose `outside` says why no rule describes it
is listed apart and not averaged.
"""

from __future__ import annotations

from statistics import fmean, median
from typing import Any, NamedTuple

from wizard.importers import architecture
from wizard.kb import KB
from wizard.memory import elements, extras, named, query
from wizard.shapes import GIB, Card, Layout
from wizard.shapes import Path as EnginePath

KINDS = {
    "kv": "KV cache of a start-up", "kv-per-token-device": "KV per token and device", "weights": "weights as a file",
    "weights-device": "weights as loaded, per device", "pool": "pool for KV, per device",
    "concurrency": "requests at the whole context",
}  # fmt: skip
_SMALL_CARD = 24  # GiB: where a record does not say, the defaults of small cards hold


class Point(NamedTuple):
    """One size. exact: within the printed rounding; outside: why no rule describes it, or empty."""

    record: str
    kind: str
    engine: str
    predicted: float
    measured: float
    exact: bool
    outside: str

    @property
    def error(self) -> float:
        """Relative error, signed."""
        return self.predicted / self.measured - 1


def points(knowledge: Any, kb: KB) -> list[Point]:
    """All sizes of all memory records. knowledge: a loaded base (`knowledge.load.load()`)."""
    found = []
    for file in knowledge.files.values():
        if file.kind != "measurement" or not isinstance(file.data, dict):
            continue
        for record in file.data.get("memory", ()):
            found += _record(file.id, record, file.data.get("configs", {}), kb)
    return found


def _record(page: str, record: dict[str, Any], configs: dict[str, Any], kb: KB) -> list[Point]:
    name = record["model"]
    fmt = record.get("format")
    if name in configs:
        imported = architecture(configs[name], None, fmt is None)
        arch, own = imported.entry, imported.format
    else:
        arch, own = kb.models[name], None
    stored = named.find(fmt, kb) if fmt else None
    if stored is None and own:
        container = (kb.formats.get(own["family"]) or {}).get("container", "")
        entry = {"id": own["type"], "bits": own["bits"], "tensors": own["tensors"]}
        stored = named.Named(own["family"], own["type"], entry, container)
    stored = stored or named.find("bf16", kb)
    assert stored is not None, f"{page}: {fmt} is not a format"
    tp, pp = record.get("tp", 1), record.get("pp", 1)
    draft = record.get("draft")
    asks = extras.asked({"speculative"})._replace(draft=draft, tokens=record.get("draft_tokens")) if draft else None
    asked = query.Asked(
        record.get("context", 8192), 1, record.get("dcp", 1), record.get("fraction"), record.get("chunk"),
        asks=asks or extras.NONE, sequences=record.get("sequences"),
    )  # fmt: skip
    device = kb.devices.get(record.get("device", ""))
    backend = _backend(kb.engines.get(record["engine"]), device)
    engine = record["engine"] if record["engine"] in kb.engines else query.NONE
    checkpoint = {"status": "unknown", "bytes": None, "stored": stored.entry, "container": stored.container}
    path = EnginePath(
        engine, None, backend, stored.family, stored.type, "native", checkpoint, record.get("engine_version", "")
    )
    gib = record.get("memory_gib", _SMALL_CARD)
    entry = device or {"name": "card", "kind": "gpu", "segment": "datacenter", "memory": {"options": [gib]}}
    entry = {**entry, "memory": {**entry["memory"], "unified": False}}
    cards = tuple(Card("card", entry, round(gib * GIB), i) for i in range(tp * pp))
    kv = elements.resolve(record["kv"]) if record.get("kv") else None
    layout = Layout(cards, tp, pp)
    answer = query.answer(path, layout, (tp, pp, 1), arch, asked, kv, {"ram_bytes": 0, "os": "linux"}, kb)
    bare = query.answer(path, None, (tp, pp, 1), arch, asked, kv, {}, kb)
    outside = record.get("outside", "")
    if engine == query.NONE and any(g.get("window") for g in arch["attention"]):
        outside = outside or "windowed layers in an engine that has no entry"
    found = []
    for size in record["measured"]:
        predicted = _predicted(size, record, answer, bare)
        within = abs(predicted - size["value"]) <= size.get("within", 0) * 1.000001
        found.append(
            Point(f"{page}.{record['id']}", size["what"], record["engine"], predicted, size["value"], within,
                  outside)
        )  # fmt: skip
    return found


def _backend(engine: dict[str, Any] | None, device: dict[str, Any] | None) -> str:
    lines = [line["backend"] for line in (engine or {}).get("runs_on", ())]
    offered = (device or {}).get("backends")
    if offered:
        return next((b for b in lines if b in offered), offered[0])
    return "cuda" if "cuda" in lines or not lines else lines[0]


def _predicted(size: dict[str, Any], record: dict[str, Any], answer: dict[str, Any], bare: dict[str, Any]) -> float:
    what = size["what"]
    if what == "kv":
        return bare["kv_bytes"] * record.get("requests", 1)
    if what == "concurrency":
        # the printed pool instead of ours: this is about what one request takes
        return query.requests_in(answer, int(size["pool_bytes"]))
    return {
        "kv-per-token-device": bare["kv_bytes_per_token_per_device"], "weights": bare["weights_bytes"],
        "weights-device": bare["weights_bytes_per_device"], "pool": answer["pool_bytes"],
    }[what]  # fmt: skip


def table(found: list[Point]) -> str:
    """A line per kind: sizes, exact ones, median, mean and worst error; then what no rule describes."""
    lines = ["memory against printed sizes", f"  {'':34}{'sizes':>6}{'exact':>7}{'median':>9}{'mean':>8}{'worst':>8}"]
    for kind, title in KINDS.items():
        rows = [p for p in found if p.kind == kind and not p.outside]
        if rows:
            off = [abs(p.error) for p in rows]
            exact = sum(p.exact for p in rows)
            lines.append(f"  {title:34}{len(rows):>6}{exact:>7}{median(off):>9.2%}{fmean(off):>8.2%}{max(off):>8.2%}")
    lines.append("  not described by any rule:")
    lines += [f"    {p.record.split('.')[-1]:40}{p.error:>+9.1%}  {p.outside}" for p in found if p.outside]
    return "\n".join(lines)


def report(root: Any = None) -> str:
    """The table for the base."""
    from knowledge.bundle import load_for_cli
    from knowledge.load import load

    core, _, measurements = load_for_cli()
    return table(points(load(root), KB(core, measurements)))
