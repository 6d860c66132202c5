"""Decisions as the pages show them: through the same renderer as the browser and the command line."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from macros.view import View
from macros.world import Entry
from wizard import render
from wizard.address import fragment


def sections(view: View, decision: Entry) -> Markup:
    """The whole answer, its sections one after the other, in the block that styles it."""
    parts = render.html(decision, view.answers, view.world.kb, view.lang, base=view.base, wizard=view.to("wizard/"))
    return Markup('<div class="we">' + "".join(part["html"] for part in parts) + "</div>")


def cells(view: View, decision: Entry) -> dict[str, Markup]:
    """Pieces of a row in a table of answers."""
    found = render.cells(decision, view.answers, view.world.kb, view.lang, base=view.base, wizard=view.to("wizard/"))
    return {name: Markup(piece) for name, piece in found.items()}


def wizard_address(view: View, situation: Entry) -> str:
    """Address of the wizard with a situation filled in."""
    return view.to("wizard/") + fragment(situation)


def situation_rows(view: View, decision: Entry) -> list[tuple[str, str]]:
    """The situation a decision was made for, as (label, value): hardware, model, load, priority."""
    said: dict[str, Any] = decision["situation"]
    w = view.words
    rows = [(view.plain("pages.situation.devices"), w.devices(said["devices"]))]
    if said["model"]:
        rows.append((view.plain("pages.situation.model"), w.model(said["model"])))
    rows += [
        (w.path("situation.serving"), w.value("serving", said["serving"])),
        (view.plain("pages.situation.load"), view.plain(
            "pages.situation.load-value", n=said["traffic"]["concurrency"], tokens=said["context"]["tokens"])),
        (w.path("situation.priority"), w.value("priority", said["priority"])),
        (w.path("host.os"), w.value("host.os", said["host"]["os"])),
    ]  # fmt: skip
    return [(label[:1].upper() + label[1:], value) for label, value in rows if value]
