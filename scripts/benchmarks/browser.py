"""Chromium on the built site: input to painted answer, first answer warm, cold and on a slow line."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scripts.benchmarks import ROOT, Row, median, spread
from tests.site.conftest import FLAGS, TEAM, program

RUNS = 9
SLOW_RUNS = 3
INPUTS = 24
LAUNCH_S = 2.0  # a new Chromium loads the pages of its own address bar first, for a second of processor time
SETTLE_S = 2.5  # time for Chromium to write its cache, and for what-if to end

# Notes when the first answer was painted: the frame after the one in which the section came.
_FIRST = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("[data-we-result] [data-section]")) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => (window.painted = performance.now())));
}).observe(document, { subtree: true, childList: true });
"""
# Changes a field and resolves with the milliseconds until the new answer was painted.
_INPUT = """
([name, value]) => new Promise((resolve) => {
  const field = document.querySelector(`[name="${name}"]`);
  const before = performance.now();
  new MutationObserver((_, observer) => {
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - before)));
  }).observe(document.querySelector("[data-we-result]"), { subtree: true, childList: true });
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
})
"""


@contextmanager
def _served() -> Iterator[str]:
    from macros.site import serve

    server = serve.make(ROOT / "site")
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def browser() -> Iterator[Row]:
    """Every row of this module."""
    from playwright.sync_api import sync_playwright

    with _served() as base, sync_playwright() as driver:
        yield from _inputs(driver, base)
        yield from _first(driver, base)
        yield from _slow(driver, base)


def _inputs(driver: Any, base: str) -> Iterator[Row]:
    chromium = driver.chromium.launch(executable_path=program(), args=FLAGS)
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{base}en/wizard/{TEAM}")
    page.wait_for_selector("[data-section=change]", state="attached", timeout=60_000)
    changes = _changes()
    for change in changes[:12]:  # the first few run while wasm is still being compiled well
        page.evaluate(_INPUT, change)
    time.sleep(SETTLE_S)
    quiet, busy = [], []
    for change in changes[12 : 12 + INPUTS]:
        quiet.append(page.evaluate(_INPUT, change))
        page.wait_for_timeout(1200)
    for change in changes[12 + INPUTS :]:
        busy.append(page.evaluate(_INPUT, change))
        page.wait_for_timeout(120)
    chromium.close()
    yield Row("input to painted answer", median(quiet), "ms", 50, spread(quiet))
    yield Row("the same while what-if still runs", median(busy), "ms", None, spread(busy))


def _changes() -> list[tuple[str, str]]:
    """Answers that change the result, each another one than before."""
    found = []
    for index in range(12 + 2 * INPUTS):
        name = ("traffic.concurrency", "context.input", "context.output")[index % 3]
        found.append((name, str((1 + index % 7) * {"traffic.concurrency": 2}.get(name, 500) + index)))
    return found


def _first(driver: Any, base: str) -> Iterator[Row]:
    cold, warm = [], []
    for _ in range(RUNS):
        profile = tempfile.mkdtemp()
        try:
            cold.append(_visit(driver, profile, base, SETTLE_S))
            _visit(driver, profile, base, SETTLE_S)
            warm.append(_visit(driver, profile, base, 0))
        finally:
            shutil.rmtree(profile, ignore_errors=True)
    yield Row("first answer, warm (browser relaunched)", median(warm), "s", 2.0, spread(warm))
    yield Row("first answer, cold (fresh profile)", median(cold), "s", 2.7, spread(cold))


def _slow(driver: Any, base: str) -> Iterator[Row]:
    found = []
    for _ in range(SLOW_RUNS):
        profile = tempfile.mkdtemp()
        try:
            found.append(_visit(driver, profile, base, 0, line=10e6 / 8))
        finally:
            shutil.rmtree(profile, ignore_errors=True)
    yield Row("first answer, cold, 10 Mbit/s", median(found), "s", 6.8, spread(found))


def _visit(driver: Any, profile: str, base: str, linger: float, line: float | None = None) -> float:
    """Seconds from navigation to painted answer in a new browser process. line: bytes per second."""
    context = driver.chromium.launch_persistent_context(profile, executable_path=program(), args=FLAGS)
    try:
        page = context.pages[0] if context.pages else context.new_page()
        page.add_init_script(_FIRST)
        if line:
            session = context.new_cdp_session(page)
            limits = {"offline": False, "latency": 40, "downloadThroughput": line, "uploadThroughput": line}
            session.send("Network.enable")
            session.send("Network.emulateNetworkConditions", limits)
        time.sleep(LAUNCH_S)
        page.goto(f"{base}en/wizard/{TEAM}")
        page.wait_for_function("() => window.painted", timeout=120_000, polling=100)
        seconds = page.evaluate("window.painted") / 1e3
        time.sleep(linger)
        return seconds
    finally:
        context.close()
