"""One command as `docker run` or as a Compose file; published on loopback unless the person asked for more.

Inside a container the server must bind every address, or the published port reaches nothing; who
may reach it is decided by the address the port is published on.

How a container gets at the hardware belongs to the vendor's runtime:
NVIDIA https://docs.docker.com/compose/gpu-support, AMD
https://rocm.docs.amd.com/projects/install-on-linux/en/latest/how-to/docker.html. `--ipc=host` is for
engines whose ranks share memory between processes, as the PyTorch image's notes say.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from .shells import Group, Line, command_groups, continued
from .values import ANYWHERE, LOOPBACK

Plain = dict[str, Any]

_CACHE = ".cache/huggingface"  # where hub clients keep downloads, under the home directory
_WORK = "/work"
_RENDER_NODES = ("vulkan", "sycl", "xpu", "opencl", "openvino-gpu")
# what YAML does not allow raw inside double quotes, beyond what JSON escapes
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def docker(process: Plain, command: Plain) -> list[Line]:
    """`docker run` for one process; empty when the entry names no image.

    The words are for a POSIX shell; the two unquoted variables work in PowerShell as well.
    """
    if not process["image"]:
        return []
    backend, many, publish = _facts(command)
    groups = [Group(["docker", "run", "--rm"])]
    if backend == "cuda":
        groups.append(Group(["--gpus", "all"], "command.docker-gpus"))
    elif backend == "rocm":
        devices = ["--device", "/dev/kfd", "--device", "/dev/dri", "--security-opt", "seccomp=unconfined"]
        groups.append(Group(devices, "command.docker-rocm"))
    elif backend in _RENDER_NODES:
        groups.append(Group(["--device", "/dev/dri"], "command.docker-dri"))
    if many:
        groups.append(Group(["--ipc=host"], "command.docker-ipc"))
    if process["port"] and command["kind"] == "server":
        why = "command.docker-loopback" if publish == LOOPBACK else "command.docker-open"
        groups.append(Group(["--publish", f"{publish}:{process['port']}:{process['port']}"], why))
    if _local(process, command):
        mount = ["--volume", f'"${{PWD}}:{_WORK}"', "--workdir", _WORK]
        groups.append(Group(mount, "command.docker-work", raw=True))
    else:
        groups.append(Group(["--volume", f'"${{HOME}}/{_CACHE}:/root/{_CACHE}"'], "command.docker-cache", raw=True))
    for item in process["env"]:
        groups.append(Group(["--env", f"{item['name']}={_inside(item)}"], item.get("why")))
    groups.append(Group([process["image"]], "command.docker-image"))
    groups += _words(process)
    return continued(groups, shlex.quote, " \\", 0)


def compose(command: Plain) -> list[Line]:
    """A compose.yaml with every process that has an image; empty when none has."""
    services = [p for p in command["processes"] if p["image"]]
    if not services:
        return []
    lines = [Line("services:")]
    for process in services:
        lines += _service(process, command)
    return lines


def _service(process: Plain, command: Plain) -> list[Line]:
    backend, many, publish = _facts(command)
    lines = [Line(f"  {process['id']}:"), Line(f"    image: {_yaml(process['image'])}", "command.docker-image")]
    groups = _words(process)
    if any(g.words for g in groups):
        lines.append(Line("    command:"))
        for group in groups:
            if group.words:
                words = ", ".join(_yaml(w) for w in group.words)
                lines += _items(group.words) if len(words) > 90 else _items(group.words, group.why, group.params)
    if process["port"] and command["kind"] == "server":
        why = "command.docker-loopback" if publish == LOOPBACK else "command.docker-open"
        address = f"{publish}:{process['port']}:{process['port']}"
        lines += [Line("    ports:"), Line(f"      - {_yaml(address)}", why)]
    if process["env"]:
        lines.append(Line("    environment:"))
        lines += [Line(f"      {e['name']}: {_yaml(_inside(e))}", e.get("why")) for e in process["env"]]
    if _local(process, command):
        lines += [Line("    volumes:"), Line(f'      - ".:{_WORK}"', "command.docker-work")]
        lines.append(Line(f"    working_dir: {_WORK}"))
    else:
        lines += [Line("    volumes:"), Line(f'      - "~/{_CACHE}:/root/{_CACHE}"', "command.docker-cache")]
    if many:
        lines.append(Line("    ipc: host", "command.docker-ipc"))
    if backend == "cuda":
        device = "{driver: nvidia, count: all, capabilities: [gpu]}"
        lines.append(
            Line(f"    deploy: {{resources: {{reservations: {{devices: [{device}]}}}}}}", "command.docker-gpus")
        )
    elif backend == "rocm":
        lines.append(Line("    devices: [/dev/kfd, /dev/dri]", "command.docker-rocm"))
        lines.append(Line('    security_opt: ["seccomp=unconfined"]'))
    elif backend in _RENDER_NODES:
        lines.append(Line("    devices: [/dev/dri]", "command.docker-dri"))
    return lines


def _items(words: list[str], why: str | None = None, params: Plain | None = None) -> list[Line]:
    """List items, one word a line; the reason stands beside the first."""
    return [
        Line(f"      - {_yaml(word)}", None if index else why, {} if index else params or {})
        for index, word in enumerate(words)
    ]


def _words(process: Plain) -> list[Group]:
    """What follows the image: the arguments, and the program unless the image starts it by itself."""
    return command_groups(process, bind=ANYWHERE, program=not process["entrypoint"])


def _facts(command: Plain) -> tuple[str | None, bool, str]:
    known = command["values"]
    return known.get("candidate.backend"), int(known.get("candidate.device_count") or 1) > 1, known["launch.host"]


def _local(process: Plain, command: Plain) -> bool:
    """Files of this folder are needed: a configuration, or weights that were converted here."""
    return bool(process["files"]) or str(command["values"].get("launch.model", "")).startswith("./")


def _inside(item: Plain) -> str:
    return item["value"].replace(LOOPBACK, ANYWHERE) if item.get("bind") else item["value"]


def _yaml(text: str) -> str:
    """A double-quoted YAML scalar; "$" is doubled, as Compose would expand it."""
    return quoted(text.replace("$", "$$"))


def quoted(text: str) -> str:
    """A double-quoted YAML scalar of a text as it is."""
    return _UNPRINTABLE.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(text, ensure_ascii=False))
