"""Paths and layouts of an earlier decision, for a situation that differs in nothing they read.

What somebody changes most, the load and the priority, changes neither which paths an engine has nor how
a model can be spread; what-if asks a hundred such neighbours of one situation. The work is kept with the
knowledge, under the values that it read and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from .conditions import paths_of
from .facts import Facts
from .found import Found
from .kb import KB
from .needs import ROUTED, wanted

# The parts of a situation that the search for paths and layouts reads by itself.
_READ = ("devices", "host", "links", "nodes", "model", "format", "needs")
_PLACES = 48  # situations kept


class Kept:
    """The options and refusals of one machine and model, and the layouts of its options."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.placings: dict[Any, dict[Any, Any]] = {}


def kept(facts: Facts, search: Callable[[Facts], Found]) -> Kept:
    """What an earlier situation of the same reading left, or a new search. The caller must not change it."""
    places = facts.kb.reused
    key = _key(facts)
    found = places.pop(key, None) or Kept(search(facts))
    places[key] = found  # the newest stands last
    if len(places) > _PLACES:
        del places[next(iter(places))]
    return found


def placings(facts: Facts, of: Kept) -> dict[Any, Any]:
    """The layouts known so far for these requests, this priority and these asked degrees; the caller adds to it."""
    situation = facts.situation
    # more requests than two for each device change neither the possible copies nor their order
    users = min(situation["traffic"]["concurrency"], 2 * len(facts.cards) * situation["nodes"])
    asked = json.dumps(situation["settings"]["layout"], sort_keys=True)
    return of.placings.setdefault((users, situation["priority"], asked), {})


def _key(facts: Facts) -> str:
    situation = facts.situation
    read = [situation[name] for name in _READ]
    read.append(situation["optional"].get("engine_versions"))
    read.append(bool(wanted(facts)) and situation["serving"] in ROUTED)
    read.append([facts.value(path) for path in _asked(facts.kb)])
    return json.dumps(read, sort_keys=True)


def _asked(kb: KB) -> list[str]:
    if kb.asked is None:  # knowledge that was not bundled
        kb.asked = asked(kb.engines)
    return kb.asked


def asked(engines: dict[str, Any]) -> list[str]:
    """Every path that a constraint of an engine names and that is not a device's, a format's or a candidate's.

    The bundle carries it (`KB.asked`), since it takes longer than a decision.
    """
    read = {path for needs in _needs(list(engines.values())) for path in paths_of(needs)}
    return sorted(p for p in read if p.startswith(("situation.", "hardware.")))


def _needs(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "needs" and isinstance(inner, dict):
                yield inner
            else:
                yield from _needs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _needs(inner)
