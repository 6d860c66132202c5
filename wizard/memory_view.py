"""The answer of `which-engine memory` for people: one line per number, GiB beside bytes."""

from __future__ import annotations

from typing import Any

from .shapes import GIB


def _size(count: int | None) -> str:
    return "–" if count is None else f"{count / GIB:,.3f} GiB ({count:,} bytes)"


def text(answer: dict[str, Any]) -> str:
    """Plain text."""
    engine = answer["engine"] or "no engine (ideal sizes)"
    version = f" {answer['version']}" if answer["version"] else ""
    lines = [
        f"{answer['model']}: {answer['parameters'] / 1e9:.3f} billion parameters, "
        f"{answer['format']['family']} {answer['format']['type']}, "
        f"KV {answer['kv_type']}, {engine}{version}, TP {answer['tp']}, PP {answer['pp']}",
        f"weights                 {_size(answer['weights_bytes'])}",
        f"weights per device      {_size(answer['weights_bytes_per_device'])}",
        f"KV per token            {answer['kv_bytes_per_token']:,} bytes; "
        f"per device {answer['kv_bytes_per_token_per_device']:,} bytes",
        f"KV of {answer['context']:,} tokens".ljust(24) + _size(answer["kv_bytes"]),
    ]
    if answer["state_bytes_per_sequence"]:
        lines.append(f"state per sequence      {_size(answer['state_bytes_per_sequence'])}")
    if answer["fit"]:
        for part in answer["parts"]:
            off = f" ± {part['error_bytes'] / GIB:.2f}" if part["error_bytes"] else ""
            lines.append(f"  {part['device']:28}{part['name']:15}{part['bytes'] / GIB:9.3f} GiB{off}  {part['basis']}")
        lines += [
            f"fit                     {answer['fit']}",
            f"room for KV             {_size(answer['pool_bytes'])}; {answer['pool_tokens'] or 0:,} tokens",
            f"longest context         {answer['max_context'] or 0:,} tokens",
            f"requests at the context {answer['max_concurrency']}",
        ]
        if answer["shortfall_bytes"]:
            lines.append(f"missing                 {_size(answer['shortfall_bytes'])}")
        if answer["offload"]:
            how = answer["offload"]
            lines.append(
                f"to system memory        {how['kind']}, {_size(how['host_bytes'])}; "
                f"layers on the device: {how['layers_gpu']}"
            )
    for change in answer.get("changes", ()):
        lines.append(f"instead: {change['change']} {change['from']} -> {change['to']}: {change['fit']}")
    lines += [f"assumed: {said}" for said in answer["assumptions"]]
    return "\n".join(lines)
