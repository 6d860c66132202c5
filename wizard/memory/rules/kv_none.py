"""A server that reads a prompt once and keeps nothing of it: no KV cache, whatever the model's class has."""

from __future__ import annotations

from .base import Parameter

NAME = "kv-none"
PARAMETERS = {"is": Parameter(bool, "nothing is kept between steps", False)}
