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
    for position, row in enumerate(rows):
        differs = _differs(row, path, layout, tokens, bool(id_) and known[row["model"]] == id_, arch, read)
        other = 5 if row["engine"] != path.engine and row.get("speed_family") != family else 0
        scored.append((sum(_COST[name] for name in differs) + other, position, differs))
    scored.sort()
    found, seen = [], set()
    for _, position, differs in scored:
        row = rows[position]
        key = (row.get("hardware"), row["model"], row.get("format", {}).get("type"), row["engine"])
        if key in seen:
            continue
        if len(found) == count:
            break
        seen.add(key)
        found.append(
            {
                "id": row["id"], "decode_tps": row["decode_tps"], "differs": differs, "source": row["source"],
                "date": row["date"], "hardware": row.get("hardware") or row.get("device"), "engine": row["engine"],
                "model": row["model"],
            }
        )  # fmt: skip
    return found


def _by_class(kb: Any) -> dict[str, list[dict[str, Any]]]:
    def make() -> dict[str, list[dict[str, Any]]]:
        table: dict[str, list[dict[str, Any]]] = {}
        for row in kb.measurements:
            if row["batch"] == 1 and row.get("decode_tps") and row["quality"] != "low":
                table.setdefault(row.get("speed_class"), []).append(row)
        return table

    return _memo.get(kb.measurements, "class", make)


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
    row: dict[str, Any], path: Path, layout: Layout, depth: int, same: bool, arch: dict[str, Any] | None,
    read: float | None,
) -> list[str]:  # fmt: skip
    found = []
    card = layout.cards[0]
    if row.get("device") != card.device:
        found.append("device")
    if row.get("count", 1) != layout.tp * layout.pp:
        found.append("count")
    elif row.get("count", 1) > 1 and row.get("split") != ("tensor" if layout.tp > 1 else "layer"):
        found.append("split")
    if arch is not None and not same:
        size = row.get("bytes_per_token")
        alike = size and read and max(size, read) <= _BYTES_NEAR * min(size, read)
        same_kind = bool(row.get("moe")) == (arch["kind"] == "moe")
        found.append("model-size" if alike and same_kind else "size")
    format_ = row.get("format") or {}
    if format_.get("family") != path.family:
        found.append("format")
    elif format_.get("type") != path.type:
        found.append("type")
    if path.engine and row["engine"] != path.engine:
        found.append("engine")
    if row.get("backend") and row["backend"] != path.backend:
        found.append("backend")
    if abs(row.get("depth", 0) - depth) > _DEEP:
        found.append("depth")
    return found
