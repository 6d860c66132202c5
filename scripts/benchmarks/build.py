"""The whole site against plain mkdocs-material on the same Markdown, three languages side by side in both.

How the two are made equal stands in `scripts/bench_site.py`. Other programs on the machine stretch the
clock and hardly touch the processor time, so that one has the limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from scripts.benchmarks import Row


def build() -> Iterator[Row]:
    """Milliseconds a page, ours and plain, by the clock and by the processor."""
    from macros.site import assets, runtime
    from macros.site import build as site
    from macros.site.paths import LANGUAGES, SITE
    from macros.world import load_world
    from scripts import bench_site

    world = load_world()
    site.prepare(world)
    shared = assets.build()
    shared["js"] += runtime.prepare(world)
    ours = bench_site.timed(lambda: site.run(world, LANGUAGES, shared))
    pages = sum(1 for lang in LANGUAGES for _ in (SITE / lang).rglob("index.html"))
    bench_site.write_plain(world, shared)
    plain = bench_site.timed(lambda: bench_site.side_by_side(bench_site.PLAIN))
    wall, cpu = ([1e3 * one[i] / pages for one in (ours, plain)] for i in (0, 1))
    yield Row("plain mkdocs-material, a page", wall[1], "ms", None, f"{plain[0]:.1f} s for {pages} pages")
    yield Row("our build, a page", wall[0], "ms", None, f"{ours[0]:.1f} s, decisions already computed")
    yield Row("plain mkdocs-material, processor a page", cpu[1], "ms")
    yield Row("our build, processor a page", cpu[0], "ms", cpu[1])
