"""The home page: the short form, the one-page guide with computed answers, and how good the numbers are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from macros import words
from macros.answers import cells
from macros.catalog import Page
from macros.speed import percent
from macros.templates import render as fill
from macros.view import View
from macros.wizard_form import example, short_form
from macros.world import World

ENGINES = ("engine", "library")  # layers that run a model themselves; the others start or steer these
GROUPS = ("desk", "datacentre", "embedded")


def pages(world: World) -> Iterator[Page]:
    """One page, at the root of its language."""
    yield Page("index.md", "home", title=lambda v: v.plain("pages.home.title"), hide=("navigation", "toc"))


def render(view: View, id_: str) -> str:
    """The Markdown of the home page."""
    return fill("home.md", view, form=short_form(view), groups=table(view), counts=counts(view.world), words=words,
                error=accuracy(view.world), percent=lambda share: percent(view, share))  # fmt: skip


def table(view: View) -> list[tuple[str, list[dict[str, Any]]]]:
    """The rows of the guide by group: what recipes say, with what their decisions give."""
    recipes = view.world.entries("recipe")
    shown = example(view)
    found = []
    for group in GROUPS:
        rows = []
        for id_, recipe in recipes.items():
            if recipe["group"] == group and "guide" in recipe:
                decision = view.world.decide(recipe["situation"])
                rows.append({
                    "id": id_, "recipe": recipe, "guide": recipe["guide"], "cells": cells(view, decision),
                    "here": recipe["situation"] == shown,
                    "devices": " ".join(d["device"] for d in decision["situation"]["devices"] if d.get("device")),
                })  # fmt: skip
        if rows:
            found.append((group, rows))
    return found


@lru_cache(maxsize=2)
def counts(world: World) -> dict[str, int]:
    """How much there is: sourced facts, entries, readings, facts past their shelf life."""
    from knowledge import stats

    rows = {row.folder: row for row in stats.rows(world.knowledge, world.today)}
    return {
        "facts": rows["all"].sourced,
        "overdue": rows["all"].overdue,
        "readings": rows["all"].readings,
        **{kind: len(world.entries(kind)) for kind in ("model", "device", "source")},
        "engine": sum(entry["layer"] in ENGINES for entry in world.entries("engine").values()),
        "tool": sum(entry["layer"] not in ENGINES for entry in world.entries("engine").values()),
        "records": sum(len(page["records"]) for page in world.entries("measurement").values()),
        "pages": len(world.entries("measurement")),
    }


def accuracy(world: World) -> dict[str, float] | None:
    """Median error of the decode estimate on source pages left out, and the share of intervals that held there."""
    errors = world.bundle.core["constants"].get("errors", {})
    held_out = errors.get("source_out")
    if not held_out:
        return None
    return {
        "median": held_out["median"],
        "coverage": errors.get("coverage"),
        "records": held_out["rows"],
        "pages": world.bundle.core["constants"]["counts"]["pages"],
    }
