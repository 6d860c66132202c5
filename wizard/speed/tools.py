"""What to run to measure a speed: the tool of the engine, or of one like it, with the asked lengths."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from wizard.benchmark import command_of, tool_of
from wizard.kb import KB

if TYPE_CHECKING:
    from .ask import Question

# What stands in a command for what the question does not say; the person puts in their own.
OWN = {
    "checkpoint.file": "MODEL.gguf", "launch.file": "MODEL.gguf", "launch.model": "MODEL",
    "launch.asked_name": "MODEL", "model.repository": "MODEL", "launch.port": "PORT",
}  # fmt: skip


def runs(engine: str | None, family: str | None, question: Question, kb: KB) -> list[dict[str, str]]:
    """[{tool, command}] for the rate of one request and, with several at once, for their sum.

    engine: id or a name that is none; family: engines whose tools stand in for it. Empty when nothing is known.
    """
    known: dict[str, Any] = OWN | {
        "input.tokens": question.input, "output.tokens": question.output,
        "situation.traffic.concurrency": question.batch,
        "input.before": question.input if question.depth is None else question.depth or None,
    }  # fmt: skip
    wanted = [("decode_tps", True)] + ([("throughput_tps", False)] if question.batch > 1 else [])
    found: list[dict[str, str]] = []
    for quantity, single in wanted:
        tool = _tool(quantity, engine, family, kb)
        if tool:
            run = {"tool": tool[0], "command": shlex.join(command_of(tool, known, single))}
            if run["command"] and run not in found:
                found.append(run)
    return found


def _tool(quantity: str, engine: str | None, family: str | None, kb: KB) -> tuple[str, dict[str, Any]] | None:
    """The engine's tool, else that of the first engine of its family that has one."""
    alike = [id_ for id_, entry in kb.engines.items() if family and entry.get("speed_family") == family]
    found = (tool_of(quantity, id_, kb) for id_ in ([engine] if engine in kb.engines else sorted(alike)))
    return next((tool for tool in found if tool), None)
