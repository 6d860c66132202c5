"""Which files a bundle is made from, and one hash over all of them. Imports nothing heavy."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from knowledge import kinds

_CODE = ("bundle.py", "kinds.py", "load.py", "mentions.py", "validate.py", "yaml12.py")


def yaml_files(base: Path) -> list[str]:
    """Paths below `base` of everything that looks like YAML, sorted; folders without entries left out."""
    found = []
    for folder, subfolders, names in os.walk(base):
        inside = Path(folder).relative_to(base).as_posix()
        if inside == ".":
            subfolders[:] = [s for s in subfolders if s not in kinds.OTHER_FOLDERS and not s.startswith(".")]
        prefix = "" if inside == "." else f"{inside}/"
        found += [f"{prefix}{n}" for n in names if n.endswith((".yml", ".yaml")) and not n.startswith(".")]
    return sorted(found)


def digest(base: Path) -> str:
    """Hash of every entry, the constants, the schemas and the code that bundles them."""
    total = hashlib.sha256()
    files = [base / name for name in yaml_files(base)]
    files += sorted((base / "constants").glob("*.json"))
    files += [*sorted(kinds.SCHEMAS.glob("*.json")), *(kinds.ROOT / name for name in _CODE)]
    for file in files:
        total.update(file.as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return total.hexdigest()
