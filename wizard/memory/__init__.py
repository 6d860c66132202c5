"""Memory: what weights, KV cache, state and buffers take on every device, and whether it fits.

`fit()` is what the decision asks. Below it: `weights` (parameter groups and bits), `kv` and `state` (per
token and per sequence), `ranks` and `stages` (how parallelism divides them), `rules/` (what an engine
adds, chosen in its entry), `assumed` (stand-ins, each with its error), `room` (what others use) and
`offload`; `frontier` asks for many contexts at once. Everything is whole bytes;
GiB appear only where a person reads them.
"""

from .fit import fit
from .need import held_of

__all__ = ["fit", "held_of"]
