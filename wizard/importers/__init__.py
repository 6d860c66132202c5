"""Importers: files that publishers and quantizers write, as the architecture a decision works on.

`architecture` reads a config.json (with hf_quant_config.json beside it), `gguf` the header of a GGUF file,
`safetensors` the sizes in an index. All refuse with `ImportProblem`, which names the field.
"""

from .config import Imported, architecture
from .problem import ImportProblem, Said

__all__ = ["ImportProblem", "Imported", "Said", "architecture"]
