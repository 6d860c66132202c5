"""Assembling and building the three languages: `python -m macros.site build | preview | serve`."""
