"""The wizard's form and the short one of the home page as HTML: they are there before any script runs.

Groups follow the questions: hardware, model, workload and, behind a disclosure, operations. The failures
that a browser can have stand in the page as hidden sentences, so that they can be shown when nothing
else loads.
"""

from __future__ import annotations

from html import escape

from markupsafe import Markup

from macros import runtime, wizard_fields, wizard_intake, wizard_ways
from macros.similar import similar
from macros.view import View
from macros.world import Entry
from wizard import render
from wizard.situation import to_flat

GROUPS = ("hardware", "model", "workload", "operations")
FAILURES = ("csp", "no-wasm", "worker", "network", "timeout", "crash")
SHORT = ("devices", "model", "serving", "traffic.concurrency")
# app.mjs and what it imports: asked for together instead of one after the other
_MODULES = (
    "app.mjs",
    "engine.mjs",
    "wizard.mjs",
    "form.mjs",
    "lists.mjs",
    "result.mjs",
    "steps.mjs",
    "similar.mjs",
    "copy.mjs",
    "short.mjs",
    "offline.mjs",
)


def wizard_form(view: View) -> Markup:
    """Form, place of the result, failures and the intro with worked recipes."""
    t, plain = view.t, view.plain
    return Markup(
        f'<div class="wf" data-we-wizard {where(view)}>{_modules(view)}'
        f'<div class="wf-side"><div class="wf-top"><h2 class="wf-title" id="situation">{t("wizard-page.title")}</h2>'
        f'<button type="button" class="wf-link" data-we-copy-link '
        f'data-copied="{escape(plain("wizard-page.copied"))}">{t("wizard-page.copy-link")}</button></div>{_summary(view)}'
        f'<form class="wf-form" autocomplete="off" novalidate><div data-we-problems></div>'
        f"{''.join(_group(view, group) for group in GROUPS)}"
        f'<p class="wf-assumptions" data-we-assumptions hidden><b></b><br>'
        f'<button type="button" class="wf-link" data-we-reveal="we-change">{t("wizard-page.assumed-which")}</button>'
        f"</p></form>{wizard_ways.recent(view)}</div>"
        f'<div class="wf-main">{_live(view)}{_progress(view)}{_failures(view)}{similar(view)}'
        f'{wizard_ways.before(view)}<div class="we" data-we-result></div>{wizard_ways.ways(view)}'
        f'<div data-we-intro class="wf-intro"><p class="wf-lead">{t("wizard-page.intro")}</p>{_recipes(view)}</div>'
        f'<noscript><p class="wf-noscript">{t("wizard-page.noscript")}</p></noscript></div>'
        f'<div class="wf-bar we" data-we-bar hidden><div class="wf-bar-in"><p data-we-reveal="we-answer"></p>'
        f'<button type="button" class="wf-button" data-we-reveal="we-answer" hidden>{t("wizard-page.see")}</button>'
        f"{_change(view)}</div></div>"
        f"{wizard_intake.dialogs(view)}</div>"
    )


def short_form(view: View) -> Markup:
    """The form of the home page: device, model, for whom, how many at once, and the answer to an example.

    The example is the machine and model of the first recipe for a team with the usual number of requests, decided
    while the page is built; it asks no more than the form shows, so that the answer stays when scripts come.
    """
    fields = {f["path"]: f for group in GROUPS for f in wizard_fields.of_group(view, group)}
    inner = "".join(wizard_fields.field(view, fields[path], short=True) for path in SHORT if path in fields)
    situation = {name: example(view)[name] for name in ("devices", "model", "serving")}
    usual = view.world.decide(situation)["situation"]["traffic"]["concurrency"]
    decision = view.world.decide({**situation, "traffic": {"concurrency": usual}})
    stated = to_flat(decision["stated"])
    asked = "".join(f' data-set-{path.replace(".", "-")}="{escape(stated[path])}"' for path in SHORT if path in stated)
    wizard = view.to("wizard/")
    answer = render.compact(decision, view.answers, view.world.kb, view.lang, base=view.base, wizard=wizard)
    return Markup(
        f'<div class="wf-short" data-we-short {where(view)} data-wizard="{escape(wizard)}"{asked}>'
        f'<form class="wf-short-form" action="{wizard}" autocomplete="off" novalidate>{inner}'
        f'<input type="submit" hidden></form>{_live(view)}{_failures(view)}'
        f'<div class="we" data-we-brief>{answer}</div></div>'
    )


