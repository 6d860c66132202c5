"""Where things lie."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build"
SITE = ROOT / "site"
DOCS = ROOT / "docs"
ASSETS = DOCS / "assets"
NODE = ROOT / "node_modules"
LANGUAGES = ("en", "vi", "ru")
NAMES = {"en": "English", "vi": "Tiếng Việt", "ru": "Русский"}


def site_url() -> str:
    """Address of the site root with a trailing slash: SITE_URL, or where `make serve` shows it."""
    return os.environ.get("SITE_URL", "http://127.0.0.1:8000/").rstrip("/") + "/"


def write(path: Path, content: str | bytes) -> bool:
    """Write a file only if its content differs, so that a dirty build sees what changed. True if written."""
    data = content.encode() if isinstance(content, str) else content
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return True
