"""One server process as a unit of the user's own service manager: no root, same address, started at boot.

Quoting and the doubled "%" and "$" follow systemd.syntax(7), systemd.unit(5) and systemd.service(5).
"""

from __future__ import annotations

import re
from typing import Any

from .kubernetes import label
from .shells import Line, command_groups

Plain = dict[str, Any]

_BARE = re.compile(r"[A-Za-z0-9_./:@,+=-]+")
FOLDER = "/FOLDER_OF_THE_WEIGHTS"  # the person puts the folder here


def unit(command: Plain) -> list[Line]:
    """The lines of a unit file, or none: several machines, several processes, files to write first.

    Only the process that listens becomes a service; what is typed once beside it does not.
    """
    known = command["values"]
    listening = [p for p in command["processes"] if _listens(p)]
    if int(known.get("candidate.nodes") or 1) > 1 or len(listening) != 1 or listening[0]["files"]:
        return []
    process = listening[0]
    name = label(str(process["program"][0]).rsplit("/", 1)[-1])
    groups = command_groups(process)
    lines = [
        Line(f"# ~/.config/systemd/user/{name}.service"),
        Line(f"# systemctl --user daemon-reload && systemctl --user enable --now {name}", "command.systemd-start"),
        Line("# loginctl enable-linger", "command.systemd-linger"),
        Line("[Unit]"),
        Line(f"Description={name}"),
        Line(""),
        Line("[Service]"),
    ]
    if any(word.startswith("./") for group in groups for word in group.words):
        lines.append(Line(f"WorkingDirectory={FOLDER}", "command.systemd-folder"))
    lines += [Line(f"Environment={_word(e['name'] + '=' + e['value'], True)}", e.get("why")) for e in process["env"]]
    first = "ExecStart=/usr/bin/env "
    for n, group in enumerate(groups):
        words = " ".join(_word(w) for w in group.words)
        end = " \\" if n < len(groups) - 1 else ""
        why = group.why or (None if n else "command.systemd-program")
        lines.append(Line((first if n == 0 else "  ") + words + end, why, group.params))
    return [
        *lines,
        Line("Restart=on-failure", "command.systemd-restart"),
        Line("RestartSec=5"),
        Line(""),
        Line("[Install]"),
        Line("WantedBy=default.target"),
    ]


def _listens(process: Plain) -> bool:
    return any(a.get("bind") for a in process["args"]) or any(e.get("bind") for e in process["env"])


def _word(text: str, environment: bool = False) -> str:
    """A word as the service manager passes it on unchanged; variables are not filled in Environment=."""
    if text and _BARE.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    return f'"{escaped if environment else escaped.replace("$", "$$")}"'