def example(view: View) -> Entry:
    """The situation that the home page shows first."""
    recipes = view.world.entries("recipe").values()
    return next(r["situation"] for r in recipes if r["situation"].get("serving") == "team" and "guide" in r)


# ---------------------------------------------------------------------- what scripts read


def where(view: View) -> str:
    """Folders of the runtime and the knowledge (from the scripts' folder), language, base."""
    found = runtime.manifest()
    paths = f'data-runtime="../{found.runtime}/" data-data="../{found.data}/" ' if found else ""
    return f'{paths}data-lang="{view.lang}" data-base="{escape(view.base)}"'


def early() -> dict[str, str] | None:
    """What the head of the wizard page needs to start the worker: address of the script from the root, its data."""
    found = runtime.manifest()
    if not found:
        return None
    return {"src": f"_wizard/{found.app}/early.js", "runtime": f"../{found.runtime}/", "data": f"../{found.data}/"}


def _modules(view: View) -> str:
    found = runtime.manifest()
    folder = f"{view.base}../_wizard/{found.app}/" if found else ""
    return "".join(f'<link rel="modulepreload" href="{folder}{name}">' for name in _MODULES) if found else ""


def _live(view: View) -> str:
    return '<p class="wf-live" role="status" aria-live="polite" data-we-live></p>'


def _progress(view: View) -> str:
    loaded = escape(view.raw("wizard-page.loaded"))
    return (
        f'<div class="wf-progress" data-we-progress hidden><label>{view.t("wizard-page.loading")}'
        f'<progress max="1" value="0"></progress></label><span data-loaded="{loaded}"></span></div>'
    )


def _failures(view: View) -> str:
    """One sentence a failure, what to do, and the way to answers that need no script."""
    notes = "".join(
        f'<p data-we-failure="{code}" hidden>{view.t(f"wizard-page.failure-{code}")}</p>' for code in FAILURES
    )
    return (
        f'<div class="wf-failures" data-we-failures role="alert" hidden>{notes}'
        f'<p><button type="button" class="wf-button" data-we-retry>{view.t("wizard-page.retry")}</button> '
        f'<a href="{view.to("")}#guide">{view.t("wizard-page.static-guide")}</a></p></div>'
    )


# ---------------------------------------------------------------------- the form


def _group(view: View, group: str) -> str:
    fields = wizard_fields.of_group(view, group)
    if not fields:
        return ""
    title = view.t(f"wizard-page.group-{group}")
    whys = "".join(
        f"<div><dt>{view.say(f['label'])}</dt>"
        f'<dd id="{wizard_fields.field_id(f["path"])}-why">{view.say(f["why"])} '
        f'<a href="{view.url("question", f["question"])}">{view.t("form.more-about")}</a></dd></div>'
        for f in fields
    )
    ask = f'<details class="wf-ask"><summary>{view.t("wizard-page.why-asked")}</summary><dl>{whys}</dl></details>'
    inner = f'<div class="wf-grid">{"".join(wizard_fields.field(view, f) for f in fields)}</div>'
    inner += f"{wizard_intake.opener(view, group)}{ask}"
    if group == "operations":
        return f'<details class="wf-more" id="wf-operations"><summary>{title}</summary>{inner}</details>'
    return f'<fieldset class="wf-group"><legend>{title}</legend>{inner}</fieldset>'


def _summary(view: View) -> str:
    """The situation in two lines: what a phone shows instead of the form once there is an answer, and print."""
    return f'<div class="wf-summary" data-we-summary hidden><div><p></p><p></p></div>{_change(view, "wf-link")}</div>'


def _change(view: View, css: str = "wf-button") -> str:
    return f'<button type="button" class="{css}" data-we-change>{view.t("wizard-page.change")}</button>'


def _recipes(view: View) -> str:
    """Recipes as links to their pages; a script fills the form with them instead."""
    items = "".join(
        f'<li><a href="{view.url("recipe", id_)}" data-we-preset="{escape(view.fragment(entry["situation"]))}">'
        f"{escape(view.name(entry))}</a></li>"
        for id_, entry in view.world.entries("recipe").items()
    )
    return f'<p class="wf-label">{view.t("wizard-page.recipes")}</p><ul class="wf-recipes">{items}</ul>'
