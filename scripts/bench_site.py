"""Build time per page against plain mkdocs-material on the same Markdown, the languages side by side in both.

Plain means: the Markdown our macros made, the same navigation, theme settings and extensions, without
our templates, macros, raw-HTML extension and post-processing. Prints wall-clock and processor time per page
of both; other programs on the machine stretch the first and hardly touch the second, so the second decides.
"""

from __future__ import annotations

import multiprocessing
import resource
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from macros import adapter, catalog  # noqa: E402
from macros.site import assets, build, runtime  # noqa: E402
from macros.site.assemble import configuration, stub  # noqa: E402
from macros.site.paths import BUILD, LANGUAGES, ROOT, SITE  # noqa: E402
from macros.site.prose import hand_written  # noqa: E402
from macros.view import View  # noqa: E402
from macros.world import World, load_world  # noqa: E402

PLAIN = BUILD / "plain"


def main() -> int:
    """Run both; returns 1 when ours is slower per page."""
    world = load_world()
    build.prepare(world)
    shared = assets.build()
    shared["js"] += runtime.prepare(world)
    ours = timed(lambda: build.run(world, LANGUAGES, shared))
    pages = sum(1 for lang in LANGUAGES for _ in (SITE / lang).rglob("index.html"))
    write_plain(world, shared)
    plain = timed(lambda: side_by_side(PLAIN))
    print(f"{pages} pages in {len(LANGUAGES)} languages, side by side, decisions already computed")
    for name, (wall, cpu), about in (
        ("ours", ours, "assembling, macros and search index included"),
        ("plain", plain, "mkdocs-material on the same Markdown"),
    ):
        a_page = f"{1000 * wall / pages:5.1f} ms a page, processor {1000 * cpu / pages:5.1f} ms"
        print(f"{name:6}{wall:6.1f} s  {a_page}   {about}")
    return int(ours[1] > plain[1])


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """(seconds on the wall, seconds of processor in the child processes), each the best of two runs."""
    walls, cpus = [], []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        run()
        walls.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(walls), min(cpus)


def write_plain(world: World, shared: dict) -> None:
    """The Markdown and the configuration of the plain builds."""
    shutil.rmtree(PLAIN, ignore_errors=True)
    base = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    for lang in LANGUAGES:
        view = View(world, lang, "", base["extra"])
        pages = list(catalog.pages(world))
        prose = hand_written(view)
        docs = PLAIN / lang / "docs"
        for page in pages:
            text = adapter.rendered.get((lang, page.path)) or catalog.markdown(page, view)
            front = (
                stub(page, page.title(view), text)
                .rpartition("---\n")[0]
                .replace("render_macros: true\n", "")
                .replace('search: {"exclude": true}\n', "")
            )
            put(docs / page.path, f"{front}---\n\n{text}")
        for name, text in prose.items():
            put(docs / name, text.replace("render_macros: true\n", "").replace("{{ condition_paths() }}", ""))
        config = {**base, **configuration(view, pages, prose, shared, PLAIN / "site")}
        del config["INHERIT"], config["plugins"]
        config["theme"] = {**base["theme"], **config["theme"]}
        del config["theme"]["custom_dir"], config["theme"]["icon"]
        for option in config["theme"]["palette"]:
            option["toggle"]["icon"] = "material/brightness-4"
        config["plugins"] = ["search"]
        config["markdown_extensions"] = {k: v for k, v in base["markdown_extensions"].items() if k != "macros.raw_html"}
        put(PLAIN / lang / "mkdocs.yml", yaml.safe_dump(config, allow_unicode=True, sort_keys=False))


def side_by_side(folder: Path) -> None:
    """One process a language, as ours does it."""
    context = multiprocessing.get_context("fork")
    jobs = [
        context.Process(target=build.mkdocs_build, args=(folder / lang / "mkdocs.yml", False, False))
        for lang in LANGUAGES
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    if any(job.exitcode for job in jobs):
        raise SystemExit("a plain build failed")


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
