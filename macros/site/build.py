"""Build the three languages side by side.

What does not depend on a language (knowledge, decisions, kernels) is computed once; then each language
is assembled and built in a process of its own that inherits it.
"""

from __future__ import annotations

import hashlib
import logging
import multiprocessing
import os
import shutil
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from macros import catalog, kernels, similar, starts, templates
from macros.site import assets, offline, policy, root, runtime, search, sitemap
from macros.site.assemble import assemble, watched
from macros.site.paths import BUILD, LANGUAGES, ROOT, SITE, site_url
from macros.world import World, load_world


class Failed(Exception):
    """A language could not be built; what was wrong has been printed."""


def build(languages: tuple[str, ...] = LANGUAGES, force: bool = False) -> None:
    """Build into site/, or do nothing when nothing changed since the last build. Raises Failed."""
    state = inputs()
    stamp = BUILD / "stamp"
    if not force and stamp.exists() and stamp.read_text() == state and (SITE / "index.html").exists():
        print("site/ is up to date")
        return
    stamp.unlink(missing_ok=True)
    started = time.perf_counter()
    world = load_world()
    prepare(world)
    shared = assets.build()
    shared["js"] += runtime.prepare(world)
    ready = time.perf_counter()
    print(f"knowledge and decisions {ready - started:.1f} s")
    results = run(world, languages, shared)
    root.write_root(world, SITE)
    sitemap.index(SITE)
    runtime.install()
    offline.install(world, SITE, shared["preload"], languages)
    for old in SITE.iterdir():
        if old.is_dir() and old.name not in (*LANGUAGES, "assets", "_wizard"):
            shutil.rmtree(old)
    BUILD.mkdir(exist_ok=True)
    stamp.write_text(state)
    pages = sum(count for count, _ in results.values())
    print(f"site/: {pages} pages in {len(languages)} languages, {time.perf_counter() - started:.1f} s in all")


def prepare(world: World) -> None:
    """Everything that all languages share, so that it is computed once."""
    for kind in catalog.KINDS:
        catalog.module(kind)
    templates.compile_all()
    starts.table(world)
    similar.rows(world)
    kernels.table(world)
    for lang in LANGUAGES:
        _ = world.texts[lang]
    _ = world.outdated
    world.save()


def run(world: World, languages: tuple[str, ...], shared: dict[str, Any]) -> dict[str, tuple[int, float]]:
    """Each language in its own process where the system can fork, else one after the other."""
    if len(languages) == 1 or "fork" not in multiprocessing.get_all_start_methods():
        return {lang: one(world, lang, shared) for lang in languages}
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    jobs = {lang: context.Process(target=_job, args=(world, lang, shared, queue)) for lang in languages}
    for job in jobs.values():
        job.start()
    results: dict[str, tuple[int, float]] = {}
    failed = []
    for _ in jobs:
        lang, result, problem = queue.get()
        if problem:
            failed.append(lang)
            print(f"{lang}: {problem}", file=sys.stderr)
        else:
            results[lang] = result
            print(f"{lang}: {result[0]} pages, {result[1]:.1f} s")
    for job in jobs.values():
        job.join()
    if failed:
        raise Failed(", ".join(sorted(failed)))
    return results


def _job(world: World, lang: str, shared: dict[str, Any], queue: Any) -> None:
    try:
        queue.put((lang, one(world, lang, shared), None))
    except BaseException as error:
        text = str(error) if isinstance(error, Failed) else "".join(traceback.format_exception(error))
        queue.put((lang, None, text or "failed"))


def one(world: World, lang: str, shared: dict[str, Any], dirty: bool = False, strict: bool = True) -> tuple[int, float]:
    """Assemble and build one language; returns (pages, seconds). Raises Failed with what MkDocs said."""
    started = time.perf_counter()
    config_file, found = assemble(world, lang, shared)
    mkdocs_build(config_file, dirty=dirty, strict=strict)
    out = SITE / lang
    search.complete(out, lang, found)
    sitemap.complete(SITE, lang)
    try:
        policy.complete(out)
    except policy.Refused as error:
        raise Failed(str(error)) from error
    return sum(1 for _ in out.rglob("index.html")), time.perf_counter() - started


def mkdocs_build(config_file: Path, dirty: bool, strict: bool) -> None:
    """`mkdocs build --strict` without a new interpreter; warnings go to stderr as they do there."""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from mkdocs.commands.build import build as mkdocs
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    logger = logging.getLogger("mkdocs")
    if not logger.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter(f"{config_file.parent.name}: %(levelname)s %(message)s"))
        handler.setLevel(logging.WARNING)
        handler.addFilter(lambda record: "'dirty' build" not in record.getMessage())  # what a preview is
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    config = load_config(str(config_file), strict=strict)
    config.plugins.on_startup(command="build", dirty=dirty)
    try:
        mkdocs(config, dirty=dirty)
    except (Abort, SystemExit) as error:
        raise Failed(f"MkDocs: {error}") from error
    finally:
        config.plugins.on_shutdown()


def inputs() -> str:
    """Hash of everything the site is made from, by size and time of change, with address and day."""
    from macros.world import newest_day

    total = hashlib.sha256(f"{site_url()} {newest_day()}".encode())
    tools = (ROOT / "scripts" / "runtime.mjs", ROOT / "scripts" / "runtime")
    names = [*watched(), *tools, ROOT / "package-lock.json", ROOT / "requirements.txt"]
    for base in names:
        for file in sorted(base.rglob("*")) if base.is_dir() else [base]:
            if file.is_file() and "__pycache__" not in file.parts:
                stat = file.stat()
                total.update(f"{file.relative_to(ROOT)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return total.hexdigest()
