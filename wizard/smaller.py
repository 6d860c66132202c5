"""What would make the recommended candidate fit: what its engine has on these devices, asked anew."""

from __future__ import annotations

from dataclasses import replace

from .candidates import Candidate
from .facts import Facts
from .found import lines
from .memory import changes, fit, held_of
from .memory.query import splits
from .shapes import Entry
from .sizing import host_of, workload_of


def changes_of(candidate: Candidate, facts: Facts, waiting: int = 0) -> list[Entry]:
    """Smallest changes ([{change, from, to, fit}], see `memory.changes`); empty when it fits as it is.

    waiting: requests beyond those that it was sized for; then what makes room for all of them, whose number stands
    under `all`. Fewer requests are no change to speak of: they wait without one.
    """
    if candidate.fit is None or candidate.settings is None or (candidate.fit["class"] == "fits" and not waiting):
        return []
    path, kb = candidate.path, facts.kb
    extra = {"candidate.backend": path.backend}
    kinds = [kind for kind in facts.kinds if any(card.device == kind.device for card in candidate.layout.cards)]

    def have(field: str) -> list[Entry]:
        table = lines(kb, path.engine, field, path.version, path.mode)
        return [line for line in table if _here(line, path.backend) and facts.holds(line.get("needs"), kinds, extra)]

    kv_types = tuple(line["type"] for line in have("kv_types"))
    sound = (t for t in kb.formats[path.family]["types"] if (t.get("quality") or {}).get("loss") != "severe")
    known = {type_["id"] for type_ in sound}
    types = {t for line in have("formats") if line["format"] == path.family for t in line.get("types", known)}
    may = changes.Open(kv_types, tuple(sorted(types & known)), splits(path.engine, kb) == "layers")
    work, host = held_of(workload_of(facts.situation)), host_of(facts)
    work = replace(work, concurrency=work.concurrency + waiting)
    case = changes.Case(path, candidate.layout, facts.arch, work, candidate.settings, host, kb)
    if not waiting:
        return changes.find(case, candidate.fit["class"], may)
    now = fit(*case, detail=False) or candidate.fit
    usual = work.input + work.output  # shorter requests than those are another question
    found = [c for c in changes.find(case, now["class"], may) if c["fit"] == "fits" and c["change"] != "concurrency"]
    return [{**c, "all": work.concurrency} for c in found if c["change"] != "context" or c["to"] >= usual]


def _here(line: Entry, backend: str) -> bool:
    wanted = line.get("backend", backend)
    return backend == wanted or backend in wanted
