"""Where the time of a token goes: one bar to scale, and the same in words."""

from __future__ import annotations

from .marks import pct
from .view import Plain, View

# Share -> fill class of the drawings; order is the order in the bar.
FILLS = {"weights": "w", "kv": "k", "host": "s", "compute": "a", "communication": "c", "overhead": "p"}
LEAST = 0.01  # shares below are left out


def time_of_a_token(view: View, estimates: Plain) -> str:
    """The bar with its sentence; empty where no step was estimated."""
    shares = {
        name: estimates["shares"][name] for name in FILLS if (estimates.get("shares") or {}).get(name, 0) >= LEAST
    }
    if not shares:
        return ""
    at, blocks = 0.0, []
    for name, share in shares.items():
        blocks.append(f'<rect class="{FILLS[name]}" x="{pct(at, 1)}" width="{pct(share, 1)}" height="100%"/>')
        at += share
    frame = f'<rect class="r" width="{pct(at, 1)}" height="100%"/>'
    parts = [
        view.p("speed.time-part", name=view.p(f"speed.time-{name}"), share=share) for name, share in shares.items()
    ]
    said = view.t("speed.time", parts=", ".join(parts))
    return (
        f'<svg class="we-tiny" width="100%" height="8" aria-hidden="true">{"".join(blocks)}{frame}</svg>'
        f'<p class="we-quiet">{said}</p>'
    )
