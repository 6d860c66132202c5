"""`nvidia-smi topo -m`: how each pair of cards is connected."""

from __future__ import annotations

import re

from .seen import Line, Seen, whole

TOOL = "nvidia-smi topo -m"
HEAD = re.compile(r"\s*GPU0\s+(?:GPU1\b|CPU Affinity|NIC0\b|mlx)")
_ROW = re.compile(r"\s*(GPU|NIC|mlx)[\w:]{1,12}\s+\S")
_LEGEND = re.compile(r"\s*(?:Legend:|NIC Legend:|(?:X|SYS|NODE|PHB|PXB|PIX|NV#)\s+= |NIC\d+: \S+\s*$)")
_BETWEEN = re.compile(r"NV\d{1,2}|SYS|NODE|PHB|PXB|PIX|SOC")


def read(lines: list[Line], seen: Seen) -> None:
    """Claim the matrix and its legend."""
    columns: list[str] = []
    for line in lines:
        if HEAD.match(line.text) and not re.match(r"\s*GPU0\s+X\b", line.text):
            columns = [word for word in line.text.split() if re.fullmatch(r"GPU\d{1,3}", word)]
            line.taken = True
        elif _LEGEND.match(line.text):
            line.taken = True
        elif columns and _ROW.match(line.text):
            line.taken = True
            name, *cells = line.text.split()
            one = whole(name[3:], 999) if name.startswith("GPU") else None
            if one is None:
                continue
            for column, cell in zip(columns, cells, strict=False):
                other = int(column[3:])
                if other != one and _BETWEEN.fullmatch(cell):
                    seen.links[min(one, other), max(one, other)] = cell
