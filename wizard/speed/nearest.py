"""The public measurements most like a candidate, and what differs."""

from __future__ import annotations

from typing import Any

from wizard.memory.cache import Memo
from wizard.shapes import Layout, Path, Workload

# what a difference costs; rows are compared by the sum. Names are the ids of `differs`.
_COST = {
    "device": 12, "count": 6, "split": 3, "size": 14, "model-size": 4, "format": 6, "type": 2, "engine": 3,
    "backend": 3, "depth": 2,
}  # fmt: skip
_BYTES_NEAR = 1.35  # sizes within this factor count as alike
_DEEP = 4096  # tokens of difference in the context that are worth saying

_memo = Memo()
# of a row: device, count, split, bytes a token, mixture or not, family and type of the format, engine, back end, depth
_Seen = tuple[Any, int, Any, Any, bool, Any, Any, str, Any, int]


def nearest(
    path: Path, layout: Layout, arch: dict[str, Any] | None, work: Workload, kb: Any, count: int = 3,
    depth: int | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Up to `count` single-stream rows, the most alike first: same device before same class, same model
    before same size, then format and engine. Never an aggregate over several requests.

    Each row: id, decode_tps, differs (ids such as "device", "model-size"), source, date, hardware, engine,
    model. Rows of another class of device are left out. depth: tokens in the context, where that is not what the
    work says; an engine nobody named is no difference.
    """
    if not kb.measurements:
        return []
    entry = layout.cards[0].entry
    class_ = entry.get("speed_class")
    rows = _by_class(kb).get(class_, ())
    id_ = next((name for name, known in kb.models.items() if known is arch), None) if arch else None
    known = _memo.get(kb.measurements, "models", lambda: _models(kb))
    read = _size(arch, path, kb) if arch else None
    family = kb.engines[path.engine].get("speed_family")
    tokens = min(work.context, work.input + work.output // 2) if depth is None else depth
    scored = []
    for position, (row, seen) in enumerate(rows):
        differs = _differs(seen, path, layout, tokens, bool(id_) and known[row["model"]] == id_, arch, read)
        other = 5 if row["engine"] != path.engine and row.get("speed_family") != family else 0
        scored.append((sum(_COST[name] for name in differs) + other, position, differs))
    scored.sort()
    found, told = [], set()
    for _, position, differs in scored:
        row = rows[position][0]
        key = (row.get("hardware"), row["model"], row.get("format", {}).get("type"), row["engine"])
        if key in told:
            continue
        if len(found) == count:
            break
        told.add(key)
        found.append(
            {
                "id": row["id"], "decode_tps": row["decode_tps"], "differs": differs, "source": row["source"],
                "date": row["date"], "hardware": row.get("hardware") or row.get("device"), "engine": row["engine"],
                "model": row["model"],
            }
        )  # fmt: skip
    return found


def _by_class(kb: Any) -> dict[str, list[tuple[dict[str, Any], _Seen]]]:
    """The single-stream rows of each class of device, each with what is compared of it."""

    def make() -> dict[str, list[tuple[dict[str, Any], _Seen]]]:
        table: dict[str, list[tuple[dict[str, Any], _Seen]]] = {}
        for row in kb.measurements:
            if row["batch"] == 1 and row.get("decode_tps") and row["quality"] != "low":
                table.setdefault(row.get("speed_class"), []).append((row, _seen(row)))
        return table

    return _memo.get(kb.measurements, "class", make)


def _seen(row: dict[str, Any]) -> _Seen:
    format_ = row.get("format") or {}
    return (
        row.get("device"), row.get("count", 1), row.get("split"), row.get("bytes_per_token"), bool(row.get("moe")),
        format_.get("family"), format_.get("type"), row["engine"], row.get("backend"), row.get("depth", 0),
    )  # fmt: skip


def _models(kb: Any) -> dict[str, str | None]:
    """The entry that each measured model is, by its name as written."""
    found: dict[str, str | None] = {}
    for name in {row["model"] for row in kb.measurements}:
        hit = None if name in kb.models else kb.find_model(name)
        found[name] = name if name in kb.models else hit[0] if hit else None
    return found


def _size(arch: dict[str, Any], path: Path, kb: Any) -> float:
    """Bytes of weights a token reads."""
    type_ = kb.type_of(path.family, path.type) or {"bits": 16}
    params = arch["params"]
    return (params.get("active") or params["total"]) * type_["bits"] / 8


def _differs(
    seen: _Seen, path: Path, layout: Layout, depth: int, same: bool, arch: dict[str, Any] | None, read: float | None
) -> list[str]:
    device, count, split, size, moe, family, type_, engine, backend, at = seen
    found = []
    if device != layout.cards[0].device:
        found.append("device")
    if count != layout.tp * layout.pp:
        found.append("count")
    elif count > 1 and split != ("tensor" if layout.tp > 1 else "layer"):
        found.append("split")
    if arch is not None and not same:
        alike = size and read and max(size, read) <= _BYTES_NEAR * min(size, read)
        found.append("model-size" if alike and moe == (arch["kind"] == "moe") else "size")
    if family != path.family:
        found.append("format")
    elif type_ != path.type:
        found.append("type")
    if path.engine and engine != path.engine:
        found.append("engine")
    if backend and backend != path.backend:
        found.append("backend")
    if abs(at - depth) > _DEEP:
        found.append("depth")
    return found
