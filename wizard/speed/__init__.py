"""Speed: how fast a candidate that fits decodes, reads prompts and serves, as intervals with their basis.

`estimate()` is what the decision asks; `nearest()` adds the public measurements most like a candidate.
`terms` is the formula, `lookup` finds its constants in `knowledge/constants/speed.json`, `load` says what is
read, `prefill` is the prompt, `assumed` the stand-ins. Numbers are of the steady state; nothing here is
measured on the reader's machine.
"""

from .estimate import estimate
from .nearest import nearest

__all__ = ["estimate", "nearest"]
