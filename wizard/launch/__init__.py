"""From a candidate to something a person can paste: the command, its reasons, and its renderings.

`command` builds plain data (processes, arguments, environment, code) from what the engine's entry
says about starting it; `shells`, `containers`, `kubernetes` and `systemd` write that down with correct quoting.
Nothing here knows an engine by name.
"""

from __future__ import annotations

from .build import command
from .containers import compose, docker
from .kubernetes import manifest
from .shells import Line, posix, powershell
from .systemd import unit

__all__ = ["Line", "command", "compose", "docker", "manifest", "posix", "powershell", "unit"]
