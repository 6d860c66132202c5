"""The two dialogs that fill the form from elsewhere: outputs of system tools, and files of a model.

The page has all their words, also those for results and refusals, as templates with {placeholders}: a script puts
the values in, and no sentence stands in a script.
"""

from __future__ import annotations

from html import escape

from macros.view import View

HOST = "huggingface.co"  # the one other host that the wizard may ask, on a click that names it
GROUPS = {"hardware": "title", "model": "model-title"}  # group of the form -> title of the dialog that fills it
# what to run where, each a line to copy
_COMMANDS = (
    ("Linux", "nvidia-smi; nvidia-smi topo -m; lscpu; free -h"),
    ("Linux, AMD", "rocm-smi; rocm-smi --showmeminfo vram; lscpu; free -h"),
    (
        "Windows",
        "Get-CimInstance Win32_VideoController | fl Name, AdapterRAM; "
        "Get-CimInstance Win32_ComputerSystem | fl TotalPhysicalMemory; nvidia-smi",
    ),
    ("macOS", "system_profiler SPHardwareDataType SPDisplaysDataType"),
)


def opener(view: View, group: str) -> str:
    """The button below a group's fields that opens its dialog, "" for a group that has none."""
    if group not in GROUPS:
        return ""
    return (
        f'<button type="button" class="wf-link wf-opens" data-we-intake="{group}" aria-haspopup="dialog">'
        f"{view.t(f'paste.{GROUPS[group]}')}</button>"
    )


def dialogs(view: View) -> str:
    """Both dialogs, closed."""
    return _dialog(view, "hardware", _paste(view)) + _dialog(view, "model", _files(view))


def _dialog(view: View, group: str, inside: str) -> str:
    title = f"wf-{group}-title"
    words = "".join(
        f'<i data-word="{id_.removeprefix("paste.")}">{escape(view.raw(id_))}</i>' for id_ in _words(view, group)
    )
    return (
        f'<dialog class="wf-dialog" data-we-dialog="{group}" aria-labelledby="{title}">'
        f'<h2 class="wf-title" id="{title}">{view.t(f"paste.{GROUPS[group]}")}</h2>{inside}'
        f'<div class="wf-found" data-found role="status" aria-live="polite" tabindex="-1"></div>'
        f'<p class="wf-actions"><button type="button" class="wf-button" data-act="use" hidden>'
        f"{view.t('paste.use')}</button> "
        f'<button type="button" class="wf-link" data-act="close">{view.t("paste.close")}</button></p>'
        f"<template data-words>{words}</template></dialog>"
    )


def _words(view: View, group: str) -> list[str]:
    mine = ("paste.model-", "paste.problem-")
    ids = [id_ for id_ in view.texts.strings if id_.startswith("paste.")]
    chosen = [id_ for id_ in ids if id_.startswith(mine) == (group == "model")]
    return [*chosen, "paste.problem-crash"] if group == "hardware" else chosen


def _paste(view: View) -> str:
    lines = "".join(
        f"<dt>{escape(name)}</dt><dd><code>{escape(line)}</code> "
        f'<button type="button" class="wf-link" data-copy>{view.t("command.copy")}</button></dd>'
        for name, line in _COMMANDS
    )
    return (
        f'<p class="wf-hint">{view.t("paste.hint")}</p><dl class="wf-commands">{lines}</dl>'
        f'<label for="wf-hardware-box">{view.t("paste.box")}</label>'
        f'<textarea id="wf-hardware-box" rows="8" spellcheck="false" autocapitalize="off"></textarea>'
        f'<p><button type="button" class="wf-button" data-act="read">{view.t("paste.read")}</button></p>'
    )


def _files(view: View) -> str:
    t = view.t
    return (
        f'<p class="wf-hint">{t("paste.model-hint")}</p>'
        f'<label class="wf-drop"><span>{t("paste.model-files")}</span><input type="file" multiple></label>'
        f'<label for="wf-model-box">{t("paste.model-box")}</label>'
        f'<textarea id="wf-model-box" rows="5" spellcheck="false" autocapitalize="off" autocomplete="off"></textarea>'
        f'<p><button type="button" class="wf-button" data-act="read">{t("paste.read")}</button></p>'
        f'<label for="wf-model-hub">{t("paste.model-hub")}</label>'
        f'<input type="text" id="wf-model-hub" autocapitalize="off" autocomplete="off" spellcheck="false">'
        f'<p><button type="button" class="wf-button" data-act="fetch" data-host="{HOST}">'
        f"{t('paste.model-fetch', host=HOST)}</button></p>"
        f'<p class="wf-hint">{t("paste.model-host", host=HOST)}</p>'
    )
