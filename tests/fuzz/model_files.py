"""The importers of model files against mutated ones: an architecture or an `ImportProblem`, nothing else."""

from __future__ import annotations

import io
import random
from typing import Any

from tests.wizard import shapes_of_models
from wizard.importers import ImportProblem, architecture, gguf, safetensors
from wizard.models import check_architecture

from . import mutate

INDEX = {
    "metadata": {"total_size": 16060522496},
    "weight_map": {"model.embed_tokens.weight": "model-00001.safetensors"},
}


def configs() -> list[Any]:
    """Every config.json that the tests know."""
    return [value for name, value in vars(shapes_of_models).items() if name.isupper() and isinstance(value, dict)]


def config(sample: Any, chance: random.Random) -> None:
    """One mutated config.json."""
    try:
        found = architecture(mutate.data(sample, chance))
    except ImportProblem:
        return
    check_architecture(found.entry)


def header(sample: bytes, chance: random.Random) -> None:
    """One mutated GGUF header."""
    try:
        gguf.architecture(io.BytesIO(mutate.binary(sample, chance)))
    except ImportProblem:
        return


def index(chance: random.Random) -> None:
    """One mutated safetensors index."""
    try:
        safetensors.read(mutate.data(INDEX, chance))
    except ImportProblem:
        return
