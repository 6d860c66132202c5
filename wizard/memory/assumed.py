"""What is assumed where neither the person nor the knowledge says: one table, every value with its error.

These are not facts about an engine. They stand in for a rule an engine entry does not state, or for a
use of memory nobody told us about; a fit that used one says so in `assumptions`, and the error decides
whether the answer is "tight". Sizes in MiB.
"""

from __future__ import annotations

from typing import Any

# Stand-ins for rules of the closed list, by kind of back end: own memory, shared memory, CPU.
RULES: dict[str, dict[str, dict[str, Any]]] = {
    "device": {
        "budget-need": {"reserve_mib": 0},
        "prefill-chunk": {"tokens": 512},
        "activation": {"base_mib": 300, "per_token_bytes_hidden": 40, "error_mib": 300},
        "context-overhead": {"mib": 450, "error_mib": 250},
        "communication": {"mib": 300, "error_mib": 200},
        "vision-encoder": {"base_mib": 500, "error_mib": 500},
        "draft-model": {"base_mib": 200, "error_mib": 200},
    },
    "shared": {
        "budget-need": {"reserve_mib": 0},
        "prefill-chunk": {"tokens": 512},
        "activation": {"base_mib": 300, "per_token_bytes_hidden": 40, "error_mib": 300},
        "context-overhead": {"mib": 200, "error_mib": 150},
        "communication": {"mib": 300, "error_mib": 200},
        "vision-encoder": {"base_mib": 500, "error_mib": 500},
        "draft-model": {"base_mib": 200, "error_mib": 200},
    },
    "cpu": {
        "budget-need": {"reserve_mib": 0},
        "prefill-chunk": {"tokens": 512},
        "activation": {"base_mib": 200, "per_token_bytes_hidden": 40, "error_mib": 200},
        "context-overhead": {"mib": 100, "error_mib": 100},
        "communication": {"mib": 0, "error_mib": 0},
        "vision-encoder": {"base_mib": 500, "error_mib": 500},
        "draft-model": {"base_mib": 200, "error_mib": 200},
    },
}
# Rules whose absence changes a number, so that leaning on the table has to be said. Which text says it.
SAID = {
    "budget-need": "memory.assumed-budget",
    "activation": "memory.assumed-activation",
    "context-overhead": "memory.assumed-context",
    "communication": "memory.assumed-communication",
}

CPU_BACKENDS = frozenset({"cpu", "openvino-cpu"})
DESKTOP_OSES = frozenset({"windows", "wsl2"})
DESKTOP_SEGMENTS = frozenset({"consumer", "laptop", "workstation", "desktop", None})

# A desktop draws on the card it is shown on.
DESKTOP_MIB, DESKTOP_ERROR_MIB = 800, 400
# The operating system and what else runs in system memory: a base and a share, up to a limit.
SYSTEM_BASE_MIB, SYSTEM_SHARE, SYSTEM_LIMIT_MIB = 1024, 0.05, 16384
# Share of unified memory that an engine may take where the device entry does not say, and its error.
UNIFIED_FRACTION, UNIFIED_ERROR = 0.75, 0.05
# Offloaded weights may fill this share of what the system leaves.
HOST_SHARE = 0.9


def host_room(ram_bytes: int) -> int:
    """Bytes of system memory that weights may take."""
    return int((ram_bytes - system_bytes(ram_bytes)[0]) * HOST_SHARE)


def kind_of(backend: str, unified: bool) -> str:
    """Which column of RULES holds for a back end."""
    if backend in CPU_BACKENDS:
        return "cpu"
    return "shared" if unified else "device"


def system_bytes(ram_bytes: int) -> tuple[int, int]:
    """(bytes, error in bytes) that the system itself keeps of `ram_bytes`."""
    mib = 1024**2
    used = min(SYSTEM_BASE_MIB * mib + int(ram_bytes * SYSTEM_SHARE), SYSTEM_LIMIT_MIB * mib)
    return used, used // 3
