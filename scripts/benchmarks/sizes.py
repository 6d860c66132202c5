"""Bytes that a visitor loads, compressed with gzip -9 as most static hosts do."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks import ROOT, Row

SITE = ROOT / "site"


def sizes() -> Iterator[Row]:
    """Runtime, knowledge, and the wizard page without either."""
    core = next(SITE.glob("_wizard/*/core.json"))
    texts = sorted(core.parent.glob("text.*.json"))
    runtime = next(SITE.glob("_wizard/*/pyodide.asm.wasm")).parent
    python = sum(packed(file) for file in runtime.iterdir() if file.suffix != ".txt")
    facts, words = packed(core), max(map(packed, texts))
    yield Row("runtime", python / 1e6, "MB gzip")
    yield Row("core.json", facts / 1e3, "kB gzip", 200)
    yield Row("text of one language, largest", words / 1e3, "kB gzip", 80)
    yield Row("all for a first answer", (python + facts + words) / 1e6, "MB gzip", 6.0)
    yield Row("wizard page, style and scripts", page() / 1e3, "kB gzip", 150, "without runtime and typefaces")


def page() -> int:
    """The wizard page with what its HTML names and what its scripts import."""
    document = SITE / "en" / "wizard" / "index.html"
    text = document.read_text(encoding="utf-8")
    names = re.findall(r'<(?:script|link)\b[^>]*(?:src|href)="([^"]+\.(?:m?js|css))"', text)
    files = {(document.parent / name).resolve() for name in names}
    scripts = next(SITE.glob("_wizard/app-*"))
    return packed(document) + sum(map(packed, files | {f.resolve() for f in scripts.iterdir()}))


def packed(file: Path) -> int:
    """Compressed bytes of a file; what is compressed already travels as it is."""
    data = file.read_bytes()
    return len(data) if file.suffix in (".gz", ".woff2") else len(gzip.compress(data, 9))
