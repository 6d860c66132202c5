"""The rules of `python -m knowledge check`: one module each, named after the code.

`RULES` lists them by code; the page on findings is rendered from it, and every rule has a bad fixture
under `tests/knowledge/fixtures/`. A code keeps its meaning for ever; a withdrawn one is not reused.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from knowledge.lint.rule import Rule, World

__all__ = ["BY_CODE", "RULES", "Rule", "World"]


def _discover() -> tuple[Rule, ...]:
    found = []
    for module in pkgutil.iter_modules(__path__):
        if module.name[0] == "k" and module.name[1:4].isdigit():
            rule = import_module(f"{__name__}.{module.name}").RULE
            if rule.code.lower() != module.name[:4]:
                raise ImportError(f"{module.name} holds rule {rule.code}")
            found.append(rule)
    return tuple(sorted(found, key=lambda rule: rule.code))


RULES: tuple[Rule, ...] = _discover()
BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}
