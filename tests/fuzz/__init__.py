"""Mutated input for the parsers and importers, the same cases for the same seed. `python -m tests.fuzz [N]`."""
