"""The type an engine keeps its cache in where nobody names one, when it is not 16 bit."""

from __future__ import annotations

from .base import Parameter

NAME = "kv-type"
PARAMETERS = {"type": Parameter(str, "type of K and V; empty: 16 bit", "")}
