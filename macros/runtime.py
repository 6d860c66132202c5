"""The browser side as files of the site: Python, knowledge, page scripts, each in a folder named by its content.

`prepare` makes them under build/wizard (quick when nothing changed) and writes a manifest, from which
pages take the folder names; `install` copies them to `_wizard/` in the root of the finished site.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "wizard"
MANIFEST = BUILD / "manifest.json"
WEB = ROOT / "wizard" / "web"
DATA_FILES = (
    "core.json", "text.en.json", "text.vi.json", "text.ru.json", "measurements.json", "report.en.json",
    "report.vi.json", "report.ru.json",
)  # fmt: skip


class RuntimeNotMade(RuntimeError):
    """The browser's Python could not be made; the message carries what Node said."""


@dataclass(frozen=True)
class Manifest:
    """Folder names below `_wizard/`."""

    app: str
    runtime: str
    data: str


def prepare(knowledge_dir: Path) -> Manifest:
    """Make all three folders.

    knowledge_dir: where `python -m knowledge bundle` wrote its files.
    Raises RuntimeNotMade when Node is missing or fails.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            ["node", str(ROOT / "scripts" / "runtime.mjs"), str(knowledge_dir), str(BUILD / "runtime")],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
    except FileNotFoundError as error:
        raise RuntimeNotMade("node is not installed; the browser's Python is made with it") from error
    if done.returncode:
        raise RuntimeNotMade(f"scripts/runtime.mjs failed:\n{done.stdout}{done.stderr}")
    runtime = json.loads((BUILD / "runtime" / "runtime.json").read_text())["hash"]
    data = _folder("k", {name: (knowledge_dir / name).read_bytes() for name in DATA_FILES})
    scripts = sorted(WEB.glob("*.*js"))
    app = _folder("app", {file.name: bare(file.read_text(encoding="utf-8")).encode() for file in scripts})
    manifest = Manifest(app, runtime, data)
    MANIFEST.write_text(json.dumps(manifest.__dict__) + "\n")
    return manifest


def manifest() -> Manifest | None:
    """What `prepare` made last; None before it ran (a preview without the wizard)."""
    try:
        return Manifest(**json.loads(MANIFEST.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def install(site: Path) -> None:
    """Copy the folders of the manifest into the site; nothing else stays in `_wizard/`."""
    found = manifest()
    if found is None:
        return
    target = site / "_wizard"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name, source in (
        (found.app, BUILD / found.app),
        (found.data, BUILD / found.data),
        (found.runtime, BUILD / "runtime" / found.runtime),
    ):
        shutil.copytree(source, target / name)


def bare(script: str) -> str:
    """A script without the comments that fill lines of their own: readers of the page do not read them."""
    kept = []
    inside = text = False  # a comment of several lines; a template literal of several lines
    for line in script.splitlines():
        start = line.lstrip()
        if not text and not inside and start.startswith("//"):
            continue
        if not text and (inside or start.startswith("/*")):
            inside = "*/" not in line
            continue
        text ^= line.count("`") % 2 == 1
        kept.append(line)
    return "\n".join(kept) + "\n"


def _folder(prefix: str, files: dict[str, bytes]) -> str:
    total = hashlib.sha256()
    for file, content in files.items():
        total.update(file.encode() + b"\0" + content)
    name = f"{prefix}-{total.hexdigest()[:12]}"
    target = BUILD / name
    if not target.is_dir():
        for old in BUILD.glob(f"{prefix}-*"):
            shutil.rmtree(old)
        target.mkdir()
        for file, content in files.items():
            (target / file).write_bytes(content)
    return name
