"""Recurrent states that share the pool of KV pages: the page grows until a layer's state fits into one.

An engine with one pool for both makes the pages of attention layers at least as large as a state, so a
request grows by hundreds or thousands of tokens, and each state takes a whole page.
"""

from __future__ import annotations

from .base import Parameter, Parameters, round_up

NAME = "kv-state-page"
PARAMETERS = {
    "align": Parameter(int, "tokens to whose multiple a page is rounded up; 0: states lie apart", 0),
}


def page(parameters: Parameters, state: int, row: int, granule: int) -> int:
    """Tokens of a page: `state` bytes of one layer's state, `row` bytes of KV per token and attention layer."""
    align = parameters["align"]
    if align <= 0 or state <= 0 or row <= 0:
        return granule
    return max(granule, round_up(-(-state // row), align))


def states(parameters: Parameters, layers: int, attention_layers: int, copies: float) -> int:
    """Pages of attention layers that the states of one request take, over all layers."""
    if parameters["align"] <= 0 or not attention_layers:
        return 0
    return -(-layers // attention_layers) * -int(-copies // 1) * attention_layers
