"""From a candidate to something a person can paste: the command, its reasons, and its renderings.

`command` builds plain data (processes, arguments, environment, code) from what the engine's entry
says about starting it; `shells` and `containers` write that down for a POSIX shell, PowerShell,
Docker and Compose with correct quoting. Nothing here knows an engine by name.
"""

from __future__ import annotations

from .build import command
from .containers import compose, docker
from .shells import Line, posix, powershell

__all__ = ["Line", "command", "compose", "docker", "posix", "powershell"]
