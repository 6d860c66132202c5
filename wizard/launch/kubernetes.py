"""One server process as a Deployment and a Service that only the cluster reaches.

The names of what a pod may ask for belong to the vendors' device plugins:
https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus (nvidia.com/gpu, amd.com/gpu). Shared memory between
ranks is a volume in memory at /dev/shm, as in vLLM's and LMDeploy's manifests. The probe waits on the port, which
every server has; loading may take long, so the first one is patient.
"""

from __future__ import annotations

import re
from typing import Any

from .containers import quoted
from .shells import Line, command_groups
from .values import ANYWHERE

Plain = dict[str, Any]

_GPUS = {"cuda": "nvidia.com/gpu", "rocm": "amd.com/gpu"}
_CACHE = "/root/.cache/huggingface"
PATIENCE = 360  # probes of ten seconds: weights may have to be downloaded first


def manifest(command: Plain) -> list[Line]:
    """The lines of a YAML file, or none: several machines, files of this folder and other accelerators need more.

    command: as `build.command` makes it.
    """
    known = command["values"]
    served = [p for p in command["processes"] if p["image"] and p["port"]]
    backend = known.get("candidate.backend")
    local = any(p["files"] for p in served) or str(known.get("launch.model", "")).startswith("./")
    several = int(known.get("candidate.nodes") or 1) > 1 or len(command["processes"]) != 1
    if command["kind"] != "server" or len(served) != 1 or local or several or backend not in (*_GPUS, "cpu"):
        return []
    process, port = served[0], served[0]["port"]
    name = label(str(known.get("launch.served_name") or process["id"]))
    gpus = int(known.get("candidate.device_count") or 1) if backend in _GPUS else 0
    lines = [
        Line(f"# kubectl apply -f {name}.yaml", "command.kubernetes-apply"),
        Line(f"# kubectl port-forward service/{name} {port}:{port}", "command.kubernetes-forward"),
        Line("apiVersion: apps/v1"),
        Line("kind: Deployment"),
        Line(f"metadata: {{name: {name}}}"),
        Line("spec:"),
        Line("  replicas: 1"),
        Line("  strategy: {type: Recreate}", "command.kubernetes-recreate"),
        Line(f"  selector: {{matchLabels: {{app: {name}}}}}"),
        Line("  template:"),
        Line(f"    metadata: {{labels: {{app: {name}}}}}"),
        Line("    spec:"),
        Line("      containers:"),
        Line(f"        - name: {name}"),
        Line(f"          image: {_yaml(process['image'])}", "command.docker-image"),
    ]
    program = [] if process["entrypoint"] else process["program"]
    if program:
        lines.append(Line(f"          command: [{', '.join(_yaml(w) for w in program)}]"))
    groups = command_groups({**process, "program": []}, bind=ANYWHERE, program=False)
    if any(group.words for group in groups):
        lines.append(Line("          args:"))
        for group in groups:
            lines += [
                Line(f"            - {_yaml(word)}", None if n else group.why, {} if n else group.params)
                for n, word in enumerate(group.words)
            ]
    if process["env"]:
        lines.append(Line("          env:"))
        for item in process["env"]:
            value = item["value"].replace("127.0.0.1", ANYWHERE) if item.get("bind") else item["value"]
            lines.append(Line(f"            - {{name: {item['name']}, value: {_yaml(value)}}}", item.get("why")))
    lines.append(Line(f"          ports: [{{containerPort: {port}}}]"))
    if gpus:
        limits = f'          resources: {{limits: {{{_GPUS[backend]}: "{gpus}"}}}}'
        lines.append(Line(limits, "command.kubernetes-gpus"))
    lines += [
        Line("          startupProbe:", "command.kubernetes-probe"),
        Line(f"            {{tcpSocket: {{port: {port}}}, periodSeconds: 10, failureThreshold: {PATIENCE}}}"),
        Line(f"          readinessProbe: {{tcpSocket: {{port: {port}}}}}"),
        Line("          volumeMounts:"),
        Line(f"            - {{name: cache, mountPath: {_CACHE}}}", "command.kubernetes-cache"),
    ]
    if gpus > 1:
        lines.append(Line("            - {name: shm, mountPath: /dev/shm}", "command.docker-ipc"))
    lines += [Line("      volumes:"), Line("        - {name: cache, emptyDir: {}}")]
    if gpus > 1:
        lines.append(Line("        - {name: shm, emptyDir: {medium: Memory}}"))
    return [
        *lines,
        Line("---"),
        Line("apiVersion: v1"),
        Line("kind: Service"),
        Line(f"metadata: {{name: {name}}}"),
        Line("spec:"),
        Line("  type: ClusterIP", "command.kubernetes-inside"),
        Line(f"  selector: {{app: {name}}}"),
        Line(f"  ports: [{{port: {port}, targetPort: {port}}}]"),
    ]


def label(text: str) -> str:
    """A name as the cluster takes it: lower case letters, digits and hyphens, a letter first, 50 at most."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:50].rstrip("-")
    return plain if plain[:1].isalpha() else f"llm-{plain}".rstrip("-")


def _yaml(text: str) -> str:
    """A double-quoted scalar; "$(" would be filled by the cluster and is doubled."""
    return quoted(text.replace("$(", "$$("))
